"""PyTorch's coordinates, in its own types and with its own roundings.

The compiler of the released wheels contracts a product and the sum after it to one fused
operation wherever the processor has it (AVX2 and up), so the functions here round once as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["coordinates", "fused", "step"]


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
