"""One axis of TensorFlow Lite's resize kernels.

From ``tensorflow/lite/kernels/internal/reference/resize_bilinear.h`` and
``resize_nearest_neighbor.h``: float32 for floats and uint8, whole numbers for int8 and int16.
"""

from __future__ import annotations

import numpy as np

from ndresize.axis import AxisOperator
from ndresize.dialects._tensorflow_axes import coordinates, round_half_away, two_taps

__all__ = [
    "FIXED_BITS",
    "axis_scale",
    "bilinear_fixed",
    "bilinear_joint",
    "nearest",
    "nearest_uint8",
    "overruns",
]

FIXED_BITS = 10
"""Fractional bits of coordinates and weights of the integer kernel, on each axis."""

_ONE = 1 << FIXED_BITS


def axis_scale(n_in: int, n_out: int, align_corners: bool) -> np.float32:
    """Return how many input samples an output sample advances."""
    if align_corners and n_out > 1:
        return np.float32(n_in - 1) / np.float32(n_out - 1)
    return np.float32(n_in) / np.float32(n_out)


def nearest(n_in: int, n_out: int, align_corners: bool, half_pixel_centers: bool) -> AxisOperator:
    """Return the operator of RESIZE_NEAREST_NEIGHBOR; both flags may be set."""
    offset = np.float32(0.5 if half_pixel_centers else 0)
    at = (np.arange(n_out).astype(np.float32) + offset) * axis_scale(n_in, n_out, align_corners)
    picked = round_half_away(at) if align_corners else np.floor(at).astype(np.int64)
    return AxisOperator.select(np.minimum(picked, n_in - 1), n_in)


def nearest_uint8(n_in: int, n_out: int) -> AxisOperator:
    """Return the operator of RESIZE_NEAREST_NEIGHBOR for uint8 without flags.

    The optimised kernel counts in units of 2**-16, in 32 bits; so inputs from 32768 samples on
    overflow there, and do not here.
    """
    step = (n_in << 16) // n_out + 1
    picked = np.arange(n_out, dtype=np.int64) * step >> 16
    return AxisOperator.select(np.minimum(picked, n_in - 1), n_in)


def bilinear_joint(
    n_in: int, n_out: int, align_corners: bool, half_pixel_centers: bool
) -> tuple[AxisOperator, AxisOperator]:
    """Return the operators of RESIZE_BILINEAR for uint8 and float32: its products are one sum.

    One that repeats both edge samples, then the weights. A sample at the edge is read twice, by
    weights whose sum is 1, the second of which may be negative.
    """
    at = coordinates(n_out, axis_scale(n_in, n_out, align_corners), half_pixel_centers)
    lower = np.maximum(np.floor(at), np.float32(0))
    part = at - lower
    weights = np.stack([np.float32(1) - part, part], axis=1)
    edges = AxisOperator.select(np.clip(np.arange(-1, n_in + 1), 0, n_in - 1), n_in)
    # Before the first sample both reads are of it.
    first = np.where(at < 0, 0, lower.astype(np.int64) + 1)
    return edges, AxisOperator(np.minimum(first, n_in), weights, n_in + 2)


def _fixed_coordinates(
    n_in: int, n_out: int, align_corners: bool, half_pixel_centers: bool
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return coordinates in units of 1/1024 sample; the step is rounded first, halves up."""
    long, steps = (n_in - 1, n_out - 1) if align_corners and n_out > 1 else (n_in, n_out)
    step = (_ONE * long + steps // 2) // steps
    offset = step // 2 - _ONE // 2 if half_pixel_centers else 0
    return np.arange(n_out, dtype=np.int64) * step + offset


def overruns(n_in: int, n_out: int, align_corners: bool, half_pixel_centers: bool) -> bool:
    """Return whether the rounded step of the integer kernel leads beyond the last sample."""
    at = _fixed_coordinates(n_in, n_out, align_corners, half_pixel_centers)
    return bool(at[-1] >= _ONE * n_in)


def bilinear_fixed(
    n_in: int, n_out: int, align_corners: bool, half_pixel_centers: bool
) -> AxisOperator:
    """Return the operator of RESIZE_BILINEAR for int8 and int16: weights in 1/1024.

    Where the rounded step leads beyond the last sample the kernel reads what lies there in memory;
    here the last sample is read.
    """
    at = _fixed_coordinates(n_in, n_out, align_corners, half_pixel_centers)
    lower = np.clip(at >> FIXED_BITS, 0, n_in - 1)
    upper = np.clip(-(-at >> FIXED_BITS), 0, n_in - 1)
    return two_taps(lower, upper, (at - lower * _ONE) / _ONE, n_in)
