"""PyTorch's coordinates, in its own types and with its own roundings.

The compiler of the released wheels contracts a product and the sum after it to one fused
operation wherever the processor has it (AVX2 and up), so the functions here round once as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["coordinates", "fused", "sine", "step"]

# The float sine of glibc from 2.28 on: these odd and even polynomials, in double precision, on the
# angle's distance from the nearest multiple of a right angle. It is wrong by up to 0.56 units in
# the last place, so another sine, even one correctly rounded, differs in one of fifty weights.
_ODD = [float.fromhex(c) for c in ("-0x1.555545995a603p-3", "0x1.1107605230bc4p-7")]
_ODD.append(float.fromhex("-0x1.994eb3774cf24p-13"))
_EVEN = [float.fromhex(c) for c in ("-0x1.ffffffd0c621cp-2", "0x1.55553e1068f19p-5")]
_EVEN += [float.fromhex(c) for c in ("-0x1.6c087e89a359dp-10", "0x1.99343027bf8c3p-16")]


def fused(a: Any, b: Any, c: Any) -> Any:
    """Return ``a * b + c`` rounded once, of the type of `a`: float32 or float64."""
    if a.dtype == np.float32:  # the product of two float32 is exact in float64
        return (a.astype(np.float64) * np.float64(b) + np.float64(c)).astype(np.float32)
    product = a * b
    lost = _lost_by_product(a, b, product)
    total = product + c
    back = total - product
    rest = (product - (total - back)) + (c - back)  # what the sum lost: Knuth's two-sum
    return total + (rest + lost)


def _lost_by_product(a: Any, b: Any, product: Any) -> Any:
    """Return what rounding took from ``a * b``: Dekker's product of halves of 26 bits."""

    def halves(x: Any) -> tuple[Any, Any]:
        wide = x * 134217729.0  # 2**27 + 1
        high = wide - (wide - x)
        return high, x - high

    (a1, a2), (b1, b2) = halves(a), halves(b)
    return ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2


def step(n_in: int, n_out: int, scale: float | None, align: bool, kind: type[Any]) -> Any:
    """Return how many input samples one output sample is, a number of type `kind`.

    Parameters
    ----------
    n_in, n_out : int
        Lengths of the axis.
    scale : float or None
        The scale that the coordinates use; None: the ratio of the lengths.
    align : bool
        Whether the corners are aligned; the scale is then not looked at.
    kind : {numpy.float32, numpy.float64}
        What PyTorch computes in.
    """
    if align:
        return kind(n_in - 1) / kind(n_out - 1) if n_out > 1 else kind(0)
    if scale is not None:
        return kind(1.0 / scale)
    return kind(n_in) / kind(n_out)


def coordinates(n_out: int, ratio: Any, align: bool) -> Any:
    """Return where the output samples lie on the input grid, shape (n_out,), unclamped."""
    index = np.arange(n_out).astype(ratio.dtype)
    if align:
        return ratio * index
    half = ratio.dtype.type(0.5)
    return fused(np.full(n_out, ratio), index + half, -half)


def sine(angle: Any) -> Any:
    """Return the sine of angles from 0 to a few turns, of their own type: float32 or float64."""
    if angle.dtype == np.float64:
        return np.sin(angle)
    wide = angle.astype(np.float64)
    turns = np.rint(wide * (2 / np.pi)).astype(np.int64)  # quarters of a turn
    rest = wide - turns * (np.pi / 2)
    square = rest * rest
    odd = rest + rest * square * np.polyval(_ODD[::-1], square)
    even = 1.0 + square * np.polyval(_EVEN[::-1], square)
    value = np.where(turns % 2 == 0, odd, even)
    return np.where(turns % 4 >= 2, -value, value).astype(np.float32)
