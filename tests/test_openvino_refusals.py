"""What Interpolate refuses, by version and device; pads; and the numbers of the CPU plugin."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ndresize import ResizeError
from ndresize.dialects.openvino import interpolate

X = np.arange(6, dtype=np.float32).reshape(2, 3)
GOOD = {"sizes": (4, 4), "mode": "linear"}

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"version": 5}, "version must be one of 1, 4, 11"),
    ({"mode": None}, "mode must be given"),
    ({"mode": "lineer"}, "did you mean 'linear'"),
    ({"mode": "bilinear_pillow"}, "came with version 11"),
    ({"version": 1, "mode": "area", "axes": (0, 1)}, "runs nowhere"),
    ({"version": 1, "axes": (0, 1), "nearest_mode": "floor"}, "came with version 4"),
    ({"version": 1, "axes": (0, 1), "scales": (1, 1)}, "scales came with version 4"),
    ({"version": 1}, "axes must be given"),
    ({"version": 1, "sizes": None, "axes": (0, 1)}, "sizes must be given"),
    ({"align_corners": True}, "align_corners is of version 1"),
    ({"version": 11, "scales": (1, 1)}, "one input for sizes or scales"),
    ({"scales": (1, 1)}, "shape_calculation_mode must be"),
    ({"shape_calculation_mode": "scales"}, "scales must be given"),
    ({"sizes": None}, "got neither"),
    ({"sizes": (4,)}, "must have 2 entries"),
    ({"sizes": (4, -1)}, "at least 0"),
    ({"sizes": (4.5, 1)}, "must be integers"),
    ({"sizes": None, "scales": (1.0, 0.0)}, "greater than 0"),
    ({"sizes": None, "scales": (1.0, np.nan)}, "greater than 0"),
    ({"axes": (0, 2)}, "axes must lie in"),
    ({"axes": (-1, 0)}, "does not count from the back"),
    ({"axes": (0, 0)}, "must not repeat"),
    ({"pads_begin": (-1,)}, "at least 0"),
    ({"antialias": 2}, "must be 0 or 1"),
    ({"cube_coeff": np.inf}, "finite"),
    ({"device": "GPU"}, "device must be one of"),
    ({"nearest_mode": "round"}, "nearest_mode must be one of"),
    ({"coordinate_transformation_mode": "half"}, "coordinate_transformation_mode must be"),
    ({"mode": "linear_onnx", "axes": (1, 0)}, "mode linear takes any axes"),
    ({"version": 11, "mode": "bicubic_pillow", "axes": (0,), "sizes": (3,)}, "must be two"),
    ({"version": 11, "mode": "bicubic_pillow", "axes": (1, 0)}, "must ascend"),
]


@pytest.mark.parametrize(("words", "told"), REFUSED, ids=lambda v: str(v)[:60])
def test_refused_in_one_line(words: dict[str, Any], told: str) -> None:
    with pytest.raises(ResizeError, match=told) as error:
        interpolate(X, **GOOD | words)
    assert "\n" not in str(error.value)


def test_types_and_empty_axes() -> None:
    for dtype in (bool, complex, "U3"):
        with pytest.raises(ResizeError, match="numeric type"):
            interpolate.plan((2, 3), dtype, **GOOD)
    with pytest.raises(ResizeError, match="must not be empty"):
        interpolate.plan((0, 3), "f4", **GOOD)
    assert interpolate.plan((0, 3), "f4", sizes=(5,), axes=(1,), mode="cubic").output_shape == (
        0,
        5,
    )
    assert interpolate(X, sizes=(0, 3), mode="linear").shape == (0, 3)
    for dtype in ("int16", "uint32"):
        assert interpolate.plan((2, 3), dtype, **GOOD).dtype == np.dtype(dtype)
        with pytest.raises(ResizeError, match="device CPU"):
            interpolate.plan((2, 3), dtype, device="CPU", **GOOD)


@pytest.mark.parametrize("mode", ["nearest", "linear", "linear_onnx", "cubic"])
@pytest.mark.parametrize("dtype", ["float32", "uint8"])
def test_folded_pads_are_pads(mode: str, dtype: str) -> None:
    """Padding inside the operators gives what padding before gives."""
    x = np.random.default_rng(4).integers(1, 99, (1, 2, 4, 5)).astype(dtype)
    words: dict[str, Any] = {"sizes": (7, 3), "axes": (2, 3), "mode": mode}
    before, after = (0, 1, 2), (0, 0, 1, 3)
    padded = np.pad(x, [(0, 0), (1, 0), (2, 1), (0, 3)])
    inside = interpolate(x, pads_begin=before, pads_end=after, **words)
    outside = interpolate(padded, **words)
    np.testing.assert_allclose(inside, outside, rtol=1e-6)


def test_no_nan_comes_out_of_the_pads() -> None:
    x = np.array([np.inf, 1.0], np.float32)
    y = interpolate(x, [6], mode="nearest", pads_begin=[4])
    assert y.tolist() == [0.0, 0.0, 0.0, 0.0, np.inf, 1.0]
    y = interpolate(x[1:], [3], mode="linear", pads_begin=[2])
    assert y.tolist() == [0.0, 0.0, 1.0]


def test_threads_do_not_matter() -> None:
    x = np.random.default_rng(5).normal(size=(3, 40, 50)).astype(np.float32)
    plan = interpolate.plan(x.shape, x.dtype, (33, 71), axes=(1, 2), mode="cubic")
    np.testing.assert_array_equal(plan(x, threads=1), plan(x, threads=2))


CASES = json.loads(
    (Path(__file__).parent / "vectors" / "openvino_interpolate.json").read_text()
)["cases"]  # fmt: skip
ON_THE_CPU = [
    case
    for case in CASES
    if case["version"] == 4
    and "resize3dims" not in case["name"]  # channels: the plugin does some such calls, not all
    and case["cpu_plugin_max_abs_diff"] == 0.0
    and case["dtype"] == "f32"
]


@pytest.mark.parametrize("case", ON_THE_CPU, ids=lambda c: c["name"])
def test_numbers_of_the_plugin(case: dict[str, Any]) -> None:
    """Where the plugin gave the recorded numbers, device="CPU" does."""
    x = np.array(case["input"], np.float32).reshape(case["input_shape"])
    axes = None if case.get("axes_input_omitted") else case["axes"]
    words = {name: value for name, value in case["attrs"].items() if value is not None}
    y = interpolate(x, case["sizes"], case["scales"], axes, device="CPU", **words)
    np.testing.assert_allclose(y.ravel(), np.float32(case["output"]), rtol=1e-5, atol=1e-5)
