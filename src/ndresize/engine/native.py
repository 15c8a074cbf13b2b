"""Run a plan with the compiled kernels: NumPy arrays of any strides, on several threads."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ndresize.engine import _ext, fixed, joint, portable
from ndresize.rounding import ROUNDING_RULES

if TYPE_CHECKING:
    from ndresize.plan import Pass, Plan
    from ndresize.products import Products

__all__ = ["Runnable", "compile_plan", "empty", "fill", "instruction_set", "memory_order"]

# The order of native/kernels.hpp.
_TYPES = [
    "float32",
    "float64",
    "float16",
    "bfloat16",
    "uint8",
    "int8",
    "uint16",
    "int16",
    "uint32",
    "int32",
    "uint64",
    "int64",
    "uint8 in float64",
    "int8 in float64",
    "uint16 in float64",
    "int16 in float64",
    "float32 in float64",
]


_LITTLE_MAP = 4096  # bytes of a map that is done faster in one row with others


def instruction_set() -> str:
    """Return the name of the instruction set whose kernels run, e.g. "avx2"."""
    return _ext.instruction_set()


def memory_order(x: NDArray[Any]) -> tuple[int, ...] | None:
    """Return the axes from the longest stride to the shortest; None if that is their own order.

    Axes of length 1 stay where they are. An array that repeats memory has its own order.
    """
    long = [axis for axis, n in enumerate(x.shape) if n > 1]
    if any(x.strides[axis] == 0 for axis in long):
        return None
    ordered = sorted(long, key=lambda axis: -abs(x.strides[axis]))
    if ordered == long:
        return None
    order = list(range(x.ndim))
    for place, axis in zip(long, ordered, strict=True):
        order[place] = axis
    return tuple(order)


def empty(
    shape: tuple[int, ...], dtype: np.dtype[Any], order: tuple[int, ...] | None
) -> tuple[NDArray[Any], bool]:
    """Return a new array whose axes lie in memory in that order, and whether its pages are there.

    They are where they were part of a large array that has been given back.
    """
    if order is not None:
        shape = tuple(shape[axis] for axis in order)
    size = math.prod(shape) * dtype.itemsize
    touched = False
    if size < _ext.large_output or dtype.hasobject:
        out = np.empty(shape, dtype)
    else:
        memory, touched = _ext.memory(size)
        out = memory.view(dtype).reshape(shape)
    if order is not None:
        out = out.transpose(sorted(range(len(order)), key=order.__getitem__))
    return out, touched


def compile_plan(plan: Plan, order: tuple[int, ...] | None = None) -> Runnable | None:
    """Return the program of a plan, or None where the portable executor has to run it.

    `order` is that of the axes in memory, as `memory_order` gives it.
    """
    if order is not None:
        plan = plan.transposed(order)
    if not plan.passes or plan.input_dtype.hasobject or plan.input_dtype.kind == "T":
        return None
    if not np.can_cast(plan.input_dtype, plan.dtype, "safe"):
        return None  # `_Cast` would lose what the sums need
    if any(step.arithmetic.sums == "joint" for step in plan.passes):
        return joint.compile_joint(plan)
    if any(step.arithmetic.accumulator == "fixed" for step in plan.passes):
        return fixed.compile_picture(plan) or _picks_first(plan) or _picture_first(plan)
    steps = _one_per_axis(plan.passes)
    if steps is None:
        return _picks_first(plan)
    if plan.rounding == "half_added":
        return None
    sums = {step.arithmetic.accumulator for step in steps} - {"element"}
    if len(sums) > 1:
        return None  # the kernels keep one accumulator through all passes
    if len(steps) > 8:
        return None  # most_passes of the loop nest
    if not all(_has_lerp_weights(step, plan) for step in steps if _is_lerp(step)):
        return None
    if not all(_has_kernel(plan, step.products) for step in steps if step.products):
        return None
    fused = {s.arithmetic.fused for s in steps if s.arithmetic.accumulator != "element"} or {True}
    if len(fused) > 1:
        return None
    shape_in, shape_out = list(plan.input_shape), list(plan.output_shape)
    wide_out = plan.dtype != plan.input_dtype and _sums_as_output(plan, steps)
    dtype = plan.input_dtype if wide_out else plan.dtype
    kind, item = dtype.name, dtype.itemsize
    if plan.is_selection:
        kind = "uint8"  # bytes are copied, whatever they mean
    elif plan.dtype.kind == "c":  # two floats, as one more axis
        shape_in.append(2)
        shape_out.append(2)
        item //= 2
        kind = f"float{item * 8}"
    if not sums <= {_accumulator(kind)}:
        kind = f"{kind} in {sums.pop()}"
        if kind not in _TYPES:
            return None
    passes = [_entry(step) for step in steps]
    program = _ext.Program(
        _TYPES.index(kind),
        plan.is_selection,
        item,
        False,
        wide_out,
        ROUNDING_RULES.index(plan.rounding),
        fused.pop(),
        shape_in,
        shape_out,
        passes,
    )
    if plan.dtype != plan.input_dtype and not wide_out:
        return _Cast(program, plan.dtype)
    if plan.dtype.kind not in "biufc":  # the buffer protocol does not know the type
        return _Bits(program, "u2" if plan.dtype.name == "bfloat16" else f"V{plan.dtype.itemsize}")
    little = _little_picks(plan) if plan.is_selection else None
    return program if little is None else _Picks(program, little)


def _entry(step: Pass) -> tuple[Any, ...]:
    """Return a pass as native/binding.cpp takes it."""
    op, products = step.operator, step.products
    settles = step.arithmetic.store == "element"
    if products is None:
        return step.axis, settles, op.starts, op.weights, op.n_in, 0, None, _is_lerp(step)
    return step.axis, settles, products.index, products.weights, op.n_in, 0, products.trees, False


def _has_kernel(plan: Plan, products: Products) -> bool:
    """Return whether the compiled engine adds such products of the plan's samples.

    The kernels take small integers, whose sums they round as 32-bit integers, and do not ask for
    NaN. An output reads samples that are near to each other (most_product_reach).
    """
    small = plan.input_dtype.kind in "iu" and plan.input_dtype.itemsize <= 2
    reach = np.ptp(products.index, axis=1).max(initial=0)
    gain = np.abs(products.weights).sum(axis=1).max(initial=0)
    return small and plan.dtype == plan.input_dtype and bool(reach < 16 and gain <= 2**7)


def _sums_as_output(plan: Plan, steps: tuple[Pass, ...]) -> bool:
    """Return whether the output's type is that of the sums, so that they need no conversion."""
    sums = {s.arithmetic.accumulator for s in steps} - {"element"}
    return (
        sums == {plan.dtype.name}
        and plan.input_dtype.kind in "iuf"
        and all(step.arithmetic.store == "wide" for step in steps)
        and _accumulator(plan.input_dtype.name) == plan.dtype.name
    )


