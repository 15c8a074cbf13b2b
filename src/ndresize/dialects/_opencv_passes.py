"""Sequences of passes whose every rounding is one of OpenCV's or IPP's.

A pass in float32 rounds each product and each sum, unless the engine composes it with its
neighbours or multiplies and adds at once, which it does not where one axis has passes in float32
and in float64 (`apart`). One in float64 keeps what float32 samples make of float32 weights, and the
pass in float32 after it takes it rounded: together they stand for a fused multiply and add.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ndresize.axis import AxisOperator
from ndresize.dialects._opencv_taps import Taps
from ndresize.plan import Arithmetic, Pass

__all__ = [
    "FLOAT32",
    "FLOAT64",
    "HALVES",
    "LERP",
    "UNFUSED",
    "backwards",
    "fused_halves",
    "halves",
    "in_orders",
    "padded",
    "picked",
    "scaled",
]

FLOAT32 = Arithmetic("float32")
FLOAT64 = Arithmetic("float64")
HALVES = Arithmetic("float32", sums="halves")
LERP = Arithmetic("float32", sums="lerp")
UNFUSED = Arithmetic("float32", fused=False)
_PICKED = Arithmetic("element")


def _blocks(weights: NDArray[np.float64]) -> AxisOperator:
    """Return the operator that sums blocks of as many samples as there are columns."""
    n_out, taps = weights.shape
    return AxisOperator(np.arange(n_out) * taps, weights, n_out * taps)


def _interleaved(n_out: int, rows: list[list[float]]) -> AxisOperator:
    """Return the operator that makes of every block the sums of all `rows`, side by side."""
    block = np.array(rows)
    starts = np.repeat(np.arange(n_out) * block.shape[1], len(block))
    return AxisOperator(starts, np.tile(block, (n_out, 1)), n_out * block.shape[1])


def picked(axis: int, operator: AxisOperator) -> Pass:
    """Return a pass that picks samples."""
    return Pass(axis, operator, _PICKED)


def scaled(axis: int, factors: NDArray[np.float64], arithmetic: Arithmetic = FLOAT32) -> Pass:
    """Return a pass that multiplies each sample of an axis by a factor of its own."""
    index = np.arange(len(factors))
    return Pass(axis, AxisOperator(index, factors[:, None], len(factors)), arithmetic)


def rounded_to_float32(axis: int, n: int) -> Pass:
    """Return a pass that leaves all as it is but for the type of the sums."""
    return scaled(axis, np.ones(n))


def padded(axis: int, taps: Taps, arithmetic: Arithmetic) -> list[Pass]:
    """Return passes that sum from the first tap to the last, each edge sample as often as read."""
    edges, operator = taps.padded()
    before = [] if edges is None else [picked(axis, edges)]
    return [*before, Pass(axis, operator, arithmetic)]


def backwards(axis: int, taps: Taps, arithmetic: Arithmetic) -> list[Pass]:
    """Return passes that sum from the last tap to the first, on an axis that is turned round."""
    edges, operator = taps.padded()
    length = operator.n_in
    order = np.arange(length) if edges is None else edges.starts
    starts = length - operator.taps - operator.starts
    turned = AxisOperator(starts, operator.weights[:, ::-1], length)
    return [
        picked(axis, AxisOperator.select(order[::-1].copy(), taps.n_in)),
        Pass(axis, turned, arithmetic),
    ]


def halves(axis: int, taps: Taps) -> list[Pass]:
    """Return passes for ``(a * w0 + b * w1) + (c * w2 + d * w3)``."""
    n_out = len(taps.first)
    return [
        picked(axis, taps.laid_out((0, 1, 2, 3))),
        Pass(axis, _blocks(taps.weights.reshape(-1, 2)), FLOAT32),
        Pass(axis, _blocks(np.ones((n_out, 2))), FLOAT32),
    ]


def fused_halves(axis: int, taps: Taps, order: tuple[int, ...] = (0, 1, 2, 3)) -> list[Pass]:
    """Return passes for the same with the first product of each half added at once.

    `order` says which taps are a, b, c and d.
    """
    n_out = len(taps.first)
    weights = taps.weights[:, list(order)]
    first = weights.copy()
    first[:, ::2] = 1.0
    then = np.ones_like(weights)
    then[:, ::2] = weights[:, ::2]
    return [
        picked(axis, taps.laid_out(order)),
        scaled(axis, first.ravel()),
        Pass(axis, _blocks(then.reshape(-1, 2)), FLOAT64),
        Pass(axis, _blocks(np.ones((n_out, 2))), FLOAT32),
    ]


def in_orders(
    axis: int,
    taps: Taps,
    order: NDArray[np.int64],
    chained: NDArray[np.bool_],
    *,
    fused: bool,
) -> list[Pass]:
    """Return passes that sum four taps of each output sample in an order of its own.

    With a, b, c and d the taps as `order`, shape (n_out, 4), says: where `chained`,
    ``fma(d, w3, fma(c, w2, fma(b, w1, a * w0)))``; else, `fused`,
    ``fma(b, w1, a * w0) + fma(d, w3, c * w2)``; and not, ``(a * w0 + b * w1) + (c * w2 + d * w3)``.
    """
    n_out = len(taps.first)
    one, zero = np.ones(n_out), np.zeros(n_out)
    index = np.clip(taps.first[:, None] + order, 0, taps.n_in - 1)
    w0, w1, w2, w3 = np.take_along_axis(taps.weights, order, axis=1).T

    def either(chain: NDArray[np.float64], pairs: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.where(chained, chain, pairs)

    def summed(rows: list[list[NDArray[np.float64]]], arithmetic: Arithmetic) -> Pass:
        """Make of each block of samples one sample per row."""
        block = np.array(rows)  # (rows, samples, n_out)
        count, samples, _ = block.shape
        starts = np.repeat(np.arange(n_out) * samples, count)
        weights = np.moveaxis(block, 2, 0).reshape(-1, samples)
        return Pass(axis, AxisOperator(starts, weights, n_out * samples), arithmetic)

    def rounded(samples: int) -> Pass:
        return rounded_to_float32(axis, n_out * samples)

    products = [w0, one, either(one, w2), one]
    if not fused:
        products = [w0, either(one, w1), either(one, w2), either(one, w3)]
    second, fourth = (w1, w3) if fused else (one, one)
    return [
        picked(axis, AxisOperator.select(index.ravel(), taps.n_in)),
        scaled(axis, np.stack(products, axis=1).ravel()),
        summed(
            [
                [one, either(w1, second), zero, zero],
                [zero, zero, one, either(zero, fourth)],
                [zero, zero, zero, either(one, zero)],
            ],
            FLOAT64,
        ),
        rounded(3),
        summed([[one, either(w2, one), zero], [zero, zero, either(one, zero)]], FLOAT64),
        rounded(2),
        summed([[one, either(w3, zero)]], FLOAT64),
    ]
