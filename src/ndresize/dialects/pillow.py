"""Pillow's `Image.resize`, of images that are arrays.

The arithmetic is that of Pillow 13.0.0 (``Image.py``, ``Resample.c``, ``Reduce.c`` and
``Geometry.c``), down to the last bit of 8-bit images: `docs/pillow.md` tells the rules.

Nothing here needs the package ``pillow``.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndresize.axis import AxisOperator
from ndresize.dialects import _arguments as arguments
from ndresize.dialects._pillow_filters import (
    FILTERS,
    PRECISION_BITS,
    PillowFilter,
    nearest,
    resampling,
)
from ndresize.dialects._pillow_images import ImageKind, image_kind
from ndresize.dialects._pillow_stages import StagedPlan
from ndresize.dialects._planned import planned
from ndresize.errors import ResizeError
from ndresize.memory import refuse_uncountable
from ndresize.plan import Arithmetic, Fill, Pass, Plan, make_plan

__all__ = ["RESAMPLING", "VERSIONS", "resize"]

RESAMPLING = ("NEAREST", *FILTERS)
"""The filters by their numbers in Pillow."""

VERSIONS = ("13.0.0", "12")

Box = tuple[float, float, float, float]


@planned("image")
def resize(
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    /,
    size: Any,
    resample: Any = "BICUBIC",
    box: Any = None,
    reducing_gap: Any = None,
    *,
    mode: Any = None,
    version: str = "13.0.0",
) -> Plan:
    """Resize an image as Pillow's `Image.resize` does.

    Called with an array it returns the resized array; ``resize.plan(shape, dtype, ...)`` takes a
    shape and an element type in its place and returns the plan.

    Parameters
    ----------
    image : array of shape (height, width) or (height, width, channels)
        Read as `Image.fromarray` reads it. Two dimensions: uint8 is L, uint16 I;16, int8, int16,
        int32 and uint32 are I (int32), float32 and float64 are F (float32), bool is 1. (int8 is
        read as if it were uint8.) Three: 2, 3 or 4 channels of uint8 are LA, RGB, RGBA.
    size : (int, int)
        Width and height of the result.
    resample : {"BICUBIC", "NEAREST", "LANCZOS", "BILINEAR", "BOX", "HAMMING", "MKS2013", \
"MKS2021"} or int
        The filter or its number. Modes 1 and P always take NEAREST.
    box : (float, float, float, float), optional
        Left, upper, right and lower edge of the region that becomes the result.
    reducing_gap : float, optional
        At least 1: blocks of samples are averaged first, as many as leave this factor to the
        filter.
    mode : str, optional
        Another mode for the same array, as `Image.fromarray` takes it: P; La, PA; YCbCr, HSV;
        RGBa, RGBX, CMYK. Only LA and RGBA are premultiplied before they are filtered.
    version : {"13.0.0", "12"}
        Whose rules. 12 (12.0) filters columns before rows always, has no MKS filters and ignores
        `reducing_gap` for LA and RGBA.

    Returns
    -------
    array of shape (size[1], size[0]) or (size[1], size[0], channels)
        In the type of the mode, as above.

    Raises
    ------
    ResizeError
        If Pillow would raise, or its C code has no defined answer.

    Examples
    --------
    >>> import numpy as np
    >>> resize(np.array([[0, 10, 20, 30]], np.uint8), (2, 1), "BOX")
    array([[ 5, 25]], dtype=uint8)
    """
    version = arguments.choice("version", version, VERSIONS)
    kind = image_kind(shape, dtype, mode)
    out = _size(size)
    kernel = _filter(resample, version)
    gap = _gap(reducing_gap)
    region = _box(box, shape)
    refuse_uncountable((out[1], out[0], *shape[2:]), kind.dtype)
    same = (shape[1], shape[0]) == out and region == _whole(shape)
    if kind.mode in ("1", "P"):
        kernel = None
    if same or kernel is None:
        plan = _picked(shape, kind, out, _as_float32(region), copy=same)
        return _staged(plan, dtype)
    if version == "12" and kind.mode == "I;16" and kernel.overshoots:
        raise ResizeError(
            "version 12 cannot filter uint16 images with negative weights: Pillow 12 stores what "
            "is above 65535 with a wrong low byte; take version 13.0.0, or another filter"
        )
    premultiplied = kind.has_straight_alpha
    if premultiplied and version == "12":
        gap = None
    reduced = shape
    blocks = None
    if gap is not None:
        blocks = _blocks(shape, kind, out, kernel, region, gap)
    head: tuple[Pass, ...] = ()
    if blocks is not None:
        head = blocks.passes(shape)
        reduced = (head[1].operator.n_out, head[0].operator.n_out, *shape[2:])
        region = blocks.mapped(region)
    plan = _filtered(reduced, kind, out, kernel, _as_float32(region), version)
    factors = blocks.factors if blocks is not None else None
    if not head and not premultiplied:
        return _staged(plan, dtype)
    return StagedPlan(
        shape,
        dtype,
        (*head, *plan.passes),
        plan.output_shape,
        kind.dtype,
        plan.rounding,
        premultiplied=premultiplied,
        factors=factors,
    )


def _staged(plan: Plan, dtype: np.dtype[Any]) -> Plan:
    """Return a plan of the image's type as one that does what Pillow does around it."""
    wide_integers = plan.dtype in (np.int32, np.uint16) and not plan.is_selection
    if plan.input_dtype == dtype and not wide_integers:
        return plan
    return StagedPlan(
        plan.input_shape,
        dtype,
        plan.passes,
        plan.output_shape,
        plan.dtype,
        plan.rounding,
        plan.fill,
    )


