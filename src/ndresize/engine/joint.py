"""Compile a plan whose passes are one sum for the kernels of native/joint.hpp."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ndresize.engine import _ext
from ndresize.rounding import ROUNDING_RULES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ndresize.plan import Plan

__all__ = ["compile_joint"]

_TYPES = {"float32": 0, "uint8": 4, "int8": 5, "int32": 9}  # the order of native/kernels.hpp
_MOST_PASSES, _MOST_TAPS = 3, 2
_LONGEST_ROW = 2**30


def compile_joint(plan: Plan) -> _ext.Joint | None:
    """Return the program of joint sums, or None where the portable executor has to run them.

    The kernels take up to three passes of two taps, after picks along the same axes.
    """
    kind = _TYPES.get(plan.dtype.name)
    joint = [step for step in plan.passes if step.arithmetic.sums == "joint"]
    picks = plan.passes[: len(plan.passes) - len(joint)]
    if (
        kind is None
        or plan.input_dtype != plan.dtype
        or plan.rounding == "half_up"
        or any(step.arithmetic.accumulator != "element" for step in picks)
        or any(step.arithmetic.accumulator != "float32" for step in joint)
        or len(joint) > _MOST_PASSES
        or len({step.axis for step in joint}) < len(joint)
        or any(step.operator.taps > _MOST_TAPS for step in joint)
    ):
        return None
    last = max(step.axis for step in joint)
    if (
        max(math.prod(shape[last:]) for shape in (plan.input_shape, plan.output_shape))
        > _LONGEST_ROW
    ):
        return None
    picked: dict[int, NDArray[np.int64]] = {}
    for step in picks:
        starts = step.operator.starts
        picked[step.axis] = picked[step.axis][starts] if step.axis in picked else starts
    passes: list[tuple[int, Any, Any]] = []
    for step in joint:
        op = step.operator
        index = np.minimum(op.starts + np.arange(op.taps)[:, None], op.n_in - 1)
        if step.axis in picked:
            index = picked.pop(step.axis)[index]
        weights = np.ascontiguousarray(op.weights.T, np.float32)
        passes.append((step.axis, np.ascontiguousarray(index), weights))
    if picked:
        return None
    half = plan.rounding == "half_added"
    return _ext.Joint(
        kind,
        ROUNDING_RULES.index("truncate" if half else plan.rounding),
        0.5 if half else 0.0,
        list(plan.input_shape),
        list(plan.output_shape),
        passes,
    )
