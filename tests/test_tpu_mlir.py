"""TPU-MLIR: the note's geometry, derived again here, and the interpreter's quirks."""

from __future__ import annotations

import tomllib
import warnings
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndresize import ResizeError
from ndresize.dialects import onnx, tpu_mlir
from ndresize.dialects._tpu_interp import operator
from ndresize.dialects.tpu_mlir import TpuMlirWarning

ENTRIES = tomllib.loads((Path(__file__).parent / "deviations" / "tpu_mlir.toml").read_text())


def placed(mode: str, n: int) -> tuple[Fraction, list[Fraction]]:
    """Return the length of a region and the places of n samples in it, as the note draws them."""
    if mode == "half_pixel":  # in the middle of n cells of length 1
        return Fraction(n), [Fraction(1, 2) + i for i in range(n)]
    if mode == "align_corners":  # from one end of the region to the other
        return Fraction(n - 1), [Fraction(i) for i in range(n)]
    return Fraction(n), [Fraction(i) for i in range(n)]  # at the beginnings of n cells


def read_off(mode: str, n_a: int, n_b: int) -> list[Fraction]:
    """Place A and B, stretch B onto A, and return where B's samples are, in samples of A."""
    length_a, places_a = placed(mode, n_a)
    length_b, places_b = placed(mode, n_b)
    stretched = [place / length_b * length_a for place in places_b]
    return [place - places_a[0] for place in stretched]  # A's samples are one apart


def ramp_at(mode: str, n_a: int, n_b: int) -> Any:
    """Return B for A = 0, 1, 2, ...: linear interpolation of a ramp shows the coordinates."""
    ramp = np.arange(n_a, dtype=np.float64)
    return tpu_mlir.resize(ramp, (n_b,), axes=(0,), coordinate_transformation_mode=mode)


@pytest.mark.parametrize("mode", ["half_pixel", "align_corners", "asymmetric"])
@given(n_a=st.integers(1, 30), n_b=st.integers(2, 30))
def test_coordinates_follow_from_the_geometry(mode: str, n_a: int, n_b: int) -> None:
    expected = [min(max(float(x), 0.0), n_a - 1.0) for x in read_off(mode, n_a, n_b)]
    np.testing.assert_allclose(ramp_at(mode, n_a, n_b), expected, atol=1e-13)


def test_the_geometry_can_fail() -> None:
    half = [float(x) for x in read_off("half_pixel", 4, 3)]
    assert not np.allclose(ramp_at("asymmetric", 4, 3), half)


@pytest.mark.parametrize("mode", ["half_pixel", "align_corners", "asymmetric"])
def test_stretching_a_onto_b_is_the_same(mode: str) -> None:
    length_a, places_a = placed(mode, 5)
    length_b, places_b = placed(mode, 8)
    other = [(p - places_a[0] / length_a * length_b) * length_a / length_b for p in places_b]
    assert other == read_off(mode, 5, 8)


def test_the_four_samples_are_weighed_by_the_opposite_rectangles() -> None:
    a = np.array([[1.0, 10.0], [100.0, 1000.0]])
    b = tpu_mlir.resize(a, (4, 4))
    left, top = 0.25, 0.25  # of B[1, 1], from the first column and row of A
    right, bottom = 1 - left, 1 - top
    expected = 1 * right * bottom + 10 * left * bottom + 100 * top * right + 1000 * left * top
    assert b[1, 1] == pytest.approx(expected)
    assert b[0, 0] == 1.0  # beyond the edge: the edge


@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
@pytest.mark.parametrize("coordinates", tpu_mlir.COORDINATES)
def test_the_note_is_onnx_resize(mode: str, coordinates: str) -> None:
    x = np.random.default_rng(3).normal(size=(2, 5, 7))
    roi = [0.1, -0.2, 0.9, 1.3] if coordinates == "tf_crop_and_resize" else None
    words = {"coordinate_transformation_mode": coordinates, "mode": mode}
    for sizes in ((8, 3), (1, 1), (5, 7)):
        ours = tpu_mlir.resize(x, sizes, roi=roi, extrapolation_value=9.0, **words)
        theirs = onnx.resize(x, roi, None, sizes, axes=[1, 2], extrapolation_value=9.0, **words)
        np.testing.assert_allclose(ours, theirs, atol=1e-13)


def entry(name: str) -> dict[str, Any]:
    return next(e for e in ENTRIES["deviation"] if e["id"] == name)


@pytest.mark.parametrize("name", [e["id"] for e in ENTRIES["deviation"]])
def test_each_quirk_is_told_and_computed(name: str) -> None:
    case = entry(name)
    x = np.array(case["call"]["data"], np.float32).reshape(case["call"]["shape"])
    with pytest.warns(TpuMlirWarning, match=name) as told:
        ours = tpu_mlir.interp(x, **case["call"]["words"])
    assert len(told) >= 1
    np.testing.assert_allclose(ours.ravel(), case["interp"], atol=1e-6)
    right = onnx.resize(
        x,
        scales=[1, 1, case["call"]["words"]["scale_h"], case["call"]["words"]["scale_w"]],
        mode=case["call"]["words"]["mode"],
        coordinate_transformation_mode=case["call"]["words"]["coord_mode"],
    )
    np.testing.assert_allclose(right.ravel(), case["onnx"], atol=1e-6)
    assert not np.allclose(ours, right)


