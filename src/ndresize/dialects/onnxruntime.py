"""ONNX Resize and Upsample as ONNX Runtime 1.32 computes them on the CPU.

The words are ONNX's; lengths, coordinates, weights, sums and refusals are those of
``onnxruntime/core/providers/cpu/tensor/upsample*``. ``docs/onnxruntime.md`` lists what differs
from the operator's page.

Nothing here needs the package ``onnxruntime``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndresize.axis import AxisOperator
from ndresize.dialects import _arguments as arguments
from ndresize.dialects import _onnxruntime_weights as weights
from ndresize.dialects._onnxruntime_coordinates import (
    MODES,
    NEAREST_MODES,
    Axis,
    Singles,
    coordinates,
    nearest,
)
from ndresize.dialects._planned import planned
from ndresize.errors import ResizeError
from ndresize.memory import refuse_uncountable
from ndresize.plan import Arithmetic, Fill, Pass, Plan, make_plan

__all__ = ["ELEMENT_TYPES", "OPSETS", "UPSAMPLE_OPSETS", "resize", "upsample"]

_SUMS = Arithmetic("float32", fused=False)  # Runtime's loops are compiled without FMA
_JOINT = replace(_SUMS, sums="joint")

OPSETS = (10, 11, 13, 18, 19)
UPSAMPLE_OPSETS = (7, 9)

ELEMENT_TYPES = ("float32", "float16", "int32", "int8", "uint8")

_SINCE = {
    "coordinate_transformation_mode": 11,
    "cubic_coeff_a": 11,
    "exclude_outside": 11,
    "extrapolation_value": 11,
    "nearest_mode": 11,
    "antialias": 18,
    "axes": 18,
    "keep_aspect_ratio_policy": 18,
}
_POLICIES = ("stretch", "not_larger", "not_smaller")

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class _Words:
    """The attributes of a call, checked."""

    mode: str
    transformation: str = "asymmetric"
    nearest_mode: str = "simple"
    antialias: bool = False
    exclude_outside: bool = False
    cubic_coeff_a: float = -0.75
    extrapolation_value: float = 0.0
    policy: str = "stretch"
    axes: tuple[int, ...] | None = None

    @property
    def crops(self) -> bool:
        """Whether the roi is used, and what lies outside takes the extrapolation value."""
        return self.transformation == "tf_crop_and_resize"


@planned("X")
def resize(
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    /,
    roi: Any = None,
    scales: Any = None,
    sizes: Any = None,
    *,
    opset: int = 19,
    mode: str = "nearest",
    **attributes: Any,
) -> Plan:
    """Resize a tensor as ONNX Runtime's CPU kernel does.

    Called with an array `X` it returns the resized array; ``resize.plan(shape, dtype, ...)``
    takes a shape and an element type in its place and returns the plan.

    Parameters
    ----------
    X : array of shape (d0, ..., dn)
        float32, float16, int32, int8 or uint8. "linear" takes 2, 3, 4 or 5 dimensions, "cubic" 2
        or 4; of 4 or 5, the outer two, or the first and the last of 4, must have scale 1.
    roi : sequence of float, shape (2 * k,), optional
        Starts, then ends, of the region of each of the k axes. Read for "tf_crop_and_resize"
        alone.
    scales : sequence of float, shape (k,), optional
        Output length over input length; becomes float32. The output length is the float32 product
        of length and scale, cut.
    sizes : sequence of int, shape (k,), optional
        Output length of each axis.
    opset : {19, 18, 13, 11, 10}
        Whose Resize.
    mode : {"nearest", "linear", "cubic"}
        The interpolation.
    **attributes
        Those of the operator: coordinate_transformation_mode (every word with every opset from 11
        on), nearest_mode, cubic_coeff_a, exclude_outside, extrapolation_value; from opset 18 on
        antialias, axes, keep_aspect_ratio_policy.

    Returns
    -------
    array
        Of the same element type.

    Raises
    ------
    ResizeError
        If ONNX Runtime would raise.

    Examples
    --------
    >>> import numpy as np
    >>> resize(np.array([[0, 3]], np.uint8), sizes=[1, 3], mode="linear")
    array([[0, 1, 3]], dtype=uint8)
    """
    opset = arguments.one_of("opset", opset, OPSETS)
    words = _words(opset, mode, attributes)
    if opset == 10:
        for name, value in (("roi", roi), ("sizes", sizes)):
            if value is not None:
                raise ResizeError(f"{name} came with opset 11; the opset is 10, got {value!r}")
    if opset == 11 and words.crops and arguments.absent(roi):
        raise ResizeError("roi must be given for tf_crop_and_resize in opset 11, got none")
    return _plan(shape, dtype, words, roi, scales, sizes)


@planned("X")
def upsample(
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    /,
    scales: Any,
    *,
    opset: int = 9,
    mode: str = "nearest",
) -> Plan:
    """Enlarge a tensor as ONNX Runtime's CPU kernel does.

    Called with an array `X` it returns the enlarged array; ``upsample.plan(shape, dtype, ...)``
    returns the plan.

    Parameters
    ----------
    X : array of shape (d0, ..., dn)
        float32, float16, int32, int8 or uint8; for "linear" as in `resize`.
    scales : sequence of float, shape (rank,)
        At least 1 each; becomes float32.
    opset : {9, 7}
        Whose Upsample; the result is the same.
    mode : {"nearest", "linear"}
        The interpolation.

    Returns
    -------
    array
        Of the same element type.

    Raises
    ------
    ResizeError
        If ONNX Runtime would raise.
    """
    opset = arguments.one_of("opset", opset, UPSAMPLE_OPSETS)
    mode = arguments.choice("mode", mode, ("nearest", "linear"))
    if any(scale < 1 for scale in arguments.float32_scales("scales", scales, len(shape), "axis")):
        raise ResizeError(
            f"scales of Upsample must be at least 1, got {scales!r}; Resize can shrink"
        )
    return _plan(shape, dtype, _Words(mode), None, scales, None)


# --- words ----------------------------------------------------------------------------------------


def _words(opset: int, mode: str, attributes: dict[str, Any]) -> _Words:
    mode = arguments.choice("mode", mode, ("nearest", "linear", "cubic"))
    for name, value in attributes.items():
        if name not in _SINCE:
            known = ", ".join(n for n, since in _SINCE.items() if since <= opset) or "none but mode"
            raise ResizeError(f"unknown attribute {name}={value!r}; Resize-{opset} has: {known}")
        if opset < _SINCE[name]:
            raise ResizeError(f"{name} came with opset {_SINCE[name]}; the opset is {opset}")
    if opset == 10:
        return _Words(mode)
    given = attributes.get
    antialias = arguments.flag("antialias", given("antialias", 0))
    exclude = arguments.flag("exclude_outside", given("exclude_outside", 0))
    if antialias and mode == "nearest":
        raise ResizeError("antialias needs mode linear or cubic, got nearest")
    if exclude and not (mode == "cubic" or antialias):
        raise ResizeError(
            f"exclude_outside needs mode cubic, or linear with antialias, got {mode} without it"
        )
    axes = given("axes")
    return _Words(
        mode,
        arguments.choice(
            "coordinate_transformation_mode",
            given("coordinate_transformation_mode", "half_pixel"),
            MODES,
        ),
        arguments.choice(
            "nearest_mode", given("nearest_mode", "round_prefer_floor"), NEAREST_MODES
        ),
        antialias,
        exclude,
        arguments.finite("cubic_coeff_a", given("cubic_coeff_a", -0.75)),
        arguments.float32("extrapolation_value", given("extrapolation_value", 0.0)),
        arguments.choice(
            "keep_aspect_ratio_policy", given("keep_aspect_ratio_policy", "stretch"), _POLICIES
        ),
        None if arguments.absent(axes) else tuple(arguments.vector("axes", axes)),
    )


# --- lengths --------------------------------------------------------------------------------------


def _axes(shape: tuple[int, ...], words: _Words, roi: Any, scales: Any, sizes: Any) -> list[Axis]:
    """Return lengths, scale and region of every axis."""
    rank = len(shape)
    listed = arguments.normalised_axes(words.axes, rank)
    per = "axis of X" if words.axes is None else "entry of axes"
    if arguments.absent(scales) and arguments.absent(sizes):
        raise ResizeError("give scales or sizes; got neither")
    if not arguments.absent(scales) and not arguments.absent(sizes):
        raise ResizeError(f"give scales or sizes, not both; got scales={scales}, sizes={sizes}")
    starts, ends = _region(words, roi, rank, listed, per)
    lengths = list(shape)
    factors = [np.float32(1)] * rank
    if arguments.absent(sizes):
        if words.policy != "stretch":
            raise ResizeError(
                f"keep_aspect_ratio_policy {words.policy!r} needs sizes, got scales={scales!r}"
            )
        found = arguments.float32_scales("scales", scales, len(listed), per)
        for axis, scale in zip(listed, found, strict=True):
            factors[axis] = np.float32(float(scale))
            lengths[axis] = _cut(factors[axis] * np.float32(shape[axis]))
    else:
        for axis, size in zip(
            listed, arguments.integers("sizes", sizes, len(listed), per), strict=True
        ):
            if size < 0 or (size == 0) != (shape[axis] == 0):
                rule = "greater than 0" if shape[axis] else "0, as the axis is empty"
                raise ResizeError(f"sizes must be {rule}, got {size} (axis {axis})")
            lengths[axis] = size
            if size:
                factors[axis] = np.float32(size) / np.float32(shape[axis])
        _keep_aspect(shape, words, lengths, factors)
    return [
        Axis(n_in, n_out, scale, start, end)
        for n_in, n_out, scale, start, end in zip(
            shape, lengths, factors, starts, ends, strict=True
        )
    ]


def _cut(length: np.float32) -> int:
    """Return a length, which is too large to be counted where it is infinite."""
    return int(length) if np.isfinite(length) else 2**63


def _keep_aspect(
    shape: tuple[int, ...], words: _Words, lengths: list[int], factors: list[np.float32]
) -> None:
    """Give all listed axes one scale; an axis that is listed by a negative number is not found."""
    if words.policy == "stretch":
        return
    found = [a for a in range(len(shape)) if words.axes is None or a in words.axes]
    if not found:
        scale = np.float32(1)
    elif words.policy == "not_larger":
        scale = min(factors[a] for a in found)
    else:
        scale = max(factors[a] for a in found)
    for axis, n_in in enumerate(shape):
        if axis in found:
            factors[axis] = scale
            lengths[axis] = int(Fraction(float(scale * np.float32(n_in))) + Fraction(1, 2))
        else:
            factors[axis], lengths[axis] = np.float32(1), n_in


def _region(
    words: _Words, roi: Any, rank: int, listed: list[int], per: str
) -> tuple[list[np.float32], list[np.float32]]:
    """Return where the region starts and ends on every axis."""
    starts, ends = [np.float32(0)] * rank, [np.float32(1)] * rank
    given = [] if arguments.absent(roi) else arguments.vector("roi", roi)
    if not words.crops or roi is None:
        return starts, ends
    values = [np.float32(arguments.float32("roi", value)) for value in given]
    if len(values) != 2 * len(listed):
        raise ResizeError(
            f"roi must have {2 * len(listed)} entries, starts and then ends, one each per {per}, "
            f"got {len(values)}"
        )
    if not all(np.isfinite(values)):
        raise ResizeError(f"roi must be finite, got {roi!r}")
    for position, axis in enumerate(listed):
        starts[axis], ends[axis] = values[position], values[len(listed) + position]
    return starts, ends


def _resized_axes(words: _Words, axes: list[Axis], shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the axes that a kernel interpolates, or refuse what no kernel takes."""
    rank = len(shape)
    if words.mode == "nearest":
        return tuple(range(rank))
    ones = [axis.scale == 1 for axis in axes]
    if rank == 2:
        return 0, 1
    if rank == 4 and ones[0] and ones[1]:
        return 2, 3
    last = rank == 4 and ones[0] and ones[3]
    if words.mode == "linear":
        if last:
            return 1, 2
        if rank == 3:
            return 0, 1, 2
        if rank == 5 and ones[0] and ones[1]:
            return 2, 3, 4
        allowed = "2 or 3 dimensions, 4 (scale 1 of the first two, or of the first and the last) "
        allowed += "or 5 (scale 1 of the first two)"
    else:
        if last and (words.antialias or (axes[1].scale >= 1 and axes[2].scale >= 1)):
            return 1, 2
        allowed = "2 dimensions or 4 (scale 1 of the first two, or, with antialias or where the "
        allowed += "others do not shrink, of the first and the last)"
    raise ResizeError(
        f"mode {words.mode!r} takes {allowed}; got shape {shape} and scales "
        f"{[float(axis.scale) for axis in axes]}"
    )


