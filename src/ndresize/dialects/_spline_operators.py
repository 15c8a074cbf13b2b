"""The operators of one axis of ``scipy.ndimage.zoom``: prefilter, then interpolation."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndresize.axis import AxisOperator
from ndresize.dialects._spline_edges import footprint_mode, gather, map_coordinate
from ndresize.dialects._spline_weights import (
    impulse_response,
    short_reflected,
    spline_weights,
)

__all__ = ["WHOLE", "Zoomed", "bits_of", "coordinates", "zoomed"]

_PADDED = 12  # SciPy's own number: samples put around the axis before "nearest" is prefiltered
_SHORT = 32  # lines on which SciPy's beginning of a reflected line shows in a double
WHOLE = 256  # up to this length a row may read both ends of an axis; beyond, ends are repeated


@dataclass(frozen=True)
class Zoomed:
    """What a zoom does to one axis.

    Parameters
    ----------
    operators : tuple of AxisOperator
        In the order in which they are applied; none where the axis stays as it is.
    outside : ndarray of bool, shape (n_out,), or None
        Output samples that are the constant.
    blends : bool
        Whether the constant enters sums with a weight that is not zero.
    """

    operators: tuple[AxisOperator, ...]
    outside: NDArray[np.bool_] | None = None
    blends: bool = False


def coordinates(n_in: int, n_out: int, grid_mode: bool) -> NDArray[np.float64]:
    """Return where the output samples lie on the input, as SciPy's doubles have it.

    Parameters
    ----------
    n_in, n_out : int
        Lengths; the zoom factor of the call has done its part once `n_out` is known.
    grid_mode : bool
        Whether the outer edges of the first and last samples meet, or their centres.
    """
    k = np.arange(n_out, dtype=np.float64)
    if grid_mode:
        return (k + 0.5) * (n_in / n_out if n_out else 1.0) - 0.5
    return k * ((n_in - 1) / (n_out - 1) if n_out != 1 else 1.0)


def bits_of(dtype: np.dtype[Any]) -> int:
    """Return how exact a prefilter must be for results of a type.

    To a double's last bit, or to a thousandth of a last bit where that is of float32 or of 8 bits.
    """
    return 36 if dtype.itemsize == 1 or dtype.name in ("float32", "complex64") else 58


@functools.lru_cache(maxsize=256)
def zoomed(
    n_in: int,
    n_out: int,
    order: int,
    mode: str,
    prefilter: bool,
    grid_mode: bool,
    bits: int = 58,
) -> Zoomed:
    """Return what a zoom does to one axis.

    Parameters
    ----------
    n_in, n_out : int
        Lengths.
    order : int
        Degree of the spline, 0 to 5.
    mode : str
        One of SciPy's boundary modes.
    prefilter : bool
        Whether the input is made into spline coefficients first.
    grid_mode : bool
        As in `coordinates`.
    bits : int
        How exact the prefilter is, as `bits_of` has it.
    """
    mode = "reflect" if mode == "grid-mirror" else mode
    prefilter = prefilter and order > 1
    short = mode == "reflect" and 1 < n_in <= _SHORT  # whose spline misses its samples a little
    if n_in == n_out and (n_in == 0 or (prefilter and not short)):
        return Zoomed(())  # a spline through the samples, read at the samples
    if n_in == 0 or n_out == 0:
        return Zoomed((AxisOperator(np.zeros(n_out), np.zeros((n_out, 1)), n_in),))
    around = _PADDED if prefilter and mode in ("nearest", "grid-constant") else 0
    length = n_in + 2 * around
    x = coordinates(n_in, n_out, grid_mode) + around
    if mode not in ("nearest", "grid-constant"):
        x = map_coordinate(x, length, mode)
    outside = x <= -1.0 if mode == "constant" else None
    start = np.floor(x if order % 2 else x + 0.5) - order // 2
    weights = spline_weights(x, order)
    index: NDArray[np.float64] = start[:, None] + np.arange(order + 1)
    if outside is not None:
        if outside.any():
            weights[outside] = [float(order == 0)] + [0.0] * order  # the constant covers them
            index[outside] = 0.0
        else:
            outside = None
    filters = prefilter and length > 1
    if mode == "grid-wrap" and n_in > WHOLE:
        return Zoomed(_repeated(index.astype(np.int64), weights, n_in, order, bits * filters))
    if mode != "grid-constant":
        index = map_coordinate(index, length, footprint_mode(mode))
    interpolation = gather(index, weights, length)
    blends = mode == "grid-constant" and (filters or _loses(interpolation))
    if not filters:
        return Zoomed((interpolation,), outside, blends)
    return Zoomed((_prefilter(n_in, order, mode, around, bits), interpolation), outside, blends)


def _loses(operator: AxisOperator) -> bool:
    """Return whether some row has weight outside, more than its last bits."""
    return bool(np.any(np.abs(operator.weights.sum(axis=1) - 1.0) > 2.0**-48))


def _prefilter(n_in: int, order: int, mode: str, around: int, bits: int) -> AxisOperator:
    """Return the operator from samples to spline coefficients of the axis with its pads.

    The recursions of ``ni_splines.c`` begin as if the line went on forever beyond its ends:
    reflected for "nearest" and "reflect", repeated for "grid-wrap", mirrored for the other modes.
    """
    if mode == "reflect" and n_in <= _SHORT:
        return AxisOperator(np.zeros(n_in), short_reflected(n_in, order), n_in)
    response = impulse_response(order, bits)
    reach = len(response) // 2
    length = n_in + 2 * around
    beyond = {"nearest": "reflect", "reflect": "reflect", "grid-wrap": "grid-wrap"}
    index = np.arange(length)[:, None] + np.arange(-reach, reach + 1, dtype=np.float64)
    index = map_coordinate(index, length, beyond.get(mode, "mirror")) - around
    if mode == "nearest":
        index = np.clip(index, 0, n_in - 1)
    return gather(index, np.broadcast_to(response, index.shape), n_in, fixed=True)


def _repeated(
    index: NDArray[np.int64],
    weights: NDArray[np.float64],
    n_in: int,
    order: int,
    bits: int,
) -> tuple[AxisOperator, ...]:
    """Return the operators of "grid-wrap": first repeat the ends, so that rows stay short."""
    side = order + 2  # no tap lies further out, as coordinates are mapped before
    interpolation = gather(index + side, weights, n_in + 2 * side)
    if not bits:
        ends = np.arange(-side, n_in + side) % n_in
        return AxisOperator.select(ends, n_in), interpolation
    response = impulse_response(order, bits)
    reach = len(response) // 2
    rows = n_in + 2 * side
    ends = np.arange(-side - reach, n_in + side + reach) % n_in
    smoothing = AxisOperator(np.arange(rows), np.tile(response, (rows, 1)), len(ends))
    return AxisOperator.select(ends, n_in), smoothing, interpolation
