"""Element types: NumPy's, and bfloat16."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ndresize.errors import ResizeError

__all__ = ["bfloat16", "element_type"]


def element_type(dtype: DTypeLike) -> np.dtype[Any]:
    """Return `dtype` as a NumPy type in the machine's byte order.

    Raises
    ------
    ResizeError
        If NumPy knows no such type.
    """
    try:
        found = np.dtype(dtype)
        return found if found.isnative else found.newbyteorder("=")
    except TypeError:
        raise ResizeError(f"dtype must be a NumPy element type, got {dtype!r}") from None


def bfloat16() -> np.dtype[Any]:
    """Return the bfloat16 of the package ml_dtypes.

    Raises
    ------
    ResizeError
        If the package is not there.
    """
    try:
        import ml_dtypes
    except ImportError:
        raise ResizeError("bfloat16 needs ml_dtypes: pip install ml_dtypes") from None
    found: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
    return found
