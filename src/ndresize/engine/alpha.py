"""Colours times their alpha, and back: 8-bit pixels whose last channel is alpha."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndresize.engine import _ext

__all__ = ["divide_alpha", "multiply_alpha"]


def multiply_alpha(x: NDArray[Any], threads: int) -> NDArray[Any]:
    """Return colours times alpha over 255, to the nearest integer.

    Parameters
    ----------
    x : uint8 array of shape (..., 2) or (..., 4)
        Pixels, alpha last.
    threads : int
        How many at most; 0 for all.
    """
    out = np.empty(x.shape, np.uint8)
    _ext.multiply_alpha(_pixels(np.ascontiguousarray(x)), _pixels(out), threads)
    return out


def divide_alpha(x: NDArray[Any], threads: int) -> None:
    """Make colours 255 times what they are over alpha, cut, at most 255; those without alpha stay.

    Parameters
    ----------
    x : uint8 array of shape (..., 2) or (..., 4)
        Pixels, alpha last; changed in place.
    threads : int
        How many at most; 0 for all.
    """
    dense = np.ascontiguousarray(x)
    _ext.divide_alpha(_pixels(dense), threads)
    if dense is not x:
        x[...] = dense


def _pixels(x: NDArray[Any]) -> NDArray[Any]:
    return x.reshape(-1, x.shape[-1])
