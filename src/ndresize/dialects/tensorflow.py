"""TensorFlow's resize functions, as its CPU kernels of release 2.21 compute them.

``resize`` is ``tf.image.resize``, ``resize_v1`` is ``tf.compat.v1.image.resize`` and the operators
below both, ``crop_and_resize`` is ``tf.image.crop_and_resize``, ``scale_and_translate`` is
``tf.raw_ops.ScaleAndTranslate`` and ``tflite_resize`` the two resize operators of TensorFlow Lite.
Coordinates are float32, one rounded operation after another, and so they are here.

Nothing here needs the package ``tensorflow``.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from ndresize.dialects import _arguments as arguments
from ndresize.dialects import _tensorflow_arguments as checks
from ndresize.dialects import _tensorflow_crop, _tensorflow_spans
from ndresize.dialects._planned import ResizeFunction, planned
from ndresize.dialects._tensorflow_plans import Images, lite_plan, operator_plan, spans_plan
from ndresize.errors import ResizeError
from ndresize.plan import Arithmetic, Plan, make_plan

__all__ = [
    "KERNEL_TYPES",
    "METHODS",
    "METHODS_V1",
    "TFLITE_METHODS",
    "TYPES",
    "crop_and_resize",
    "resize",
    "resize_v1",
    "scale_and_translate",
    "tflite_resize",
]

METHODS = (
    "bilinear",
    "nearest",
    "bicubic",
    "area",
    "lanczos3",
    "lanczos5",
    "gaussian",
    "mitchellcubic",
)
"""The words of ``tf.image.ResizeMethod``."""

METHODS_V1 = ("bilinear", "nearest", "bicubic", "area")
"""The words of ``tf.compat.v1.image.ResizeMethod``, by their numbers."""

TFLITE_METHODS = ("bilinear", "nearest")
"""The methods of TensorFlow Lite."""

KERNEL_TYPES = tuple(_tensorflow_spans.KERNELS)
"""The words of ScaleAndTranslate."""

TYPES = checks.TYPES
"""Element types that are taken."""

_KERNEL_OF = {"bilinear": "triangle", "bicubic": "keyscubic"}  # with antialias


@planned("images")
def resize(
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    /,
    size: Any,
    method: str = "bilinear",
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
) -> Plan:
    """Resize images as ``tf.image.resize`` of TensorFlow 2 does.

    Parameters
    ----------
    images : array of shape (batch, height, width, channels) or (height, width, channels)
        Of a type in `TYPES`.
    size : (int, int)
        Height and width of the result.
    method : str
        One of `METHODS`. "bicubic" without `antialias` knows 1024 distances between two samples.
    preserve_aspect_ratio : bool
        Make the largest result that fits into `size`; both lengths are rounded, halves to even.
    antialias : bool
        Widen the kernel where an axis shrinks. "nearest" and "area" do not look at it.

    Returns
    -------
    array
        Of float32; of the type of `images` for "nearest".

    Raises
    ------
    ResizeError
        If an argument is not what TensorFlow takes.

    Examples
    --------
    >>> row = np.array([0, 4, 8, 100], np.uint8).reshape(1, 4, 1)
    >>> resize(row, [1, 2]).ravel(), resize(row, [1, 2], antialias=True).ravel().round(2)
    (array([ 2., 54.], dtype=float32), array([ 2.86, 46.86], dtype=float32))
    """
    method = arguments.choice("method", method, METHODS)
    antialias = arguments.flag("antialias", antialias)
    rows = checks.checked_layout("images", shape)
    checks.checked_type("images", dtype)
    n_out = _output_size(shape, rows, size, preserve_aspect_ratio)
    images = Images(shape, dtype, rows, n_out)
    if method in ("lanczos3", "lanczos5", "gaussian", "mitchellcubic") or (
        antialias and method in _KERNEL_OF
    ):
        scale = np.array(n_out, np.float32) / np.array(images.n_in, np.float32)
        kernel = _KERNEL_OF.get(method, method)
        return spans_plan(images, scale, np.zeros(2), kernel, antialias)
    return operator_plan(images, method, False, method != "area")


@planned("images")
def resize_v1(
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    /,
    size: Any,
    method: str | int = "bilinear",
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    half_pixel_centers: bool = False,
) -> Plan:
    """Resize images as ``tf.compat.v1.image.resize`` does, or an operator of ``tf.raw_ops``.

    Parameters
    ----------
    images : array of shape (batch, height, width, channels) or (height, width, channels)
        Of a type in `TYPES`, or of any if it has `size` already.
    size : (int, int)
        Height and width of the result.
    method : str or int
        One of `METHODS_V1` or its position there.
    align_corners : bool
        Lay the centres of the first and last samples on each other.
    preserve_aspect_ratio : bool
        Make the largest result that fits into `size`; both lengths are rounded, halves to even.
    half_pixel_centers : bool
        The flag of the operators below, which the function of TensorFlow 1 does not hand on. Not
        together with `align_corners`; "area" does not have it.

    Returns
    -------
    array
        Of float32; of the type of `images` for "nearest", and where they have `size` already: they
        are then returned as they are.

    Raises
    ------
    ResizeError
        If an argument is not what TensorFlow takes.

    Examples
    --------
    >>> row = np.array([0, 4, 8, 100], np.uint8).reshape(1, 4, 1)
    >>> resize_v1(row, [1, 2]).ravel(), resize_v1(row, [1, 2], align_corners=True).ravel()
    (array([0., 8.], dtype=float32), array([  0., 100.], dtype=float32))
    """
    if isinstance(method, int | np.integer) and 0 <= method < len(METHODS_V1):
        method = METHODS_V1[int(method)]
    method = arguments.choice("method", method, METHODS_V1)
    align_corners = arguments.flag("align_corners", align_corners)
    half_pixel_centers = arguments.flag("half_pixel_centers", half_pixel_centers)
    if half_pixel_centers and align_corners:
        raise ResizeError(
            "half_pixel_centers must be False with align_corners=True, got True; choose one of both"
        )
    if half_pixel_centers and method == "area":
        raise ResizeError(
            "half_pixel_centers must be False with method='area', got True; it samples cells, "
            "not points, and ResizeArea does not have the flag"
        )
    rows = checks.checked_layout("images", shape)
    n_out = _output_size(shape, rows, size, preserve_aspect_ratio)
    images = Images(shape, dtype, rows, n_out)
    if n_out == images.n_in:
        return make_plan(shape, dtype, {}, arithmetic=Arithmetic("element"))
    checks.checked_type("images", dtype)
    return operator_plan(images, method, align_corners, half_pixel_centers)


@planned("images")
def scale_and_translate(
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    /,
    size: Any,
    scale: Any,
    translation: Any,
    kernel_type: str = "lanczos3",
    antialias: bool = True,
) -> Plan:
    """Scale and shift images as ``tf.raw_ops.ScaleAndTranslate`` does.

    A point x of the input lies at ``x * scale + translation`` of the result, samples being cells
    that begin at integers. Where the centre of a sample of the result lies outside the input, the
    sample is 0; near the edge the kernel is divided by what of it lies inside.

    Parameters
    ----------
    images : array of shape (batch, height, width, channels)
        Of a type in `TYPES`.
    size : (int, int)
        Height and width of the result.
    scale, translation : (float, float)
        For rows and columns; become float32.
    kernel_type : str
        One of `KERNEL_TYPES`.
    antialias : bool
        Widen the kernel by 1 / scale where scale is below 1.

    Returns
    -------
    array of float32, shape (batch, height, width, channels)

    Raises
    ------
    ResizeError
        If an argument is not what TensorFlow takes, or a scale or translation is not finite.

    Examples
    --------
    >>> row = np.array([0, 4, 8, 100], np.uint8).reshape(1, 1, 4, 1)
    >>> scale_and_translate(row, [1, 4], [1, 1], [0, 1], "triangle").ravel()
    array([0., 0., 4., 8.], dtype=float32)
    """
    kernel_type = arguments.choice("kernel_type", kernel_type, KERNEL_TYPES)
    antialias = arguments.flag("antialias", antialias)
    rows = checks.checked_layout("images", shape, (4,))
    checks.checked_type("images", dtype)
    n_out = checks.checked_size("size", checks.two_lengths("size", size))
    scales = checks.float32s("scale", scale, (2,))
    if not (np.isfinite(scales) & (scales > 0)).all():
        raise ResizeError(f"scale must be finite and greater than 0, got {scale!r}")
    shifts = checks.float32s("translation", translation, (2,))
    if not np.isfinite(shifts).all():
        raise ResizeError(f"translation must be finite, got {translation!r}")
    return spans_plan(Images(shape, dtype, rows, n_out), scales, shifts, kernel_type, antialias)


@planned("images")
def tflite_resize(
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    /,
    size: Any,
    method: str = "bilinear",
    align_corners: bool = False,
    half_pixel_centers: bool = False,
) -> Plan:
    """Resize images as RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR of TensorFlow Lite do.

    It copies the built-in kernels. The XNNPACK delegate, which takes over where the size is known
    when a model is loaded, has its own arithmetic.

    Parameters
    ----------
    images : array of shape (batch, height, width, channels)
        Of float32, uint8, int8 or int16; quantised values as they are stored.
    size : (int, int)
        Height and width of the result.
    method : {"bilinear", "nearest"}
        Which of both operators.
    align_corners : bool
        Lay the centres of the first and last samples on each other.
    half_pixel_centers : bool
        Lay the outer edges of the first and last samples on each other. "nearest" takes it
        together with `align_corners`.

    Returns
    -------
    array
        Of the same type. "bilinear" rounds halves away from zero; int8 and int16 are computed in
        whole numbers, with 10 bits for the weights of each axis.

    Raises
    ------
    ResizeError
        If an argument is not what TensorFlow Lite takes.

    Examples
    --------
    >>> row = np.array([0, 100], np.int8).reshape(1, 1, 2, 1)
    >>> tflite_resize(row, [1, 6]).ravel()
    array([  0,  33,  67, 100, 100, 100], dtype=int8)
    """
    method = arguments.choice("method", method, TFLITE_METHODS)
    align_corners = arguments.flag("align_corners", align_corners)
    half_pixel_centers = arguments.flag("half_pixel_centers", half_pixel_centers)
    if method == "bilinear" and align_corners and half_pixel_centers:
        raise ResizeError(
            "half_pixel_centers must be False with align_corners=True and method='bilinear', got "
            "True; choose one of both"
        )
    rows = checks.checked_layout("images", shape, (4,))
    checks.checked_type("images", dtype, ("float32", "uint8", "int8", "int16"))
    n_out = checks.checked_size("size", checks.two_lengths("size", size))
    images = Images(shape, dtype, rows, n_out)
    return lite_plan(images, method, align_corners, half_pixel_centers)


crop_and_resize = cast("ResizeFunction[...]", _tensorflow_crop.crop_and_resize)
crop_and_resize.plan = _tensorflow_crop.plan_of_one_box


def _output_size(
    shape: tuple[int, ...], rows: int, size: Any, preserve_aspect_ratio: Any
) -> tuple[int, int]:
    """Return the lengths of the result, in float32 where the aspect ratio decides them."""
    height, width = checks.two_lengths("size", size)
    if arguments.flag("preserve_aspect_ratio", preserve_aspect_ratio):
        lengths = np.array(shape[rows : rows + 2], np.float32)
        scale = (np.array([height, width]).astype(np.float32) / lengths).min()
        height, width = (int(n) for n in np.rint(scale * lengths))
        if min(height, width) < 1:
            raise ResizeError(
                f"size must leave a height and a width of at least 1 with preserve_aspect_ratio, "
                f"got {size!r}, which makes {(height, width)}"
            )
    return checks.checked_size("size", (height, width))
