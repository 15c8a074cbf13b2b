"""ONNX Resize and Upsample: what each version takes, and results by the page."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndresize import ResizeError
from ndresize.dialects import onnx
from oracle import Call, agrees, answer, ours, tolerance
from strategies import NUMBERS, dtype_named

ONE_TO_FOUR = np.arange(1, 5, dtype=np.float32)

REPORTS = json.loads((Path(__file__).parent / "vectors" / "reports.json").read_text())["cases"]


@pytest.mark.parametrize("case", REPORTS, ids=[case["id"] for case in REPORTS])
def test_public_reports(case: dict[str, Any]) -> None:
    data = case["data"]
    x = np.zeros(case["shape"]) if data is None else np.array(data).reshape(case["shape"])

    y = onnx.resize(x.astype(case["dtype"]), **case["args"])

    assert case["expected_shape"] in (None, list(y.shape))
    if case["expected"] is not None:
        flat = y.ravel() if case["pick"] is None else y.ravel()[slice(*case["pick"])]
        np.testing.assert_allclose(flat, np.array(case["expected"]).ravel(), 0, case["tol"])


# --- versions -------------------------------------------------------------------------------------

SINCE: list[tuple[int, dict[str, Any]]] = [
    (11, {"mode": "cubic"}),
    (11, {"coordinate_transformation_mode": "half_pixel"}),
    (11, {"coordinate_transformation_mode": "pytorch_half_pixel"}),
    (11, {"coordinate_transformation_mode": "align_corners"}),
    (11, {"coordinate_transformation_mode": "asymmetric"}),
    (11, {"coordinate_transformation_mode": "tf_crop_and_resize"}),
    (19, {"coordinate_transformation_mode": "half_pixel_symmetric"}),
    (11, {"nearest_mode": "floor"}),
    (11, {"cubic_coeff_a": -0.5}),
    (11, {"exclude_outside": 1}),
    (11, {"extrapolation_value": 1.0}),
    (18, {"antialias": 0}),
    (18, {"axes": [0]}),
    (18, {"keep_aspect_ratio_policy": "stretch"}),
]


@pytest.mark.parametrize("opset", onnx.OPSETS)
@pytest.mark.parametrize(("since", "word"), SINCE, ids=lambda v: str(v))
def test_each_opset_takes_its_own_words_and_names_the_others(
    opset: int, since: int, word: dict[str, Any]
) -> None:
    roi = [0, 1] if "tf_crop_and_resize" in word.values() else None
    ((name, value),) = word.items()
    if opset >= since:
        assert onnx.resize(ONE_TO_FOUR, roi, scales=[2], opset=opset, **word).shape == (8,)
        return
    with pytest.raises(ResizeError, match=rf"opset {since}|opset 11") as caught:
        onnx.resize(ONE_TO_FOUR, roi, scales=[2], opset=opset, **word)
    assert name in str(caught.value) or str(value) in str(caught.value)


def test_tf_half_pixel_for_nn_is_of_opset_11_alone() -> None:
    words: dict[str, Any] = {"scales": [2], "nearest_mode": "floor"}
    words["coordinate_transformation_mode"] = "tf_half_pixel_for_nn"
    assert onnx.resize(ONE_TO_FOUR, opset=11, **words).tolist() == [1, 1, 2, 2, 3, 3, 4, 4]
    for opset in (13, 18, 19):
        with pytest.raises(ResizeError, match="removed with opset 13"):
            onnx.resize(ONE_TO_FOUR, opset=opset, **words)


@pytest.mark.parametrize("opset", [-1, 9, 12, 20, "19", None])
def test_opsets_are_the_ones_that_changed_the_operator(opset: Any) -> None:
    with pytest.raises(ResizeError, match="opset must be one of 10, 11, 13, 18, 19"):
        onnx.resize(ONE_TO_FOUR, scales=[2], opset=opset)


def test_upsample_takes_scales_of_at_least_1() -> None:
    assert onnx.upsample(ONE_TO_FOUR, [1.5], opset=7).tolist() == [1, 1, 2, 3, 3, 4]
    for opset in onnx.UPSAMPLE_OPSETS:
        with pytest.raises(ResizeError, match=r"at least 1, got 0.5 at position 0; Resize can"):
            onnx.upsample(ONE_TO_FOUR, [0.5], opset=opset)
    with pytest.raises(ResizeError, match="opset must be one of 7, 9, got 8"):
        onnx.upsample(ONE_TO_FOUR, [2], opset=8)
    with pytest.raises(ResizeError, match="mode must be one of nearest, linear, got 'cubic'"):
        onnx.upsample(ONE_TO_FOUR, [2], mode="cubic")


# --- inputs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("unused", [None, [], np.zeros(0, np.float32), ()])
def test_an_unused_input_may_be_absent_or_empty(unused: Any) -> None:
    expected = onnx.resize(ONE_TO_FOUR, None, None, [8], mode="linear")

    for opset in (11, 13, 18, 19):
        by_sizes = onnx.resize(ONE_TO_FOUR, unused, unused, [8], opset=opset, mode="linear")
        by_scales = onnx.resize(ONE_TO_FOUR, unused, [2], unused, opset=opset, mode="linear")
        np.testing.assert_array_equal(by_sizes, expected)
        np.testing.assert_array_equal(by_scales, expected)


def test_attributes_may_be_bytes_and_inputs_any_sequence() -> None:
    expected = onnx.resize(ONE_TO_FOUR, scales=[2], mode="linear")

    np.testing.assert_array_equal(onnx.resize(ONE_TO_FOUR, scales=(2.0,), mode=b"linear"), expected)
    as_array = np.array([2], np.float16)
    np.testing.assert_array_equal(
        onnx.resize(ONE_TO_FOUR, scales=as_array, mode="linear"), expected
    )


def test_attributes_are_float32_as_the_operator_has_them() -> None:
    x = np.zeros(2)
    crop = {"mode": "linear", "coordinate_transformation_mode": "tf_crop_and_resize"}
    y = onnx.resize(x, [0, 2], sizes=[2], extrapolation_value=0.1, **crop)
    assert y[1] == np.float32(0.1)
    low = onnx.resize(np.array([0.0, 1, 0, 0]), sizes=[9], mode="cubic", cubic_coeff_a=-0.3)
    same = {"mode": "cubic", "cubic_coeff_a": float(np.float32(-0.3))}
    np.testing.assert_array_equal(low, onnx.resize(np.array([0.0, 1, 0, 0]), sizes=[9], **same))


@pytest.mark.parametrize("rank", range(9))
def test_every_rank_and_every_number_of_axes(rank: int) -> None:
    rng = np.random.default_rng(rank)
    shape = tuple(rng.integers(1, 4, rank))
    x = rng.uniform(-1, 1, shape).astype(np.float32)
    for count in range(rank + 1):
        axes = [int(a) for a in rng.permutation(rank)[:count]]
        axes = [a - rank if k % 2 else a for k, a in enumerate(axes)]
        sizes = rng.integers(1, 4, count)
        for words in (
            {"mode": "nearest"},
            {"mode": "linear", "antialias": 1},
            {"mode": "cubic", "exclude_outside": 1},
        ):
            call = Call(x, sizes=sizes, attributes={"axes": axes, **words})
            right = answer(call)
            assert agrees(ours(call), right, x.dtype, tolerance(call, right)), str(call)


@pytest.mark.parametrize("name", [*NUMBERS, "bool", "U5", "object", "StringDType"])
def test_nearest_picks_elements_of_any_type(name: str) -> None:
    if name == "StringDType":
        strings = getattr(np.dtypes, "StringDType", None)
        if strings is None:
            pytest.skip("StringDType came with NumPy 2.0")
        x: Any = np.array(["", "a", "b" * 40], strings())
    elif name in ("U5", "object"):
        x = np.array(["", "a", "b" * 5], name)
    else:
        x = np.array([0, 1, 2]).astype(dtype_named(name))

    y = onnx.resize(x[:, None], sizes=[5, 2])

    assert y.dtype == x.dtype
    assert y.tolist() == [[v, v] for v in x[[0, 0, 1, 2, 2]].tolist()]


def test_nearest_keeps_every_bit() -> None:
    large = np.array([2**63 - 1, -(2**63) + 1, 2**53 + 1], np.int64)
    np.testing.assert_array_equal(onnx.resize(large, scales=[2])[::2], large)
    nan = np.array([0x7FF0000000000001, 0xFFF8000000000123], np.uint64).view(np.float64)
    picked = onnx.resize(nan, scales=[1.5], nearest_mode="floor")
    np.testing.assert_array_equal(picked[[0, 2]].view(np.uint64), nan.view(np.uint64))


@pytest.mark.parametrize("mode", ["linear", "cubic"])
@pytest.mark.parametrize("x", [np.array([True]), np.array(["a"]), np.array(["a"], object)], ids=str)
def test_what_cannot_be_averaged_is_refused_in_words(mode: str, x: Any) -> None:
    with pytest.raises(ResizeError, match=r"must be nearest for elements of type .* averaged, got"):
        onnx.resize(x, scales=[2], mode=mode)


def test_bfloat16_came_with_opset_13() -> None:
    x = np.ones(2, dtype_named("bfloat16"))
    assert onnx.resize(x, scales=[2], opset=13, mode="linear").dtype == x.dtype
    for opset in (10, 11):
        with pytest.raises(ResizeError, match="bfloat16 came with opset 13; the opset is"):
            onnx.resize(x, scales=[2], opset=opset)


@pytest.mark.parametrize("bad", [np.zeros(2, "M8[s]"), np.zeros(2, "V4"), np.zeros(2, "m8[s]")])
def test_types_that_the_operator_does_not_have(bad: Any) -> None:
    with pytest.raises(ResizeError, match="X must have an element type of the operator"):
        onnx.resize(bad, scales=[2])


def test_integers_round_half_to_even_and_saturate() -> None:
    # 0, 0.5, 1, 1.5, 2, 2.5, 3 by align_corners.
    halves = {"mode": "linear", "coordinate_transformation_mode": "align_corners"}
    for name in NUMBERS:
        dtype = dtype_named(name)
        if dtype.kind in "iu":
            y = onnx.resize(np.array([0, 3], dtype), sizes=[7], **halves)
            assert y.tolist() == [0, 0, 1, 2, 2, 2, 3], name
            top, low = np.iinfo(dtype).max, np.iinfo(dtype).min
            overshoot = onnx.resize(np.array([low, low, top, top], dtype), sizes=[8], mode="cubic")
            assert overshoot[[1, -2]].tolist() == [low, top], name


# --- ties -----------------------------------------------------------------------------------------

RULES = ("half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel")
NEAREST = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("nearest", NEAREST)
def test_every_tie_up_to_40_samples(rule: str, nearest: str) -> None:
    words = {"coordinate_transformation_mode": rule, "nearest_mode": nearest}
    for n_in, n_out in itertools.product(range(1, 41), (1, 2, 3, 6, 7, 9, 14, 17, 20, 31, 40)):
        call = Call(np.arange(n_in, dtype=np.int16), sizes=np.array([n_out]), attributes=words)
        np.testing.assert_array_equal(ours(call), answer(call).values, err_msg=str(call))


@given(
    st.integers(1, 2**31), st.floats(2**-20, 2**20, width=32, exclude_min=True), st.integers(0, 5)
)
def test_lengths_are_floors_of_exact_products(n: int, scale: float, extra: int) -> None:
    n_in = n % 10**5 + extra
    if scale * n_in > 10**6:
        n_in = extra
    numerator, denominator = float(np.float32(scale)).as_integer_ratio()
    plan = onnx.resize.plan((n_in,), np.uint8, scales=[scale])
    assert plan.output_shape == (n_in * numerator // denominator,)
