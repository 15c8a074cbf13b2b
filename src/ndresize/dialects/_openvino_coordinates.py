"""Coordinates of OpenVINO's Interpolate, in the floats that the system computes them in."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndresize.dialects._openvino_rules import Rules

__all__ = ["COORDINATES", "NEAREST_MODES", "coordinates", "nearest"]

COORDINATES = (
    "half_pixel",
    "pytorch_half_pixel",
    "asymmetric",
    "tf_half_pixel_for_nn",
    "align_corners",
)

NEAREST_MODES = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "simple")

Reals = NDArray[np.floating[Any]]


def coordinates(rules: Rules, mode: str, n_in: int, n_out: int, scale: float) -> Reals:
    """Return where each output sample lies on the (padded) input axis.

    Parameters
    ----------
    rules : Rules
        `real` is the type of every step and of the result: each operation rounds, as in the
        system, and ties are decided by what is left.
    mode : str
        The coordinate transformation mode.
    n_in, n_out : int
        Lengths.
    scale : float
        A value of type `real`.
    """
    real = rules.real
    half, s = real(0.5), real(scale)
    i: Reals = np.arange(n_out).astype(real)
    if rules.copies_equal_lengths and (s == 1 or n_in == n_out):
        return i
    if mode == "asymmetric":
        return i / s
    if mode == "tf_half_pixel_for_nn":
        return (i + half) / s
    if mode == "align_corners":
        if n_out == 1:
            return i
        if rules.divides_first:
            return i * (real(n_in - 1) / real(n_out - 1))
        return i * real(n_in - 1) / real(n_out - 1)
    if mode == "pytorch_half_pixel" and n_out == 1:
        return i
    return (i + half) / s - half


def nearest(rules: Rules, mode: str, x: Reals, shrinks: bool) -> NDArray[np.int64]:
    """Return the index that a nearest mode picks; may lie outside the axis."""
    x = x.astype(np.float64)  # exact, and so is what follows
    if mode == "floor":
        picked = np.floor(x)
    elif mode == "ceil" or (mode == "simple" and shrinks):
        picked = np.ceil(x)
    elif mode == "simple":
        picked = np.trunc(x)
    elif rules.ties_to_even:
        picked = np.rint(x)
    else:
        picked = np.trunc(x)
        picked += np.where(np.abs(x - picked) >= 0.5, np.sign(x), 0.0)
    if mode == "round_prefer_floor":
        picked = np.where(x == np.trunc(x) + 0.5, np.floor(x), picked)
    return picked.astype(np.int64)
