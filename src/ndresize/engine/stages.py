"""Split a plan that no single program can run into plans, one after the other, that programs can.

What is between two of them is a whole array: more memory, and more time, than one program takes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ndresize.engine.runnables import Runnable, Sequence, Store
from ndresize.rounding import limits

if TYPE_CHECKING:
    from ndresize.passes import Pass
    from ndresize.plan import Plan

__all__ = ["in_stages"]

Compile = Callable[["Plan"], Runnable | None]  # for a single program


def in_stages(plan: Plan, whole: Compile) -> Sequence | None:
    """Return programs that together do what the plan does, bit for bit; None where there are none.

    Parameters
    ----------
    plan : Plan
        One that `whole` has no program for.
    whole : callable
        From a plan to its single program, or None.
    """
    for form in (plan, _in_doubles(plan)):
        if form is not None and (stages := _with_picks_apart(form, whole)):
            return Sequence(tuple(stages))
    return None


def _with_picks_apart(plan: Plan, whole: Compile) -> list[tuple[Plan, Runnable]]:
    """Return plans and programs, picks that can come first before all others."""
    picks, rest = _picks_apart(plan)
    stages = _stages(rest, whole)
    return [*_stages(picks, whole), *stages] if picks and stages else stages


def _stages(plan: Plan, whole: Compile) -> list[tuple[Plan, Runnable]]:
    """Return plans of as many passes each as one program can run; none if one cannot be run."""
    stages: list[tuple[Plan, Runnable]] = []
    rest = plan
    while rest.passes:
        for count in range(len(rest.passes), 0, -1):
            first = _first(rest, count)
            if first is not None and (program := _program(first, whole)) is not None:
                break
        else:
            return []
        assert first is not None
        stages.append((first, program))
        rest = replace(
            rest,
            input_shape=first.output_shape,
            input_dtype=first.dtype,
            passes=rest.passes[count:],
            fill=None,
        )
    return stages


def _program(plan: Plan, whole: Compile) -> Runnable | None:
    """Return the program of a plan, or one for its sums where no kernel stores them in its type."""
    if (program := whole(plan)) is not None:
        return program
    *before, last = plan.passes
    passes = (*before, replace(last, arithmetic=replace(last.arithmetic, store="wide")))
    wide = _between(passes, plan)
    if wide is None or wide == plan.dtype or any(map(_rounds, passes)):
        return None
    sums = replace(plan, passes=passes, dtype=wide)
    program = whole(sums)
    return None if program is None else Sequence(((sums, program), (plan, Store(plan))))


def _first(plan: Plan, count: int) -> Plan | None:
    """Return the plan of the first passes; None where no type holds what is after them."""
    if count == len(plan.passes):
        return replace(plan, fill=None)
    passes = plan.passes[:count]
    dtype = _between(passes, plan)
    if dtype is None or (dtype != plan.dtype and any(map(_rounds, passes))):
        return None  # they would round into that type
    shape = list(plan.input_shape)
    for step in passes:
        shape[step.axis] = step.operator.n_out
    return replace(plan, passes=passes, output_shape=tuple(shape), dtype=dtype, fill=None)


def _rounds(step: Pass) -> bool:
    return step.arithmetic.accumulator != "element" and step.arithmetic.store == "element"


def _between(passes: tuple[Pass, ...], plan: Plan) -> np.dtype[Any] | None:
    """Return the type of what is after some passes."""
    for step in reversed(passes):
        how = step.arithmetic
        if how.accumulator == "element":
            continue
        if _rounds(step):
            return plan.dtype
        if how.accumulator == "fixed" or how.sums == "joint":
            return None
        if plan.dtype.kind == "c":
            return np.dtype({"float32": "complex64", "float64": "complex128"}[how.accumulator])
        return np.dtype(how.accumulator)
    return plan.input_dtype


def _picks_apart(plan: Plan) -> tuple[Plan | None, Plan]:
    """Return the picks that come before any sum along their axis as a plan, and the rest as one.

    Passes along different axes can change places. None and the plan where there are no such picks.
    """
    picks: list[Pass] = []
    rest: list[Pass] = []
    shape = list(plan.input_shape)
    for step in plan.passes:
        summed = any(step.axis == other.axis for other in rest)
        if step.arithmetic.accumulator == "element" and not summed:
            picks.append(step)
            shape[step.axis] = step.operator.n_out
        else:
            rest.append(step)
    if not picks or not rest:
        return None, plan
    kind, picked = plan.input_dtype, tuple(shape)
    first = replace(plan, passes=tuple(picks), output_shape=picked, dtype=kind, fill=None)
    return first, replace(plan, input_shape=picked, passes=tuple(rest), fill=None)


def _in_doubles(plan: Plan) -> Plan | None:
    """Return the plan with fixed-point sums in float64, where that holds them exactly.

    None where it does not, and where bits are cut off.
    """
    passes: list[Pass] = []
    bits, most = 0, 0.0  # of the samples: fractional bits, and their largest magnitude in units
    if plan.input_dtype.kind in "iu":
        most = float(max(abs(bound) for bound in limits(plan.input_dtype)))
    found = False
    for step in plan.passes:
        how = step.arithmetic
        if how.accumulator == "element":
            passes.append(step)
            continue
        if how.accumulator != "fixed":
            bits, most = 0, np.inf  # what follows is no whole number
            passes.append(step)
            continue
        found = True
        units = np.abs(np.ldexp(step.operator.weights, how.bits)).sum(axis=1).max(initial=0)
        bits, most = bits + how.bits, most * float(units)
        if how.cut is not None or most >= 2.0**53 or how.limits not in (None, limits(plan.dtype)):
            return None
        passes.append(replace(step, arithmetic=type(how)("float64", how.store)))
        if how.store == "element":
            bits, most = 0, float(max(abs(bound) for bound in limits(plan.dtype)))
    return replace(plan, passes=tuple(passes)) if found else None
