"""Checks of what TensorFlow's resize functions are given."""

from __future__ import annotations

from typing import Any

import numpy as np

from ndresize.dialects import _arguments as arguments
from ndresize.errors import ResizeError

__all__ = ["TYPES", "checked_layout", "checked_size", "checked_type", "float32s", "two_lengths"]

TYPES = (
    "uint8",
    "uint16",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "float32",
    "float64",
    "bfloat16",
)
"""Element types that the operators are registered for."""

_LONGEST = 2**31 - 1


def checked_type(name: str, dtype: np.dtype[Any], allowed: tuple[str, ...] = TYPES) -> None:
    """Refuse an element type that an operator is not registered for."""
    if dtype.name not in allowed:
        raise ResizeError(
            f"{name} must be of type {', '.join(allowed)}, got {dtype}; convert it first"
        )


def checked_layout(name: str, shape: tuple[int, ...], ranks: tuple[int, ...] = (3, 4)) -> int:
    """Return the axis of the rows of an image or a batch of images, channels last."""
    if len(shape) not in ranks:
        words = {3: "(height, width, channels)", 4: "(batch, height, width, channels)"}
        raise ResizeError(
            f"{name} must have shape {' or '.join(words[r] for r in ranks)}, got {shape}"
        )
    height, width, channels = shape[-3:]
    if min(height, width, channels) < 1 or max(height, width) > _LONGEST:
        raise ResizeError(
            f"{name} must have a height and a width of 1 to {_LONGEST} and at least one channel, "
            f"got {shape}"
        )
    return len(shape) - 3


def two_lengths(name: str, value: Any) -> tuple[int, int]:
    """Return a height and a width as they are given, or refuse what is not two integers."""
    try:
        if any(isinstance(entry, bool | np.bool_) for entry in value):
            raise ResizeError(f"{name} must be two integers, height and width, got {value!r}")
    except TypeError:
        pass  # a number alone: refused next
    height, width = arguments.integers(name, value, 2, "axis: height and width")
    return height, width


def checked_size(name: str, size: tuple[int, int]) -> tuple[int, int]:
    """Refuse lengths that are not positive, or that no operator can have."""
    if min(size) < 1 or max(size) > _LONGEST:
        raise ResizeError(f"{name} must be two lengths of 1 to {_LONGEST}, got {size}")
    for axis, n_out in enumerate(size):
        arguments.refuse_huge_axis(axis, n_out, 1)
    return size


def float32s(name: str, value: Any, shape: tuple[int | None, ...]) -> np.ndarray[Any, Any]:
    """Return numbers as an array of float32 of a shape, None being any length."""
    array = arguments.as_array(name, value)
    fits = array.ndim == len(shape) and all(
        want in (None, have) for want, have in zip(shape, array.shape, strict=True)
    )
    if not fits or array.dtype.kind not in "iuf":
        words = " x ".join("n" if n is None else str(n) for n in shape)
        raise ResizeError(f"{name} must be {words} numbers, got {value!r}")
    with np.errstate(over="ignore"):
        return array.astype(np.float32)
