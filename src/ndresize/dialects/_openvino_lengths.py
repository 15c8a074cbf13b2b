"""Pads, axes, output lengths and scales of OpenVINO's Interpolate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ndresize.dialects import _arguments as arguments
from ndresize.dialects._openvino_attributes import Attributes
from ndresize.dialects._openvino_rules import Rules
from ndresize.errors import ResizeError

__all__ = ["Axis", "axes_of", "lengths", "padded_by"]


@dataclass(frozen=True)
class Axis:
    """One axis that is resized.

    Parameters
    ----------
    axis : int
        Which.
    padded, n_out : int
        Its length with the pads, and that of the output.
    scale : float
        Of the type that coordinates are computed in.
    """

    axis: int
    padded: int
    n_out: int
    scale: float


def padded_by(pads: tuple[int, ...], rank: int) -> list[int]:
    """Return one pad per axis: a short list is continued by zeros, a long one is cut."""
    return [*pads[:rank], *[0] * (rank - len(pads))]


def axes_of(axes: Any, rank: int, *, as_a_set: bool) -> list[int]:
    """Return the axes to resize, or refuse them.

    Parameters
    ----------
    axes : sequence of int or None
        None: all of them.
    rank : int
        Of the data.
    as_a_set : bool
        Whether their order is forgotten, as in version 1, whose attribute is a set.
    """
    if axes is None:
        return list(range(rank))
    found: list[int] = []
    for axis in arguments.vector("axes", axes):
        if not isinstance(axis, int) or not 0 <= axis < rank:
            raise ResizeError(
                f"axes must lie in [0, {rank - 1}] for rank {rank}, got {axis}; OpenVINO does not "
                "count from the back"
            )
        if axis in found:
            raise ResizeError(
                f"axes must not repeat, got {list(axes)}; OpenVINO would take the last of them"
            )
        found.append(axis)
    return sorted(found) if as_a_set else found


def lengths(
    shape: tuple[int, ...],
    words: Attributes,
    rules: Rules,
    axes: list[int],
    sizes: Any,
    scales: Any,
) -> list[Axis]:
    """Return what becomes of each axis in `axes`, in their order.

    Parameters
    ----------
    shape : tuple of int
        Of the data, padded.
    """
    if words.by_scales:
        return [
            _scaled(rules, axis, shape[axis], scale)
            for axis, scale in zip(axes, _scales(scales, len(axes), rules), strict=True)
        ]
    result = []
    for axis, size in zip(axes, _sizes(sizes, len(axes), rules), strict=True):
        scale = float(rules.real(size) / rules.real(shape[axis])) if shape[axis] else 1.0
        result.append(Axis(axis, shape[axis], size, scale))
    return result


def _scaled(rules: Rules, axis: int, padded: int, scale: float) -> Axis:
    if not rules.lengths_in_float32:
        # The scale is the float32 that the input holds, the product a Python float.
        return Axis(axis, padded, int(np.floor(scale * padded)), scale)
    if scale == 1.0:
        return Axis(axis, padded, padded, scale)
    product = np.float32(padded) * (np.float32(scale) + np.float32(1e-6))
    if product >= 2**62:
        raise ResizeError(
            f"scales must leave an output length below 2**62, got {scale} (axis {axis}, padded "
            f"length {padded})"
        )
    return Axis(axis, padded, int(product), scale)


def _counted(name: str, values: list[Any], count: int, rules: Rules) -> list[Any]:
    extra = len(values) > count and rules.device != "document"
    if len(values) != count and not extra:
        raise ResizeError(
            f"{name} must have {count} entries, one per axis in axes, got {len(values)}"
        )
    return values[:count]  # OpenVINO asks for enough of them and does not look at the rest


def _sizes(sizes: Any, count: int, rules: Rules) -> list[int]:
    values = _counted("sizes", arguments.vector("sizes", sizes), count, rules)
    for position, size in enumerate(values):
        if not isinstance(size, int) or not 0 <= size < 2**62:
            raise ResizeError(
                f"sizes must be integers of at least 0, got {size!r} at position {position}"
            )
    return values


def _scales(scales: Any, count: int, rules: Rules) -> list[float]:
    values = _counted("scales", arguments.vector("scales", scales), count, rules)
    result = []
    for position, entry in enumerate(values):
        with np.errstate(over="ignore", under="ignore"):
            scale = float(np.float32(entry))
        if not (np.isfinite(scale) and scale > 0):
            raise ResizeError(
                f"scales must be finite and greater than 0, got {entry!r} at position {position}; "
                "OpenVINO would give an empty axis"
            )
        result.append(scale)
    return result