# --- plans ----------------------------------------------------------------------------------------


def _plan(
    shape: tuple[int, ...], dtype: np.dtype[Any], words: _Words, roi: Any, scales: Any, sizes: Any
) -> Plan:
    if dtype.name not in ELEMENT_TYPES:
        raise ResizeError(
            f"X must be {', '.join(ELEMENT_TYPES)}: ONNX Runtime has no kernel for others on the "
            f"CPU, got {dtype}"
        )
    if not shape:
        raise ResizeError("X must have at least one dimension, got a scalar")
    if words.mode == "cubic" and not words.antialias and dtype.kind in "iu":
        raise ResizeError(f"mode 'cubic' takes integers only with antialias, got {dtype}")
    axes = _axes(shape, words, roi, scales, sizes)
    refuse_uncountable(tuple(axis.n_out for axis in axes), dtype)
    resized = _resized_axes(words, axes, shape)
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


def _at(axis: Axis, words: _Words) -> Singles:
    """Return the coordinates of an axis; one of scale 1 takes its own indices."""
    if axis.scale == 1:
        return np.arange(axis.n_out, dtype=np.float32)
    return coordinates(axis, words.transformation)


def _off(x: Singles, axis: Axis) -> Mask | None:
    """Return which coordinates lie outside the tensor; None: none."""
    outside = (x < 0) | (x > np.float32(axis.n_in - 1))
    return outside if outside.any() else None


def _fill(words: _Words, dtype: np.dtype[Any], outside: list[Mask | None]) -> Fill | None:
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


def _nearest(shape: tuple[int, ...], dtype: np.dtype[Any], words: _Words, axes: list[Axis]) -> Plan:
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
    words: _Words,
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
    words: _Words,
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
    words: _Words,
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
