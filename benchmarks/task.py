"""One resize in words that belong to no contestant, and the array it is done to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["Task", "make_input"]

Mode = Literal["nearest", "linear", "cubic", "lanczos3", "area"]


@dataclass(frozen=True)
class Task:
    """What is to be computed.

    Parameters
    ----------
    layout : str
        A letter per axis: N (batch), C (channel), and D, H, W, which are resized.
    shape : tuple of int
        Of the input.
    sizes : tuple of int
        Output lengths of the axes D, H, W that the layout has, in its order.
    dtype : str
        Of input and output.
    mode, antialias, align_corners, cubic_coeff_a
        The filter. Antialiased filters divide by the sum of the weights that lie inside.
    floor : bool
        "nearest" picks ``floor(i * step)``, the sample at or before, instead of the nearest one.
    memory : {"contiguous", "strided", "transposed", "channels_last"}
        How the input lies in memory: as its shape says, as every second sample of longer rows,
        with its last two axes exchanged, or with its first axis stored last.
    """

    layout: str
    shape: tuple[int, ...]
    sizes: tuple[int, ...]
    dtype: str = "float32"
    mode: Mode = "linear"
    antialias: bool = False
    align_corners: bool = False
    cubic_coeff_a: float = -0.75
    floor: bool = False
    memory: Literal["contiguous", "strided", "transposed", "channels_last"] = "contiguous"

    @property
    def axes(self) -> tuple[int, ...]:
        """The resized axes."""
        return tuple(axis for axis, letter in enumerate(self.layout) if letter in "DHW")

    @property
    def output_shape(self) -> tuple[int, ...]:
        """The shape of the result."""
        lengths = list(self.shape)
        for axis, size in zip(self.axes, self.sizes, strict=True):
            lengths[axis] = size
        return tuple(lengths)

    @property
    def lengths(self) -> tuple[int, ...]:
        """Input lengths of the resized axes."""
        return tuple(self.shape[axis] for axis in self.axes)

    @property
    def ratios(self) -> tuple[float, ...]:
        """Output length over input length of the resized axes."""
        return tuple(new / old for new, old in zip(self.sizes, self.lengths, strict=True))


def make_input(task: Task) -> NDArray[Any]:
    """Return the array to resize.

    A slow wave and some noise, in the middle of the type's range: a filter that overshoots then
    stays inside the range, so that whether a library clips between its passes makes no difference.
    """
    shape = _stored_shape(task)
    values = np.random.default_rng(20).random(shape, np.float32)
    values *= 0.2
    values += 0.4
    values += 0.1 * np.sin(np.linspace(0, 40, shape[-1], dtype=np.float32))
    dtype = np.dtype(task.dtype)
    if dtype.kind == "u":
        values *= np.iinfo(dtype).max
    stored = values.astype(dtype)
    if task.memory == "strided":
        return stored[..., ::2]
    if task.memory == "transposed":
        return stored.swapaxes(-1, -2)
    return np.moveaxis(stored, -1, 0) if task.memory == "channels_last" else stored


def _stored_shape(task: Task) -> tuple[int, ...]:
    *front, height, width = task.shape
    if task.memory == "strided":
        return (*front, height, 2 * width)
    if task.memory == "transposed":
        return (*front, width, height)
    return (*task.shape[1:], task.shape[0]) if task.memory == "channels_last" else task.shape