@pytest.mark.parametrize("coord_mode", ["half_pixel", "pytorch_half_pixel", "align_corners"])
def test_no_warning_where_nothing_is_lost(coord_mode: str) -> None:
    x = np.random.default_rng(1).normal(size=(1, 2, 5, 7)).astype(np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ours = tpu_mlir.interp(x, target_shape=(9, 4), mode="linear", coord_mode=coord_mode)
    theirs = onnx.resize(
        x,
        sizes=[1, 2, 9, 4],
        mode="linear",
        coordinate_transformation_mode=coord_mode,
    )
    np.testing.assert_allclose(ours, theirs, atol=1e-5)


def test_every_call_is_told_not_the_first_alone() -> None:
    x = np.zeros((1, 1, 1, 3), np.float32)
    for _ in range(2):
        with pytest.warns(TpuMlirWarning, match="half-pixel"):
            tpu_mlir.interp(x, scale_h=1, scale_w=2, mode="linear", coord_mode="asymmetric")
    with pytest.warns(TpuMlirWarning, match="half-pixel"):
        tpu_mlir.interp.plan(
            x.shape, x.dtype, scale_h=1, scale_w=2, mode="linear", coord_mode="asymmetric"
        )


@pytest.mark.parametrize(
    ("platform", "coord_mode", "expected"),
    [  # i * 4/5 is 0, .8, 1.6, 2.4, 3.2 and i * 3/4 is 0, .75, 1.5, 2.25, 3
        ("onnx", "asymmetric", [0, 0, 1, 2, 3]),
        ("onnx", "half_pixel", [0, 1, 2, 2, 3]),
        ("torch", "half_pixel", [0, 0, 1, 2, 3]),
        ("tflite", "asymmetric", [0, 1, 2, 2, 3]),
        ("caffe", "half_pixel", [0, 0, 1, 2, 3]),
    ],
)
def test_nearest_of_each_platform(platform: str, coord_mode: str, expected: list[int]) -> None:
    made, _ = operator("nearest", coord_mode, platform, 4, 5)
    assert made.starts.tolist() == expected


def node(op_type: str = "Resize", **attributes: Any) -> Any:
    kinds = {float: (1, "f"), int: (2, "i"), bytes: (3, "s"), list: (7, "ints")}
    made = []
    for name, value in attributes.items():
        number, field = kinds[type(value)]
        made.append(SimpleNamespace(name=name, type=number, **{field: value}))
    return SimpleNamespace(op_type=op_type, attribute=made)


def test_import_says_what_is_lost() -> None:
    made = tpu_mlir.from_onnx(
        node(mode=b"cubic", coordinate_transformation_mode=b"tf_half_pixel_for_nn", antialias=1),
        scales=[1, 1, 2, 0.5],
    )
    assert (made.mode, made.coord_mode) == ("linear", "half_pixel")
    assert (made.scale_h, made.scale_w, made.target_shape) == (2.0, 0.5, None)
    text = "; ".join(made.lost)
    assert "cubic becomes linear" in text
    assert "tf_half_pixel_for_nn becomes half_pixel" in text
    assert "antialias 1 is not read" in text


def test_import_of_upsample_and_of_sizes() -> None:
    made = tpu_mlir.from_onnx(node("Upsample", mode=b"linear"), opset=9)
    assert made.coord_mode == "half_pixel"
    assert "asymmetric" in made.lost[0]
    made = tpu_mlir.from_onnx(node(mode=b"linear"), sizes=[1, 3, 8, 9])
    assert made.lost == ()
    x = np.zeros((1, 3, 4, 4), np.float32)
    assert tpu_mlir.interp(x, **made.words).shape == (1, 3, 8, 9)


def test_import_takes_a_node_of_onnx() -> None:
    helper = pytest.importorskip("onnx").helper
    made = helper.make_node("Resize", ["X", "", "s"], ["Y"], mode="nearest", nearest_mode="ceil")
    assert tpu_mlir.from_onnx(made).lost == ("nearest_mode ceil is not read",)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ({"mode": "area"}, "mode must be one of"),
        ({"coord_mode": "tf_crop_and_resize"}, "coord_mode must be one of"),
        ({"scale_h": -1.0}, "scale_h must be greater than 0"),
        ({"scale_h": None}, "scale_h must be given"),
        ({"scale_w": 0.1}, "at least 1"),
        ({"target_shape": (1,)}, "must have 2 entries"),
    ],
)
def test_refusals_of_interp(words: dict[str, Any], told: str) -> None:
    x = np.zeros((1, 1, 2, 2), np.float32)
    with pytest.raises(ResizeError, match=told):
        tpu_mlir.interp(x, **{"scale_h": 2.0, "scale_w": 2.0, "mode": "linear"} | words)


def test_other_refusals() -> None:
    with pytest.raises(ResizeError, match="4 dimensions"):
        tpu_mlir.interp(np.zeros((2, 2), np.float32), scale_h=1, scale_w=1)
    with pytest.raises(ResizeError, match="float type"):
        tpu_mlir.interp(np.zeros((1, 1, 2, 2), np.uint8), scale_h=1, scale_w=1)
    with pytest.raises(ResizeError, match="roi must have"):
        tpu_mlir.resize(
            np.zeros((2, 2)), (1, 1), coordinate_transformation_mode="tf_crop_and_resize"
        )
    with pytest.raises(ResizeError, match="sizes must be at least 1"):
        tpu_mlir.resize(np.zeros((2, 2)), (0, 1))
    with pytest.raises(ResizeError, match="numeric type"):
        tpu_mlir.resize(np.zeros((2, 2), bool), (1, 1))
    with pytest.raises(ResizeError, match="Interp"):
        tpu_mlir.from_onnx(node(coordinate_transformation_mode=b"tf_crop_and_resize"))
    with pytest.raises(ResizeError, match="Upsample"):
        tpu_mlir.from_onnx(node("Concat"))
