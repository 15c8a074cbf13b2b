"""Lengths, scales and regions of the axes of ONNX Runtime's Resize, and which it can resize."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from ndresize.dialects import _arguments as arguments
from ndresize.dialects._onnx_words import refuse_length, refuse_two_shapes
from ndresize.dialects._onnxruntime_coordinates import Axis
from ndresize.dialects._onnxruntime_words import Words
from ndresize.errors import ResizeError

__all__ = ["axes_of", "resized_axes"]


def axes_of(shape: tuple[int, ...], words: Words, roi: Any, scales: Any, sizes: Any) -> list[Axis]:
    """Return lengths, scale and region of every axis."""
    rank = len(shape)
    listed = arguments.normalised_axes(words.axes, rank)
    per = "axis of X" if words.axes is None else "entry of axes"
    refuse_two_shapes(scales, sizes)
    starts, ends = _region(words, roi, rank, listed, per)
    lengths = list(shape)
    factors = [np.float32(1)] * rank
    if arguments.absent(sizes):
        if words.policy != "stretch":
            raise ResizeError(
                f"keep_aspect_ratio_policy {words.policy!r} needs sizes, got scales={scales!r}"
            )
        found = arguments.float32_scales("scales", scales, len(listed), per)
        for axis, scale in zip(listed, found, strict=True):
            factors[axis] = np.float32(float(scale))
            lengths[axis] = _cut(factors[axis] * np.float32(shape[axis]))
    else:
        for axis, size in zip(
            listed, arguments.integers("sizes", sizes, len(listed), per), strict=True
        ):
            refuse_length(axis, shape[axis], size)
            lengths[axis] = size
            if size:
                factors[axis] = np.float32(size) / np.float32(shape[axis])
        _keep_aspect(shape, words, lengths, factors)
    return [
        Axis(n_in, n_out, scale, start, end)
        for n_in, n_out, scale, start, end in zip(
            shape, lengths, factors, starts, ends, strict=True
        )
    ]


def _cut(length: np.float32) -> int:
    """Return a length, which is too large to be counted where it is infinite."""
    return int(length) if np.isfinite(length) else 2**63


def _keep_aspect(
    shape: tuple[int, ...], words: Words, lengths: list[int], factors: list[np.float32]
) -> None:
    """Give all listed axes one scale; an axis that is listed by a negative number is not found."""
    if words.policy == "stretch":
        return
    found = [a for a in range(len(shape)) if words.axes is None or a in words.axes]
    if not found:
        scale = np.float32(1)
    elif words.policy == "not_larger":
        scale = min(factors[a] for a in found)
    else:
        scale = max(factors[a] for a in found)
    for axis, n_in in enumerate(shape):
        if axis in found:
            factors[axis] = scale
            lengths[axis] = int(Fraction(float(scale * np.float32(n_in))) + Fraction(1, 2))
        else:
            factors[axis], lengths[axis] = np.float32(1), n_in


def _region(
    words: Words, roi: Any, rank: int, listed: list[int], per: str
) -> tuple[list[np.float32], list[np.float32]]:
    """Return where the region starts and ends on every axis."""
    starts, ends = [np.float32(0)] * rank, [np.float32(1)] * rank
    given = [] if arguments.absent(roi) else arguments.vector("roi", roi)
    if not words.crops or roi is None:
        return starts, ends
    values = [np.float32(arguments.float32("roi", value)) for value in given]
    if len(values) != 2 * len(listed):
        raise ResizeError(
            f"roi must have {2 * len(listed)} entries, starts and then ends, one each per {per}, "
            f"got {len(values)}"
        )
    if not all(np.isfinite(values)):
        raise ResizeError(f"roi must be finite, got {roi!r}")
    for position, axis in enumerate(listed):
        starts[axis], ends[axis] = values[position], values[len(listed) + position]
    return starts, ends


def resized_axes(words: Words, axes: list[Axis], shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the axes that a kernel interpolates, or refuse what no kernel takes."""
    rank = len(shape)
    if words.mode == "nearest":
        return tuple(range(rank))
    ones = [axis.scale == 1 for axis in axes]
    if rank == 2:
        return 0, 1
    if rank == 4 and ones[0] and ones[1]:
        return 2, 3
    last = rank == 4 and ones[0] and ones[3]
    if words.mode == "linear":
        if last:
            return 1, 2
        if rank == 3:
            return 0, 1, 2
        if rank == 5 and ones[0] and ones[1]:
            return 2, 3, 4
        allowed = "2 or 3 dimensions, 4 (scale 1 of the first two, or of the first and the last) "
        allowed += "or 5 (scale 1 of the first two)"
    else:
        if last and (words.antialias or (axes[1].scale >= 1 and axes[2].scale >= 1)):
            return 1, 2
        allowed = "2 dimensions or 4 (scale 1 of the first two, or, with antialias or where the "
        allowed += "others do not shrink, of the first and the last)"
    raise ResizeError(
        f"mode {words.mode!r} takes {allowed}; got shape {shape} and scales "
        f"{[float(axis.scale) for axis in axes]}"
    )
