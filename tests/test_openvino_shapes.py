"""Output shapes and refusals from OpenVINO's own tests, and answers found through reports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ndresize import ResizeError
from ndresize.dialects.openvino import interpolate

VECTORS = Path(__file__).parent / "vectors"
TESTS = json.loads((VECTORS / "openvino_interpolate.json").read_text())
REPORTS = json.loads((VECTORS / "reports_openvino.json").read_text())["cases"]
TYPES = {"f16": "float16", "f32": "float32", "f64": "float64", "i8": "int8", "u8": "uint8"}
TYPES |= {f"{kind}{bits}": f"{name}{bits}" for kind, name in (("i", "int"), ("u", "uint"))
          for bits in (16, 32, 64)}  # fmt: skip


def words_of(case: dict[str, Any]) -> dict[str, Any]:
    words = {name: value for name, value in case["attrs"].items() if value is not None}
    if case["version"] == 0:
        words.pop("shape_calculation_mode")
    words |= {name: case[name] for name in ("axes", "sizes", "scales")}
    if case["version"] == 11:  # one input
        words["scales" if words["shape_calculation_mode"] == "sizes" else "sizes"] = None
    return words | {"version": case["version"], "mode": words.get("mode", "nearest")}


def is_static(case: dict[str, Any]) -> bool:
    """Return whether everything is known before a run, as it is in a call of a function."""
    if case["input_shape"] is None or case["dtype"] not in TYPES:
        return False
    if not all(isinstance(n, int) and n >= 0 for n in case["input_shape"]):
        return False
    if any(name.endswith("_dtype") for name in case):  # a list has no element type
        return False
    for name in ("sizes", "scales", "axes"):
        if case[name] is not None and not all(isinstance(n, int | float) for n in case[name]):
            return False
    needed = case["attrs"]["shape_calculation_mode"]
    return case[needed] is not None and (case["axes"] is not None or "axes_shape" not in case)


STATIC = [case for case in TESTS["shape_cases"] if is_static(case)]


@pytest.mark.parametrize("case", STATIC, ids=lambda c: c["name"])
def test_shapes(case: dict[str, Any]) -> None:
    words, dtype = words_of(case), TYPES[case["dtype"]]
    if "error" in case:
        with pytest.raises(ResizeError):
            interpolate.plan(case["input_shape"], dtype, **words)
        return
    expected = list(case["output_shape"])
    if case["version"] == 0:
        # "version-1-pads": the shape that is inferred is not the shape that is run.
        for name in ("pads_begin", "pads_end"):
            for axis, pad in enumerate(words[name]):
                expected[axis] += pad * (axis not in words["axes"])
    assert list(interpolate.plan(case["input_shape"], dtype, **words).output_shape) == expected


def test_enough_shapes_are_static() -> None:
    assert len(STATIC) > 30


@pytest.mark.parametrize("case", REPORTS, ids=lambda c: c["id"])
def test_reports(case: dict[str, Any]) -> None:
    values = np.zeros(case["shape"]) if case["data"] is None else np.array(case["data"])
    x = values.astype(case["dtype"]).reshape(case["shape"])
    result = interpolate(x, **case["args"])
    if case["expected_shape"] is not None:
        assert list(result.shape) == case["expected_shape"]
    if case["expected"] is not None:
        np.testing.assert_allclose(result.ravel(), case["expected"], atol=case["tol"], rtol=0)


def test_a_wrong_rule_would_be_noticed() -> None:
    """Most recorded cubic numbers do not fit another coefficient."""
    cubic = [c for c in TESTS["cases"] if c["attrs"]["mode"] == "cubic" and c["version"] > 0]
    failed = 0
    for case in cubic:
        x = np.array(case["input"], np.float32).reshape(case["input_shape"])
        result = interpolate(x, **words_of(case) | {"cube_coeff": -0.6})
        failed += not np.allclose(result.ravel(), case["output"], rtol=1e-3)
    assert failed > 0.8 * len(cubic)
