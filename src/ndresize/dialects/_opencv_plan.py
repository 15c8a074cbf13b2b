"""From an interpolation, an element type and two axes to the passes that OpenCV 5.0.0 makes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ndresize.axis import AxisOperator
from ndresize.dialects import _arguments as arguments
from ndresize.dialects import _opencv_area as area
from ndresize.dialects import _opencv_exact as exact
from ndresize.dialects import _opencv_ipp as ipp
from ndresize.dialects import _opencv_ipp_cubic as cubic
from ndresize.dialects import _opencv_passes as steps
from ndresize.dialects import _opencv_taps as taps
from ndresize.dialects._opencv_axis import Axis
from ndresize.dialects._opencv_sums import Elsewhere, Sums
from ndresize.errors import ResizeError
from ndresize.memory import refuse_uncountable
from ndresize.plan import Arithmetic, Pass, Plan
from ndresize.products import Products
from ndresize.windows import shape_of

__all__ = ["plan_of"]

_FILTERED = ("uint8", "uint16", "int16", "float32", "float64")
_EXACT = ("uint8", "int8", "uint16", "int16", "int32")
_TAPS = {"LINEAR": 2, "LINEAR_EXACT": 2, "CUBIC": 4, "LANCZOS4": 8, "AREA": 2}


def plan_of(
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    stored: np.dtype[Any],
    interpolation: str,
    axes: tuple[Axis, Axis],
) -> Plan:
    """Return the plan.

    Parameters
    ----------
    shape, dtype
        Of an array of rows and columns, perhaps with channels.
    stored : numpy.dtype
        What OpenCV makes of the type before all else.
    interpolation : str
        Without its prefix.
    axes : tuple of Axis
        Rows and columns.
    """
    rows, columns = axes
    output = (rows.n_out, columns.n_out, *shape[2:])
    refuse_uncountable(output, stored)
    for axis in axes:
        cell = int(axis.scale) + 2 if interpolation == "AREA" else 0
        arguments.refuse_huge_axis(axis.axis, axis.n_out, _TAPS.get(interpolation, 1) + cell)
    if output == shape:
        sums = Sums([])  # a copy, whatever the interpolation and the type
    elif interpolation.startswith("NEAREST"):
        index = exact.nearest if interpolation.endswith("EXACT") else exact.floored
        sums = Sums([_picking(axis, index(axis)) for axis in axes])
    else:
        sums = _filtered(shape, dtype, interpolation, axes)
    plan = Plan(shape, dtype, tuple(sums.passes), output, stored, sums.rounding)
    patches = [
        replace(plan, passes=tuple(other.passes), rounding=other.rounding).as_patch(window)
        for window, other in sums.elsewhere
    ]
    return replace(plan, patches=tuple(p for p in patches if 0 not in shape_of(p.window)))


def _picking(axis: Axis, index: Any) -> Pass:
    return steps.picked(axis.axis, AxisOperator.select(index, axis.n_in))


def _filtered(
    shape: tuple[int, ...], dtype: np.dtype[Any], interpolation: str, axes: tuple[Axis, Axis]
) -> Sums:
    channels = shape[2] if len(shape) == 3 else 1
    rows, columns = axes
    if interpolation == "LINEAR_EXACT" and dtype.kind == "f" and dtype.itemsize > 2:
        interpolation = "LINEAR"
    tolerance = 0.0 if dtype == np.float64 else 1e-10
    affine = any(axis.strays_by > tolerance for axis in axes)
    if _by_ipp(interpolation, dtype, channels, axes, affine):
        return _ipp(interpolation, dtype, channels, axes, affine)
    factors = area.whole_factor(rows), area.whole_factor(columns)
    halved = factors == (2, 2)
    if interpolation == "LINEAR_EXACT":
        if not halved or channels == 2:
            _refuse(interpolation, dtype, _EXACT)
            return Sums(*exact.linear(axes, dtype))
        interpolation = "AREA"
    if interpolation == "LINEAR" and halved:
        interpolation = "AREA"
    _refuse(interpolation, dtype, _FILTERED)
    if interpolation == "AREA" and rows.scale >= 1 and columns.scale >= 1:
        if None not in factors:
            return _whole_cells(dtype, axes, channels)
        if channels > 4:
            raise ResizeError(
                f"src must have at most 4 channels for INTER_AREA with cells that cut samples, "
                f"got {channels}; resize the channels in groups"
            )
        return _cells(dtype, axes)
    return _own(interpolation, dtype, axes, channels)


def _refuse(interpolation: str, dtype: np.dtype[Any], allowed: tuple[str, ...]) -> None:
    if dtype.name in allowed:
        return
    raise ResizeError(
        f"src must be of type {', '.join(allowed)} for INTER_{interpolation}, got {dtype}; "
        "convert it first, or use INTER_NEAREST"
    )


def _by_ipp(
    interpolation: str,
    dtype: np.dtype[Any],
    channels: int,
    axes: tuple[Axis, Axis],
    affine: bool,
) -> bool:
    """Return whether an x86 build of OpenCV leaves the call to IPP."""
    types = {
        "LINEAR": ("uint16", "int16", "float32", "float64"),
        "CUBIC": ("uint8", "uint16", "int16", "float32"),
    }
    shortest = min(axis.n_in for axis in axes)
    return (
        dtype.name in types.get(interpolation, ())
        and channels in (1, 3, 4)
        and shortest >= (2 if affine else _TAPS[interpolation])
    )


def _ipp(
    interpolation: str,
    dtype: np.dtype[Any],
    channels: int,
    axes: tuple[Axis, Axis],
    affine: bool,
) -> Sums:
    """Return passes in the arithmetic of IPP's resize or, where a factor is given, affine map."""
    rows, columns = axes
    if interpolation == "CUBIC" and dtype.kind != "f":
        return (cubic.mapped if affine else cubic.resized)(channels, dtype, axes)
    by = ipp.Map(rows, columns, channels) if affine else None
    how = Arithmetic.for_dtype(dtype) if dtype.kind == "f" else steps.LERP
    if interpolation == "CUBIC":
        pair = [
            ipp.cubic(axis, None) if by is None else ipp.mapped_cubic(axis, by)
            for axis in (columns, rows)
        ]
        return Sums(_merged(pair[0], pair[1], how))
    sums = Sums(_merged(ipp.linear(columns, by, dtype), ipp.linear(rows, by, dtype), how))
    if by is None:
        return sums
    return replace(sums, elsewhere=_beyond_edges(dtype, by, sums))


