"""From what a spline does to each axis to a plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndresize.axis import AxisOperator
from ndresize.memory import refuse_uncountable
from ndresize.plan import Arithmetic, Fill, Pass, Plan

__all__ = ["spline_plan"]


def spline_plan(
    shape: tuple[int, ...],
    output_shape: tuple[int, ...],
    dtype: np.dtype[Any],
    found: np.dtype[Any],
    operators: Mapping[int, Sequence[AxisOperator]],
    order: int,
    arithmetic: Arithmetic,
    fill: tuple[Any, Sequence[NDArray[np.bool_] | None]] | None = None,
) -> Plan:
    """Return the plan that applies the operators of one axis after those of another.

    Parameters
    ----------
    shape, output_shape : tuple of int
        Of the input and of the result.
    dtype, found : numpy.dtype
        Element types of the input and of the result.
    operators : mapping from axis to sequence of AxisOperator
        What is done to each axis, in order. The axes that shrink most come first; an order that
        changes no bit but the last.
    order : int
        Degree of the spline.
    arithmetic : Arithmetic
        Of every pass that does not merely pick samples of the result's own type.
    fill : (number, sequence of ndarray or None), optional
        The constant, and per axis the output samples that it covers.
    """
    refuse_uncountable(output_shape, found)
    axes = sorted(operators, key=lambda a: (output_shape[a] / max(shape[a], 1), -a))
    steps = [(axis, op) for axis in axes for op in operators[axis] if not op.is_identity]
    if dtype != found and not steps:
        steps = [(len(shape) - 1, AxisOperator.identity(shape[-1]))]  # the store still rounds
    # An axis of one sample is picked at any order, which SciPy sums all the same.
    sums = order > 0 and all(op.is_selection for _, op in steps)
    picks = arithmetic if sums or dtype != found else Arithmetic("element")
    passes = tuple(Pass(axis, op, picks if op.is_selection else arithmetic) for axis, op in steps)
    covered = None
    if fill is not None and any(outside is not None for outside in fill[1]):
        covered = Fill(fill[0], tuple(fill[1]))
    return Plan(shape, dtype, passes, output_shape, found, "half_away", covered)
