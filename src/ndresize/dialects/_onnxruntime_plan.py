"""The plan of a call of ONNX Runtime's Resize."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndresize.axis import AxisOperator
from ndresize.dialects import _arguments as arguments
from ndresize.dialects import _onnxruntime_weights as weights
from ndresize.dialects._onnxruntime_axes import axes_of, resized_axes
from ndresize.dialects._onnxruntime_coordinates import Axis, Singles, coordinates, nearest
from ndresize.dialects._onnxruntime_words import Words
from ndresize.errors import ResizeError
from ndresize.memory import refuse_uncountable
from ndresize.plan import Arithmetic, Fill, Pass, Plan, make_plan

__all__ = ["ELEMENT_TYPES", "plan_of"]

ELEMENT_TYPES = ("float32", "float16", "int32", "int8", "uint8")
"""The element types that Runtime's Resize takes on the CPU."""

_SUMS = Arithmetic("float32", fused=False)  # Runtime's loops are compiled without FMA
_JOINT = replace(_SUMS, sums="joint")

Mask = NDArray[np.bool_]


def plan_of(
    shape: tuple[int, ...], dtype: np.dtype[Any], words: Words, roi: Any, scales: Any, sizes: Any
) -> Plan:
    """Return the plan of checked attributes and unchecked inputs."""
    if dtype.name not in ELEMENT_TYPES:
        raise ResizeError(
            f"X must be {', '.join(ELEMENT_TYPES)}: ONNX Runtime has no kernel for others on the "
            f"CPU, got {dtype}"
        )
    if not shape:
        raise ResizeError("X must have at least one dimension, got a scalar")
    if words.mode == "cubic" and not words.antialias and dtype.kind in "iu":
        raise ResizeError(f"mode 'cubic' takes integers only with antialias, got {dtype}")
    axes = axes_of(shape, words, roi, scales, sizes)
    refuse_uncountable(tuple(axis.n_out for axis in axes), dtype)
    resized = resized_axes(words, axes, shape)
    for a in resized:
        arguments.refuse_huge_axis(a, axes[a].n_out, 1)
    if all(axis.n_in == axis.n_out for axis in axes):
        return make_plan(shape, dtype, {}, arithmetic=Arithmetic("element"))
    if any(axis.n_out == 0 for axis in axes):
        empty = {
            a: AxisOperator.select(np.zeros(axis.n_out), axis.n_in)
            for a, axis in enumerate(axes)
            if axis.n_in != axis.n_out
        }
        return make_plan(shape, dtype, empty, arithmetic=Arithmetic("element"))
    if words.mode == "nearest":
        return _nearest(shape, dtype, words, axes)
    if words.antialias:
        return _antialiased(shape, dtype, words, axes, resized)
    if words.mode == "cubic":
        return _cubic(shape, dtype, words, axes, resized)
    return _linear(shape, dtype, words, axes, resized)


def _at(axis: Axis, words: Words) -> Singles:
    """Return the coordinates of an axis; one of scale 1 takes its own indices."""
    if axis.scale == 1:
        return np.arange(axis.n_out, dtype=np.float32)
    return coordinates(axis, words.transformation)


def _off(x: Singles, axis: Axis) -> Mask | None:
    """Return which coordinates lie outside the tensor; None: none."""
    outside = (x < 0) | (x > np.float32(axis.n_in - 1))
    return outside if outside.any() else None


def _fill(words: Words, dtype: np.dtype[Any], outside: list[Mask | None]) -> Fill | None:
    """Return the rule for samples outside the tensor, with the value that Runtime's cast gives."""
    if not words.crops or all(mask is None for mask in outside):
        return None
    value = words.extrapolation_value
    if dtype.kind in "iu":
        # On x86 a float becomes an int32, whatever does not fit its least one, and then wraps.
        fits = -(2.0**31) <= value < 2.0**31
        whole = int(value) if fits else -(2**31)
        value = float(np.array(whole, np.int64).astype(dtype))
    elif dtype == np.float16:
        with np.errstate(over="ignore"):
            value = float(np.float16(value))
    return Fill(value, tuple(outside))


def _nearest(shape: tuple[int, ...], dtype: np.dtype[Any], words: Words, axes: list[Axis]) -> Plan:
    operators: dict[int, AxisOperator] = {}
    outside: list[Mask | None] = [None] * len(shape)
    for a, axis in enumerate(axes):
        # A tensor of one dimension takes the map even where its scale is 1.
        one = axis.scale == 1 and len(axes) > 1
        x = _at(axis, words) if one else coordinates(axis, words.transformation)
        index = nearest(x, words.nearest_mode, shrinks=bool(axis.scale < 1))
        operators[a] = AxisOperator.select(np.clip(index, 0, axis.n_in - 1), axis.n_in)
        outside[a] = _off(x, axis) if words.crops else None
    fill = _fill(words, dtype, outside)
    return make_plan(shape, dtype, operators, arithmetic=Arithmetic("element"), fill=fill)