def _beyond_edges(dtype: np.dtype[Any], by: ipp.Map, sums: Sums) -> Elsewhere:
    """Return how IPP's linear affine map sums in rows beyond the edges.

    Columns have other coordinates there, which shows in float64. Of small integers rows from the
    last sample on are ``a + (b - a)`` of the last two, where both are float32.
    """
    if dtype == np.float32:
        return ()
    if dtype == np.float64:
        across = ipp.linear(by.columns, by, dtype, beyond=True)
        other = Sums(_merged(across, ipp.linear(by.rows, by, dtype), Arithmetic.for_dtype(dtype)))
        return tuple(((rows,), other) for rows in ipp.beyond(by))
    below, fraction = ipp.fractions(by.rows, by, dtype)
    last = by.rows.n_in - 1
    after = slice(int((below + fraction < last).sum()), None)
    index = np.tile((last, last - 1, last - 1, last - 1), (by.rows.n_out, 1))
    weights = np.tile((1.0, -1.0, 1.0, 0.0), (by.rows.n_out, 1))
    both = Pass.of_products(0, Products(index, weights, steps.HALVES, by.rows.n_in))
    passes = [step for step in sums.passes if step.axis == 1]
    return (((after,), Sums([*passes, both])),)


def _merged(across: taps.Taps, down: taps.Taps, arithmetic: Arithmetic) -> list[Pass]:
    """Return one pass over columns and one over rows, without those that copy."""
    return _without_copies(
        [Pass(1, across.merged(), arithmetic), Pass(0, down.merged(), arithmetic)]
    )


