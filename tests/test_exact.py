"""Sums of bytes in whole numbers where floats would not round: the same bytes, and when."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import ndresize
from ndresize import Arithmetic, AxisOperator, Pass, Plan
from ndresize.dialects import onnxruntime, torch
from ndresize.engine import _ext, native, portable
from ndresize.engine.exact import in_whole_numbers
from ndresize.rounding import ROUNDING_RULES
from other_process import available_sets, run_python

U1 = np.dtype("uint8")
needs_vectors = pytest.mark.skipif(
    native.instruction_set() == "baseline", reason="its bytes are summed in float32"
)

# Lengths whose ratio leaves few bits in the weights, and what is asked for.
CALLS: list[tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = [
    ((40, 70), (80, 140), {"mode": "linear"}),
    ((60, 129), (40, 86), {"mode": "linear"}),
    ((60, 260), (15, 65), {"mode": "linear"}),
    ((31, 66), (124, 264), {"mode": "linear"}),
    ((64, 130), (32, 65), {"mode": "area"}),
    ((64, 260), (16, 65), {"mode": "area"}),
    ((64, 130), (64, 65), {"mode": "area"}),
    ((64, 130), (32, 130), {"mode": "area"}),
    ((33, 65), (65, 129), {"mode": "linear", "coordinate_transformation_mode": "align_corners"}),
    ((33, 65), (66, 130), {"mode": "linear", "coordinate_transformation_mode": "asymmetric"}),
]


def plan_of(call: int, channels: int, rounding: str) -> Plan:
    shape, sizes, options = CALLS[call]
    plan = ndresize.resize.plan((*shape, channels), U1, sizes=sizes, axes=(0, 1), **options)
    return replace(plan, rounding=rounding)  # type: ignore[arg-type]


def check_calls() -> int:
    """Hold all calls against the portable executor; return how many were summed so."""
    rng = np.random.default_rng(5)
    exact = 0
    for call in range(len(CALLS)):
        for channels in (1, 2, 3, 4, 5):
            for rounding in ROUNDING_RULES:
                plan = plan_of(call, channels, rounding)
                for x in (
                    rng.integers(0, 256, plan.input_shape, np.uint8),
                    rng.choice(np.array([0, 255], np.uint8), plan.input_shape),
                ):
                    message = f"{native.instruction_set()}: {CALLS[call]}, {channels}, {rounding}"
                    expected = portable.run(plan, x)
                    np.testing.assert_array_equal(plan(x), expected, err_msg=message)
                exact += isinstance(plan._programs[None], _ext.Picture)
    return exact


@needs_vectors
def test_every_rounding_rule_gives_the_bytes_that_floats_give() -> None:
    assert check_calls() == len(CALLS) * 5 * len(ROUNDING_RULES)


@pytest.mark.parametrize("instruction_set", available_sets()[1:])
def test_on_every_instruction_set(instruction_set: str) -> None:
    code = "import test_exact; print(test_exact.check_calls())"
    run = run_python(code, NDRESIZE_ISA=instruction_set)
    assert run.returncode == 0, run.stderr
    exact = 0 if instruction_set == "baseline" else len(CALLS) * 5 * len(ROUNDING_RULES)
    assert int(run.stdout) == exact


@needs_vectors
def test_dialects_too() -> None:
    rng = np.random.default_rng(1)
    x = rng.integers(0, 256, (1, 3, 40, 70), np.uint8)
    plan = onnxruntime.resize.plan(x.shape, U1, sizes=(1, 3, 60, 105), mode="linear")
    np.testing.assert_array_equal(plan(x), portable.run(plan, x))
    plan = torch.interpolate.plan(x.shape, U1, size=(80, 140), mode="bilinear")
    np.testing.assert_array_equal(plan(x), portable.run(plan, x))


def one_pass(weights: list[float], **arithmetic: Any) -> Plan:
    op = AxisOperator(np.zeros(80, np.int64), np.array([weights] * 80), len(weights))
    step = Pass(0, op, Arithmetic(**arithmetic))
    return Plan((len(weights),), U1, (step,), (80,), U1)


@needs_vectors
def test_weights_of_more_bits_stay_floats() -> None:
    """As do sums that would not fit words, and what is in fixed point already."""
    assert in_whole_numbers(one_pass([0.25, 0.75])) is not None
    assert in_whole_numbers(one_pass([1 / 128, 127 / 128])) is not None
    assert in_whole_numbers(one_pass([1.0], accumulator="element")) is None
    assert in_whole_numbers(one_pass([1 / 256, 255 / 256])) is None
    assert in_whole_numbers(one_pass([0.3, 0.7])) is None
    assert in_whole_numbers(one_pass([1.5, -1.0, 1 / 128])) is None
    assert in_whole_numbers(one_pass([0.25, 0.75], accumulator="fixed", bits=2)) is None
    floats = replace(one_pass([0.25, 0.75]), input_dtype=np.dtype("float32"))
    assert in_whole_numbers(floats) is None


@needs_vectors
def test_rows_of_the_largest_sums() -> None:
    """Magnitudes of 128 units are the most that products of bytes hold."""
    for weights in ([1 / 128, 127 / 128], [0.5, 0.5], [1.0, 0.0], [-0.25, 0.75], [0.75, -0.25]):
        plan = one_pass(weights)
        for x in ([255, 255], [255, 0], [0, 255], [1, 254]):
            bytes_in = np.array(x, np.uint8)
            assert isinstance(native.compile_plan(plan), _ext.Picture)
            np.testing.assert_array_equal(plan(bytes_in), portable.run(plan, bytes_in))
