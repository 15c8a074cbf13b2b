"""Run a plan with the compiled kernels: NumPy arrays of any strides, on several threads."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ndresize.engine import _ext, fixed, joint, portable
from ndresize.engine.exact import in_whole_numbers
from ndresize.engine.runnables import Bits, Cast, Copy, Patched, Picks, Runnable
from ndresize.engine.stages import in_stages
from ndresize.rounding import ROUNDING_RULES
from ndresize.windows import slices_of

if TYPE_CHECKING:
    from ndresize.passes import Pass
    from ndresize.plan import Plan
    from ndresize.products import Products

__all__ = ["compile_plan", "fill", "instruction_set"]

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


_MOST_AXES = 32  # of native/binding.cpp
_LITTLE_MAP = 4096  # bytes of a map that is done faster in one row with others


def instruction_set() -> str:
    """Return the name of the instruction set whose kernels run, e.g. "avx2"."""
    return _ext.instruction_set()


def compile_plan(plan: Plan, order: tuple[int, ...] | None = None) -> Runnable | None:
    """Return the program of a plan, or None where the portable executor has to run it.

    `order` is that of the axes in memory, as `memory_order` gives it.
    """
    if order is not None:
        plan = plan.transposed(order)
    if plan.input_dtype.hasobject or plan.input_dtype.kind == "T":
        return None
    if len(plan.input_shape) + (plan.dtype.kind == "c") > _MOST_AXES:
        return None
    if plan.patches:
        return _compile_patched(plan)
    if not plan.passes:
        return Copy() if plan.dtype == plan.input_dtype else None
    finite = plan.input_dtype.kind in "iu"
    return _compile_whole(plan, finite) or in_stages(plan, lambda p: _compile_whole(p, finite))


def _compile_patched(plan: Plan) -> Runnable | None:
    """Return the programs of a plan and of its patches, or None where one has none."""
    whole = compile_plan(replace(plan, patches=()))
    patches = []
    for patch in plan.patches:
        program = compile_plan(plan.plan_of(patch))
        if program is None:
            return None
        patches.append((slices_of(patch.source), slices_of(patch.window), program))
    return None if whole is None else Patched(whole, tuple(patches))


def _compile_whole(plan: Plan, finite: bool) -> Runnable | None:
    """Return the single program of a plan, or None.

    `finite` tells whether no sample can be NaN or infinite.
    """
    if (whole := in_whole_numbers(plan)) is not None and (picture := fixed.compile_picture(whole)):
        return picture
    if any(step.arithmetic.sums == "joint" for step in plan.passes):
        return joint.compile_joint(plan)
    if any(step.arithmetic.accumulator == "fixed" for step in plan.passes):
        return fixed.compile_picture(plan)
    steps = _one_per_axis(plan.passes)
    if steps is None or plan.rounding == "half_added":
        return None
    kernels = _Kernels.of(plan, steps, finite)
    if kernels is None:
        return None
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
    if plan.dtype.kind == "c" and not plan.is_selection:  # two floats, as one more axis
        shape_in.append(2)
        shape_out.append(2)
    passes = [_entry(step) for step in steps]
    program = _ext.Program(
        _TYPES.index(kernels.kind),
        plan.is_selection,
        kernels.item,
        kernels.wide_in,
        kernels.wide_out,
        ROUNDING_RULES.index(plan.rounding),
        fused.pop(),
        shape_in,
        shape_out,
        passes,
    )
    runnable: Runnable = program
    if plan.is_selection and (little := _little_picks(plan)) is not None:
        runnable = Picks(program, little)
    if not {plan.input_dtype.kind, plan.dtype.kind} <= set("biufc"):
        runnable = Bits(runnable)  # the buffer protocol does not know the type
    return runnable if kernels.cast is None else Cast(runnable, kernels.cast)


@dataclass(frozen=True)
class _Kernels:
    """Which kernels run a plan, and on what.

    Parameters
    ----------
    kind : str
        One of `_TYPES`: the elements, and what they are summed in if that is not their own.
    item : int
        Bytes of an element.
    wide_in, wide_out : bool
        Whether the input, the output holds sums in place of elements.
    cast : numpy.dtype or None
        What the input is to be made first.
    """

    kind: str
    item: int
    wide_in: bool = False
    wide_out: bool = False
    cast: np.dtype[Any] | None = None

    @classmethod
    def of(cls, plan: Plan, steps: tuple[Pass, ...], finite: bool) -> _Kernels | None:
        """Return the kernels of a plan of floats or picks, or None where there are none."""
        kinds = {step.arithmetic.accumulator for step in steps} - {"element"}
        same = plan.dtype == plan.input_dtype
        if not kinds:  # bytes are copied, whatever they mean
            return cls("uint8", plan.dtype.itemsize) if same else None
        if len(kinds) > 1:
            return None  # they keep one accumulator through all passes
        sums = np.dtype(kinds.pop())
        if plan.dtype.kind == "c":
            item = plan.dtype.itemsize // 2
            cast = None if same else plan.dtype
            return cls(sums.name, item, cast=cast) if item == sums.itemsize else None
        wide_out = all(step.arithmetic.store == "wide" for step in steps) and plan.dtype == sums
        if not same and wide_out and (kind := _named(plan.input_dtype, sums)):
            return cls(kind, plan.input_dtype.itemsize, wide_out=True)
        kind = _named(plan.dtype, sums)
        if kind is None or (plan.dtype.kind in "iu" and not (same or finite)):
            return None  # kernels of integers do not look for NaN
        cast = None if same or plan.input_dtype == sums else sums
        return cls(kind, plan.dtype.itemsize, wide_in=not same, cast=cast)


def _named(elements: np.dtype[Any], sums: np.dtype[Any]) -> str | None:
    """Return the name of the kernels that sum such elements so."""
    kind = elements.name
    if _accumulator(kind) != sums.name:
        kind = f"{kind} in {sums.name}"
    return kind if kind in _TYPES else None


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
