"""ONNX Runtime's quirks by name, and what it refuses, each run against ONNX Runtime itself."""

from __future__ import annotations

import json
import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ndresize
from counterparts.onnxruntime import runner
from ndresize.dialects import onnx, onnxruntime

pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
pytest.importorskip("onnx", reason="onnx is not installed")

CASES = json.loads((Path(__file__).parent / "vectors" / "reports_onnxruntime.json").read_text())

run = runner("Resize", 19)
run_upsample = runner("Upsample", 9)


@pytest.mark.parametrize("case", CASES["cases"], ids=[case["id"] for case in CASES["cases"]])
def test_reported_cases(case: Mapping[str, Any]) -> None:
    if case["expected_shape"] is not None:
        plan = onnxruntime.resize.plan(case["shape"], case["dtype"], **case["args"])
        assert list(plan.output_shape) == case["expected_shape"]
    if case["expected"] is not None:
        data = np.array(case["data"], case["dtype"]).reshape(case["shape"])
        values = onnxruntime.resize(data, **case["args"]).ravel()
        picked = values if case["pick"] is None else values[slice(*case["pick"])]
        if len(case["expected"]) < len(picked):  # the corners alone
            picked = picked[[0, -1]]
        np.testing.assert_allclose(picked, case["expected"], rtol=0, atol=case["tol"])


def agree(x: NDArray[Any], **arguments: Any) -> NDArray[Any]:
    """Return our answer, which must be ONNX Runtime's to the bit."""
    ours = onnxruntime.resize(x, **arguments)
    theirs = run(x, arguments)
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours, theirs)
    return np.asarray(ours)


def line(n: int, dtype: str = "float32") -> NDArray[Any]:
    return np.arange(n).astype(dtype)


def noise(*shape: int, dtype: str, seed: int = 0) -> NDArray[Any]:
    low, high = (0, 256) if dtype == "uint8" else (-128, 128)
    return np.random.default_rng(seed).integers(low, high, shape).astype(dtype)


# --- quirks ---------------------------------------------------------------------------------------


def test_lengths_are_float32_products() -> None:
    assert len(agree(line(10), scales=[0.7])) == 7  # float32(0.7) times 10 is 6.9999999
    assert onnx.resize.plan((10,), "float32", scales=[0.7]).output_shape == (6,)


@pytest.mark.parametrize("rule", ["round_prefer_floor", "round_prefer_ceil"])
@pytest.mark.parametrize("ulps", [-40, -17, -16, -1, 0, 1, 16, 17, 40])
def test_ties_within_a_millionth(rule: str, ulps: int) -> None:
    x = float(np.float32(0.5) + np.float32(ulps * 2.0**-24))
    agree(
        line(2),
        roi=[x, x],
        sizes=[1],
        nearest_mode=rule,
        coordinate_transformation_mode="tf_crop_and_resize",
    )


def test_floor_in_float32() -> None:
    # Exactly 3, and 2.9999998 in float32.
    assert agree(line(7), sizes=[1], nearest_mode="floor").tolist() == [2.0]


def test_opset_10_takes_the_ceiling_where_it_shrinks() -> None:
    expected = [0.0, 2.0, 4.0, 5.0, 7.0, 9.0]
    assert agree(line(10), scales=[0.6], opset=10).tolist() == expected


def test_nothing_changes_where_no_length_changes() -> None:
    words = {"coordinate_transformation_mode": "tf_crop_and_resize", "roi": [0.25, 0.75]}
    assert agree(line(4), sizes=[4], **words).tolist() == line(4).tolist()
    agree(line(4)[None], scales=[1.0, 1.2], mode="linear")


def test_roi_is_ignored_where_a_scale_is_1_but_not_on_one_dimension() -> None:
    words = {"coordinate_transformation_mode": "tf_crop_and_resize"}
    agree(noise(3, 3, dtype="float32"), sizes=[3, 5], roi=[0.5, 0, 1, 1], **words)
    agree(line(4), scales=[1.2], roi=[0.5, 1.0], **words)


def test_a_policy_does_not_find_negative_axes() -> None:
    words = {"keep_aspect_ratio_policy": "not_larger"}
    assert agree(noise(2, 2, dtype="float32"), sizes=[3], axes=[-1], **words).shape == (2, 2)
    assert agree(noise(2, 2, dtype="float32"), sizes=[3], axes=[1], **words).shape == (2, 3)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int32"])
@pytest.mark.parametrize(
    ("shape", "sizes"),
    [
        ((5, 7), (9, 4)),
        ((3, 4, 5), (5, 3, 11)),
        ((2, 2, 5, 7), (2, 2, 11, 3)),
        ((2, 5, 7, 3), (2, 11, 3, 3)),
        ((1, 2, 3, 4, 5), (1, 2, 5, 3, 8)),
    ],
)
@pytest.mark.parametrize("antialias", [0, 1])
def test_linear_integers(
    dtype: str, shape: tuple[int, ...], sizes: tuple[int, ...], antialias: int
) -> None:
    for seed in range(20):
        x = noise(*shape, dtype=dtype, seed=seed)
        agree(x, sizes=list(sizes), mode="linear", antialias=antialias)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int32"])
