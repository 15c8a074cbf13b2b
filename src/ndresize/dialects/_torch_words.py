"""The arguments of PyTorch's interpolate, checked: which axes, how long, in which way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ndresize.dialects import _arguments as arguments
from ndresize.errors import ResizeError

__all__ = ["MODES", "Words", "checked"]

MODES = (
    "nearest",
    "nearest-exact",
    "linear",
    "bilinear",
    "bicubic",
    "trilinear",
    "lanczos",
    "area",
)
"""The modes of PyTorch 2.13."""

_DIMENSIONS = {"linear": 3, "bilinear": 4, "bicubic": 4, "lanczos": 4, "trilinear": 5}
_PICKING = ("nearest", "nearest-exact", "area")  # have no align_corners
_FLOATS = ("float32", "float64", "float16", "bfloat16")


@dataclass(frozen=True)
class Words:
    """A checked call.

    Parameters
    ----------
    mode : str
        One of `MODES`.
    lengths : tuple of int
        Output length of each axis from the third on.
    scales : tuple of (float or None)
        The scale that each axis's coordinates use; None: the ratio of its lengths.
    align_corners, antialias : bool
        As given.
    """

    mode: str
    lengths: tuple[int, ...]
    scales: tuple[float | None, ...]
    align_corners: bool
    antialias: bool


def checked(
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    size: Any,
    scale_factor: Any,
    mode: Any,
    align_corners: Any,
    recompute_scale_factor: Any,
    antialias: Any,
) -> Words:
    """Return the words of a call, or refuse what PyTorch refuses."""
    mode = arguments.choice("mode", mode, MODES)
    _refuse_rank(mode, len(shape))
    aligned = _aligned(mode, align_corners)
    smooth = arguments.flag("antialias", antialias)
    _refuse_antialias(mode, len(shape), aligned, smooth)
    _refuse_type(mode, len(shape), smooth, dtype)
    again = recompute_scale_factor is not None and arguments.flag(
        "recompute_scale_factor", recompute_scale_factor
    )
    lengths, scales = _lengths(shape, size, scale_factor, again or mode == "area", again)
    _refuse_empty(mode, shape, lengths)
    return Words(mode, lengths, scales, aligned, smooth)


def _refuse_rank(mode: str, rank: int) -> None:
    needed = _DIMENSIONS.get(mode)
    if rank not in (3, 4, 5):
        raise ResizeError(
            f"input must have 3, 4 or 5 dimensions (batch, channels, then 1 to 3 axes that are "
            f"resized), got {rank}; add axes of length 1"
        )
    if needed is not None and rank != needed:
        same = {3: "linear", 4: "bilinear", 5: "trilinear"}[rank]
        hint = f"; for {rank} dimensions it is {same!r}" if mode.endswith("linear") else ""
        raise ResizeError(f"mode {mode!r} needs an input of {needed} dimensions, got {rank}{hint}")


def _aligned(mode: str, align_corners: Any) -> bool:
    if align_corners is None:
        return False
    if mode in _PICKING:
        raise ResizeError(
            f"align_corners must be left out with mode {mode!r} (even False), got {align_corners!r}"
        )
    if not isinstance(align_corners, bool):
        raise ResizeError(f"align_corners must be True or False, got {align_corners!r}")
    return align_corners


def _refuse_antialias(mode: str, rank: int, aligned: bool, antialias: bool) -> None:
    if antialias and mode not in ("bilinear", "bicubic", "lanczos"):
        raise ResizeError(
            f"antialias needs mode bilinear, bicubic or lanczos and 4 dimensions, got {mode!r} and "
            f"{rank}"
        )
    if mode == "lanczos" and not antialias:
        raise ResizeError("mode 'lanczos' needs antialias=True")
    if mode == "lanczos" and aligned:
        raise ResizeError("mode 'lanczos' needs align_corners=False, got True")


def _refuse_type(mode: str, rank: int, antialias: bool, dtype: np.dtype[Any]) -> None:
    allowed: tuple[str, ...] = _FLOATS
    if mode.startswith("nearest") or (rank == 4 and mode != "area"):
        allowed += ("uint8",)
    if antialias:
        allowed = ("float32", "float64", "uint8")
    if dtype.name not in allowed:
        with_antialias = " with antialias" if antialias else ""
        raise ResizeError(
            f"input must be {', '.join(allowed[:-1])} or {allowed[-1]} for mode {mode!r}"
            f"{with_antialias}, got {dtype}; convert it first"
        )


def _lengths(
    shape: tuple[int, ...], size: Any, scale_factor: Any, drop: bool, again: bool
) -> tuple[tuple[int, ...], tuple[float | None, ...]]:
    """Return output lengths and the scales that coordinates use; none are used if `drop`."""
    count = len(shape) - 2
    if size is not None and scale_factor is not None:
        raise ResizeError(
            f"give size or scale_factor, not both; got size={size!r}, scale_factor={scale_factor!r}"
        )
    if size is not None:
        if again:
            raise ResizeError(
                "recompute_scale_factor=True needs scale_factor: with size the scale is always the "
                f"ratio of the lengths; got size={size!r}"
            )
        lengths = tuple(_integer(n) for n in _per_axis("size", size, count))
        return lengths, (None,) * count
    if scale_factor is None:
        raise ResizeError("give size or scale_factor; got neither")
    scales = tuple(_number(s) for s in _per_axis("scale_factor", scale_factor, count))
    # A product in double precision, its fraction cut off.
    lengths = tuple(int(n * s) for n, s in zip(shape[2:], scales, strict=True))
    return lengths, (None,) * count if drop else scales


def _per_axis(name: str, value: Any, count: int) -> list[Any]:
    """Return one value per axis: those of a list or tuple, or the same for all."""
    if not isinstance(value, list | tuple):
        return [value] * count
    if len(value) != count:
        raise ResizeError(
            f"{name} must be one number or {count} of them, one per axis from the third on, got "
            f"{value!r}"
        )
    return list(value)


def _integer(value: Any) -> int:
    """Return a length, which PyTorch takes as an integer and never as a bool or a float."""
    if isinstance(value, bool) or not hasattr(value, "__index__") or np.ndim(value):
        raise ResizeError(f"size must be integers, got {value!r}")
    return int(value.__index__())


def _number(value: Any) -> float:
    """Return a scale; text is none, whatever it says."""
    if isinstance(value, str | bytes) or np.ndim(value):
        raise ResizeError(f"scale_factor must be numbers, got {value!r}")
    return arguments.finite("scale_factor", value)


def _refuse_empty(mode: str, shape: tuple[int, ...], lengths: tuple[int, ...]) -> None:
    least = 0 if mode == "area" else 1
    for axis, length in enumerate(lengths, start=2):
        if length < least:
            rule = "not be negative" if least == 0 else "be greater than 0"
            raise ResizeError(f"the output length must {rule}, got {length} (axis {axis})")
    if 0 in shape[2:] or (shape[1] == 0 and (mode != "area" or len(shape) == 5)):
        axis = shape.index(0, 1)
        raise ResizeError(
            f"input must have no empty axis but the batch, got shape {shape} (axis {axis} is empty)"
        )
