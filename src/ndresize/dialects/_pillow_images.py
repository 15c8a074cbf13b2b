"""What kind of image an array is to Pillow: the rules of ``Image.fromarray``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ndresize.dialects import _arguments as arguments
from ndresize.errors import ResizeError

__all__ = ["ImageKind", "image_kind"]

# Pillow's mode by (channels, element type); 0 channels: two dimensions. LAB is left out: it shifts
# two of its channels when it is read.
_MODES = {
    (0, "bool"): ("1",),
    (0, "uint8"): ("L", "P"),
    (0, "int8"): ("I",),
    (0, "uint16"): ("I;16",),
    (0, "int16"): ("I",),
    (0, "uint32"): ("I",),
    (0, "int32"): ("I",),
    (0, "float32"): ("F",),
    (0, "float64"): ("F",),
    (2, "uint8"): ("LA", "La", "PA"),
    (3, "uint8"): ("RGB", "YCbCr", "HSV"),
    (4, "uint8"): ("RGBA", "RGBa", "RGBX", "CMYK"),
}
_TYPES = {"1": "bool", "I": "int32", "I;16": "uint16", "F": "float32"}


@dataclass(frozen=True)
class ImageKind:
    """An image's mode and the type that its samples have in memory."""

    mode: str
    dtype: np.dtype[Any]

    @property
    def has_straight_alpha(self) -> bool:
        """Whether filters see it premultiplied."""
        return self.mode in ("LA", "RGBA")


def image_kind(shape: tuple[int, ...], dtype: np.dtype[Any], mode: Any) -> ImageKind:
    """Return what `Image.fromarray` makes of an array, or refuse what it refuses.

    Parameters
    ----------
    shape, dtype
        Of the array.
    mode : str or None
        A mode that is asked for; the first that fits if None.
    """
    if len(shape) not in (2, 3):
        way = "; Pillow reads one dimension as a column: give image[:, None]"
        raise ResizeError(
            f"image must have shape (height, width) or (height, width, channels), got {shape}"
            + (way if len(shape) == 1 else "")
        )
    channels = shape[2] if len(shape) == 3 else 0
    modes = _MODES.get((channels, dtype.name))
    if modes is None:
        known = sorted({t for c, t in _MODES if c == channels})
        of = f"{channels} channels" if channels else "two dimensions"
        allowed = (
            f"an image of {of} can have {', '.join(known)}"
            if known
            else ("an image has no channel axis, or 2, 3 or 4 channels of uint8")
        )
        raise ResizeError(
            f"image must be an array that Image.fromarray reads, got {dtype} of shape {shape}; "
            f"{allowed}"
        )
    if 0 in shape:
        raise ResizeError(f"image must not be empty, got shape {shape} (Pillow would return zeros)")
    chosen = modes[0] if mode is None else arguments.choice("mode", mode, modes)
    return ImageKind(chosen, np.dtype(_TYPES.get(chosen, "uint8")))
