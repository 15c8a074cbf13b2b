"""The range of an image: what integers become as floats, and what results are clipped to."""

from __future__ import annotations

from typing import Any

import numpy as np

from ndresize.engine import portable
from ndresize.rounding import limits

__all__ = ["clipped", "scale_of", "without_lowest"]


def scale_of(dtype: np.dtype[Any]) -> float:
    """Return by what ``skimage.util.img_as_float`` multiplies: 1 over the largest integer."""
    return 1.0 / limits(dtype)[1] if dtype.kind in "iu" else 1.0


def without_lowest(x: Any, dtype: np.dtype[Any]) -> Any:
    """Return signed integers without the one that has no positive counterpart.

    ``img_as_float`` makes -1 of it and of its neighbour.
    """
    low, high = limits(dtype)
    xp = portable.namespace(x)
    if dtype.kind == "u" or int(xp.min(x)) > low:
        return x
    return xp.where(x == low, xp.full_like(x, -high), x)


def clipped(y: Any, x: Any, scale: float, constant: float | None) -> Any:
    """Return the result clipped to the range of the image.

    Parameters
    ----------
    y, x : array
        The result, which is changed where it is NumPy's, and the image.
    scale : float
        By what the image was multiplied on the way.
    constant : float or None
        What lies beyond the image, in mode "constant". It widens the range if it is in that of
        the result, as some sample then is it.
    """
    if 0 in y.shape:
        return y
    xp = portable.namespace(x)
    low, high = _range(x, xp)
    low, high = low * scale, high * scale
    if constant is not None and not low <= constant <= high:
        lowest, highest = _range(y, xp)
        if lowest <= constant <= highest:
            if portable.element_type_of(x).kind == "f":  # it becomes one of the image's samples
                constant = float(portable.element_type_of(x).type(constant))
            low, high = min(low, constant), max(high, constant)
    if isinstance(y, np.ndarray):
        return np.clip(y, y.dtype.type(low), y.dtype.type(high), out=y)
    return xp.clip(y, low, high)


def _range(values: Any, xp: Any) -> tuple[float, float]:
    """Return the smallest and the largest value that are not NaN."""
    low, high = float(xp.min(values)), float(xp.max(values))
    if low != low:
        unknown = xp.isnan(values)
        low = float(xp.min(xp.where(unknown, xp.full_like(values, np.inf), values)))
        high = float(xp.max(xp.where(unknown, xp.full_like(values, -np.inf), values)))
    return low, high
