"""Compile a plan of 8-bit samples in fixed point for the kernels of native/picture.hpp."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ndresize.engine import _ext

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ndresize.axis import AxisOperator
    from ndresize.passes import Pass
    from ndresize.plan import Plan

__all__ = ["compile_picture", "fewest_bits"]

_STEPS_BACK = 4
_NONE = -(2**31)
_ALL_ROWS = np.zeros(0, np.int64)
_NO_BIAS = np.zeros(0, np.int32)
_BYTE, _WORD, _WIDE = range(3)  # the order of Format in native/kernels.hpp


def compile_picture(plan: Plan) -> _ext.Picture | None:
    """Return the program of a fixed-point plan, or None where the portable executor has to run it.

    The kernels take 8-bit samples, at most one pass along the last resized axis and one
    across it, perhaps of rows that are picked first, and sums that fit into 32 bits.
    """
    if plan.dtype not in (np.uint8, np.int8) or plan.input_dtype != plan.dtype:
        return None
    signed = plan.dtype == np.int8
    if plan.rounding in ("float32_half_even", "half_added"):
        return None
    summed, scale = _without_scale(plan)
    if not summed:
        return None
    passes, rows = _without_picked_rows(summed)
    wraps = signed and all(
        step.arithmetic.limits == (0, 255) and step.arithmetic.store == "element" for step in passes
    )
    ordered = _in_order(passes, (-128, 127) if signed and not wraps else (0, 255))
    if ordered is None or (wraps and ordered != list(plan.passes)):
        return None  # a pass that clamps is no pick, whatever it weighs
    table = []
    cuts = any(step.arithmetic.cut is not None for step in ordered)
    bits, low, high = 0, 0, 255  # of the samples: fractional bits, and bounds
    for step, following in zip(ordered, [*ordered[1:], None], strict=True):
        how, op = step.arithmetic, step.operator
        own = how.bits if how.accumulator == "fixed" else 0
        starts, weights = _ascending(op)
        weights = np.rint(np.ldexp(weights, own))
        if not cuts:
            own, weights = fewest_bits(weights, own)
        plus = int(np.maximum(weights, 0).sum(axis=1).max(initial=0))
        minus = int(np.maximum(-weights, 0).sum(axis=1).max(initial=0))
        low, high = low * plus - high * minus, high * plus - low * minus
        bias = _NO_BIAS
        if signed:  # samples are taken 128 higher, and sums are to be so too, or as they are
            over = 128 * (np.where(wraps, 0, 2.0**own) - weights.sum(axis=1)) * 2.0**bits
            if over.any():
                if how.cut is not None or plan.rounding == "half_even" or abs(over).max() >= 2**31:
                    return None
                bias = over.astype(np.int32)
            low, high = low + int(over.min()), high + int(over.max())
        if max(high, -low) + 2 ** (bits + own) >= 2**31:  # with what rounding adds
            return None
        cut = 0
        bits += own
        if how.cut is not None:
            cut, bits = max(bits - how.cut[1], 0), min(bits, how.cut[1])
        size = np.abs(weights)
        products = size.max(initial=0) < 2**7 and size.sum(axis=1).max(initial=0) <= 2**7
        small = bool(max(high, -low) < 2**15 and (bits > own or products))
        factor = 0.0
        if following is None and scale is not None:
            if how.store == "element":
                return None  # what is multiplied is a byte
            form, shift, half, even = _BYTE, 0, 0, True
            factor = scale * 2.0**-bits
            if max(high, -low) * abs(factor) >= 2**31:
                return None
        elif following is None or how.store == "element" or (op.is_selection and bits == 0):
            form, shift, half, even = _BYTE, bits, *_rounding(plan, bits)
            bits, low, high = 0, 0, 255
        elif following.arithmetic.cut is not None:
            kept = min(bits, following.arithmetic.cut[0])
            form, shift, half, even = _WORD, bits - kept, 0, False
            bits, low, high = kept, low >> (bits - kept), high >> (bits - kept)
            if max(high, -low) >= 2**15:
                return None
        else:
            narrow = max(high, -low) < 2**15
            form, shift, half, even = _WORD if narrow else _WIDE, 0, 0, False
        picked = rows.get(step.axis, _ALL_ROWS)
        whole = weights.astype(np.int32)
        small &= shift == 0 if form == _WORD else form == _BYTE and shift <= 15
        small &= cut == 0 and factor == 0.0 and not signed
        # Sums of bytes with a sign that are below zero, in the words of their bytes without.
        split, below = _NONE, -1
        if signed and not wraps and form == _BYTE and shift:  # wrapped, all of them are 0
            if plan.rounding == "half_away":
                split = 128 << shift
            elif plan.rounding == "truncate":
                split, below = 128 << shift, 2**shift - 1
        row = (step.axis, starts, whole, cut, form, shift, half, even, picked, split)
        table.append((*row, below, bias, factor, small))
    return _ext.Picture(list(plan.input_shape), list(plan.output_shape), signed, wraps, table)


def _without_scale(plan: Plan) -> tuple[list[Pass], float | None]:
    """Return the passes without a last one that multiplies all sums by one float32 factor.

    That is how the mean of many bytes is made of their sum.
    """
    passes = list(plan.passes)
    last = passes[-1]
    op, factors = last.operator, last.operator.weights
    if (
        last.arithmetic.accumulator == "float32"
        and plan.dtype == np.uint8
        and plan.rounding == "half_even"
        and op.n_in == op.n_out
        and op.taps == 1
        and np.array_equal(op.starts, np.arange(op.n_in))
        and np.all(factors == factors[0])
    ):
        return passes[:-1], float(np.float32(factors[0, 0]))
    return passes, None


def _without_picked_rows(passes: list[Pass]) -> tuple[list[Pass], dict[int, NDArray[np.int64]]]:
    """Return the passes without picks along an axis that is summed after, and what those pick.

    Only of rows, that is, along an axis before the last that is resized.
    """
    last = max(step.axis for step in passes)
    rows = {}
    kept = []
    for place, step in enumerate(passes):
        summed = any(later.axis == step.axis for later in passes[place + 1 :])
        if step.operator.is_selection and summed and step.axis < last and step.axis not in rows:
            rows[step.axis] = step.operator.starts
        else:
            kept.append(step)
    return kept, rows


def _in_order(passes: list[Pass], limits: tuple[int, int]) -> list[Pass] | None:
    """Return the passes, along the rows first where the order does not matter."""
    for step in passes:
        if step.arithmetic.accumulator not in ("fixed", "element"):
            return None
        if step.arithmetic.limits not in (None, limits):
            return None
        if _steps_back(_starts(step.operator)) > _STEPS_BACK:
            return None
    if len(passes) == 1 or (len(passes) == 2 and passes[0].axis > passes[1].axis):
        return passes
    if len(passes) > 2 or passes[0].axis == passes[1].axis:
        return None
    first, second = passes
    if first.arithmetic.store == "element" and not first.operator.is_selection:
        return passes  # rows of bytes come out of it
    if first.arithmetic.cut is None and second.arithmetic.cut is None and _exact(first, second):
        return [second, first]
    return None


def _starts(op: AxisOperator) -> NDArray[np.int64]:
    """Return where rows begin; one that reads nothing, where the one before it does."""
    reads = op.counts > 0
    place = np.maximum.accumulate(np.where(reads, np.arange(op.n_out), -1))
    return np.where(place < 0, 0, op.starts[place])


def _steps_back(starts: NDArray[np.int64]) -> int:
    """Return by how much a row begins at most after a later one."""
    return int((starts - np.minimum.accumulate(starts[::-1])[::-1]).max(initial=0))


def _ascending(op: AxisOperator) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return starts that never go back, and the weights from them on.

    Rows begin at their first weight that is not zero, so one whose first tap happens to weigh
    nothing may begin after the next one.
    """
    own = _starts(op)
    back = _steps_back(own)
    if back == 0:
        return own, op.weights
    starts = np.minimum.accumulate(own[::-1])[::-1]
    place = np.arange(op.taps + back) - (own - starts)[:, None]
    inside = (place >= 0) & (place < op.taps)
    shifted = np.take_along_axis(op.weights, np.clip(place, 0, op.taps - 1), axis=1)
    return np.ascontiguousarray(starts), np.where(inside, shifted, 0.0)


def fewest_bits(weights: NDArray[np.float64], bits: int) -> tuple[int, NDArray[np.float64]]:
    """Return how many fractional bits weights need, and the weights in units of the last."""
    units = int(np.bitwise_or.reduce(weights.astype(np.int64), axis=None))
    spare = min(bits, (units & -units).bit_length() - 1) if units else bits
    return bits - spare, np.ldexp(weights, -spare)


def _exact(first: Pass, second: Pass) -> bool:
    """Return whether nothing is rounded between two passes, in whichever order."""
    return all(s.arithmetic.store == "wide" or s.operator.is_selection for s in (first, second))


def _rounding(plan: Plan, bits: int) -> tuple[int, bool]:
    """Return what is added before `bits` bits are dropped, and whether ties go to even."""
    if bits == 0 or plan.rounding == "truncate":
        return 0, False  # a negative sum becomes 0 either way
    if plan.rounding == "half_even":
        return 2 ** (bits - 1) - 1, True
    return 2 ** (bits - 1), False
