"""Random Interpolate calls, held against the installed OpenVINO: reference and CPU plugin.

NDRESIZE_EXAMPLES=5000 pytest tests/test_openvino_random.py runs more of them.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ndresize import Plan, ResizeError
from ndresize.dialects import openvino as dialect
from openvino_deviations import deviates
from openvino_runner import Call, OpenVino

pytest.importorskip("openvino")

EXAMPLES = int(os.environ.get("NDRESIZE_EXAMPLES", "0")) or 300

# What the dialect refuses in words because the device refuses or garbles it.
REFUSED = re.compile("must be two|must ascend|mode linear_onnx|for device CPU|must not be empty")

TYPES = ("float32", "float32", "float16", "bfloat16", "uint8", "int8")


def numpy_type(name: str) -> np.dtype[Any]:
    return np.dtype(ml_dtypes.bfloat16) if name == "bfloat16" else np.dtype(name)


@pytest.fixture(scope="module")
def system() -> Iterator[OpenVino]:
    system = OpenVino()
    yield system
    system.close()


@st.composite
def calls(draw: st.DrawFn, device: str) -> Call:
    """Return calls that the device answers, as far as the operator's own rules tell."""
    versions = (4, 4, 11, 11) if device == "reference" else (1, 4, 4, 11, 11)
    version = draw(st.sampled_from(versions))
    rank = draw(st.sampled_from((1, 2, 2, 3, 4, 4, 4, 5)))
    longest = 12 if rank < 3 else 7 if rank < 5 else 4
    shape = tuple(draw(st.integers(1, longest)) for _ in range(rank))
    mode = draw(st.sampled_from(dialect.MODES[version]))
    axes = draw(axes_for(mode, rank, device))
    attributes: dict[str, Any] = {"mode": mode}
    count = len(axes)
    padding = draw(st.integers(0, 3)) == 0
    if padding:
        for name in ("pads_begin", "pads_end"):
            pads = draw(st.lists(st.integers(0, 2), max_size=rank + 1))
            if device == "CPU":  # it pads no batch and no channels
                first = spatial(rank)[0]
                pads = [0 if axis < first else pad for axis, pad in enumerate(pads)]
            attributes[name] = pads
    attributes["antialias"] = draw(st.booleans())
    sizes = tuple(draw(st.integers(1, longest + 3)) for _ in range(count))
    scales = None
    if version == 1:
        attributes["align_corners"] = draw(st.booleans())
        attributes.setdefault("pads_begin", [0])
        attributes.setdefault("pads_end", [0])
    else:
        attributes["coordinate_transformation_mode"] = draw(
            st.sampled_from(
                (
                    "half_pixel",
                    "pytorch_half_pixel",
                    "asymmetric",
                    "tf_half_pixel_for_nn",
                    "align_corners",
                )
            )
        )
        attributes["nearest_mode"] = draw(
            st.sampled_from(("round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "simple"))
        )
        if draw(st.booleans()):
            attributes["cube_coeff"] = draw(st.sampled_from((-0.75, -0.5, -1.0)))
        attributes["shape_calculation_mode"] = draw(st.sampled_from(("sizes", "scales")))
        if attributes["shape_calculation_mode"] == "scales":
            fractions = st.tuples(st.integers(1, 20), st.integers(1, 20)).map(lambda p: p[0] / p[1])
            free = st.floats(0.25, 3.0, width=32)
            scales = tuple(draw(st.one_of(fractions, free)) for _ in range(count))
            scales = tuple(float(np.float32(min(max(s, 0.1), 4.0))) for s in scales)
            sizes = None if version == 11 or draw(st.booleans()) else sizes
        elif version == 4 and draw(st.booleans()):
            scales = (3.0,) * count  # not looked at
    dtype = draw(st.sampled_from(TYPES))
    return Call(device, version, shape, dtype, sizes, scales, axes, attributes)


def axes_for(mode: str, rank: int, device: str) -> st.SearchStrategy[tuple[int, ...]]:
    every = tuple(range(rank))
    if mode == "linear_onnx" and device == "reference":
        allowed = [every] if rank < 4 else [every[2:]]
        return st.sampled_from(allowed)
    if device == "CPU":
        every = spatial(rank)
    if rank == 4 and device == "CPU" and mode != "linear_onnx":
        return st.one_of(axes_from(mode, every), st.just((1, 2)))
    return axes_from(mode, every)


def spatial(rank: int) -> tuple[int, ...]:
    """Return the axes that the CPU plugin resizes."""
    return tuple(range(2 if rank > 3 else 1 if rank == 3 else 0, rank))


def axes_from(mode: str, every: tuple[int, ...]) -> st.SearchStrategy[tuple[int, ...]]:
    rank = len(every)
    least = 2 if mode.endswith("_pillow") else 1
    most = 2 if mode.endswith("_pillow") else rank
    if rank < least:
        return st.just(every)
    return st.permutations(every).flatmap(
        lambda p: st.integers(least, most).map(lambda n: tuple(p[:n]))
    )


def plan_of(call: Call, dtype: Any) -> Plan:
    sizes, scales = call.sizes, call.scales
    return dialect.interpolate.plan(
        call.shape,
        dtype,
        sizes,
        scales,
        call.axes,
        version=call.version,
        device=call.device,
        **call.attributes,
    )


def samples(call: Call, seed: int) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(seed)
    if call.dtype.endswith("int8"):
        low = 0 if call.dtype == "uint8" else -100
        # Not the whole range: the reference does not saturate (deviation "cubic-overshoot").
        return rng.integers(low + 50, low + 150, call.shape).astype(call.dtype)
    return (rng.integers(-999, 1000, call.shape) / 8).astype(numpy_type(call.dtype))


def check(call: Call, x: np.ndarray[Any, Any], theirs: Any) -> None:
    """Raise AssertionError if the system's answer is not ours."""
    plan = plan_of(call, numpy_type(call.dtype))
    assert not isinstance(theirs, str), theirs
    assert theirs.shape == plan.output_shape
    ours = plan(x)
    if plan.is_selection:
        np.testing.assert_array_equal(ours, theirs)
        return
    exact = plan_of(call, np.float64)(x.astype(np.float64))
    wide, other = ours.astype(np.float64), theirs.astype(np.float64)
    if x.dtype.kind in "iu":
        check_integers(call, plan, x, exact, wide, other)
        return
    gain = 1.0
    for operator in plan.axes:
        if operator is not None:
            gain *= max(float(np.abs(operator.weights).sum(axis=1).max(initial=0)), 1.0)
    scale = gain * float(np.abs(x.astype(np.float64)).max())
    steps = {"float16": 2.0**-11, "bfloat16": 2.0**-8}
    limit = 40 * 2.0**-24 * scale + steps.get(call.dtype, 0.0) * (2 * np.abs(exact) + scale / 2)
    if call.dtype == "float32":
        assert np.all(np.abs(wide - exact) <= limit / 2), "our own sums"
    assert np.all(np.abs(wide - other) <= limit), np.abs(wide - other).max()


def check_integers(call: Call, plan: Plan, x: Any, exact: Any, ours: Any, theirs: Any) -> None:
    """Equal, or one apart where the sum is on the border between two integers."""
    border = 0.0 if plan.rounding == "truncate" else 0.5
    if call.attributes["mode"].endswith("_pillow"):
        # The plan for float64 does not round between its passes: do it here.
        near = np.zeros(())
        y = x.astype(np.float64)
        for step in plan.passes:
            single = dataclasses.replace(
                plan_of(call, np.float64),
                input_shape=y.shape,
                passes=(step,),
                output_shape=tuple(
                    step.operator.n_out if a == step.axis else n for a, n in enumerate(y.shape)
                ),
            )
            y = single(y)
            near = near + (np.abs(y - np.floor(y) - 0.5) < 1e-3).any()
            if step.arithmetic.store == "element":
                y = np.floor(y + 0.5)
        assert np.all(np.abs(ours - theirs) <= near), np.abs(ours - theirs).max()
        return
    distance = np.abs(exact - border - np.rint(exact - border))
    undecided = distance < 5e-4
    if plan.rounding == "truncate":
        # The reference does not saturate (deviation "cubic-overshoot"): leave out what it wraps.
        limits = np.iinfo(x.dtype)
        inside = (exact > limits.min - 1) & (exact < limits.max + 1)
        ours, theirs = np.where(inside, ours, 0), np.where(inside, theirs, 0)
    assert np.all(np.abs(ours - theirs)[~undecided] == 0), np.abs(ours - theirs).max()
    assert np.all(np.abs(ours - theirs) <= 1)


def run(call: Call, seed: int, system: OpenVino) -> None:
    assume(not deviates(call))
    x = samples(call, seed)
    try:
        plan_of(call, numpy_type(call.dtype))
    except ResizeError as error:
        assume(not REFUSED.search(str(error)))
        raise
    check(call, x, system(call, x))


@given(calls("reference"), st.integers(0, 2**31))
@settings(max_examples=EXAMPLES)
def test_reference(system: OpenVino, call: Call, seed: int) -> None:
    run(call, seed, system)


@given(calls("CPU"), st.integers(0, 2**31))
@settings(max_examples=EXAMPLES)
def test_cpu_plugin(system: OpenVino, call: Call, seed: int) -> None:
    run(call, seed, system)


def test_a_wrong_answer_is_noticed() -> None:
    words = {"mode": "linear", "shape_calculation_mode": "sizes"}
    call = Call("reference", 4, (5,), "float32", (7,), None, (0,), words)
    x = samples(call, 1)
    right = plan_of(call, np.float32)(x)
    check(call, x, right)
    with pytest.raises(AssertionError):
        check(call, x, right + np.float32(0.01))
    call = dataclasses.replace(call, dtype="uint8")
    x = samples(call, 1)
    right = plan_of(call, np.uint8)(x)
    with pytest.raises(AssertionError):
        check(call, x, right + np.uint8(1))
