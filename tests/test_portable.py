"""The portable executor: arrays of other namespaces, their devices and their gradients."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import array_api_strict
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from hypothesis import given

import ndresize
from ndresize import ResizeError
from ndresize.dialects import onnx
from ndresize.engine import portable
from oracle import agrees, answer, bfloat16, tolerance
from strategies import calls, dtype_named

TORCH = [
    *("float16", "float32", "float64", "bfloat16", "complex64", "complex128"),
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
]
STRICT = [name for name in TORCH if "float16" not in name]  # the standard has no 16-bit floats
JAX = ["float32", "bfloat16", "uint8", "int32", "complex64"]  # it compiles each operation anew
WORDS: list[dict[str, Any]] = [
    {"mode": "linear"},
    {"mode": "cubic"},
    {"mode": "cubic", "antialias": 1, "exclude_outside": 1},
    {"mode": "nearest", "nearest_mode": "ceil"},
    {
        "mode": "linear",
        "coordinate_transformation_mode": "tf_crop_and_resize",
        "extrapolation_value": 2.5,
        "roi": [0, -0.5, 0, 1, 1.25, 1],
    },
]


def noise(name: str) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(5)
    x = rng.uniform(0, 100, (3, 5, 4))
    return (x + 1j * x[::-1] if name.startswith("complex") else x).astype(dtype_named(name))


def run(x: Any, words: dict[str, Any]) -> Any:
    return onnx.resize(x, sizes=[4, 8, 3], **words)


def near(y: np.ndarray[Any, Any], x: np.ndarray[Any, Any], words: dict[str, Any]) -> None:
    """Assert the native result to two units in the last place of the largest sum."""
    native = run(x, words)
    assert y.dtype == native.dtype
    assert y.shape == native.shape
    if x.dtype.kind in "iu":
        # Sums that differ in the last bit may fall on two sides of a tie, and none does here.
        np.testing.assert_array_equal(y, native)
        return
    kind = np.complex128 if x.dtype.kind == "c" else np.float64
    eps = 2.0**-7 if x.dtype == bfloat16 else float(np.finfo(x.dtype).eps)
    largest = float(np.abs(native.astype(kind)).max())
    difference = np.abs(y.astype(kind) - native.astype(kind)).max()
    assert difference <= 2 * eps * largest


@given(calls())
def test_with_numpy_every_answer_is_the_exact_one(call: Any) -> None:
    plan = onnx.resize.plan(
        call.x.shape,
        call.x.dtype,
        call.roi,
        call.scales,
        call.sizes,
        opset=call.opset,
        **call.attributes,
    )
    right = answer(call)
    with np.errstate(over="ignore"):
        y = portable.run(plan, call.x)
    # No fused multiply-add: one more rounding per product.
    assert agrees(np.asarray(y), right, call.x.dtype, 2 * tolerance(call, right))


def to_torch(x: np.ndarray[Any, Any]) -> torch.Tensor:
    if x.dtype == bfloat16:
        return torch.from_numpy(x.astype(np.float32)).to(torch.bfloat16)
    return torch.from_numpy(x)


def from_torch(y: torch.Tensor) -> np.ndarray[Any, Any]:
    if y.dtype == torch.bfloat16:
        return y.to(torch.float32).numpy().astype(bfloat16)
    return y.numpy()


@pytest.mark.parametrize("words", WORDS, ids=str)
@pytest.mark.parametrize("name", TORCH)
def test_torch(name: str, words: dict[str, Any]) -> None:
    x = noise(name)
    y = run(to_torch(x), words)
    assert isinstance(y, torch.Tensor)
    assert y.device.type == "cpu"
    near(from_torch(y), x, words)


@pytest.mark.parametrize("words", WORDS, ids=str)
@pytest.mark.parametrize("name", STRICT)
def test_array_api_strict(name: str, words: dict[str, Any]) -> None:
    x = noise(name)
    y = run(array_api_strict.asarray(x), words)
    assert isinstance(y, type(array_api_strict.asarray(x)))
    near(np.asarray(y), x, words)


@pytest.mark.parametrize("words", WORDS, ids=str)
@pytest.mark.parametrize("name", JAX)
def test_jax(name: str, words: dict[str, Any]) -> None:
    x = noise(name)
    with jax.enable_x64(True):  # without it JAX has no 64-bit type to sum in, and warns
        y = run(jnp.asarray(x), words)
        assert isinstance(y, jax.Array)
        near(np.asarray(y), x, words)


def test_jax_compiled_gradient_and_vmap() -> None:
    x = noise("float32")
    for words in WORDS:
        near(np.asarray(jax.jit(lambda v, w=words: run(v, w))(jnp.asarray(x))), x, words)
    plan = onnx.resize.plan(x.shape, x.dtype, sizes=[4, 8, 3], mode="cubic")
    gradient = jax.grad(lambda v: (plan(v) * 3).sum())(jnp.asarray(x))
    expected = plan.adjoint()(np.full(plan.output_shape, 3, np.float32))
    np.testing.assert_allclose(np.asarray(gradient), expected, rtol=1e-5)
    several = jax.vmap(plan)(jnp.asarray(np.stack([x, 2 * x])))
    np.testing.assert_allclose(np.asarray(several[1]), 2 * plan(x), rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("words", WORDS, ids=str)
def test_torch_gradient_is_the_adjoint_plan(words: dict[str, Any]) -> None:
    x = torch.from_numpy(noise("float64")).requires_grad_()
    assert torch.autograd.gradcheck(lambda v: run(v, words), x)
    y = run(x, words)
    g = np.random.default_rng(1).uniform(-1, 1, y.shape)
    y.backward(torch.from_numpy(g))
    adjoint = onnx.resize.plan(tuple(x.shape), np.float64, sizes=[4, 8, 3], **words).adjoint()
    assert x.grad is not None
    np.testing.assert_allclose(x.grad.numpy(), adjoint(g), rtol=1e-12, atol=1e-12)
    # The adjoint runs on tensors as well.
    np.testing.assert_allclose(adjoint(torch.from_numpy(g)).numpy(), adjoint(g), atol=1e-12)


def test_the_device_is_kept() -> None:
    meta = ndresize.resize(torch.ones(3, 4, device="meta"), sizes=[5, 7], mode="linear")
    assert meta.device.type == "meta"
    assert tuple(meta.shape) == (5, 7)


def test_bool_is_picked() -> None:
    for x in (torch.tensor([True, False]), array_api_strict.asarray([True, False])):
        y = ndresize.resize(x, scales=[2])
        assert np.asarray(y).tolist() == [True, True, False, False]


def test_a_weight_of_zero_reads_nothing() -> None:
    x = torch.tensor([1.0, float("nan"), 3.0], requires_grad=True)
    y = ndresize.resize(x, sizes=[5], mode="linear", coordinate_transformation_mode="align_corners")
    assert torch.isnan(y).tolist() == [False, True, True, True, False]
    y[0].backward()
    assert x.grad is not None
    assert x.grad.tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    "x", [torch.ones(0, 4), array_api_strict.ones((0, 4))], ids=["torch", "xp"]
)
def test_empty(x: Any) -> None:
    assert tuple(ndresize.resize(x, sizes=[0, 7], mode="linear").shape) == (0, 7)
    assert tuple(ndresize.resize(x, scales=[2, 0.2]).shape) == (0, 0)


def test_refusals() -> None:
    x = torch.ones(3)
    plan = ndresize.resize.plan((3,), np.float32, sizes=[5])
    with pytest.raises(ResizeError, match=r"NumPy arrays alone; got .* torch"):
        plan(x, out=torch.ones(5))
    with pytest.raises(ResizeError, match=r"the plan is for shape \(3,\), got \(4,\)"):
        plan(torch.ones(4))
    with pytest.raises(ResizeError, match=r"the plan is for type float32, got torch\.float64"):
        plan(x.double())


def test_element_types_that_numpy_does_not_have() -> None:
    class Strange:
        shape = (3,)
        dtype = "strange.float80"

        def __array_namespace__(self) -> Any:
            return np

    with pytest.raises(ResizeError, match=r"an element type that NumPy has, got strange\.float80"):
        ndresize.resize(Strange(), sizes=[5])


@pytest.mark.parametrize(
    ("missing", "dtype", "message"),
    [
        ("array_api_compat", "float32", "needs array-api-compat: pip install 'ndresize[portable]'"),
        ("ml_dtypes", "bfloat16", "bfloat16 needs ml_dtypes: pip install ml_dtypes"),
    ],
)
def test_says_what_to_install(missing: str, dtype: str, message: str) -> None:
    code = f"""
import sys
sys.modules[{missing!r}] = None
import torch, ndresize
ndresize.resize(torch.ones(2, dtype=torch.{dtype}), sizes=[3])
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert message in run.stderr.strip().splitlines()[-1]