def _cubic(
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    words: Words,
    axes: list[Axis],
    resized: tuple[int, ...],
) -> Plan:
    """Return the plan of cubic interpolation without antialias: columns first."""
    passes: list[Pass] = []
    outside: list[Mask | None] = [None] * len(shape)
    for a in resized[::-1]:
        axis = axes[a]
        x = _at(axis, words)
        outside[a] = _off(x, axis) if words.crops else None
        arguments.refuse_huge_axis(a, axis.n_out, 4)
        edges, operator = weights.cubic(
            x, axis.n_in, np.float32(words.cubic_coeff_a), exclude_outside=words.exclude_outside
        )
        passes.append(Pass(a, edges, Arithmetic("element")))
        passes.append(Pass(a, operator, _SUMS))
    if words.exclude_outside:
        # Runtime divides the products of rows by the sum of their weights, not the weights.
        passes[-1] = Pass(resized[0], operator, Arithmetic("float64"))
    output = tuple(axis.n_out for axis in axes)
    fill = _fill(words, dtype, outside)
    return Plan(shape, dtype, tuple(passes), output, dtype, "half_even", fill)


def _linear(
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    words: Words,
    axes: list[Axis],
    resized: tuple[int, ...],
) -> Plan:
    """Return the plan of linear interpolation without antialias."""
    bytes_last = dtype.itemsize == 1 and resized == (1, 2)
    bits = 10 if bytes_last else None
    at: dict[int, Singles] = {}
    outside: list[Mask | None] = [None] * len(shape)
    for a in resized:
        arguments.refuse_huge_axis(a, axes[a].n_out, 2)
        at[a] = _at(axes[a], words)
        outside[a] = _off(at[a], axes[a]) if words.crops else None
    fill = _fill(words, dtype, outside)
    if (dtype.kind in "iu" and not bytes_last) or (dtype == np.float32 and len(resized) == 3):
        return _joint(shape, dtype, at, fill)
    operators = {a: weights.two_points(x, shape[a], bits) for a, x in at.items()}
    arithmetic = _SUMS if bits is None else Arithmetic("fixed", bits=bits)
    return make_plan(
        shape,
        dtype,
        operators,
        arithmetic=arithmetic,
        rounding="truncate",
        fill=fill,
        order=sorted(operators)[::-1],
    )


def _joint(
    shape: tuple[int, ...], dtype: np.dtype[Any], at: dict[int, Singles], fill: Fill | None
) -> Plan:
    """Return the plan of linear interpolation whose products are summed over all axes at once."""
    picks: list[Pass] = []
    sums: list[Pass] = []
    output = list(shape)
    for a in sorted(at)[::-1]:  # columns first
        repeats, operator = weights.two_points_joint(at[a], shape[a])
        picks.append(Pass(a, repeats, Arithmetic("element")))
        sums.append(Pass(a, operator, _JOINT))
        output[a] = operator.n_out
    return Plan(shape, dtype, (*picks, *sums), tuple(output), dtype, "truncate", fill)


def _antialiased(
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    words: Words,
    axes: list[Axis],
    resized: tuple[int, ...],
) -> Plan:
    """Return the plan of linear or cubic interpolation with antialias: columns first."""
    small = dtype.itemsize == 1
    bits = weights.PRECISION_BITS if small else None
    coefficient = np.float32(words.cubic_coeff_a) if words.mode == "cubic" else None
    operators: dict[int, AxisOperator] = {}
    outside: list[Mask | None] = [None] * len(shape)
    for a in resized:
        axis = axes[a]
        reach = (1 if coefficient is None else 2) * max(1 / float(axis.scale), 1.0)
        arguments.refuse_huge_axis(a, axis.n_out, 2 * int(min(reach, 2**40)) + 3)
        operator, off = weights.antialiased(
            _at(axis, words),
            axis.n_in,
            axis.scale,
            coefficient,
            exclude_outside=words.exclude_outside,
            bits=bits,
        )
        outside[a] = off if words.crops and off.any() else None
        if axis.n_in != axis.n_out:
            operators[a] = operator
    arithmetic = _SUMS
    if small:
        # One table clamps both types of bytes to 0..255, and int8 then wraps: also where a pass
        # only picks samples.
        arithmetic = Arithmetic("fixed", "element", bits=weights.PRECISION_BITS, limits=(0, 255))
    elif dtype.kind == "i":
        arithmetic = replace(_SUMS, store="element")
    order = sorted(operators)[::-1]
    output = tuple(operators[a].n_out if a in operators else n for a, n in enumerate(shape))
    return Plan(
        shape,
        dtype,
        tuple(Pass(a, operators[a], arithmetic) for a in order),
        output,
        dtype,
        "half_away",
        _fill(words, dtype, outside),
    )
