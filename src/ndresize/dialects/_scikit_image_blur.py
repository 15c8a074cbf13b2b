"""The Gaussian that scikit-image puts before a reduction: ``scipy.ndimage.gaussian_filter``."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndresize.axis import AxisOperator
from ndresize.dialects._spline_edges import gather, map_coordinate
from ndresize.dialects._spline_operators import WHOLE
from ndresize.errors import ResizeError

__all__ = ["blur", "blur_and_read", "blurred_integers", "sigmas"]


def sigmas(given: Any, shape: tuple[int, ...], output_shape: tuple[int, ...]) -> list[float]:
    """Return the standard deviation along each axis; 0 where nothing is blurred.

    Parameters
    ----------
    given : float, sequence of float or None
        ``anti_aliasing_sigma``; None is half of what an output sample is wider than an input one.
    shape, output_shape : tuple of int
        Of the image, with the axes that the output adds, and of the output.
    """
    factors = np.divide(shape, output_shape)
    if given is None:
        return [float(sigma) for sigma in np.maximum(0, (factors - 1) / 2)]
    try:
        array = np.asarray(given)
        real = array if array.dtype.kind in "biuf" else np.empty(0)
        values = np.atleast_1d(real.astype(np.float64)) * np.ones_like(factors)
    except ValueError:
        values = np.empty(0)
    if values.shape != factors.shape or not np.all(np.isfinite(values) & (values >= 0)):
        raise ResizeError(
            f"anti_aliasing_sigma must be a number of at least 0, or {len(shape)} of them, one per "
            f"axis, got {given!r}"
        )
    # SciPy leaves an axis alone whose sigma is this small.
    return [float(sigma) if sigma > 1e-15 else 0.0 for sigma in values]


@functools.lru_cache(maxsize=256)
def blur(n: int, sigma: float, mode: str) -> tuple[AxisOperator, ...]:
    """Return the operators of a Gaussian that ends at four standard deviations.

    Parameters
    ----------
    n : int
        Length of the axis.
    sigma : float
        Standard deviation, in samples.
    mode : str
        SciPy's boundary mode.
    """
    return _rows(np.arange(n), n, sigma, mode)


def blur_and_read(n: int, sigma: float, mode: str, reads: AxisOperator) -> tuple[AxisOperator, ...]:
    """Return the operators of a Gaussian at the samples that another one reads, and that other one.

    An axis that shrinks much is blurred by many taps and read at few places.

    Parameters
    ----------
    n, sigma, mode
        As in `blur`.
    reads : AxisOperator
        What follows the blur.
    """
    needed = np.zeros(n, dtype=bool)
    index = reads.starts[:, None] + np.arange(reads.taps)
    needed[index[index < (reads.starts + reads.counts)[:, None]]] = True
    rows = np.flatnonzero(needed)
    starts = np.where(reads.counts > 0, np.searchsorted(rows, reads.starts), 0)
    return *_rows(rows, n, sigma, mode), AxisOperator(starts, reads.weights, len(rows))


def _rows(rows: NDArray[np.int64], n: int, sigma: float, mode: str) -> tuple[AxisOperator, ...]:
    offsets, weights = _gaussian(sigma)
    if mode == "grid-wrap" and n > WHOLE:  # rows that read both ends would be as long as the axis
        reach = len(offsets) // 2
        ends = np.arange(-reach, n + reach) % n
        taps = np.tile(weights, (len(rows), 1))
        return AxisOperator.select(ends, n), AxisOperator(rows, taps, len(ends))
    index = (rows[:, None] + offsets).astype(np.float64)
    if mode != "grid-constant":
        index = map_coordinate(index, n, mode)
    return (gather(index, np.broadcast_to(weights, index.shape), n, fixed=True),)


def _gaussian(sigma: float) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return offsets and weights of a Gaussian, as ``scipy.ndimage.gaussian_filter1d`` has them."""
    reach = int(4.0 * sigma + 0.5)
    offsets = np.arange(-reach, reach + 1)
    weights = np.exp(-0.5 / (sigma * sigma) * offsets**2)
    return offsets, weights / weights.sum()


def blurred_integers(
    x: NDArray[Any], spread: Sequence[float], mode: str, constant: float
) -> NDArray[Any]:
    """Return integers blurred to the bit as SciPy blurs them.

    Fractions are cut off after each axis, so that the last bit of a sum decides whether a flat
    area stays as it is; hence SciPy's order of the sums: the middle first, then pairs of samples
    from the outermost to the innermost (``NI_Correlate1D`` in ``ni_filters.c``).

    Parameters
    ----------
    x : ndarray of an integer type
        The image.
    spread : sequence of float
        Standard deviation along each axis, 0 for none.
    mode : str
        SciPy's boundary mode.
    constant : float
        What lies beyond in mode "grid-constant".
    """
    for axis, sigma in enumerate(spread):
        if sigma == 0:
            continue
        n = x.shape[axis]
        offsets, weights = _gaussian(sigma)
        reach = len(offsets) // 2
        place = np.arange(-reach, n + reach, dtype=np.float64)
        if mode != "grid-constant":
            place = map_coordinate(place, n, mode)
        index = place.astype(np.int64)
        outside = (index < 0) | (index >= n)
        lines = np.moveaxis(x, axis, -1).astype(np.float64)
        lines = lines[..., np.where(outside, 0, index)]
        lines[..., outside] = constant
        sums = lines[..., reach : reach + n] * weights[reach]
        for j in range(reach):
            right = 2 * reach - j
            sums += (lines[..., j : j + n] + lines[..., right : right + n]) * weights[j]
        with np.errstate(invalid="ignore"):
            x = np.moveaxis(sums.astype(x.dtype), -1, axis)
    return x
