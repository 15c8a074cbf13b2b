"""Coordinates in float32, operation by operation, as ONNX Runtime's CPU kernels compute them.

The rules are those of ``onnxruntime/core/providers/cpu/tensor/upsamplebase.h``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["MODES", "NEAREST_MODES", "Axis", "coordinates", "nearest"]

Singles = NDArray[np.float32]
single = np.float32

MODES = (
    "half_pixel",
    "pytorch_half_pixel",
    "align_corners",
    "asymmetric",
    "tf_crop_and_resize",
    "half_pixel_symmetric",
    "tf_half_pixel_for_nn",
)

NEAREST_MODES = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")

_TIE = single(1e-6)


@dataclass(frozen=True)
class Axis:
    """One axis of a call: its lengths, its float32 scale, and its part of the roi."""

    n_in: int
    n_out: int
    scale: np.float32
    start: np.float32
    end: np.float32


def coordinates(axis: Axis, mode: str) -> Singles:
    """Return the coordinate of each output sample, whatever the scale.

    Parameters
    ----------
    axis : Axis
        The axis; at least one input sample.
    mode : str
        One of `MODES`.
    """
    i = np.arange(axis.n_out, dtype=single)
    half, scale = single(0.5), axis.scale
    n_in, n_out = single(axis.n_in), single(axis.n_out)
    if mode == "asymmetric":
        return i / scale
    if mode == "tf_half_pixel_for_nn":
        return (i + half) / scale
    if mode == "align_corners":
        if axis.n_out == 1:
            return np.zeros_like(i)
        return i * (n_in - single(1)) / (n_out - single(1))
    if mode == "tf_crop_and_resize":
        last = n_in - single(1)
        if axis.n_out <= 1:
            return (0.5 * np.float64(axis.start + axis.end) * np.float64(last) + 0.0 * i).astype(
                single
            )
        run = (i * (axis.end - axis.start) * last) / (n_out - single(1))
        return axis.start * last + run
    if mode == "half_pixel_symmetric":
        adjustment = n_out / (scale * n_in)
        offset = n_in / single(2) * (single(1) - adjustment)
        # Here a double constant makes the rest double.
        wide = np.float64(offset) + (i.astype(np.float64) + 0.5) / np.float64(scale) - 0.5
        return wide.astype(single)
    if mode == "pytorch_half_pixel" and axis.n_out <= 1:
        return np.zeros_like(i)
    return (i + half) / scale - half


def nearest(x: Singles, rule: str, *, shrinks: bool) -> NDArray[np.int64]:
    """Return the index that a rule picks for each coordinate; may lie outside the input.

    Parameters
    ----------
    x : ndarray of float32
        Coordinates.
    rule : str
        One of `NEAREST_MODES`, or "simple", which opset 10 and Upsample have.
    shrinks : bool
        Whether the scale is below 1.
    """
    below = np.floor(x)
    if rule == "floor" or (rule == "simple" and not shrinks):
        return (below if rule == "floor" else np.trunc(x)).astype(np.int64)
    if rule in ("ceil", "simple"):
        return np.ceil(x).astype(np.int64)
    rest = x - below
    up = rest > single(0.5)
    # A coordinate within a millionth of a tie counts as one.
    tie = np.abs(rest - single(0.5)) <= _TIE
    up = np.where(tie, rule == "round_prefer_ceil", up)
    return below.astype(np.int64) + up
