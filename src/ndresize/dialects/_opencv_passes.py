"""Passes whose every rounding is one of OpenCV's or IPP's."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ndresize.axis import AxisOperator
from ndresize.dialects._opencv_taps import Taps
from ndresize.plan import Arithmetic, Pass
from ndresize.products import TREES, Products

__all__ = [
    "CHAIN",
    "FLOAT32",
    "FLOAT64",
    "FUSED_HALVES",
    "HALVES",
    "LERP",
    "UNFUSED",
    "backwards",
    "in_trees",
    "padded",
    "picked",
    "scaled",
]

FLOAT32 = Arithmetic("float32")
FLOAT64 = Arithmetic("float64")
LERP = Arithmetic("float32", sums="lerp")
UNFUSED = Arithmetic("float32", fused=False)
CHAIN, HALVES, FUSED_HALVES = (TREES.index(t) for t in ("chain", "halves", "fused halves"))
_PICKED = Arithmetic("element")


def picked(axis: int, operator: AxisOperator) -> Pass:
    """Return a pass that picks samples."""
    return Pass(axis, operator, _PICKED)


def scaled(axis: int, factors: NDArray[np.float64], arithmetic: Arithmetic = FLOAT32) -> Pass:
    """Return a pass that multiplies each sample of an axis by a factor of its own."""
    index = np.arange(len(factors))
    return Pass(axis, AxisOperator(index, factors[:, None], len(factors)), arithmetic)


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


def in_trees(axis: int, taps: Taps, order: ArrayLike, trees: ArrayLike) -> Pass:
    """Return a pass that adds four products of each output sample in an order of its own.

    `order`, shape (n_out, 4) or (4,), says which taps come first, `trees`, shape (n_out,) or (), in
    which tree of `ndresize.products.TREES`.
    """
    rows = np.broadcast_to(order, taps.weights.shape)
    index = np.clip(taps.first[:, None] + rows, 0, taps.n_in - 1)
    weights = np.take_along_axis(taps.weights, rows, axis=1)
    return Pass.of_products(axis, Products(index, weights, trees, taps.n_in))
