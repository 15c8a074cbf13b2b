"""B-splines: their values around a coordinate, and the filter that makes them interpolate."""

from __future__ import annotations

import decimal
import functools
import math
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

__all__ = ["impulse_response", "short_reflected", "spline_weights"]

Floats = NDArray[np.float64]


def spline_weights(x: Floats, order: int) -> Floats:
    """Return the weights of the ``order + 1`` samples around each coordinate.

    Parameters
    ----------
    x : ndarray of float64, shape (n,)
        Coordinates.
    order : {0, 1, 2, 3, 4, 5}
        Degree of the spline.

    Returns
    -------
    ndarray of float64, shape (n, order + 1)
        For the samples from ``floor(x) - order // 2`` on, or from ``floor(x + 0.5) - order // 2``
        on where the order is even. The polynomials and the order of their operations are those of
        ``get_spline_interpolation_weights`` in SciPy 1.17.1 (``ni_splines.c``).
    """
    d = x - np.floor(x if order % 2 else x + 0.5)
    e = 1.0 - d  # the distance to the next sample
    weights: list[Floats] = []
    if order == 1:
        weights = [e]
    elif order == 2:
        h = 0.5 - d
        weights = [0.5 * h * h, 0.75 - d * d]
    elif order == 3:
        weights = [e * e * e / 6.0, _cubic_inner(d), _cubic_inner(e)]
    elif order == 4:
        h, square = 0.5 - d, d * d
        h = h * h
        middle = square * (square * 0.25 - 0.625) + 115.0 / 192.0
        weights = [h * h / 24.0, _quartic_next(1.0 + d), middle, _quartic_next(e)]
    elif order == 5:
        square = e * e
        weights = [
            e * square * square / 120.0,
            _quintic_next(d + 1.0),
            _quintic_inner(d),
            _quintic_inner(e),
            _quintic_next(e + 1.0),
        ]
    last = np.ones_like(x)  # what is left of 1
    for weight in weights:
        last = last - weight
    return np.stack([*weights, last], axis=1)


def _cubic_inner(y: Floats) -> Floats:
    return (y * y * (y - 2.0) * 3.0 + 4.0) / 6.0


def _quartic_next(y: Floats) -> Floats:
    return y * (y * (y * (5.0 - y) / 6.0 - 1.25) + 5.0 / 24.0) + 55.0 / 96.0


def _quintic_inner(y: Floats) -> Floats:
    square = y * y
    return square * (square * (0.25 - y / 12.0) - 0.5) + 0.55


def _quintic_next(y: Floats) -> Floats:
    return y * (y * (y * (y * (y / 24.0 - 0.375) + 1.25) - 1.75) + 0.625) + 0.425


_POLES = {
    2: (-0.17157287525380990,),
    3: (-0.26794919243112270,),
    4: (-0.36134122590022018, -0.013725429297339121),
    5: (-0.43057534709997379, -0.043096288203264654),
}
"""The roots inside the unit circle of the B-spline's own samples (Unser, Aldroubi, Eden 1991).

Their expressions in square roots lose digits, so here they are to the last bit of a double.
"""


@functools.cache
def impulse_response(order: int, bits: int) -> Floats:
    """Return the prefilter of a spline as an ordinary symmetric filter.

    SciPy runs it as a recursion forth and back over the line, which is a filter with endless
    taps; they shrink by the largest pole from one to the next.

    Parameters
    ----------
    order : {2, 3, 4, 5}
        Degree of the spline.
    bits : int
        The filter ends where all taps that would follow are below ``2**-bits``.

    Returns
    -------
    ndarray of float64, shape (2 * reach + 1,)
        Computed with 40 digits and rounded once.
    """
    with decimal.localcontext(prec=40):
        poles = _exact_poles(order)
        reach = math.ceil(bits * math.log(2) / -math.log(abs(poles[0])))
        # 1 / ((u - s) (u - t)) is 1 / (u - s) - 1 / (u - t) over (s - t), where u is the sum of
        # both shifts by one sample and s, t are pole + 1 / pole: two filters in a row are a
        # difference.
        sums = [pole + 1 / pole for pole in poles]
        gain = math.prod((2 - s for s in sums), start=Decimal(1))
        sides = [[-z / (1 - z * z) * z**j for j in range(reach + 1)] for z in poles]
        if len(poles) == 1:
            side = [gain * h for h in sides[0]]
        else:
            gain /= sums[0] - sums[1]
            side = [gain * (h - g) for h, g in zip(*sides, strict=True)]
    half = np.array([float(h) for h in side])
    response = np.concatenate([half[:0:-1], half])
    response.setflags(write=False)  # it is kept
    return response


def _exact_poles(order: int) -> list[Decimal]:
    """Return the poles to the precision of the decimal context."""
    if order == 2:
        return [Decimal(8).sqrt() - 3]
    if order == 3:
        return [Decimal(3).sqrt() - 2]
    a, b, c, d = (664, 438976, 304, 19) if order == 4 else ("67.5", "4436.25", "26.25", "6.5")
    inner, outer = Decimal(b).sqrt(), Decimal(c).sqrt()
    return [
        (Decimal(a) - inner).sqrt() + outer - Decimal(d),
        (Decimal(a) + inner).sqrt() - outer - Decimal(d),
    ]


def short_reflected(n: int, order: int) -> Floats:
    """Return the prefilter of a short line that is reflected at its ends, as SciPy runs it.

    SciPy sums the endless reflected line in place and reads its first sample again after it has
    changed (``_init_causal_reflect`` in ``ni_splines.c``), which puts the largest pole to the
    power of about twice the length into the result: on short lines its coefficients are not quite
    those of a spline through the samples.

    Returns
    -------
    ndarray of float64, shape (n, n)
        The matrix from samples to coefficients; `n` at least 2.
    """
    poles = _POLES[order]
    c = np.eye(n) * math.prod((1.0 - z) * (1.0 - 1.0 / z) for z in poles)
    for z in poles:
        first, z_n, z_i = c[0].copy(), z**n, z
        c[0] += z_n * c[-1]
        for i in range(1, n):
            c[0] += z_i * (c[i] + z_n * c[n - 1 - i])
            z_i *= z
        c[0] = c[0] * (z / (1.0 - z_n * z_n)) + first
        for i in range(1, n):
            c[i] += z * c[i - 1]
        c[-1] *= z / (z - 1.0)
        for i in range(n - 2, -1, -1):
            c[i] = z * (c[i + 1] - c[i])
    return c