@pytest.mark.parametrize("exclude", [0, 1])
def test_cubic_integers(dtype: str, exclude: int) -> None:
    for seed in range(20):
        x = noise(6, 9, dtype=dtype, seed=seed)
        words = {"mode": "cubic", "antialias": 1, "exclude_outside": exclude}
        agree(x, sizes=[4, 5], **words)
        agree(x, sizes=[13, 5], **words)


def test_linear_integers_are_truncated() -> None:
    assert agree(np.array([[0, 3]], np.uint8), sizes=[1, 3], mode="linear").tolist() == [[0, 1, 3]]
    values = np.array([[-3, 1, 2, 5]], np.int32)
    assert agree(values, sizes=[1, 7], mode="linear").tolist() == [[-3, -1, 0, 1, 2, 3, 5]]


def test_antialias_clamps_int8_at_0() -> None:
    values = np.array([[-100, -50, -20, -90]], np.int8)
    assert agree(values, sizes=[1, 2], mode="linear", antialias=1).tolist() == [[0, 0]]
    # Also where a pass only repeats samples.
    assert agree(np.full((1, 1), -4, np.int8), sizes=[1, 2], mode="linear", antialias=1).max() == 0


def test_bytes_with_channels_last_have_coordinates_of_10_bits() -> None:
    last = noise(1, 9, 11, 3, dtype="uint8")
    answer = agree(last, sizes=[1, 23, 17, 3], mode="linear")
    second = np.ascontiguousarray(np.moveaxis(last, 3, 1))
    other = np.moveaxis(agree(second, sizes=[1, 3, 23, 17], mode="linear"), 1, 3)
    assert (answer != other).any()


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int32"])
@pytest.mark.parametrize("value", [3.7, -3.7, 300.0, 1e10, -1e10, float("nan")])
def test_the_extrapolation_value_is_cast(dtype: str, value: float) -> None:
    words = {"coordinate_transformation_mode": "tf_crop_and_resize", "roi": [-1.0, 1.0]}
    agree(line(2, dtype), sizes=[3], extrapolation_value=value, **words)


def test_coordinates_that_later_opsets_lost_or_earlier_ones_had_not() -> None:
    words = {"coordinate_transformation_mode": "tf_half_pixel_for_nn", "nearest_mode": "floor"}
    agree(line(4), sizes=[7], opset=19, **words)
    agree(line(4), scales=[1.7], opset=11, coordinate_transformation_mode="half_pixel_symmetric")


def test_cubic_repeats_the_edges_to_the_bit() -> None:
    x = np.random.default_rng(0).standard_normal((5, 6)).astype(np.float32)
    agree(x, sizes=[31, 7], mode="cubic")
    agree(x, sizes=[2, 40], mode="cubic", cubic_coeff_a=-0.5)


def test_trilinear_to_the_bit() -> None:
    x = np.random.default_rng(0).standard_normal((3, 4, 5)).astype(np.float32)
    agree(x, sizes=[7, 3, 9], mode="linear")


def test_empty_tensors() -> None:
    assert agree(line(4), scales=[0.1]).shape == (0,)
    assert agree(np.zeros((0, 3), np.float32), sizes=[0, 5], mode="linear").shape == (0, 5)


# --- joint plans ----------------------------------------------------------------------------------


def test_joint_plans_are_values() -> None:
    plan = onnxruntime.resize.plan((5, 7), "uint8", sizes=[9, 4], mode="linear")
    assert pickle.loads(pickle.dumps(plan)) == plan
    assert hash(pickle.loads(pickle.dumps(plan))) == hash(plan)
    assert plan != onnxruntime.resize.plan((5, 7), "uint8", sizes=[9, 5], mode="linear")
    assert "all axes at once" in repr(plan)
    x = noise(5, 7, dtype="uint8")
    out = np.empty((9, 4), np.uint8)
    assert plan(x, out=out) is out
    np.testing.assert_array_equal(out, plan(x))
    window, source = plan.crop((slice(3, 9), slice(1, 4)))
    np.testing.assert_array_equal(window(x[source]), plan(x)[3:9, 1:4])
    with pytest.raises(ndresize.ResizeError, match="shape"):
        plan(x[1:])
    with pytest.raises(ndresize.ResizeError, match="type"):
        plan(x.astype(np.int8))
    with pytest.raises(ndresize.ResizeError, match="threads"):
        plan(x, threads=0)


@pytest.mark.parametrize("words", [{}, {"antialias": 1}])
def test_other_arrays(words: Mapping[str, Any]) -> None:
    torch = pytest.importorskip("torch")
    x = noise(5, 7, dtype="uint8")
    ours = onnxruntime.resize(torch.from_numpy(x), sizes=[9, 4], mode="linear", **words)
    expected = onnxruntime.resize(x, sizes=[9, 4], mode="linear", **words)
    np.testing.assert_array_equal(ours.numpy(), expected)


# --- refusals -------------------------------------------------------------------------------------