def _own(interpolation: str, dtype: np.dtype[Any], axes: tuple[Axis, Axis], channels: int) -> Sums:
    """Return passes over columns, then rows, in the arithmetic of OpenCV's own loops."""
    rows, columns = axes
    make = {
        "LINEAR": taps.linear,
        "AREA": taps.grown_area,
        "CUBIC": taps.cubic,
        "LANCZOS4": taps.lanczos4,
    }[interpolation]
    across, down = make(columns), make(rows)
    pair = interpolation in ("LINEAR", "AREA")
    vector = 4 if dtype == np.float32 else 8
    left_over = _left_over_of_rows(columns.n_out, channels, vector)
    in_vectors = columns.n_out * channels >= vector
    if dtype.kind == "f" and pair:
        return Sums(_merged(across, down, Arithmetic.for_dtype(dtype)))
    if dtype.itemsize > 1:
        one_by_one = replace(Arithmetic.for_dtype(dtype), fused=False)
        first = steps.padded(1, across, one_by_one)
        straight = Sums([*first, *steps.padded(0, down, one_by_one)])
        if pair or dtype == np.float64 or (interpolation == "LANCZOS4" and dtype == np.uint16):
            return straight
        if not in_vectors:
            return straight
        # Vectors of a row are summed from the last tap on, what is left over from the first on.
        backwards = [*first, *steps.backwards(0, down, one_by_one)]
        return Sums(backwards, elsewhere=tuple((window, straight) for window in left_over))
    across = taps.Taps(across.first, taps.in_units(across.weights, 11), columns.n_in)
    down = taps.Taps(down.first, taps.in_units(down.weights, 11), rows.n_in)
    fixed = Arithmetic("fixed", bits=11)
    if pair:
        cut = Arithmetic("fixed", bits=11, cut=(7, 2))
        return Sums([Pass(1, across.merged(), fixed), *steps.padded(0, down, cut)], "half_away")
    # The same whole numbers in fixed point and in float64.
    operators = across.merged(), down.merged()
    how = fixed if _in_32_bits(operators) else steps.FLOAT64
    whole = Sums([Pass(1, operators[0], how), Pass(0, operators[1], how)], "half_away")
    if interpolation == "LANCZOS4" or not in_vectors:
        return whole
    # Rows are summed in float32 where a vector of them is full.
    passes = [Pass(1, operators[0], steps.UNFUSED), *steps.backwards(0, down, steps.UNFUSED)]
    return Sums(passes, elsewhere=tuple((window, whole) for window in left_over))


