"""The transposed passes: from gradients of the output to those of the input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ndresize.axis import AxisOperator
from ndresize.fill import Fill
from ndresize.passes import Arithmetic, Pass

__all__ = ["transposed_passes"]


def transposed_passes(
    passes: Sequence[Pass], fill: Fill | None, dtype: np.dtype[Any]
) -> tuple[Pass, ...]:
    """Return the transposes of passes, the last one first.

    Parameters
    ----------
    passes, fill
        Of the plan.
    dtype : numpy.dtype
        A float or complex type: that of the gradients of the output.
    """
    last = {step.axis: k for k, step in enumerate(passes)}
    return tuple(
        Pass.of(
            step.axis,
            _without_fill(step, fill if last[step.axis] == k else None).transpose(),
            _summing(step, dtype),
        )
        for k, step in reversed(tuple(enumerate(passes)))
    )


def _without_fill(step: Pass, fill: Fill | None) -> AxisOperator:
    """Return the operator of a pass; samples that take a constant pass no gradient."""
    outside = fill.outside[step.axis] if fill is not None else None
    if outside is None:
        return step.operator
    weights = np.where(outside[:, None], 0.0, step.operator.weights)
    return AxisOperator(step.operator.starts, weights, step.operator.n_in)


def _summing(step: Pass, dtype: np.dtype[Any]) -> Arithmetic:
    """Return the arithmetic of a transposed pass: the transpose of picking is adding up.

    The transpose of a joint sum need not be one: what its passes have of samples are more. That of
    two taps may have others.
    """
    if step.arithmetic.accumulator == "element":
        return Arithmetic.for_dtype(dtype)
    return replace(step.arithmetic, sums="chain")
