"""OpenCV's two resized axes: their lengths and the scale that coordinates are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ndresize.errors import ResizeError

__all__ = ["Axis", "axes_of"]

_LARGEST = 2**31 - 1  # lengths are C ints


@dataclass(frozen=True)
class Axis:
    """One resized axis.

    Parameters
    ----------
    axis : int
        0 for rows, 1 for columns.
    n_in, n_out : int
        Lengths.
    inverse : float
        Output length over input length as OpenCV's `inv_scale`: of `dsize`, or `fx` as given.
    """

    axis: int
    n_in: int
    n_out: int
    inverse: float

    @property
    def scale(self) -> float:
        """Input samples per output sample, rounded twice: ``1 / inverse``."""
        return 1.0 / self.inverse

    @property
    def strays_by(self) -> float:
        """By how much `inverse` is not the ratio of the lengths."""
        return abs(self.n_out / self.n_in - self.inverse) / self.inverse


def axes_of(shape: tuple[int, int], dsize: Any, fx: Any, fy: Any) -> tuple[Axis, Axis]:
    """Return rows and columns; `dsize` counts if both its entries are positive, else `fx`, `fy`."""
    width, height = _size(dsize)
    factors = _factor("fx", fx), _factor("fy", fy)
    rows, columns = shape
    if width > 0 and height > 0:
        return Axis(0, rows, height, height / rows), Axis(1, columns, width, width / columns)
    for name, factor in zip(("fx", "fy"), factors, strict=True):
        if not factor > 0:
            raise ResizeError(
                f"{name} must be greater than 0 where dsize is None or empty, got {factor!r}; "
                "give dsize=(width, height) or both fx and fy"
            )
    return _scaled(0, rows, "fy", factors[1]), _scaled(1, columns, "fx", factors[0])


def _scaled(axis: int, n_in: int, name: str, factor: float) -> Axis:
    length = n_in * factor
    if not length < _LARGEST + 0.5:
        raise ResizeError(
            f"{name} must make at most {_LARGEST} samples, got {factor!r} for {n_in} samples"
        )
    n_out = round(length)  # halves to even, as cvRound does
    if n_out < 1:
        raise ResizeError(
            f"{name} must leave at least one sample, got {factor!r} for {n_in} samples, which "
            "OpenCV rounds to 0 (halves to even)"
        )
    return Axis(axis, n_in, n_out, factor)


def _size(dsize: Any) -> tuple[int, int]:
    if dsize is None:
        return 0, 0
    try:
        entries = list(dsize)
    except TypeError:
        entries = []
    whole = [
        isinstance(n, int | np.integer) and not isinstance(n, bool) and -_LARGEST <= n <= _LARGEST
        for n in entries
    ]
    if len(entries) != 2 or not all(whole):
        raise ResizeError(
            f"dsize must be (width, height), two integers of 32 bits, or None, got {dsize!r}"
        )
    return int(entries[0]), int(entries[1])


def _factor(name: str, value: Any) -> float:
    if isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool):
        return float(value)
    raise ResizeError(f"{name} must be a number, got {value!r}")
