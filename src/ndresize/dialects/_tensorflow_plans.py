"""The plans of TensorFlow's resize operators, of arguments that are checked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ndresize.axis import AxisOperator
from ndresize.dialects import _arguments as arguments
from ndresize.dialects import _tensorflow_axes as axes
from ndresize.dialects import _tensorflow_lite, _tensorflow_spans
from ndresize.memory import refuse_uncountable
from ndresize.plan import Arithmetic, Pass, Plan, make_plan

__all__ = ["Images", "lite_plan", "operator_plan", "spans_plan"]

# Its kernels round every product before they add it.
_APART = Arithmetic("float32", fused=False)
_LERP = Arithmetic("float32", fused=False, sums="lerp")
_JOINT = Arithmetic("float32", fused=False, sums="joint")
_PICKED = Arithmetic("element")
_FLOAT32 = np.dtype(np.float32)
_ORDER_OF = {"bilinear": (1, 0), "bicubic": (0, 1)}  # others do not depend on it


@dataclass(frozen=True)
class Images:
    """Images and the height and width that they get.

    Parameters
    ----------
    shape : tuple of int
        (height, width, channels), perhaps with a batch before.
    dtype : numpy.dtype
        Element type.
    rows : int
        The axis of the rows; that of the columns is the next.
    n_out : (int, int)
        Height and width of the result.
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    rows: int
    n_out: tuple[int, int]

    @property
    def n_in(self) -> tuple[int, ...]:
        """Height and width."""
        return self.shape[self.rows : self.rows + 2]

    @property
    def output_shape(self) -> tuple[int, ...]:
        """Shape of the result."""
        return (*self.shape[: self.rows], *self.n_out, *self.shape[self.rows + 2 :])

    def axes(self) -> Iterator[tuple[int, int, int]]:
        """Yield axis, length and new length, of the rows and of the columns."""
        yield from zip((self.rows, self.rows + 1), self.n_in, self.n_out, strict=True)


def operator_plan(
    images: Images, method: str, align_corners: bool, half_pixel_centers: bool
) -> Plan:
    """Return the plan of ResizeBilinear, ResizeNearestNeighbor, ResizeBicubic or ResizeArea."""
    if method == "area":
        return _area_plan(images, align_corners)
    if method == "bicubic" and not half_pixel_centers:
        return _legacy_cubic_plan(images, align_corners)
    operators: dict[int, AxisOperator] = {}
    for axis, n_in, n_out in images.axes():
        arguments.refuse_huge_axis(axis, n_out, 4)
        if method == "bicubic":
            operators[axis] = axes.bicubic(n_in, n_out, align_corners)
        else:
            make = axes.bilinear if method == "bilinear" else axes.nearest
            operators[axis] = make(n_in, n_out, align_corners, half_pixel_centers)
    return make_plan(
        images.shape,
        images.dtype,
        operators,
        arithmetic=_LERP if method == "bilinear" else _APART,
        order=[images.rows + k for k in _ORDER_OF[method]] if method in _ORDER_OF else None,
        output_dtype=images.dtype if method == "nearest" else _FLOAT32,
    )


def _legacy_cubic_plan(images: Images, align_corners: bool) -> Plan:
    """Return the plan of ResizeBicubic without half_pixel_centers: sums down, then along rows."""
    refuse_uncountable(images.output_shape, _FLOAT32)
    picks: list[Pass] = []
    sums: list[Pass] = []
    for axis, n_in, n_out in images.axes():
        if n_in == n_out:
            continue
        arguments.refuse_huge_axis(axis, n_out, 4)
        edges, operator = axes.legacy_bicubic(n_in, n_out, align_corners)
        picks.append(Pass(axis, edges, _PICKED))
        sums.append(Pass(axis, operator, _APART))
    return Plan(images.shape, images.dtype, (*picks, *sums), images.output_shape, _FLOAT32)


def _area_plan(images: Images, align_corners: bool) -> Plan:
    """Return the plan of ResizeArea: sums along rows, then down, then one product."""
    refuse_uncountable(images.output_shape, _FLOAT32)
    passes: list[Pass] = []
    for axis, n_in, n_out in reversed(tuple(images.axes())):
        arguments.refuse_huge_axis(axis, n_out, n_in // n_out + 2)
        edges, operator = axes.area(n_in, n_out, align_corners)
        if edges is not None:
            passes.append(Pass(axis, edges, _PICKED))
        if not operator.is_identity:
            passes.append(Pass(axis, operator, _APART))
    if passes:
        scales = [axes.axis_scale(n_in, n_out, align_corners) for _, n_in, n_out in images.axes()]
        height = images.n_out[0]
        factors = np.full((height, 1), float(axes.area_factor(*scales)))
        each = AxisOperator(np.arange(height), factors, height)
        passes.append(Pass(images.rows, each, _APART))
    return Plan(images.shape, images.dtype, tuple(passes), images.output_shape, _FLOAT32)


def spans_plan(
    images: Images,
    scales: np.ndarray[Any, Any],
    shifts: np.ndarray[Any, Any],
    kernel: str,
    antialias: bool,
) -> Plan:
    """Return the plan of ScaleAndTranslate: rows first, as its kernel has it."""
    operators: dict[int, AxisOperator] = {}
    for (axis, n_in, n_out), scale, shift in zip(images.axes(), scales, shifts, strict=True):
        taps = _tensorflow_spans.span_taps(kernel, n_in, scale, antialias)
        arguments.refuse_huge_axis(axis, n_out, taps)
        operators[axis] = _tensorflow_spans.spans(
            kernel, n_in, n_out, scale, np.float32(shift), antialias
        )
    return make_plan(
        images.shape,
        images.dtype,
        operators,
        arithmetic=_APART,
        order=list(operators),
        output_dtype=_FLOAT32,
    )


def lite_plan(images: Images, method: str, align_corners: bool, half_pixel_centers: bool) -> Plan:
    """Return the plan of RESIZE_BILINEAR or RESIZE_NEAREST_NEIGHBOR of TensorFlow Lite."""
    flags = align_corners, half_pixel_centers
    if method == "bilinear" and images.dtype in (np.uint8, np.float32):
        return _lite_joint_plan(images, *flags)
    operators: dict[int, AxisOperator] = {}
    for axis, n_in, n_out in images.axes():
        if method == "bilinear":
            operators[axis] = _tensorflow_lite.bilinear_fixed(n_in, n_out, *flags)
        elif images.dtype == np.uint8 and not any(flags):
            operators[axis] = _tensorflow_lite.nearest_uint8(n_in, n_out)
        else:
            operators[axis] = _tensorflow_lite.nearest(n_in, n_out, *flags)
    how = Arithmetic("fixed", bits=_tensorflow_lite.FIXED_BITS)
    return make_plan(images.shape, images.dtype, operators, arithmetic=how, rounding="half_away")


def _lite_joint_plan(images: Images, align_corners: bool, half_pixel_centers: bool) -> Plan:
    """Return the plan of RESIZE_BILINEAR for uint8 and float32: four products, columns first."""
    refuse_uncountable(images.output_shape, images.dtype)
    picks: list[Pass] = []
    sums: list[Pass] = []
    for axis, n_in, n_out in reversed(tuple(images.axes())):
        edges, operator = _tensorflow_lite.bilinear_joint(
            n_in, n_out, align_corners, half_pixel_centers
        )
        picks.append(Pass(axis, edges, _PICKED))
        sums.append(Pass(axis, operator, _JOINT))
    passes = (*picks, *sums) if images.output_shape != images.shape else ()
    return Plan(images.shape, images.dtype, passes, images.output_shape, images.dtype, "half_added")
