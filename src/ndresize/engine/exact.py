"""Sums of bytes that floats would add without rounding, in whole numbers, which are faster."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ndresize.engine import _ext
from ndresize.engine.fixed import fewest_bits

if TYPE_CHECKING:
    from ndresize.passes import Pass
    from ndresize.plan import Plan
    from ndresize.rounding import RoundingRule

__all__ = ["in_whole_numbers"]

_MOST = 2**15  # what sums stay below: they are words then
_MOST_BITS = 7  # of a weight: products of bytes
_MOST_TAPS = 4
_SHORT = 64  # samples of a row, of which fewer are slower so

# What rules are of sums that hold no more than 15 bits, and of which what is below 0 becomes 0.
_RULES: dict[RoundingRule, RoundingRule] = {
    "float32_half_even": "half_even",
    "half_added": "half_up",
}


def in_whole_numbers(plan: Plan) -> Plan | None:
    """Return the plan that sums in fixed point, bit for bit the same; None if that wins nothing.

    Where the ratio of lengths is a small one, weights are multiples of some 2**-k, as 1/4 and 3/4
    are. Bytes times such weights add up in float32 without rounding, in whatever order.
    """
    if plan.dtype != np.uint8 or plan.input_dtype != np.uint8:
        return None
    if plan.is_selection or len(plan.passes) > 2:
        return None
    if _ext.instruction_set() == "baseline":
        return None  # it has no vectors for them
    last = max(step.axis for step in plan.passes)
    if np.prod(plan.output_shape[last:]) < _SHORT:
        return None
    passes = []
    most = 255.0
    for step in plan.passes:
        whole = _whole(step)
        if whole is None or (step is not plan.passes[-1] and step.arithmetic.store != "wide"):
            return None
        units = np.ldexp(np.abs(step.operator.weights).sum(axis=1), whole.arithmetic.bits)
        most *= units.max(initial=0)
        passes.append(whole)
    if most >= _MOST:
        return None
    return replace(
        plan, passes=tuple(passes), rounding=_RULES.get(plan.rounding, plan.rounding), fill=None
    )


def _whole(step: Pass) -> Pass | None:
    """Return a pass with its weights in few bits, or None if they do not fit."""
    how, op = step.arithmetic, step.operator
    if how.accumulator == "element":
        return step
    units = np.ldexp(op.weights, _MOST_BITS)
    if how.accumulator == "fixed" or op.taps > _MOST_TAPS or (units != np.rint(units)).any():
        return None
    bits, _ = fewest_bits(units, _MOST_BITS)
    arithmetic = replace(how, accumulator="fixed", bits=bits, fused=True, sums="chain")
    return replace(step, arithmetic=arithmetic, products=None)