def _little_picks(plan: Plan) -> _ext.Program | None:
    """Return a program for picks of many little maps in arrays without gaps, as one long axis.

    None where the plan is not that: its maps are not little, or there are too many of them.
    """
    first = min(step.axis for step in plan.passes)
    maps = math.prod(plan.output_shape[:first])
    samples = math.prod(plan.output_shape)
    if (
        plan.input_dtype != plan.dtype
        or maps < 2
        or samples == 0
        or samples > 2**22
        or samples // maps * plan.dtype.itemsize > _LITTLE_MAP
    ):
        return None
    effect = [
        np.arange(n) if op is None else op.starts
        for n, op in zip(plan.input_shape, plan.axes, strict=True)
    ]
    places = np.arange(math.prod(plan.input_shape)).reshape(plan.input_shape)[np.ix_(*effect)]
    starts = np.ascontiguousarray(places.reshape(-1), np.int64)
    n_in = math.prod(plan.input_shape)
    long = (0, False, starts, np.ones((samples, 1)), n_in, samples // maps, None, False)
    return _ext.Program(
        _TYPES.index("uint8"),
        True,
        plan.dtype.itemsize,
        False,
        False,
        0,
        True,
        [n_in],
        [samples],
        [long],
    )


def _is_loose(step: Pass) -> bool:
    """Return whether nothing is said of how each product and sum rounds."""
    return step.arithmetic.fused and step.arithmetic.sums == "chain"


def _is_lerp(step: Pass) -> bool:
    how = step.arithmetic
    return how.sums == "lerp" and how.accumulator != "element" and step.operator.taps == 2


def _has_lerp_weights(step: Pass, plan: Plan) -> bool:
    """Return whether a sample that is read alone is taken as it is, as the kernels do.

    Weights are looked at as the kernels have them. Rows without any are left to the fill.
    """
    weights = step.operator.weights.astype(step.arithmetic.accumulator)
    alone = weights[:, 1] == 0
    outside = plan.fill.outside[step.axis] if plan.fill is not None else None
    if outside is not None:
        alone &= ~outside
    return bool((weights[alone, 0] == 1).all() and (weights[:, 1] != 1).all())


def _one_per_axis(passes: tuple[Pass, ...]) -> tuple[Pass, ...] | None:
    """Return the passes with those on one axis composed into one, as the loop nest wants them.

    None where that cannot be: where a pass rounds or says how each sum does, and where samples are
    picked before they are summed, for one that is picked twice would get the sum of its weights,
    and a row that begins at one end of the axis and ends at the other all of it.
    """
    by_axis: dict[int, Pass] = {}
    for step in passes:
        if (before := by_axis.get(step.axis)) is None:
            by_axis[step.axis] = step
            continue
        kinds = [s.arithmetic.accumulator for s in (before, step)]
        sums = set(kinds) - {"element"}
        if step.products or before.products:
            return None
        if len(sums) > 1 or (kinds[0] == "element" and sums):
            return None
        if "element" not in kinds and not (_is_loose(before) and _is_loose(step)):
            return None
        if sums and "element" in (before.arithmetic.store, step.arithmetic.store):
            return None
        by_axis[step.axis] = replace(before, operator=step.operator.compose(before.operator))
    return tuple(by_axis.values())


class Runnable(Protocol):
    """What a plan is compiled to."""

    def run(self, x: NDArray[Any], out: NDArray[Any], touched: bool, threads: int, /) -> None:
        """Write what `x` becomes to `out`, but for the samples that take a constant.

        Both have their axes in the order that the plan was compiled for. `touched` tells whether
        `out` was written before, so that its memory is there and not in the cache; `threads` is
        how many at most, 0 for all.
        """


@dataclass(frozen=True)
class _Cast:
    """A program that wants the input in the type of the output."""

    program: _ext.Program
    dtype: np.dtype[Any]

    def run(self, x: NDArray[Any], out: NDArray[Any], touched: bool, threads: int) -> None:
        self.program.run(x.astype(self.dtype), out, touched, threads)


@dataclass(frozen=True)
class _Bits:
    """A program for elements that the buffer protocol does not know, seen as bits that it does."""

    program: _ext.Program
    bits: str

    def run(self, x: NDArray[Any], out: NDArray[Any], touched: bool, threads: int) -> None:
        self.program.run(x.view(self.bits), out.view(self.bits), touched, threads)


@dataclass(frozen=True)
class _Picks:
    """Picks of little maps: one program for arrays without gaps, one for all others."""

    general: _ext.Program
    little: _ext.Program

    def run(self, x: NDArray[Any], out: NDArray[Any], touched: bool, threads: int) -> None:
        if x.flags.c_contiguous and out.flags.c_contiguous:
            self.little.run(x.reshape(-1), out.reshape(-1), touched, threads)
        else:
            self.general.run(x, out, touched, threads)


@dataclass(frozen=True)
class _Sequence:
    """Two plans, one after the other."""

    first: Plan
    second: Plan

    def run(self, x: NDArray[Any], out: NDArray[Any], touched: bool, threads: int) -> None:
        del touched  # the second plan takes an output that it is given for one that was written
        self.second(self.first(x, threads=threads or None), out=out, threads=threads or None)


def _picks_first(plan: Plan) -> _Sequence | None:
    """Return the picks that come before any sum along their axis as a plan, then the rest as one.

    None where there are none: passes along different axes can change places.
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
        return None
    kind = plan.input_dtype
    first = replace(plan, passes=tuple(picks), output_shape=tuple(shape), dtype=kind, fill=None)
    second = replace(plan, input_shape=tuple(shape), passes=tuple(rest), fill=None)
    return _Sequence(first, second)


def _picture_first(plan: Plan) -> _Sequence | None:
    """Return the passes that are a picture as a plan, as many as can be, then the rest as one.

    None where there are none, which end with samples of the element type.
    """
    for count in range(len(plan.passes) - 1, 0, -1):
        passes, rest = plan.passes[:count], plan.passes[count:]
        if passes[-1].arithmetic.store == "wide":
            continue
        shape = list(plan.input_shape)
        for step in passes:
            shape[step.axis] = step.operator.n_out
        kind = plan.input_dtype
        first = replace(plan, passes=passes, output_shape=tuple(shape), dtype=kind, fill=None)
        if fixed.compile_picture(first) is not None:
            second = replace(plan, input_shape=tuple(shape), passes=rest, fill=None)
            return _Sequence(first, second)
    return None


def _accumulator(kind: str) -> str:
    """Return what the kernels of that name sum in, as native/vectors.hpp has it."""
    return "float64" if kind in ("float64", "int32", "uint32", "int64", "uint64") else "float32"


def fill(plan: Plan, out: NDArray[Any]) -> None:
    """Write the constant to the samples that take it."""
    assert plan.fill is not None
    value = portable.fill_value(plan)
    for axis, outside in enumerate(plan.fill.outside):
        if outside is not None:
            out[(slice(None),) * axis + (outside,)] = value