# --- words ----------------------------------------------------------------------------------------


def _size(size: Any) -> tuple[int, int]:
    values = arguments.integers("size", size, 2, "of width and height")
    for name, n in zip(("width", "height"), values, strict=True):
        if n < 1:
            raise ResizeError(f"size must be at least 1 each way, got {name} {n}")
        if n >= 2**31:
            raise ResizeError(f"size must fit into 32 bits, got {name} {n}")
    return values[0], values[1]


def _filter(resample: Any, version: str) -> PillowFilter | None:
    """Return a filter; None stands for NEAREST."""
    if resample is None:
        resample = "BICUBIC"
    if not isinstance(resample, str):
        try:
            number = operator.index(resample)
        except TypeError:
            number = -1
        if not 0 <= number < len(RESAMPLING):
            known = ", ".join(f"{name} ({i})" for i, name in enumerate(RESAMPLING))
            raise ResizeError(f"resample must be one of {known}, got {resample!r}")
        resample = RESAMPLING[number]
    name = arguments.choice("resample", resample, RESAMPLING)
    if name == "NEAREST":
        return None
    if FILTERS[name].since > int(version.split(".")[0]):
        raise ResizeError(f"resample {name!r} came with Pillow 13; the version is {version}")
    return FILTERS[name]


def _gap(reducing_gap: Any) -> float | None:
    if reducing_gap is None:
        return None
    gap = arguments.number("reducing_gap", reducing_gap)
    if not gap >= 1.0:
        raise ResizeError(f"reducing_gap must be 1.0 or greater, got {reducing_gap!r}")
    return gap


def _whole(shape: tuple[int, ...]) -> Box:
    return 0, 0, shape[1], shape[0]


def _box(box: Any, shape: tuple[int, ...]) -> Box:
    """Return the box as Python floats (Pillow's Python code counts with those); checked."""
    if box is None:
        return _whole(shape)
    try:
        values = [arguments.finite("box", v) for v in box]
    except (TypeError, ResizeError):
        values = []
    if len(values) != 4:
        raise ResizeError(f"box must be four finite numbers, got {box!r}")
    left, upper, right, lower = _as_float32(values)
    if left < 0 or upper < 0:
        raise ResizeError(f"box must not begin outside the image, got {box!r}")
    if right > shape[1] or lower > shape[0]:
        raise ResizeError(
            f"box must end within the image of width {shape[1]} and height {shape[0]}, got {box!r}"
        )
    if right < left or lower < upper:
        raise ResizeError(f"box must not end before it begins, got {box!r}")
    return values[0], values[1], values[2], values[3]


def _as_float32(box: Sequence[float]) -> Box:
    """Return the corners as the C floats that they become."""
    a, b, c, d = (float(np.float32(v)) for v in box)
    return a, b, c, d


# --- passes ---------------------------------------------------------------------------------------


def _is_crop(box: Box, out: tuple[int, int]) -> bool:
    """Return whether the box begins at a sample and is as large as the result."""
    left, upper, right, lower = map(np.float32, box)
    begins = left == np.trunc(left) and upper == np.trunc(upper)
    return bool(begins and right - left == out[0] and lower - upper == out[1])


def _picked(
    shape: tuple[int, ...], kind: ImageKind, out: tuple[int, int], box: Box, *, copy: bool
) -> Plan:
    """Return a plan that copies samples: NEAREST, or a crop."""
    operators: dict[int, AxisOperator] = {}
    outside: list[NDArray[np.bool_] | None] = [None] * len(shape)
    if not copy and _is_crop(box, out):
        for axis, first in ((1, int(box[0])), (0, int(box[1]))):
            index = first + np.arange(out[1 - axis])
            operators[axis] = AxisOperator.select(index, shape[axis])
    elif not copy:
        for axis in (1, 0):
            operators[axis], outside[axis] = nearest(
                shape[axis],
                out[1 - axis],
                box[1 - axis],
                box[3 - axis],
                running=kind.mode != "I;16",
            )
    fill = Fill(0.0, tuple(outside)) if any(o is not None for o in outside) else None
    return make_plan(shape, kind.dtype, operators, arithmetic=Arithmetic("element"), fill=fill)


