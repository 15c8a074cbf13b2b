"""What the options of the command say, read from text and checked."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from ndresize.errors import ResizeError
from ndresize.resizing import resize

__all__ = [
    "Request",
    "axes_from_text",
    "count_from_text",
    "number_from_text",
    "region_from_text",
    "scales_from_text",
    "sizes_from_text",
]

_OPTIONS = {
    "mode": "--mode",
    "antialias": "--antialias",
    "coordinate_transformation_mode": "--coordinates",
    "nearest_mode": "--nearest-mode",
    "cubic_coeff_a": "--cubic-coeff-a",
    "exclude_outside": "--exclude-outside",
    "extrapolation_value": "--extrapolation-value",
    "keep_aspect_ratio_policy": "--keep-aspect",
}

Number = TypeVar("Number", int, float)


def sizes_from_text(text: str) -> tuple[int, ...]:
    """Read ``640x480``.

    Raises
    ------
    ResizeError
        If it is not one or more whole numbers of at least 1.
    """
    sizes = _numbers(text, int)
    if not sizes or min(sizes) < 1:
        raise ResizeError(
            f"--size must be whole numbers of at least 1 joined by x, as in 640x480, got {text!r}"
        )
    return sizes


def scales_from_text(text: str) -> tuple[float, ...]:
    """Read ``0.5`` or ``0.5x0.25``.

    Raises
    ------
    ResizeError
        If it is not one or more finite numbers greater than 0.
    """
    scales = _numbers(text, float)
    if not scales or not all(math.isfinite(scale) and scale > 0 for scale in scales):
        raise ResizeError(
            "--scale must be finite numbers greater than 0 joined by x, as in 0.5 or 0.5x0.25, got "
            f"{text!r}"
        )
    return scales


def axes_from_text(text: str) -> tuple[int, ...]:
    """Read ``-2,-1``.

    Raises
    ------
    ResizeError
        If it is not one or more whole numbers.
    """
    axes = _numbers(text, int)
    if not axes:
        raise ResizeError(
            f"--axes must be whole numbers joined by commas, as in 0,1 or -2,-1, got {text!r}"
        )
    return axes


def region_from_text(text: str) -> tuple[float, ...]:
    """Read ``0.25,0.25,0.75,0.75``.

    Raises
    ------
    ResizeError
        If it is not an even number of finite numbers.
    """
    region = _numbers(text, float)
    if not region or len(region) % 2 or not all(map(math.isfinite, region)):
        raise ResizeError(
            "--roi must be finite numbers joined by commas, all starts and then all ends, as in "
            f"0.25,0.25,0.75,0.75, got {text!r}"
        )
    return region


def count_from_text(option: str, text: str, most: int | None = None) -> int:
    """Read a whole number from 1 to `most`.

    Raises
    ------
    ResizeError
        If it is not one.
    """
    try:
        count = int(text)
    except ValueError:
        count = 0
    if count < 1 or (most is not None and count > most):
        allowed = "of at least 1" if most is None else f"from 1 to {most}"
        raise ResizeError(f"{option} must be a whole number {allowed}, got {text!r}")
    return count


def number_from_text(option: str, text: str) -> float:
    """Read a number.

    Raises
    ------
    ResizeError
        If it is not one.
    """
    try:
        return float(text)
    except ValueError:
        raise ResizeError(f"{option} must be a number, got {text!r}") from None


def _numbers(text: str, kind: Callable[[str], Number]) -> tuple[Number, ...]:
    """Return the numbers in a text, joined by commas or x; none if any is not one."""
    try:
        return tuple(kind(part) for part in re.split("[xX,]", text))
    except ValueError:
        return ()


@dataclass(frozen=True)
class Request:
    """What is asked for, whatever the files.

    Parameters
    ----------
    sizes, scales
        As given; exactly one is None.
    axes : tuple of int or None
        As given.
    roi : tuple of float or None
        As given.
    words : dict
        The other arguments of `ndresize.resize`, under its names.
    threads : int or None
        How many threads at most.

    Raises
    ------
    ResizeError
        If a word is not allowed, whatever the files.
    """

    sizes: tuple[int, ...] | None = None
    scales: tuple[float, ...] | None = None
    axes: tuple[int, ...] | None = None
    roi: tuple[float, ...] | None = None
    words: dict[str, Any] = field(default_factory=dict)
    threads: int | None = None

    def __post_init__(self) -> None:
        if self.sizes is not None and self.scales is not None:
            raise ResizeError("--size and --scale must not both be given; leave one out")
        if self.sizes is None and self.scales is None:
            raise ResizeError("one of --size (as in 640x480) and --scale (as in 0.5) must be given")
        cropping = self.words.get("coordinate_transformation_mode") == "tf_crop_and_resize"
        if self.roi is not None and not cropping:
            raise ResizeError("--roi must be given with --coordinates tf_crop_and_resize alone")
        if self.roi is None and cropping:
            raise ResizeError("--coordinates tf_crop_and_resize must be given with a --roi")
        try:
            resize.plan((1,), np.float32, (0, 1) if cropping else None, None, (1,), **self.words)
        except ResizeError as error:
            word, _, rest = str(error).partition(" ")
            raise ResizeError(f"{_OPTIONS.get(word, word)} {rest}") from None

    @property
    def nearest(self) -> bool:
        """Whether samples are picked and not averaged."""
        return bool(self.words.get("mode", "nearest") == "nearest")

    def for_picture(self) -> dict[str, Any]:
        """Return the arguments of `ndresize.resize` about the axes (height, width).

        Raises
        ------
        ResizeError
            If axes are given, or not as many numbers as a picture needs.
        """
        if self.axes is not None:
            raise ResizeError("--axes must be given for arrays alone, got a picture; leave it out")
        arguments = dict(self.words)
        if self.sizes is not None:
            if len(self.sizes) != 2:
                raise ResizeError(
                    "--size must be WIDTHxHEIGHT for a picture, as in 640x480, got "
                    f"{'x'.join(map(str, self.sizes))}"
                )
            arguments["sizes"] = self.sizes[::-1]
        if self.scales is not None:
            if len(self.scales) > 2:
                raise ResizeError(
                    "--scale must be one number or two (along the width and the height) for a "
                    f"picture, got {len(self.scales)}"
                )
            arguments["scales"] = (self.scales * 2)[1::-1]
        if self.roi is not None:
            if len(self.roi) != 4:
                raise ResizeError(
                    f"--roi must be LEFT,TOP,RIGHT,BOTTOM for a picture, got {len(self.roi)} "
                    "numbers"
                )
            left, top, right, bottom = self.roi
            arguments["roi"] = top, left, bottom, right
        return arguments

    def for_array(self, shape: tuple[int, ...]) -> dict[str, Any]:
        """Return the arguments of `ndresize.resize` for an array.

        Raises
        ------
        ResizeError
            If the array has fewer axes than there are numbers, or there is not one number per axis.
        """
        name, numbers = ("--size", self.sizes) if self.sizes else ("--scale", self.scales)
        assert numbers is not None
        axes = self.axes
        if axes is None and name == "--scale" and len(numbers) == 1:
            axes = tuple(range(len(shape)))
        elif axes is None:
            if len(numbers) > len(shape):
                raise ResizeError(
                    f"{name} must have at most {len(shape)} numbers for an array of shape {shape}, "
                    f"got {len(numbers)}"
                )
            axes = tuple(range(-len(numbers), 0))
        if name == "--scale" and len(numbers) == 1:
            numbers = numbers * len(axes)
        if len(numbers) != len(axes):
            raise ResizeError(
                f"{name} must have one number for each of the {len(axes)} axes in --axes, got "
                f"{len(numbers)}"
            )
        key = name.removeprefix("--") + "s"
        return {**self.words, "axes": axes, "roi": self.roi, key: numbers}
