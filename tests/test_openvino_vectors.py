"""OpenVINO's own numbers for Interpolate 1, 4 and 11: ``vectors/openvino_interpolate.json``.

They come from the tests of openvinotoolkit/openvino (Apache-2.0), each case naming its file there,
and were run once on OpenVINO 2026.4.1: how far its reference and its CPU plugin are from them is
part of each case.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from ndresize.dialects import openvino

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "vectors" / "openvino_interpolate.json").read_text()
)["cases"]

TYPES = {
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "bf16": ml_dtypes.bfloat16,
    "i8": np.int8,
    "u8": np.uint8,
    "i32": np.int32,
}
NOT_IN_VERSION_1 = (
    "shape_calculation_mode",
    "coordinate_transformation_mode",
    "nearest_mode",
    "cube_coeff",
)


def slack(case: dict[str, Any], expected: np.ndarray[Any, Any]) -> float:
    """Return how far the dialect may be from the recorded numbers.

    The source's own tests allow 1 %; and where OpenVINO itself is further from its numbers now, the
    dialect, which follows the system, is as far.
    """
    measured = case["reference_max_abs_diff"]
    if measured is None:
        measured = case["cpu_plugin_max_abs_diff"]
    measured = measured if isinstance(measured, float) else 0.0
    allowed = 0.0 if case["dtype"] in ("u8", "i8", "i32") else 0.01 * np.abs(expected).max()
    return max(measured * (1 + 1e-5), case["tolerance"] or 0.0, float(allowed))


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_recorded_numbers(case: dict[str, Any]) -> None:
    dtype = np.dtype(TYPES[case["dtype"]])
    x = np.array(case["input"]).astype(dtype).reshape(case["input_shape"])
    expected = np.array(case["output"]).astype(dtype).reshape(case["output_shape"])
    version = case["version"] or 1  # the first version is 0 inside OpenVINO, and opset 1 outside
    attributes = {
        name: value
        for name, value in case["attrs"].items()
        if value is not None and not (version == 1 and name in NOT_IN_VERSION_1)
    }
    inputs = {"sizes": case["sizes"], "scales": case["scales"]}
    if version == 11:
        mode = attributes["shape_calculation_mode"]
        inputs = {mode: inputs[mode]}
    axes = None if case.get("axes_input_omitted") else case["axes"]

    y = openvino.interpolate(x, axes=axes, version=version, **inputs, **attributes)

    assert y.shape == expected.shape
    assert y.dtype == dtype
    difference = np.abs(y.astype(np.float64) - expected.astype(np.float64)).max()
    assert difference <= slack(case, expected.astype(np.float64))


def test_the_whole_file_is_run() -> None:
    assert len(CASES) == 250
    assert {case["version"] for case in CASES} == {0, 4, 11}
