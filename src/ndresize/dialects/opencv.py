"""OpenCV's ``cv2.resize``, release 5.0.0, as its wheels for x86-64 compute it.

OpenCV has several accounts of one call: its own loops and, in builds for x86, Intel's IPP, which
takes INTER_LINEAR (but not of uint8) and INTER_CUBIC (but not of float64) of arrays with 1, 3 or 4
channels. This module copies what such a build does by default, IPP included;
``cv2.ipp.setUseIPP(False)`` and builds for other processors run OpenCV's own loops instead, whose
results can differ from these in the last place. ``docs/opencv.md`` has every rule and quirk.

Nothing here needs the package ``cv2``.
"""

from __future__ import annotations

import functools
from typing import Any, cast

import numpy as np
from numpy.typing import DTypeLike

from ndresize.dialects import _arguments as arguments
from ndresize.dialects._opencv_axis import axes_of
from ndresize.dialects._opencv_plan import plan_of
from ndresize.dialects._planned import ResizeFunction, planned
from ndresize.engine import portable
from ndresize.errors import ResizeError
from ndresize.plan import Plan

__all__ = ["INTERPOLATIONS", "resize"]

INTERPOLATIONS = {
    "INTER_NEAREST": 0,
    "INTER_LINEAR": 1,
    "INTER_CUBIC": 2,
    "INTER_AREA": 3,
    "INTER_LANCZOS4": 4,
    "INTER_LINEAR_EXACT": 5,
    "INTER_NEAREST_EXACT": 6,
}
"""OpenCV's names and their numbers."""

MOST_CHANNELS = 128

_TYPES = {
    name: name
    for name in (
        "uint8",
        "int8",
        "uint16",
        "int16",
        "int32",
        "uint32",
        "float16",
        "float32",
        "float64",
        "bool",
    )
} | {"int64": "int32", "uint64": "int32"}


def _resize(
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    /,
    dsize: Any,
    fx: float = 0,
    fy: float = 0,
    interpolation: str | int = "INTER_LINEAR",
) -> Plan:
    """Resize an image as OpenCV does.

    Called with an array `src` it returns the resized array; ``resize.plan(shape, dtype, ...)``
    takes a shape and an element type in its place and returns the plan.

    Parameters
    ----------
    src : array of shape (rows, columns) or (rows, columns, channels)
        At most 128 channels. A single channel loses its axis and an array of one dimension is a
        row, as in OpenCV; their plans are for two dimensions. All interpolations take uint8,
        uint16, int16, float32 and float64; INTER_NEAREST and INTER_NEAREST_EXACT take bool, int8,
        int32, uint32 and float16 too, and int64 and uint64, of which OpenCV makes int32;
        INTER_LINEAR_EXACT takes int8 and int32.
    dsize : (width, height) or None
        Size of the result. None, or an entry that is not positive: `fx` and `fy` say it.
    fx, fy : float
        Output length over input length of columns and rows; looked at only if `dsize` is empty.
        Lengths are rounded, halves to even, and coordinates made of the factors as given.
    interpolation : str or int
        One of `INTERPOLATIONS`, with or without ``INTER_``, or its number.

    Returns
    -------
    array of shape (height, width) or (height, width, channels)
        Of the same element type.

    Raises
    ------
    ResizeError
        If an argument is not what OpenCV takes, or it asserts that it cannot do the call.

    Notes
    -----
    The rules are those of ``modules/imgproc/src/resize.cpp`` and ``hal/ipp/src/resize_ipp.cpp``;
    those of IPP, whose source is not public, were measured (`ndresize.dialects._opencv_ipp`).

    Examples
    --------
    >>> import numpy as np
    >>> row = np.array([[0, 1, 3, 10]], np.uint8)
    >>> resize(row, (8, 1))
    array([[ 0,  0,  1,  2,  3,  5,  8, 10]], dtype=uint8)
    >>> resize.plan((1080, 1920, 3), np.uint8, None, 0.5, 0.5, "INTER_AREA").output_shape
    (540, 960, 3)
    """
    if dtype.name not in _TYPES:
        raise ResizeError(f"src must be of one of the types {', '.join(_TYPES)}, got {dtype}")
    if len(shape) not in (2, 3) or 0 in shape:
        raise ResizeError(
            "src must be (rows, columns) or (rows, columns, channels) and not be empty, got shape "
            f"{shape}"
        )
    if len(shape) == 3 and shape[2] > MOST_CHANNELS:
        raise ResizeError(
            f"src must have at most {MOST_CHANNELS} channels, got {shape[2]}; resize them in groups"
        )
    if max(shape) > 2**31 - 1:
        raise ResizeError(f"src must have lengths below 2**31, got shape {shape}")
    axes = axes_of((shape[0], shape[1]), dsize, fx, fy)
    return plan_of(shape, dtype, np.dtype(_TYPES[dtype.name]), _word(interpolation), axes)


def _word(interpolation: Any) -> str:
    """Return an interpolation's name without its prefix."""
    if isinstance(interpolation, int | np.integer) and not isinstance(interpolation, bool):
        for name, number in INTERPOLATIONS.items():
            if number == interpolation:
                return name.removeprefix("INTER_")
        known = ", ".join(f"{number} ({name})" for name, number in INTERPOLATIONS.items())
        raise ResizeError(f"interpolation must be one of {known}, got {interpolation}")
    name = interpolation
    if isinstance(name, str) and not name.startswith("INTER_"):
        name = f"INTER_{name}"
    return arguments.choice("interpolation", name, list(INTERPOLATIONS)).removeprefix("INTER_")


def _as_opencv_sees(function: ResizeFunction[Any]) -> ResizeFunction[Any]:
    """Let a function of images take the other arrays that OpenCV makes images of."""

    @functools.wraps(function)
    def resize(src: Any, /, *args: Any, **kwargs: Any) -> Any:
        if type(src) is not np.ndarray and not portable.is_foreign(src):
            try:
                src = np.asarray(src)
            except (ValueError, TypeError) as error:
                kind = type(src).__name__
                raise ResizeError(f"src must be an array, got {kind}: {error}") from None
        if src.ndim == 3 and src.shape[2] == 1:
            src = src[:, :, 0]
        elif src.ndim < 2:
            src = src[None] if src.ndim else src[None, None]
        return function(src, *args, **kwargs)

    @functools.wraps(function.plan)
    def plan(shape: Any, dtype: DTypeLike, *args: Any, **kwargs: Any) -> Plan:
        lengths = tuple(shape) if isinstance(shape, list | tuple) else shape
        if isinstance(lengths, tuple):
            if len(lengths) == 3 and lengths[2] == 1:
                lengths = lengths[:2]
            elif len(lengths) < 2:
                lengths = (1, *lengths) if lengths else (1, 1)
        return function.plan(lengths, dtype, *args, **kwargs)

    resize.plan = plan  # type: ignore[attr-defined]
    return cast("ResizeFunction[Any]", resize)


_resize.__name__ = _resize.__qualname__ = "resize"
resize = _as_opencv_sees(planned("src")(_resize))
