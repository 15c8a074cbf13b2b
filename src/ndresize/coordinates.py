"""From the index of an output sample to its coordinate on the input grid, exactly.

Every coordinate rule here is a line ``x = slope * i + offset`` with rational `slope` and `offset`,
so coordinates are integers over one denominator and a tie is a tie, never nearly one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

__all__ = ["Coordinates", "Line", "on_line"]

Line = tuple[Fraction, Fraction]
"""Slope and offset of ``x = slope * i + offset``, in input samples (0 is the first's centre)."""

_FAR = 2**40  # beyond any axis; keeps int64 arithmetic on indices far from overflow


@dataclass(frozen=True)
class Coordinates:
    """Positions on the input grid, split so that no rule has to compare rounded numbers.

    Parameters
    ----------
    whole : ndarray of int64, shape (n,)
        The largest integer not above the coordinate.
    fraction : ndarray of float64, shape (n,)
        The rest, in [0, 1], correctly rounded; 0 only where the coordinate is an integer.
    half : ndarray of int8, shape (n,)
        -1, 0 or 1: the exact rest is below, at or above one half.
    """

    whole: NDArray[np.int64]
    fraction: NDArray[np.float64]
    half: NDArray[np.int8]

    def outside(self, n_in: int) -> NDArray[np.bool_]:
        """Return which coordinates lie outside [0, n_in - 1]."""
        beyond = (self.whole == n_in - 1) & (self.fraction > 0)
        result: NDArray[np.bool_] = (self.whole < 0) | (self.whole >= n_in) | beyond
        return result


def on_line(n_out: int, line: Line) -> Coordinates:
    """Return the coordinates of output samples 0 .. n_out - 1.

    Parameters
    ----------
    n_out : int
        How many.
    line : (Fraction, Fraction)
        Slope and offset, in input samples.
    """
    slope, offset = line
    denominator = math.lcm(slope.denominator, offset.denominator)
    step = slope.numerator * (denominator // slope.denominator)
    base = offset.numerator * (denominator // offset.denominator)
    largest = max(abs(base), abs(base + step * max(n_out - 1, 0)), 2 * denominator)
    if largest < 2**62:
        numerator = base + step * np.arange(n_out, dtype=np.int64)
        whole = numerator // denominator
        rest = numerator - whole * denominator
        half = np.sign(2 * rest - denominator)
        fraction = rest / denominator
    else:  # a scale or region with a very long denominator: Python's integers
        numerators = [base + step * i for i in range(n_out)]
        pairs = [divmod(value, denominator) for value in numerators]
        whole = np.array([min(max(w, -_FAR), _FAR) for w, _ in pairs], dtype=np.int64)
        half = np.array([(2 * r > denominator) - (2 * r < denominator) for _, r in pairs])
        fraction = np.array([r / denominator for _, r in pairs], dtype=np.float64)
    return Coordinates(np.clip(whole, -_FAR, _FAR), fraction, half.astype(np.int8))


def half_pixel(scale: Fraction) -> Line:
    """Lay the grids so that the outer edges of the first samples meet."""
    return 1 / scale, 1 / (2 * scale) - Fraction(1, 2)


def half_pixel_symmetric(scale: Fraction, n_in: int, n_out: int) -> Line:
    """Lay the grids so that their centres meet, also when `n_out` was rounded."""
    slope, offset = half_pixel(scale)
    return slope, offset + Fraction(n_in, 2) * (1 - n_out / (scale * n_in))


def asymmetric(scale: Fraction) -> Line:
    """Lay the grids so that the centres of the first samples meet."""
    return 1 / scale, Fraction(0)


def align_corners(n_in: int, length: Fraction) -> Line:
    """Lay the grids so that the centres of the first and of the last samples meet.

    `length` is the output length, or ``scale * n_in`` where that is not an integer.
    """
    if length == 1:
        return Fraction(0), Fraction(0)
    return Fraction(n_in - 1) / (length - 1), Fraction(0)


def half_pixel_for_nearest(scale: Fraction) -> Line:
    """Take the centre of the output sample as a distance from the input's outer edge.

    A sample's own index is then the floor of the coordinate.
    """
    return 1 / scale, 1 / (2 * scale)


def crop(n_in: int, n_out: int, start: Fraction, end: Fraction) -> Line:
    """Lay the first and last output samples on `start` and `end`, 0 and 1 being the corners."""
    last = n_in - 1
    if n_out <= 1:
        return Fraction(0), (start + end) * last / 2
    return (end - start) * last / (n_out - 1), start * last
