"""JAX's dialect: refusals, types, quirks by name.

Random calls are held against JAX in tests/test_counterparts.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from counterparts import counterparts
from ndresize import ResizeError
from ndresize.dialects import jax

IMAGE = np.arange(12, dtype=np.float32).reshape(3, 4)


def theirs(name: str, data: np.ndarray[Any, Any], **words: Any) -> np.ndarray[Any, Any]:
    pytest.importorskip("jax")
    return counterparts()[f"jax.{name}"].run(data, words)


MOVED = {"spatial_dims": [0, 1], "scale": [1, 2], "translation": [0, 0], "method": "linear"}
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("resize", {"shape": (2,), "method": "linear"}, "shape must have 2 entries"),
    ("resize", {"shape": 2, "method": "linear"}, "shape must be"),
    ("resize", {"shape": (2.0, 3), "method": "linear"}, "shape must be integers"),
    ("resize", {"shape": (2, -3), "method": "linear"}, "negative lengths"),
    ("resize", {"shape": (2, 3), "method": "Linear"}, "did you mean 'linear'"),
    ("resize", {"shape": (2, 3), "method": 1}, "method must be one of"),
    ("resize", {"shape": (2, 3), "method": "linear", "antialias": "x"}, "antialias must be"),
    ("scale_and_translate", {**MOVED, "shape": (3, 8), "method": "nearest"}, "does not support"),
    ("scale_and_translate", {**MOVED, "shape": (3, 8), "spatial_dims": [1, 1]}, "not repeat"),
    ("scale_and_translate", {**MOVED, "shape": (3, 8), "spatial_dims": [0, 2]}, "axes must lie"),
    ("scale_and_translate", {**MOVED, "shape": (3, 8), "scale": [1]}, "scale must have 2"),
    ("scale_and_translate", {**MOVED, "shape": (3, 8), "scale": [1, 0]}, "scale must not be 0"),
    (
        "scale_and_translate",
        {**MOVED, "shape": (3, 8), "translation": [0, np.nan]},
        "translation must be finite",
    ),
    (
        "scale_and_translate",
        {**MOVED, "shape": (3, 8), "scale": np.ones(2, np.float16)},
        "scale must be of float32",
    ),
    (
        "scale_and_translate",
        {"shape": (4, 8), "spatial_dims": [1], "scale": [2], "translation": [0], "method": "area"},
        "JAX would ignore it",
    ),
]


@pytest.mark.parametrize(("name", "words", "message"), REFUSED)
def test_refusals(name: str, words: dict[str, Any], message: str) -> None:
    with pytest.raises(ResizeError, match=message):
        getattr(jax, name)(IMAGE, **words)
    with pytest.raises(ResizeError, match=message):
        getattr(jax, name).plan(IMAGE.shape, IMAGE.dtype, **words)


def test_an_empty_axis_cannot_grow() -> None:
    with pytest.raises(ResizeError, match="where image is empty"):
        jax.resize(IMAGE[:0], (2, 4), "linear")
    assert jax.resize(IMAGE[:0], (0, 9), "linear").shape == (0, 9)
    assert jax.resize(IMAGE, (0, 9), "linear").shape == (0, 9)


def test_the_twin_takes_the_shape_by_name_and_by_position() -> None:
    by_name = jax.resize.plan((3, 4), "float32", shape=(2, 8), method="linear")
    assert by_name == jax.resize.plan((3, 4), "float32", (2, 8), "linear")
    with pytest.raises(TypeError, match="multiple values"):
        jax.resize.plan((3, 4), "float32", (2, 8), shape=(2, 8), method="linear")


@pytest.mark.parametrize("method", ["nearest", "linear"])
@pytest.mark.parametrize(
    "dtype",
    ["bool", "uint8", "int32", "int64", "uint64", "float16", "float64", "complex64", "complex128"],
)
def test_types(dtype: str, method: str) -> None:
    """64-bit types become 32-bit ones; integers become float32 where they are weighed."""
    data = (IMAGE % 3).astype(dtype)
    if data.dtype.kind == "c":
        data += 1j * data[::-1]
    words = {"shape": (2, 8), "method": method}
    ours, answer = jax.resize(data, **words), theirs("resize", data, **words)
    assert ours.dtype == answer.dtype
    tolerance = 2e-3 if dtype == "float16" else 1e-6
    np.testing.assert_allclose(ours, answer, rtol=0, atol=tolerance)


def test_weights_have_the_type_of_the_image() -> None:
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    plan = jax.resize.plan((3,), bfloat16, (9,), "cubic")
    weights = plan.axes[0].weights
    np.testing.assert_array_equal(weights, weights.astype(bfloat16).astype(np.float64))


def test_nearest_multiplies_by_one_rounded_factor() -> None:
    """Not the quotient that the source has: XLA folds n_in and 1 / n_out into one constant."""
    different = 0
    for n_in, n_out in ((2, 41), (2, 47), (4, 55), (4, 41)):
        index = np.arange(n_in, dtype=np.int32)
        words = {"shape": (n_out,), "method": "nearest"}
        ours = jax.resize(index, **words)
        np.testing.assert_array_equal(ours, theirs("resize", index, **words))
        different += (ours != (2 * np.arange(n_out) + 1) * n_in // (2 * n_out)).any()
    assert different > 0


def test_cubic_of_pytorch_is_another_kernel_without_antialias_alone() -> None:
    data = IMAGE[0]
    words = {"shape": (9,), "method": "cubic-pytorch"}
    np.testing.assert_array_equal(jax.resize(data, **words), jax.resize(data, (9,), "cubic"))
    plain = jax.resize(data, antialias=False, **words)
    assert np.abs(plain - jax.resize(data, (9,), "cubic", antialias=False)).max() > 0.01
    np.testing.assert_allclose(
        plain, theirs("resize", data, antialias=False, **words), rtol=0, atol=4e-6
    )


def test_enumeration() -> None:
    method = pytest.importorskip("jax").image.ResizeMethod.CUBIC_PYTORCH
    np.testing.assert_array_equal(
        jax.resize(IMAGE, (5, 5), method), jax.resize(IMAGE, (5, 5), "cubic-pytorch")
    )


def test_a_negative_scale_mirrors() -> None:
    words = {**MOVED, "shape": (3, 4), "scale": [1.0, -1.0], "translation": [0.0, 4.0]}
    ours = jax.scale_and_translate(IMAGE, **words)
    np.testing.assert_array_equal(ours, IMAGE[:, ::-1])
    np.testing.assert_array_equal(ours, theirs("scale_and_translate", IMAGE, **words))


def test_align_corners_by_scale_and_translation() -> None:
    factor = 8 / 3
    ours = jax.scale_and_translate(IMAGE[0], (9,), (0,), [factor], [0.5 * (1 - factor)], "linear")
    np.testing.assert_allclose(ours, np.linspace(0, 3, 9), atol=1e-6)


def test_zeros_let_no_nan_through() -> None:
    """JAX multiplies the zeros of its dense matrix too, so that one NaN fills a line."""
    data = np.array([1, 2, 3, np.nan], np.float32)
    words = {"shape": (8,), "method": "linear", "antialias": False}
    assert np.isnan(theirs("resize", data, **words)).all()
    assert np.isnan(jax.resize(data, **words)).tolist() == [False] * 5 + [True] * 3


@pytest.mark.parametrize("method", ["linear", "cubic", "lanczos3", "area"])
def test_long_axes_agree_within_a_rounded_position(method: str) -> None:
    """XLA may or may not fuse the product and the difference of a position (see docs/jax.md)."""
    rng = np.random.default_rng(3)
    for n_in, n_out in ((127, 113), (61, 150)):
        data = rng.uniform(0, 1, n_in).astype(np.float32)
        words = {"shape": (n_out,), "method": method, "antialias": False}
        ours, answer = jax.resize(data, **words), theirs("resize", data, **words)
        np.testing.assert_allclose(ours, answer, rtol=0, atol=4 * n_in * 2.0**-24)


@pytest.mark.parametrize(
    ("method", "n_in", "n_out"),
    [
        ("lanczos3", 7, 3),
        ("lanczos3", 27, 23),
        ("lanczos5", 9, 7),
        ("lanczos5", 11, 32),
        ("cubic", 8, 5),
        ("cubic", 4, 10),
        ("cubic", 12, 9),
        ("cubic-pytorch", 5, 3),
        ("cubic-pytorch", 16, 9),
    ],
)
def test_weights_are_those_of_xla_to_the_bit(method: str, n_in: int, n_out: int) -> None:
    """Where its loops read weights or make them anew, unroll or not, add in turn or in lanes."""
    unit = np.eye(n_in, dtype=np.float32)
    for antialias in (False, True):
        words = {"shape": (n_in, n_out), "method": method, "antialias": antialias}
        np.testing.assert_array_equal(jax.resize(unit, **words), theirs("resize", unit, **words))
