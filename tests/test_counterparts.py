"""Every dialect held against the system that it speaks for, by the table in `counterparts`.

NDRESIZE_EXAMPLES=5000 pytest tests/test_counterparts.py makes that many calls per function.
"""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from counterparts import Call, Counterpart, counterparts, make_data
from ndresize import Plan
from ndresize.engine import native

EXAMPLES = int(os.environ.get("NDRESIZE_EXAMPLES", "0")) or 400
PARTS = 4  # pieces of a function's calls that run as tests of their own, side by side

DEVIATIONS = {
    path.stem: tomllib.loads(path.read_text())["deviation"]
    for path in sorted((Path(__file__).parent / "deviations" / "dialects").glob("*.toml"))
}


def needed(entry: Counterpart) -> Counterpart:
    pytest.importorskip(entry.theirs.split(".")[0], reason=f"{entry.package} is not installed")
    return entry


def difference(
    entry: Counterpart, call: Call, data: NDArray[Any], theirs: NDArray[Any]
) -> str | None:
    """Return how our answer differs from theirs beyond the tolerance, or None."""
    plan = entry.ours.plan(call.shape, call.dtype, **call.arguments)
    ours = entry.ours(data, **call.arguments)
    assert plan.output_shape == ours.shape
    assert plan.dtype == ours.dtype
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return f"{ours.dtype} {ours.shape}, theirs {theirs.dtype} {theirs.shape}"
    is_float = ours.dtype.kind in "fc" or ours.dtype.name == "bfloat16"
    if not is_float or entry.ulps == 0 or plan.is_selection:
        wrong = ~((ours == theirs) | ((ours != ours) & (theirs != theirs)))
    else:
        largest = np.prod([abs(op.weights).max(initial=1) for op in plan.axes if op is not None])
        kind = np.complex128 if ours.dtype.kind == "c" else np.float64
        samples = np.stack([data.real, data.imag]) if data.dtype.kind == "c" else data
        samples = samples.astype(np.float64)
        reach = max(np.abs(samples).max(initial=0), np.ptp(samples) if samples.size else 0)
        unit = np.spacing(np.asarray(reach * largest, ours.real.dtype)).astype(np.float64)
        wrong = ~(np.abs(ours.astype(kind) - theirs) <= entry.ulps * unit)
        wrong &= ~((ours != ours) & (theirs != theirs))
    if not wrong.any():
        return None
    at = np.unravel_index(np.argmax(wrong), wrong.shape)
    return f"{wrong.sum()} of {wrong.size} samples, first at {at}: {ours[at]}, theirs {theirs[at]}"


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", counterparts())
def test_random_calls_agree(name: str, part: int) -> None:
    entry = needed(counterparts()[name])
    for seed in range(part, EXAMPLES, PARTS):
        call = entry.draw(np.random.default_rng(seed))
        if entry.deviates(call) is not None:
            continue
        data = make_data(call, seed)
        wrong = difference(entry, call, data, entry.run(data, call.arguments))
        assert wrong is None, f"seed {seed}, {call}: {wrong}"


@pytest.mark.parametrize("name", counterparts())
def test_most_calls_are_compared(name: str) -> None:
    """The predicates of the deviations must not swallow the test."""
    entry = counterparts()[name]
    calls = [entry.draw(np.random.default_rng(seed)) for seed in range(200)]
    assert sum(entry.deviates(call) is None for call in calls) > 100


LISTED = [
    (entry.name, deviation["id"])
    for entry in counterparts().values()
    for deviation in DEVIATIONS.get(entry.system, ())
    if deviation.get("function") == entry.name
]


@pytest.mark.parametrize(("name", "identity"), LISTED)
def test_deviations_still_deviate(name: str, identity: str) -> None:
    """Each listed deviation shows in its smallest input, as both sides are said to answer."""
    entry = needed(counterparts()[name])
    listed = next(d for d in DEVIATIONS[entry.system] if d["id"] == identity)
    words = listed["call"]
    call = Call(
        tuple(words["shape"]),
        words["dtype"],
        words.get("arguments", {}),
        words.get("memory", "contiguous"),
    )
    data = np.array(words["data"], words["dtype"]).reshape(call.shape)
    if call.memory == "channels_last":
        data = np.moveaxis(np.ascontiguousarray(np.moveaxis(data, 1, -1)), -1, 1)
    theirs = entry.run(data, call.arguments)
    ours = entry.ours(data, **call.arguments)
    assert ours == pytest.approx(np.array(listed["ours"]), rel=1e-6)
    assert theirs == pytest.approx(np.array(listed["theirs"]), rel=1e-6)
    assert difference(entry, call, data, theirs) is not None


@pytest.mark.parametrize("name", counterparts())
def test_every_predicate_is_listed(name: str) -> None:
    entry = counterparts()[name]
    listed = {d["id"] for d in DEVIATIONS.get(entry.system, ()) if d.get("function") == name}
    assert set(entry.deviations) <= listed


@pytest.mark.parametrize("name", counterparts())
def test_plans_of_random_calls_run_compiled(name: str) -> None:
    entry = counterparts()[name]
    for seed in range(150):
        call = entry.draw(np.random.default_rng(seed))
        plan = entry.ours.plan(call.shape, call.dtype, **call.arguments)
        if isinstance(plan, Plan) and plan.passes:
            assert native.compile_plan(plan) is not None, f"seed {seed}, {call}: {plan!r}"
