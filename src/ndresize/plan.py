"""The plan: what a resize call is once no system's words are left in it."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ndresize.axis import AxisOperator
from ndresize.engine import arrays, native, portable
from ndresize.errors import ResizeError
from ndresize.patch import Patch, Window, crop_passes, hull, shape_of, slices_of
from ndresize.products import Products
from ndresize.rounding import RoundingRule

__all__ = [
    "Arithmetic",
    "Fill",
    "Pass",
    "Plan",
    "element_type",
    "machine_memory",
    "make_plan",
    "refuse_uncountable",
]

_ALONG = 2.25  # what a product along a row costs of one across rows, measured
_CHANNELS = 16  # so many samples side by side are a row of their own
Accumulator = Literal["element", "float32", "float64", "fixed"]


@dataclass(frozen=True)
class Arithmetic:
    """How a pass computes.

    Parameters
    ----------
    accumulator : {"element", "float32", "float64", "fixed"}
        Type of weights and sums. "element": samples are picked and never change type. "fixed":
        integers that count units of a power of two, so that sums are exact.
    store : {"wide", "element"}
        Whether the sums stay as they are for the next pass, or are rounded into the element type.
        Fixed point keeps all its bits when it stays wide: its sums have as many fractional bits as
        the samples and the weights together.
    fused : bool
        Of floats: whether a product and the sum it is added to may round once together. If not,
        each rounds, as in systems that are compiled without fused multiply-add.
    sums : {"chain", "lerp", "joint"}
        Of floats: in which order products are added. "chain": tap by tap. "lerp": of two samples a
        and b with weights 1 - w and w, ``a + (b - a) * w``. "joint": neighbouring passes along
        different axes are one sum; each sample is multiplied by the product of its weights, of
        which that of the first pass comes first, and these products are added one by one, the
        first pass's taps changing fastest.
    bits : int
        Of "fixed": fractional bits of the weights, each of which is a multiple of ``2**-bits``.
    cut : tuple of int, optional
        Of "fixed": (fractional bits that each sample keeps, fractional bits that each product
        keeps); what is beyond them is cut off, towards minus infinity. All are kept if not given.
    limits : tuple of int, optional
        Of "fixed" stored as an element: what the rounded sum is clamped to before it wraps into the
        element type; the type's own limits if not given.
    """

    accumulator: Accumulator = "float32"
    store: Literal["wide", "element"] = "wide"
    fused: bool = True
    sums: Literal["chain", "lerp", "joint"] = "chain"
    bits: int = 0
    cut: tuple[int, int] | None = None
    limits: tuple[int, int] | None = None

    @classmethod
    def for_dtype(cls, dtype: np.dtype[Any]) -> Arithmetic:
        """Return what sums of `dtype` are computed in: float32 up to 16 bits, float64 above."""
        wide = dtype.kind in "fciu" and dtype.itemsize > (8 if dtype.kind == "c" else 4)
        if dtype.kind in "iu" and dtype.itemsize == 4:
            wide = True
        return cls("float64" if wide else "float32")


@dataclass(frozen=True)
class Pass:
    """One axis, its operator, and how the sums are computed.

    Parameters
    ----------
    axis : int
        Along which samples are summed.
    operator : AxisOperator
        What each sum is of.
    arithmetic : Arithmetic
        How it is computed: tap by tap, from the first to the last.
    products : Products, optional
        Of float32: the products of the operator in an order of their own, which is then taken.
    """

    axis: int
    operator: AxisOperator
    arithmetic: Arithmetic
    products: Products | None = None

    @classmethod
    def of_products(cls, axis: int, products: Products) -> Pass:
        """Return a pass that adds products in their order."""
        return cls(axis, products.operator(), Arithmetic("float32"), products)

    def crop(self, start: int, stop: int) -> tuple[Pass, int, int]:
        """Return the pass to outputs ``start:stop`` alone and the input window that it reads."""
        if self.products is None:
            operator, first, last = self.operator.crop(start, stop)
            return replace(self, operator=operator), first, last
        products, first, last = self.products.crop(start, stop)
        return replace(self, operator=products.operator(), products=products), first, last

    def widened(self, before: int, n_in: int) -> Pass:
        """Return the pass for an input of `n_in` samples that has so many more before its own."""
        if self.products is None:
            op = self.operator
            return replace(self, operator=AxisOperator(op.starts + before, op.weights, n_in))
        own = self.products
        products = Products(own.index + before, own.weights, own.trees, n_in)
        return replace(self, operator=products.operator(), products=products)


@dataclass(frozen=True, eq=False)
class Fill:
    """Output samples that take a constant.

    Parameters
    ----------
    value : float
        The constant, before it is rounded into the output type.
    outside : tuple of (ndarray of bool, shape (n_out,)) or None
        Per axis, the output indices whose samples all take the constant.
    """

    value: float
    outside: tuple[NDArray[np.bool_] | None, ...]

    def _key(self) -> tuple[Any, ...]:
        return self.value, tuple(None if o is None else o.tobytes() for o in self.outside)

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Fill) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())


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
        if threads is not None and (not isinstance(threads, int) or threads < 1):
            raise ResizeError(f"threads must be an integer of at least 1, got {threads!r}")
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
                _refuse_larger_than_memory(self.output_shape, self.dtype)
            out, touched = arrays.empty(self.output_shape, self.dtype, order)
        else:
            self._check_out(x, out)
            if order is not None and arrays.memory_order(out) != order:
                order = None
        program = self._programs.get(order) or self._program(order)
        if program is None and order is not None:
            program, order = self._program(None), None
        if program is None:
            out[...] = portable.run(self, x)
            return out
        given, made = (x, out) if order is None else (x.transpose(order), out.transpose(order))
        program.run(given, made, touched, threads or 0)
        if self.fill is not None:
            native.fill(self, out)
        return out

    def _program(self, order: tuple[int, ...] | None) -> Any:
        try:
            return self._programs[order]
        except KeyError:
            program = self._programs[order] = native.compile_plan(self, order)
            return program

    def _check_out(self, x: NDArray[Any], out: Any) -> None:
        if not isinstance(out, np.ndarray):
            raise ResizeError(f"out must be a NumPy array, got {type(out).__name__}")
        if out.shape != self.output_shape or out.dtype != self.dtype:
            raise ResizeError(
                f"out must have shape {self.output_shape} and type {self.dtype}, got "
                f"{out.shape} and {out.dtype}"
            )
        if not out.flags.writeable:
            raise ResizeError("out must be writeable, got a read-only array")
        if (
            0 in out.strides
            and out.size > 1
            and any(s == 0 and n > 1 for s, n in zip(out.strides, out.shape, strict=True))
        ):
            raise ResizeError("out must not repeat memory, got a broadcast array; copy it first")
        if np.may_share_memory(x, out) and _overlap(x, out):
            raise ResizeError("out must not overlap the input; give another array or none")

    def adjoint(self) -> Plan:
        """Return the transposed plan: from a gradient of the output to one of the input.

        ``(plan(x) * g).sum() == (x * plan.adjoint()(g)).sum()`` but for rounding, so that patches
        play no part. Samples that take a constant pass no gradient.

        Raises
        ------
        ResizeError
            If the plan's type is not a float or complex one: rounding has no transpose.
        """
        if self.dtype.kind not in "fc" and not _is_bfloat16(self.dtype):
            raise ResizeError(
                f"only float and complex plans have an adjoint, got {self.dtype}; "
                "make the plan for a float type"
            )
        last = {step.axis: k for k, step in enumerate(self.passes)}
        passes = tuple(
            _pass(
                step.axis,
                _without_fill(step, self.fill if last[step.axis] == k else None).transpose(),
                _summing(step, self.dtype),
            )
            for k, step in reversed(tuple(enumerate(self.passes)))
        )
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
        window = _window(slices, self.output_shape)
        passes, own = crop_passes(self.passes, window)
        patches = [part for patch in self.patches if (part := patch.crop(window)) is not None]
        need = hull([own, *(part.source for part in patches)]) if patches else own
        fill = self.fill and Fill(
            self.fill.value,
            tuple(
                None if o is None else o[a:b]
                for o, (a, b) in zip(self.fill.outside, window, strict=True)
            ),
        )
        plan = replace(
            self,
            input_shape=shape_of(need),
            passes=_widened(passes, own, need),
            output_shape=shape_of(window),
            fill=fill,
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
        window = _window(slices, self.output_shape)
        passes, source = crop_passes(self.passes, window)
        return Patch(window, source, passes, self.rounding)

    def plan_of(self, patch: Patch) -> Plan:
        """Return the plan that takes a patch's source and gives its window."""
        shape, output = shape_of(patch.source), shape_of(patch.window)
        return Plan(shape, self.input_dtype, patch.passes, output, self.dtype, patch.rounding)

    def transposed(self, order: Sequence[int]) -> Plan:
        """Return the plan for arrays with their axes in another order, ``x.transpose(order)``."""
        place = {axis: k for k, axis in enumerate(order)}
        fill = self.fill and Fill(self.fill.value, tuple(self.fill.outside[a] for a in order))
        return Plan(
            tuple(self.input_shape[a] for a in order),
            self.input_dtype,
            tuple(replace(step, axis=place[step.axis]) for step in self.passes),
            tuple(self.output_shape[a] for a in order),
            self.dtype,
            self.rounding,
            fill,
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
            lines.append(f"  axis {step.axis}: {op.n_in} -> {op.n_out}, {what}{_sums(step)}")
        if not self.passes:
            lines.append("  a copy")
        if self.dtype.kind in "iu" and any(map(_sums, self.passes)):
            lines.append(f"  rounding: {self.rounding}, saturating")
        if self.fill is not None:
            lines.append(f"  outside samples are {self.fill.value}")
        for patch in self.patches:
            window = ", ".join(f"{start}:{stop}" for start, stop in patch.window)
            sums = dict.fromkeys(filter(None, map(_sums, patch.passes)))
            how = "".join(sums) or ", picks"
            lines.append(f"  [{window}]{how}, {patch.rounding}")
        return "\n".join(lines)


def _sums(step: Pass) -> str:
    """Return how a pass computes, in words."""
    how = step.arithmetic
    if how.accumulator == "element":
        return ""
    if step.products is not None:
        words = ", in float32 sums of an order of their own"
    elif how.accumulator != "fixed":
        order = {
            "chain": "",
            "lerp": " of a + (b - a) * w",
            "joint": " over all axes at once",
        }[how.sums]
        words = f", {how.accumulator} sums{order}" + ("" if how.fused else ", products rounded")
    else:
        words = f", fixed point of {how.bits} bits"
        if how.cut is not None:
            words += f", samples cut to {how.cut[0]} and products to {how.cut[1]}"
        words += f", clamped to {how.limits[0]}..{how.limits[1]}" if how.limits else ""
    return words + (", rounded" if how.store == "element" else "")


def element_type(dtype: DTypeLike) -> np.dtype[Any]:
    """Return `dtype` as a NumPy type in the machine's byte order."""
    try:
        found = np.dtype(dtype)
        return found if found.isnative else found.newbyteorder("=")
    except TypeError:
        raise ResizeError(f"dtype must be a NumPy element type, got {dtype!r}") from None


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
        order = cheapest_order(shape, work, along=_ALONG)
    passes = tuple(_pass(axis, work[axis], arithmetic) for axis in order if axis in work)
    return Plan(shape, dtype, passes, output, output_dtype or dtype, rounding, fill)


def _pass(axis: int, operator: AxisOperator, arithmetic: Arithmetic) -> Pass:
    """Return a pass; one whose operator picks samples has no sums of one product each."""
    if operator.is_selection:
        arithmetic = replace(arithmetic, accumulator="element")
    return Pass(axis, operator, arithmetic)


def cheapest_order(
    shape: tuple[int, ...], operators: Mapping[int, AxisOperator], *, along: float = 1.0
) -> list[int]:
    """Return the axes in the order that computes the fewest products.

    A pass costs the size of what it makes times its taps (and its samples once more for moving
    them), and one along rows in memory `along` times that: its samples have to be moved to where
    they are multiplied. Of axes before its own it makes only what their passes will read. Of
    equally cheap orders the one is taken that comes to the last axis first, because rows are then
    finished while they are in cache; before it from the first axis on, whose sums are of the
    longest pieces of memory, and after it towards the first, whose slabs are the largest.
    """
    if len(operators) > 5:  # 6 axes would be 720 orders; shrinking first is then near the best
        return sorted(operators, key=lambda a: operators[a].n_out / max(operators[a].n_in, 1))

    last = max(operators, default=0)
    row_axis = last if math.prod(shape[last + 1 :]) < _CHANNELS else -1

    def cost(order: tuple[int, ...]) -> float:
        lengths = list(shape)
        read = [
            min(n, operators[a].n_out * operators[a].taps) if a in operators else n
            for a, n in enumerate(shape)
        ]
        total = 0.0
        for axis in order:
            lengths[axis] = read[axis] = operators[axis].n_out
            made = math.prod(read[:axis]) * math.prod(lengths[axis:])
            work = made * (operators[axis].taps + 1)
            total += work * (along if axis == row_axis else 1)
        return total

    def rank(order: tuple[int, ...]) -> tuple[float, int, list[int], list[int]]:
        place = order.index(last) if order else 0
        return cost(order), place, list(order[:place]), [-axis for axis in order[place:]]

    orders: list[tuple[int, ...]] = list(itertools.permutations(operators))
    return list(sorted(orders, key=rank)[0])


def _overlap(a: NDArray[Any], b: NDArray[Any]) -> bool:
    try:
        return np.shares_memory(a, b, max_work=10_000)  # type: ignore[arg-type] # any int works
    except np.exceptions.TooHardError:
        return True  # not worth more work: the caller can give an array of its own


def _without_fill(step: Pass, fill: Fill | None) -> AxisOperator:
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


def _is_bfloat16(dtype: np.dtype[Any]) -> bool:
    return dtype.name == "bfloat16"


def _widened(passes: tuple[Pass, ...], own: Window, need: Window) -> tuple[Pass, ...]:
    """Return passes that read the window `own` as passes for samples of all of `need`."""
    steps = list(passes)
    for axis, ((start, stop), (first, last)) in enumerate(zip(own, need, strict=True)):
        if (start, stop) == (first, last):
            continue
        before = start - first if start < stop else 0
        place = next((k for k, step in enumerate(steps) if step.axis == axis), None)
        if place is None:
            picked = AxisOperator.select(np.arange(before, before + stop - start), last - first)
            steps.insert(0, Pass(axis, picked, Arithmetic("element")))
        else:
            steps[place] = steps[place].widened(before, last - first)
    return tuple(steps)


def _window(slices: Sequence[slice], shape: tuple[int, ...]) -> Window:
    parts = (slices,) if isinstance(slices, slice) else tuple(slices)
    if len(parts) > len(shape):
        raise ResizeError(f"slices must be at most {len(shape)}, one per axis, got {len(parts)}")
    window = []
    for axis, n in enumerate(shape):
        part = parts[axis] if axis < len(parts) else slice(None)
        if not isinstance(part, slice) or part.step not in (None, 1):
            raise ResizeError(f"slices must be slices with step 1, got {part!r} (axis {axis})")
        start, stop, _ = part.indices(n)
        window.append((start, max(start, stop)))
    return tuple(window)


def refuse_uncountable(shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    """Refuse an output whose bytes no machine can count."""
    size = math.prod(shape) * max(dtype.itemsize, 1)
    if size > 2**63 - 1:
        raise ResizeError(f"the output of shape {shape} would take {size} bytes, more than 2**63-1")


def _refuse_larger_than_memory(shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    size = math.prod(shape) * dtype.itemsize
    if size > 2**28 and size > machine_memory():  # small ones are not worth the question
        raise ResizeError(
            f"the output of shape {shape} and type {dtype} takes {size} bytes and the machine has "
            f"{machine_memory()}; make it window by window with plan.crop"
        )


def machine_memory() -> int:
    """Return the bytes of memory that this machine has."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not a POSIX system: let the allocation decide
        return 2**63 - 1
