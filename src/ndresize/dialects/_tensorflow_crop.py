"""TensorFlow's CropAndResize: one plan for each box, all writing into one array."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ndresize.axis import AxisOperator
from ndresize.dialects import _arguments as arguments
from ndresize.dialects import _tensorflow_arguments as checks
from ndresize.dialects._planned import checked_shape
from ndresize.dialects._tensorflow_axes import round_half_away, two_taps
from ndresize.element_types import element_type
from ndresize.engine import portable
from ndresize.errors import ResizeError
from ndresize.plan import Arithmetic, Fill, Plan, make_plan

__all__ = ["METHODS", "crop_and_resize", "plan_of_one_box"]

METHODS = ("bilinear", "nearest")
_TYPES = tuple(name for name in checks.TYPES if name != "bfloat16")
_FLOAT32 = np.dtype(np.float32)
_NAME = "image"

Box = tuple[float, float, float, float]


def _axis(
    n_in: int, n_out: int, start: float, end: float, method: str
) -> tuple[AxisOperator, NDArray[np.bool_] | None]:
    """Return the operator of one axis of a box, and which samples lie outside the input.

    The first and last samples lie on `start` and `end`, 0 and 1 being the centres of the first
    and last input samples; a single one lies in the middle between them.
    """
    first, last, extent = np.float32(start), np.float32(end), np.float32(n_in - 1)
    with np.errstate(over="ignore", invalid="ignore"):  # far outside: infinite, and so outside
        if n_out > 1:
            scale = (last - first) * extent / np.float32(n_out - 1)
            at = first * extent + np.arange(n_out).astype(np.float32) * scale
        else:
            at = np.array([0.5 * float(first + last) * (n_in - 1)]).astype(np.float32)
    outside = ~((at >= 0) & (at <= extent))
    at = np.where(outside, np.float32(0), at)
    if method == "nearest":
        operator = AxisOperator.select(round_half_away(at), n_in)
    else:
        floor = np.floor(at)
        lower, upper = floor.astype(np.int64), np.ceil(at).astype(np.int64)
        operator = two_taps(lower, upper, at - floor, n_in)
    if not outside.any():
        return operator, None
    weights = np.where(outside[:, None], 0.0, operator.weights)
    return AxisOperator(operator.starts, weights, n_in), outside


@functools.lru_cache(maxsize=512)
def _box_plan(
    shape: tuple[int, int, int],
    dtype: np.dtype[Any],
    box: Box,
    size: tuple[int, int],
    method: str,
    value: float,
    batch: tuple[int, int] | None,
) -> tuple[Plan, tuple[slice, ...]]:
    """Return the plan of one box and what it reads of its images.

    `shape` is that of one image. With a `batch` (index, length) the plan takes the whole batch;
    without, it takes the window of one image that the slices cut out.
    """
    rows, rows_outside = _axis(shape[0], size[0], box[0], box[2], method)
    columns, columns_outside = _axis(shape[1], size[1], box[1], box[3], method)
    (row_part, top, bottom), (column_part, left, right) = (
        rows.crop(0, size[0]),
        columns.crop(0, size[1]),
    )
    window = (1, bottom - top, right - left, shape[2])
    fill = None
    if rows_outside is not None or columns_outside is not None:
        fill = Fill(value, (None, rows_outside, columns_outside, None))
    operators, images = {1: row_part, 2: column_part}, window
    if batch is not None:
        operators = {0: AxisOperator.select([batch[0]], batch[1]), 1: rows, 2: columns}
        images = (batch[1], *shape)
    plan = make_plan(
        images,
        dtype,
        operators,
        arithmetic=Arithmetic("float32", fused=False, sums="lerp"),
        fill=fill,
        order=(0, 2, 1),
        output_dtype=_FLOAT32,
    )
    return plan, (slice(top, bottom), slice(left, right))


def _checked(
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    boxes: Any,
    box_indices: Any,
    crop_size: Any,
    method: Any,
    extrapolation_value: Any,
) -> tuple[list[Box], list[int], tuple[int, int], str, float]:
    """Return the arguments in the form of `_box_plan`, or refuse them."""
    checks.checked_layout(_NAME, shape, (4,))
    checks.checked_type(_NAME, dtype, _TYPES)
    corners = checks.float32s("boxes", boxes, (None, 4))
    if not np.isfinite(corners).all():
        raise ResizeError("boxes must be finite, got a NaN, an infinity or more than float32 holds")
    indices = arguments.integers("box_indices", box_indices, len(corners), "box")
    for index in indices:
        if not 0 <= index < shape[0]:
            raise ResizeError(
                f"box_indices must lie in [0, {shape[0]}), one image of the batch each, got {index}"
            )
    size = checks.checked_size("crop_size", checks.two_lengths("crop_size", crop_size))
    method = arguments.choice("method", method, METHODS)
    value = arguments.float32("extrapolation_value", extrapolation_value)
    return [tuple(row) for row in corners.tolist()], indices, size, method, value


def crop_and_resize(
    image: Any,
    /,
    boxes: Any,
    box_indices: Any,
    crop_size: Any,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
    *,
    out: Any = None,
    threads: int | None = None,
) -> Any:
    """Cut boxes out of images and resize each to the same size, as tf.image.crop_and_resize does.

    Parameters
    ----------
    image : array of shape (batch, height, width, channels)
        Of a type in `TYPES` but bfloat16.
    boxes : array_like of float, shape (boxes, 4)
        Top, left, bottom, right, 0 and 1 being the centres of the first and last samples; become
        float32. May lie outside, or run backwards to mirror.
    box_indices : array_like of int, shape (boxes,)
        The image that each box is cut out of.
    crop_size : (int, int)
        Height and width of every result.
    method : {"bilinear", "nearest"}
        "nearest" rounds halves up.
    extrapolation_value : float
        What samples outside the image become. A sample is outside if its centre is.
    out, threads
        As of `ndresize.Plan.__call__`.

    Returns
    -------
    array of float32, shape (boxes, height, width, channels)

    Raises
    ------
    ResizeError
        If an argument is not what TensorFlow takes.

    Notes
    -----
    ``crop_and_resize.plan(shape, dtype, ...)`` is the plan of a call with one box.

    Examples
    --------
    >>> image = np.arange(25, dtype=np.float32).reshape(1, 5, 5, 1)
    >>> crop_and_resize(image, [[0.25, 0.25, 0.5, 0.5]], [0], [2, 2]).ravel()
    array([ 6.,  7., 11., 12.], dtype=float32)
    """
    foreign = type(image) is not np.ndarray and portable.is_foreign(image)
    if not foreign:
        try:
            image = np.asarray(image)
        except (TypeError, ValueError) as error:
            raise ResizeError(f"image must be an array, got {type(image).__name__}") from error
        image = image.astype(element_type(image.dtype), copy=False)
    dtype = portable.element_type_of(image)
    shape = tuple(image.shape)
    corners, indices, size, method, value = _checked(
        shape, dtype, boxes, box_indices, crop_size, method, extrapolation_value
    )
    if foreign:
        if out is not None:
            raise ResizeError("out can be given for NumPy arrays alone")
        if not corners:
            raise ResizeError("boxes must not be empty for arrays that are not NumPy's")
        parts = [
            _box_plan(shape[1:], dtype, box, size, method, value, (index, shape[0]))[0](image)
            for box, index in zip(corners, indices, strict=True)
        ]
        return portable.namespace(image).concat(parts, axis=0)
    result = (len(corners), *size, shape[3])
    if out is None:
        out = np.empty(result, _FLOAT32)
    elif not isinstance(out, np.ndarray) or out.shape != result or out.dtype != _FLOAT32:
        raise ResizeError(f"out must be a NumPy array of shape {result} and type float32")
    elif np.may_share_memory(image, out):
        raise ResizeError("out must not overlap the input; give another array or none")
    for position, (box, index) in enumerate(zip(corners, indices, strict=True)):
        plan, (rows, columns) = _box_plan(shape[1:], dtype, box, size, method, value, None)
        part = image[index : index + 1, rows, columns]
        plan(part, out=out[position : position + 1], threads=threads)
    return out


def plan_of_one_box(
    shape: Any,
    dtype: DTypeLike,
    boxes: Any,
    box_indices: Any,
    crop_size: Any,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
) -> Plan:
    """Return the plan of a call with one box; it takes the whole batch of images.

    Parameters
    ----------
    shape, dtype
        Of the images.
    boxes, box_indices, crop_size, method, extrapolation_value
        As of `crop_and_resize`.

    Raises
    ------
    ResizeError
        If there is not exactly one box, or an argument is not what TensorFlow takes.
    """
    shape, dtype = checked_shape(shape), element_type(dtype)
    corners, indices, size, method, value = _checked(
        shape, dtype, boxes, box_indices, crop_size, method, extrapolation_value
    )
    if len(corners) != 1:
        raise ResizeError(f"boxes must be one box, got {len(corners)}; make a plan for each")
    return _box_plan(shape[1:], dtype, corners[0], size, method, value, (indices[0], shape[0]))[0]
