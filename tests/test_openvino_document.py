"""device="document" against the transcription of the page in openvino_oracle.py."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import openvino_oracle as oracle
from ndresize import ResizeError
from ndresize.dialects.openvino import MODES, interpolate

EXAMPLES = int(os.environ.get("NDRESIZE_EXAMPLES", "0")) or 300

COORDINATES = (
    "half_pixel",
    "pytorch_half_pixel",
    "asymmetric",
    "tf_half_pixel_for_nn",
    "align_corners",
)
NEAREST = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "simple")


@st.composite
def calls(draw: st.DrawFn) -> tuple[np.ndarray[Any, Any], dict[str, Any]]:
    mode = draw(st.sampled_from(MODES[4]))
    rank = draw(st.sampled_from((1, 2, 2, 3, 4) if mode != "linear_onnx" else (2, 3, 4, 5)))
    shape = tuple(draw(st.integers(1, 6 if rank < 3 else 3)) for _ in range(rank))
    axes: list[int] | None = draw(st.permutations(range(rank)))
    if mode == "linear_onnx":
        axes = draw(st.permutations(range(2 if rank > 3 else 0, rank)))
    else:
        axes = draw(st.one_of(st.none(), st.just(axes[: draw(st.integers(1, rank))])))
    count = rank if axes is None else len(axes)
    by_scales = draw(st.booleans())
    words: dict[str, Any] = {
        "axes": axes,
        "sizes": None if by_scales else [draw(st.integers(1, 6)) for _ in range(count)],
        "scales": [draw(st.integers(1, 30)) / 10 for _ in range(count)] if by_scales else None,
        "mode": mode,
        "shape_calculation_mode": "scales" if by_scales else "sizes",
        "coordinate_transformation_mode": draw(st.sampled_from(COORDINATES)),
        "nearest_mode": draw(st.sampled_from(NEAREST)),
        "antialias": draw(st.booleans()),
        "cube_coeff": draw(st.sampled_from((-0.75, -0.5))),
        "pads_begin": draw(st.lists(st.integers(0, 2), max_size=rank + 1)),
        "pads_end": draw(st.lists(st.integers(0, 1), max_size=rank + 1)),
    }
    dtype = draw(st.sampled_from(("float64", "float64", "uint8", "int16")))
    values = np.random.default_rng(draw(st.integers(0, 999))).integers(0, 99, shape)
    return values.astype(dtype), words


@given(calls())
@settings(max_examples=EXAMPLES)
def test_the_page_is_followed(call: tuple[np.ndarray[Any, Any], dict[str, Any]]) -> None:
    x, words = call
    expected = oracle.interpolate(x, **words)
    ours = interpolate(x, version=4, device="document", **words)
    assert ours.shape == expected.shape
    assert ours.dtype == x.dtype
    if words["mode"] == "nearest":
        np.testing.assert_array_equal(ours, expected)
        return
    if x.dtype.kind in "iu":
        # Half a unit is a tie; float32 sums may fall on either side of it.
        exact = oracle.interpolate(x.astype(float), **words)
        undecided = np.abs(exact - np.floor(exact) - 0.5) < 1e-3
        assert np.all((ours == expected) | (undecided & (np.abs(ours - exact) < 0.502)))
        return
    np.testing.assert_allclose(ours, expected, rtol=1e-11, atol=1e-9)


def test_the_oracle_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oracle, "keys", lambda t, _: [0.0, 1 - t, t, 0.0])
    words: dict[str, Any] = {"mode": "cubic", "shape_calculation_mode": "sizes"}
    x = np.array([0.0, 1, 5, 2])
    assert not np.allclose(
        oracle.interpolate(x, [7], None, None, **words),
        interpolate(x, [7], device="document", **words),
    )


def test_the_page_checks_counts() -> None:
    with pytest.raises(ResizeError, match="must have 1 entries"):
        interpolate(np.zeros(4), [3, 4], device="document", mode="nearest")
