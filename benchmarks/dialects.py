"""Each dialect beside the system that it speaks for, in the realistic calls of `counterparts`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.agreement import difference
from benchmarks.contestant import Contestant
from benchmarks.peers import callables
from benchmarks.results import Row
from benchmarks.run import COPY, prepare_all, time_all
from benchmarks.workloads import OURS
from counterparts import Call, Counterpart, counterparts, make_data
from ndresize.plan import Plan

__all__ = ["Comparison", "comparisons", "measure", "tolerance"]


@dataclass(frozen=True)
class Comparison:
    """One call of one function of ours, and of theirs."""

    entry: Counterpart
    label: str
    call: Call

    @property
    def name(self) -> str:
        """As printed."""
        return f"{self.entry.name}: {self.label}"


def comparisons() -> list[Comparison]:
    """Return all calls whose speed is compared."""
    return [
        Comparison(entry, label, call)
        for entry in counterparts().values()
        for label, call in entry.speed.items()
    ]


def measure(comparison: Comparison, threads: int, seconds: float) -> Row:
    """Return the row of a call: build both, check that they agree, time them in turns."""
    entry, call = comparison.entry, comparison.call
    x = make_data(call)
    plan = entry.ours.plan(call.shape, call.dtype, **call.arguments)
    builders = {
        OURS: lambda: Contestant(lambda: plan(x, threads=threads)),
        entry.system: partial(callables.ready, entry, call, x, threads),
    }
    ready, results, absent = prepare_all(builders)
    allowed = tolerance(entry, plan, x)
    wrong = {}
    if entry.system in results:
        said = difference(results[entry.system], results[OURS], allowed)
        if said is not None:
            wrong[entry.system] = f"{said}, compared with {OURS}"
    timings = time_all(ready, plan.output_shape, plan.dtype, seconds)
    copy = timings.pop(COPY)
    return Row(comparison.name, threads, False, allowed, timings, wrong, absent, copy)


def tolerance(entry: Counterpart, plan: Plan, x: NDArray[Any]) -> float:
    """Return by how much the two may differ: the rule of the differential tests, as one number."""
    if plan.dtype.kind != "f" or entry.ulps == 0 or plan.is_selection:
        return 0.0
    wide = x.astype(np.float64)
    weights = [np.abs(op.weights).max(initial=1.0) for op in plan.axes if op is not None]
    largest = max(np.abs(wide).max(), np.ptp(wide)) * math.prod(weights)
    return entry.ulps * float(np.spacing(plan.dtype.type(largest)))
