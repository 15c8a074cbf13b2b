"""The plan: what a resize call is once no system's words are left in it."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ndresize.adjoint import transposed_passes
from ndresize.axis import AxisOperator
from ndresize.element_types import element_type
from ndresize.engine import arrays, native, portable
from ndresize.errors import ResizeError
from ndresize.fill import Fill
from ndresize.memory import refuse_larger_than_memory, refuse_uncountable
from ndresize.pass_order import cheapest_order
from ndresize.passes import Arithmetic, Pass, how_in_words
from ndresize.patch import Patch, crop_passes, widened_passes
from ndresize.rounding import RoundingRule
from ndresize.windows import hull, shape_of, slices_of, window_of

__all__ = ["Arithmetic", "Fill", "Pass", "Plan", "make_plan", "thread_count"]


_MOST_THREADS = 2**31 - 1  # of the compiled programs


@dataclass(frozen=True, repr=False)
class Plan:
    """A resize, ready to run: immutable, hashable, comparable, picklable.

    Two plans are equal if they do the same to the same type and shape, bit for bit.

    Parameters
    ----------
    input_shape : tuple of int
        Shape of the arrays it takes.
    input_dtype, dtype : numpy.dtype
        Element type that it takes and that it gives.
    passes : tuple of Pass
        What is done, in order.
    output_shape : tuple of int
        Shape of the result.
    rounding : RoundingRule
        How sums become integers, where `dtype` is an integer type: see `ndresize.rounding`.
    fill : Fill or None
        Samples that take a constant after all else.
    patches : tuple of Patch
        Windows of the output that are made in another arithmetic, and overwritten in this order.
    """

    input_shape: tuple[int, ...]
    input_dtype: np.dtype[Any]
    passes: tuple[Pass, ...]
    output_shape: tuple[int, ...]
    dtype: np.dtype[Any]
    rounding: RoundingRule = "half_even"
    fill: Fill | None = None
    patches: tuple[Patch, ...] = ()
    _programs: dict[Any, Any] = field(default_factory=dict, init=False, compare=False, hash=False)

    @property
    def axes(self) -> tuple[AxisOperator | None, ...]:
        """The whole effect per axis but for rounding; None where an axis is untouched."""
        effect: list[AxisOperator | None] = [None] * len(self.input_shape)
        for step in self.passes:
            before = effect[step.axis]
            effect[step.axis] = step.operator if before is None else step.operator.compose(before)
        return tuple(effect)

    @property
    def is_selection(self) -> bool:
        """Whether every output sample is an input sample or the fill constant."""
        every = itertools.chain(self.passes, *(patch.passes for patch in self.patches))
        return all(step.arithmetic.accumulator == "element" for step in every)

    def __call__(self, x: Any, out: Any = None, threads: int | None = None) -> Any:
        """Run the plan.

        Parameters
        ----------
        x : array of shape `input_shape`, type `input_dtype`
            A NumPy array with any strides, or an array of an array-API namespace (torch, JAX,
            CuPy, ...), which is computed there and may carry gradients.
        out : numpy.ndarray of shape `output_shape`, type `dtype`, optional
            Where to write the result; must not overlap `x`. NumPy only.
        threads : int, optional
            How many threads at most; all that the process may use if not given. The result does
            not depend on it.

        Returns
        -------
        array of shape `output_shape`, type `dtype`
            `out` if given. A new NumPy array has its axes in memory as `x` has: channels that are
            stored last stay so.

        Raises
        ------
        ResizeError
            If the array is not what the plan was made for, or the result cannot fit in memory.
        """
        most = 0 if threads is None else thread_count(threads)
        if type(x) is not np.ndarray and portable.is_foreign(x):
            if out is not None:
                raise ResizeError(
                    f"out can be given for NumPy arrays alone; got an array of {type(x).__module__}"
                )
            return portable.run(self, x)
        x = np.asarray(x)
        if not x.dtype.isnative:
            x = x.astype(element_type(x.dtype))
        if x.shape != self.input_shape:
            raise ResizeError(f"the plan is for shape {self.input_shape}, got {x.shape}")
        if x.dtype != self.input_dtype:
            raise ResizeError(f"the plan is for type {self.input_dtype}, got {x.dtype}")
        touched = True
        order = None if x.flags.c_contiguous else arrays.memory_order(x)
        if out is None:
            if not self._programs:
                refuse_larger_than_memory(self.output_shape, self.dtype)
            out, touched = arrays.empty(self.output_shape, self.dtype, order)
        else:
            arrays.check_output(x, out, self.output_shape, self.dtype)
            if order is not None and arrays.memory_order(out) != order:
                order = None
        program = self._programs.get(order) or self._program(order)
        if program is None and order is not None:
            program, order = self._program(None), None
        if program is None:
            out[...] = portable.run(self, x)
            return out
        given, made = (x, out) if order is None else (x.transpose(order), out.transpose(order))
        program.run(given, made, touched, most)
        if self.fill is not None:
            native.fill(self, out)
        return out

    def _program(self, order: tuple[int, ...] | None) -> Any:
        try:
            return self._programs[order]
        except KeyError:
            program = self._programs[order] = native.compile_plan(self, order)
            return program

    def adjoint(self) -> Plan:
        """Return the transposed plan: from a gradient of the output to one of the input.

        ``(plan(x) * g).sum() == (x * plan.adjoint()(g)).sum()`` but for rounding, so that patches
        play no part. Samples that take a constant pass no gradient.

        Raises
        ------
        ResizeError
            If the plan's type is not a float or complex one: rounding has no transpose.
        """
        if self.dtype.kind not in "fc" and self.dtype.name != "bfloat16":
            raise ResizeError(
                f"only float and complex plans have an adjoint, got {self.dtype}; "
                "make the plan for a float type"
            )
        passes = transposed_passes(self.passes, self.fill, self.dtype)
        return Plan(
            self.output_shape, self.dtype, passes, self.input_shape, self.input_dtype, self.rounding
        )

    def crop(self, slices: Sequence[slice]) -> tuple[Plan, tuple[slice, ...]]:
        """Return a plan for one window of the output, and the input window it needs.

        Parameters
        ----------
        slices : sequence of slice
            The window, as in ``plan(x)[slices]``; steps must be 1. Missing axes are whole.

        Returns
        -------
        plan, input_slices
            ``plan(x[input_slices])`` equals ``self(x)[slices]``, bit for bit.
        """
        window = window_of(slices, self.output_shape)
        passes, own = crop_passes(self.passes, window)
        patches = [part for patch in self.patches if (part := patch.crop(window)) is not None]
        need = hull([own, *(part.source for part in patches)]) if patches else own
        plan = replace(
            self,
            input_shape=shape_of(need),
            passes=widened_passes(passes, own, need),
            output_shape=shape_of(window),
            fill=self.fill and self.fill.crop(window),
            patches=tuple(part.within(window, need) for part in patches),
        )
        return plan, slices_of(need)

    def as_patch(self, slices: Sequence[slice]) -> Patch:
        """Return the patch that makes one window of another plan's output as this plan does.

        Parameters
        ----------
        slices : sequence of slice
            The window, as in `crop`.
        """
        window = window_of(slices, self.output_shape)
        passes, source = crop_passes(self.passes, window)
        return Patch(window, source, passes, self.rounding)

    def plan_of(self, patch: Patch) -> Plan:
        """Return the plan that takes a patch's source and gives its window."""
        shape, output = shape_of(patch.source), shape_of(patch.window)
        return Plan(shape, self.input_dtype, patch.passes, output, self.dtype, patch.rounding)

    def transposed(self, order: Sequence[int]) -> Plan:
        """Return the plan for arrays with their axes in another order, ``x.transpose(order)``."""
        place = {axis: k for k, axis in enumerate(order)}
        return Plan(
            tuple(self.input_shape[a] for a in order),
            self.input_dtype,
            tuple(replace(step, axis=place[step.axis]) for step in self.passes),
            tuple(self.output_shape[a] for a in order),
            self.dtype,
            self.rounding,
            self.fill and self.fill.transposed(order),
            tuple(patch.transposed(order) for patch in self.patches),
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return Plan, (
            self.input_shape,
            self.input_dtype,
            self.passes,
            self.output_shape,
            self.dtype,
            self.rounding,
            self.fill,
            self.patches,
        )

    def __repr__(self) -> str:
        def shape(lengths: tuple[int, ...]) -> str:
            return "x".join(map(str, lengths)) or "scalar"

        dtype = str(self.input_dtype)
        if self.dtype != self.input_dtype:
            dtype += f" -> {self.dtype}"
        lines = [f"Plan {shape(self.input_shape)} -> {shape(self.output_shape)}, {dtype}"]
        for step in self.passes:
            op = step.operator
            what = "picks samples" if op.is_selection else f"{op.taps} taps"
            lines.append(f"  axis {step.axis}: {op.n_in} -> {op.n_out}, {what}{how_in_words(step)}")
        if not self.passes:
            lines.append("  a copy")
        if self.dtype.kind in "iu" and any(map(how_in_words, self.passes)):
            lines.append(f"  rounding: {self.rounding}, saturating")
        if self.fill is not None:
            lines.append(f"  outside samples are {self.fill.value}")
        for patch in self.patches:
            window = ", ".join(f"{start}:{stop}" for start, stop in patch.window)
            sums = dict.fromkeys(filter(None, map(how_in_words, patch.passes)))
            how = "".join(sums) or ", picks"
            lines.append(f"  [{window}]{how}, {patch.rounding}")
        return "\n".join(lines)


def thread_count(threads: Any) -> int:
    """Return a number of threads that the programs can take, or refuse it."""
    # A plain integer is asked no more: a call on a small array takes two microseconds.
    integer = type(threads) is int or (
        isinstance(threads, (int, np.integer)) and not isinstance(threads, bool)
    )
    if not integer or threads < 1:
        raise ResizeError(f"threads must be an integer of at least 1, got {threads!r}")
    return min(int(threads), _MOST_THREADS)


def make_plan(
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    operators: Mapping[int, AxisOperator],
    *,
    arithmetic: Arithmetic,
    rounding: RoundingRule = "half_even",
    fill: Fill | None = None,
    order: Sequence[int] | None = None,
    output_dtype: np.dtype[Any] | None = None,
) -> Plan:
    """Return the plan that applies one operator per axis.

    Parameters
    ----------
    shape, dtype
        Of the input.
    operators : mapping from axis to AxisOperator
        Axes whose operator copies them are left out of the plan.
    arithmetic : Arithmetic
        Of every pass.
    rounding, fill
        As in `Plan`.
    order : sequence of int, optional
        The axes in the order of their passes; the cheapest order if not given.
    output_dtype : numpy.dtype, optional
        Of the result; `dtype` if not given.
    """
    work = {axis: op for axis, op in operators.items() if not op.is_identity}
    output = tuple(work[a].n_out if a in work else n for a, n in enumerate(shape))
    refuse_uncountable(output, output_dtype or dtype)
    if order is None:
        order = cheapest_order(shape, work)
    passes = tuple(Pass.of(axis, work[axis], arithmetic) for axis in order if axis in work)
    return Plan(shape, dtype, passes, output, output_dtype or dtype, rounding, fill)