def _filtered(
    shape: tuple[int, ...],
    kind: ImageKind,
    out: tuple[int, int],
    kernel: PillowFilter,
    box: Box,
    version: str,
) -> Plan:
    """Return the plan of a filter: a pass for each axis that the box or the size changes."""
    if _is_crop(box, out):
        return _picked(shape, kind, out, box, copy=False)
    arithmetic = Arithmetic("float64", "element", fused=False)
    bits = None
    if kind.dtype == np.uint8:
        bits = PRECISION_BITS
        arithmetic = Arithmetic("fixed", "element", bits=bits)
    operators = {}
    for axis in (1, 0):
        start, end, n_out = box[1 - axis], box[3 - axis], out[1 - axis]
        if n_out == shape[axis] and start == 0 and end == n_out:
            continue
        taps = 2 * math.ceil(kernel.support * max((end - start) / n_out, 1.0)) + 1
        arguments.refuse_huge_axis(axis, n_out, taps)
        operators[axis] = resampling(kernel, shape[axis], n_out, start, end, bits)
    order = (0, 1) if version != "12" and _rows_first(shape, out) else (1, 0)
    return make_plan(
        shape,
        kind.dtype,
        operators,
        arithmetic=arithmetic,
        rounding="half_away",
        order=order,
    )


def _rows_first(shape: tuple[int, ...], out: tuple[int, int]) -> bool:
    """Return whether Pillow 13 shrinks the height first: where it shrinks by far more."""
    lost = shape[0] - out[1]
    return lost > 0 and lost > 2 * (shape[1] - out[0])


# --- reducing_gap ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Blocks:
    """The blocks of `Image.reduce`: how many samples each, and of which part of the image."""

    factors: tuple[int, int]
    box: tuple[int, int, int, int]

    def passes(self, shape: tuple[int, ...]) -> tuple[Pass, Pass]:
        """Return the means along columns and rows."""
        left, upper, right, lower = self.box
        across = _means(shape[1], left, right, self.factors[0])
        down = _means(shape[0], upper, lower, self.factors[1])
        return (
            Pass(1, across, Arithmetic("float64", "wide")),
            Pass(0, down, Arithmetic("float64", "element")),
        )

    def mapped(self, box: Box) -> Box:
        """Return a box of the image as one of the reduced image."""
        left, upper = self.box[:2]
        across, down = self.factors
        return (
            (box[0] - left) / across,
            (box[1] - upper) / down,
            (box[2] - left) / across,
            (box[3] - upper) / down,
        )


def _means(n_in: int, start: int, end: int, factor: int) -> AxisOperator:
    """Return the operator of the mean of each `factor` samples from `start`; fewer at the end."""
    first = np.arange(start, end, factor)
    count = np.minimum(first + factor, end) - first
    weights = np.where(np.arange(factor) < count[:, None], 1.0 / count[:, None], 0.0)
    return AxisOperator(first, weights, n_in)


def _blocks(
    shape: tuple[int, ...],
    kind: ImageKind,
    out: tuple[int, int],
    kernel: PillowFilter,
    box: Box,
    gap: float,
) -> _Blocks | None:
    """Return the blocks that are averaged first, or None where none are worth it."""
    across = int((box[2] - box[0]) / out[0] / gap) or 1
    down = int((box[3] - box[1]) / out[1] / gap) or 1
    if across <= 1 and down <= 1:
        return None
    if kind.mode == "I;16":
        raise ResizeError(
            f"reducing_gap cannot be used on uint16 images that it would reduce, got {gap}; leave "
            "it out, or give int32"
        )
    # `_get_safe_box`: the box and what the filter can see around it.
    margin = kernel.support - 0.5
    beside = margin * ((box[2] - box[0]) / out[0])
    above = margin * ((box[3] - box[1]) / out[1])
    safe = (
        max(0, int(box[0] - beside)),
        max(0, int(box[1] - above)),
        min(shape[1], math.ceil(box[2] + beside)),
        min(shape[0], math.ceil(box[3] + above)),
    )
    if safe[0] >= safe[2] or safe[1] >= safe[3]:
        raise ResizeError(
            f"box must not be empty where reducing_gap reduces the image, got {tuple(box)}"
        )
    return _Blocks((across, down), safe)
