"""What the accounts of OpenVINO's Interpolate refuse, and what they accept and then garble."""

from __future__ import annotations

from typing import Any

import numpy as np

from ndresize.dialects._openvino_attributes import Attributes
from ndresize.dialects._openvino_lengths import Axis
from ndresize.dialects._openvino_rules import Rules
from ndresize.errors import ResizeError

__all__ = ["refuse", "runs_on_reference"]


def refuse(
    rules: Rules,
    words: Attributes,
    version: int,
    dtype: np.dtype[Any],
    padded: tuple[int, ...],
    resized: list[Axis],
) -> None:
    """Raise ResizeError for a call that `rules.device` does not answer."""
    axes = [step.axis for step in resized]
    if rules.device == "CPU":
        _refuse_types(version, dtype)
        _refuse_axes_of_plugin(words, padded, resized)
    if words.mode.endswith("_pillow"):
        pads = any(words.pads_begin) or any(words.pads_end)
        _refuse_pillow(rules, words.mode, len(padded), axes, padded=pads)
    if words.mode == "linear_onnx" and (rules.device != "CPU" or len(padded) > 5):
        _refuse_linear_onnx(rules, len(padded), axes)


def _refuse_pillow(rules: Rules, mode: str, rank: int, axes: list[int], *, padded: bool) -> None:
    if len(axes) != 2:
        raise ResizeError(f"axes must be two, rows and columns, for mode {mode}, got {axes}")
    # The reference swaps them back wrongly; the plugin does it well but for pads.
    wrong = rules.device == "reference" or runs_on_reference(mode, rank) or padded
    if rules.device != "document" and wrong and axes[0] > axes[1]:
        raise ResizeError(
            f"axes must ascend for mode {mode}, got {axes}; OpenVINO accepts them and mixes rows "
            "and columns up or writes past its memory; swap the axes and their sizes"
        )


def _refuse_linear_onnx(rules: Rules, rank: int, axes: list[int]) -> None:
    """Both want all axes, or all but batch and channels; the page does not ask for an order."""
    every = list(range(rank))
    allowed = [every] if rank in (2, 3) else [every[2:]] if rank >= 4 else []
    if rules.device != "document" and rank >= 4:
        allowed.append(every)
    if (sorted(axes) if rules.device == "document" else axes) not in allowed:
        told = " or ".join(map(str, allowed)) or "of a tensor of 2 to 5 dimensions"
        raise ResizeError(
            f"axes must be {told} for mode linear_onnx and rank {rank}, got {axes}; mode linear "
            "takes any axes in any order, with the same result"
        )
    if rank > 5:
        raise ResizeError(
            f"mode linear_onnx must have at most 5 dimensions, got {rank}; mode linear takes more"
        )


def runs_on_reference(mode: str, rank: int) -> bool:
    """Return whether the CPU plugin has no kernel of its own and calls the reference."""
    if mode.endswith("_pillow"):
        return rank > 4
    return rank > 5 or (rank == 5 and mode == "cubic")


def _refuse_types(version: int, dtype: np.dtype[Any]) -> None:
    known = ("float32", "float16", "bfloat16", "float64", "int8", "uint8", "int32", "int64")
    if version != 1 and dtype.name not in known:
        raise ResizeError(
            f"data must be one of {', '.join(known)} for device CPU, got {dtype}; convert it"
        )


def _refuse_axes_of_plugin(words: Attributes, padded: tuple[int, ...], resized: list[Axis]) -> None:
    """Refuse what the plugin throws at, or answers with memory that it never wrote.

    Its kernels know batch, channels, depth, height and width. Which other calls it passes on to
    the reference, which it refuses and which it garbles follows no rule that could be told.
    """
    rank = len(padded)
    if runs_on_reference(words.mode, rank):
        return
    moving = [step.axis for step in resized if step.scale != 1]
    first = 2 if rank >= 4 else 1 if rank == 3 else 0
    pads = {
        axis
        for pads in (words.pads_begin, words.pads_end)
        for axis, pad in enumerate(pads[:rank])
        if pad
    }
    last = rank == 4 and [step.axis for step in resized] == [1, 2]  # channels last
    if last:
        first = 1
    bad = [axis for axis in sorted({*moving, *pads}) if axis < first]
    if pads and (rank == 3 or last):
        raise ResizeError(
            "pads must be zero for device CPU and three dimensions or channels last, got some: "
            "the plugin puts the padded rows elsewhere; pad the data before"
        )
    if bad:
        raise ResizeError(
            f"axes that are resized or padded must be {first} or above for device CPU and rank "
            f"{rank}, got {bad}; the plugin refuses or garbles the rest, device='reference' does it"
        )
    if rank == 1 and words.mode != "nearest" and words.mode != "linear":
        raise ResizeError(
            f"mode {words.mode} must have at least two dimensions for device CPU, got 1"
        )