CROP = {"coordinate_transformation_mode": "tf_crop_and_resize"}
REFUSED: list[tuple[tuple[int, ...], str, dict[str, Any], str]] = [
    ((2,), "float64", {"scales": [2.0]}, "float32, float16"),
    ((2,), "int64", {"scales": [2.0]}, "float32, float16"),
    ((2,), "bool", {"scales": [2.0]}, "float32, float16"),
    ((2, 2), "uint8", {"scales": [2.0, 2.0], "mode": "cubic"}, "only with antialias"),
    ((2,), "float32", {"scales": [2.0], "mode": "linear"}, "takes 2 or 3 dimensions"),
    ((2, 2, 2), "float32", {"scales": [1.0, 2.0, 2.0], "mode": "cubic"}, "takes 2 dimensions"),
    ((2, 2, 2, 2), "float32", {"sizes": [2, 3, 3, 3], "mode": "linear"}, "takes 2 or 3 dim"),
    ((1, 4, 4, 2), "float32", {"sizes": [1, 3, 6, 2], "mode": "cubic"}, "takes 2 dimensions"),
    ((2, 2, 2, 2, 2), "float32", {"sizes": [2, 3, 3, 3, 3], "mode": "linear"}, "takes 2 or 3"),
    ((2, 2), "float32", {"sizes": [3, 3], "exclude_outside": 1}, "exclude_outside needs"),
    (
        (2, 2),
        "float32",
        {"sizes": [3, 3], "mode": "linear", "exclude_outside": 1},
        "exclude_outside needs",
    ),
    ((2,), "float32", {"sizes": [3], "antialias": 1}, "antialias needs"),
    ((2,), "float32", {"sizes": [3], "scales": [2.0]}, "not both"),
    ((2,), "float32", {}, "got neither"),
    ((2,), "float32", {"sizes": [0]}, "greater than 0"),
    ((2,), "float32", {"scales": [0.0]}, "greater than 0"),
    ((0,), "float32", {"sizes": [2]}, "the axis is empty"),
    ((2, 2), "float32", {"sizes": [3]}, "2 entries"),
    ((2,), "float32", {"sizes": [3], "roi": [0.0], **CROP}, "roi must have 2 entries"),
    ((2,), "float32", {"sizes": [3], "roi": [], **CROP}, "roi must have 2 entries"),
    ((2,), "float32", {"sizes": [3], "opset": 11, **CROP}, "roi must be given"),
    ((2,), "float32", {"scales": [2.0], "mode": "area"}, "mode must be one of"),
    ((2,), "float32", {"scales": [2.0], "nearest_mode": "round"}, "nearest_mode must be one of"),
    ((2,), "float32", {"scales": [2.0], "opset": 10, "nearest_mode": "floor"}, "opset 11"),
    (
        (2, 2),
        "float32",
        {"scales": [2.0, 2.0], "opset": 13, "mode": "linear", "antialias": 1},
        "opset 18",
    ),
    ((2, 2), "float32", {"sizes": [3, 3], "axes": [0, -2]}, "must not repeat"),
    ((2, 2), "float32", {"sizes": [3], "axes": [2]}, "axes must lie"),
    (
        (2,),
        "float32",
        {"scales": [2.0], "keep_aspect_ratio_policy": "not_larger"},
        "needs sizes",
    ),
]


@pytest.mark.parametrize(("shape", "dtype", "arguments", "words"), REFUSED)
def test_what_runtime_refuses(
    shape: tuple[int, ...], dtype: str, arguments: dict[str, Any], words: str
) -> None:
    with pytest.raises(ndresize.ResizeError, match=words):
        onnxruntime.resize.plan(shape, dtype, **arguments)
    with pytest.raises(Exception, match="ONNXRuntimeError"):
        run(np.zeros(shape, dtype), arguments)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"scales": [2.0], "opset": 12}, "opset must be one of"),
        ({"scales": [2.0], "colour": 1}, "unknown attribute"),
        ({"sizes": [2], "opset": 10}, "sizes came with opset 11"),
        ({"sizes": [3], "extrapolation_value": "x", **CROP}, "must be a number"),
        ({"sizes": [3], "roi": [0.0, np.inf], **CROP}, "finite"),
    ],
)
def test_what_is_refused_besides(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ndresize.ResizeError, match=words):
        onnxruntime.resize.plan((2,), "float32", **arguments)


def test_scalars_are_refused() -> None:
    with pytest.raises(ndresize.ResizeError, match="at least one dimension"):
        onnxruntime.resize.plan((), "float32", scales=[])


def test_upsample_refuses_to_shrink() -> None:
    with pytest.raises(ndresize.ResizeError, match="at least 1"):
        onnxruntime.upsample.plan((4,), "float32", [0.5])
    with pytest.raises(Exception, match="ONNXRuntimeError"):
        run_upsample(line(4), {"scales": [0.5]})
    with pytest.raises(ndresize.ResizeError, match="opset must be one of"):
        onnxruntime.upsample.plan((4,), "float32", [2.0], opset=10)
    with pytest.raises(ndresize.ResizeError, match="mode must be one of"):
        onnxruntime.upsample.plan((4,), "float32", [2.0], mode="cubic")