def _left_over_of_rows(columns: int, channels: int, vector: int) -> list[tuple[slice, ...]]:
    """Return windows of what is left over at the end of rows that are summed in vectors."""
    first, channel = divmod(columns * channels // vector * vector, channels)
    windows: list[tuple[slice, ...]] = []
    if channel:  # the vectors end within a pixel
        windows.append((slice(None), slice(first, first + 1), slice(channel, None)))
        first += 1
    if first < columns:
        windows.append((slice(None), slice(first, None)))
    return windows


def _in_32_bits(operators: tuple[AxisOperator, AxisOperator]) -> bool:
    """Return whether sums of bytes with weights of 11 bits stay within 32 bits, and taps in order.

    The compiled engine's fixed point asks for both.
    """
    low, high = 0, 255
    for operator in operators:
        units = np.ldexp(operator.weights, 11)
        plus = int(np.maximum(units, 0).sum(axis=1).max())
        minus = int(np.maximum(-units, 0).sum(axis=1).max())
        low, high = low * plus - high * minus, high * plus - low * minus
        if np.any(np.diff(operator.starts) < 0):
            return False
    return max(high, -low) + 2**22 < 2**31


def _whole_cells(dtype: np.dtype[Any], axes: tuple[Axis, Axis], channels: int) -> Sums:
    """Return passes for cells of whole samples: sums, then one product in float32.

    A last cell that is not full is divided by what it has. Means of 2x2 samples of 1, 3 or 4
    channels are rounded up at halves.
    """
    rows, columns = axes
    factors = round(rows.scale), round(columns.scale)
    sums = area.whole_cells(rows, factors[0]), area.whole_cells(columns, factors[1])
    if dtype.kind == "f":
        return Sums(_float_cells(dtype, factors, sums))
    if factors == (2, 2):
        return _halves(dtype, sums, rounded_up=channels in (1, 3, 4))
    if any((op.weights.sum(axis=1) < k).any() for op, k in zip(sums, factors, strict=True)):
        return Sums(_means(factors, sums), "float32_half_even")
    cell = factors[0] * factors[1]
    if dtype == np.uint8:
        whole = [Pass(axis, sums[axis], Arithmetic("fixed")) for axis in (1, 0)]
        product = steps.scaled(0, np.full(rows.n_out, area.reciprocal(cell)))
        return Sums([*_without_copies(whole), product])
    if cell & (cell - 1) == 0:
        # The factor is exact wherever it is multiplied.
        passes = [Pass(a, area.times(sums[a], 1 / factors[a]), steps.FLOAT32) for a in (0, 1)]
        return Sums(_without_copies(passes))
    return Sums(_means(factors, sums), "float32_half_even")


def _float_cells(
    dtype: np.dtype[Any], factors: tuple[int, int], sums: tuple[AxisOperator, AxisOperator]
) -> list[Pass]:
    full = area.reciprocal(factors[0] * factors[1])
    down = area.times(sums[0], full * factors[0] / sums[0].weights.sum(axis=1))
    across = area.times(sums[1], factors[1] / sums[1].weights.sum(axis=1))
    arithmetic = Arithmetic.for_dtype(dtype)
    return _without_copies([Pass(0, down, arithmetic), Pass(1, across, arithmetic)])


def _halves(
    dtype: np.dtype[Any], sums: tuple[AxisOperator, AxisOperator], rounded_up: bool
) -> Sums:
    """Return sums for cells of 2x2, whose halves are exact.

    Full cells are rounded up at halves if `rounded_up`, the last ones, where they are not full, to
    even.
    """
    counts = [op.weights.sum(axis=1) for op in sums]
    how = Arithmetic("fixed", bits=1) if dtype == np.uint8 else steps.FLOAT32
    passes = [Pass(axis, area.times(sums[axis], 1 / counts[axis]), how) for axis in (0, 1)]
    to_even = Sums(passes)
    if not rounded_up:
        return to_even
    last = [slice(-1 if count[-1] < 2 else len(count), None) for count in counts]
    windows = (last[0],), (slice(None), last[1])
    return Sums(passes, "half_up", tuple((window, to_even) for window in windows))


def _means(factors: tuple[int, int], sums: tuple[AxisOperator, AxisOperator]) -> list[Pass]:
    """Return passes whose sums have one rounding that shows, to float32.

    Products of whole numbers and one float32 value are exact in float64, and so are their sums.
    """
    first, last = (0, 1) if factors[1] > 1 else (1, 0)
    counts = [op.weights.sum(axis=1) for op in sums]
    full = area.reciprocal(factors[0] * factors[1])
    weights = [np.ones(0)] * 2
    weights[first] = np.where(
        counts[first] == factors[first], 1.0, 1 / (counts[first] * factors[last] * full)
    )
    weights[last] = np.where(
        counts[last] == factors[last], full, 1 / (counts[last] * factors[first])
    )
    return _without_copies(
        [Pass(axis, area.times(sums[axis], weights[axis]), steps.FLOAT64) for axis in (first, last)]
    )


def _without_copies(passes: list[Pass]) -> list[Pass]:
    return [step for step in passes if not step.operator.is_identity]


def _cells(dtype: np.dtype[Any], axes: tuple[Axis, Axis]) -> Sums:
    """Return passes for cells that cut samples."""
    rows, columns = axes
    sums = replace(Arithmetic.for_dtype(dtype), fused=dtype.kind == "f")
    return Sums([Pass(1, area.cells(columns), sums), Pass(0, area.cells(rows), sums)])
