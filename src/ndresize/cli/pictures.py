"""What resizing means for a picture: its mode, its alpha and its palette.

Samples are filtered as they are stored (no linear light), as ONNX, Pillow and OpenCV do.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ndresize.errors import ResizeError
from ndresize.io import MAX_PIXELS, Picture
from ndresize.resizing import resize

__all__ = ["resize_picture", "resized_mode", "resized_size"]

# Modes whose channels can be averaged one by one. LAB is not among them: Pillow keeps its signed
# channels so that 0 and -1 are 255 apart.
_PLAIN = ("1", "L", "RGB", "CMYK", "YCbCr", "La", "RGBa", "I;16", "I;16B", "I;16L", "I", "F")
_ALPHA = ("LA", "RGBA")
_PALETTE = ("P", "PA")


def resized_mode(image: Image.Image, *, nearest: bool) -> str:
    """Return the mode that a picture has after it was resized.

    Palettes can only be picked from, so any other filter makes them colours. One colour that
    means "transparent" becomes an alpha channel.

    Raises
    ------
    ResizeError
        If pictures of its mode cannot be resized.
    """
    if image.mode not in (*_PLAIN, *_ALPHA, *_PALETTE):
        raise ResizeError(
            f"a picture must have one of the modes {', '.join((*_PLAIN, *_ALPHA, *_PALETTE))}, got "
            f"{image.mode}; convert it first"
        )
    if image.mode in _PALETTE and not nearest:
        return "RGBA" if image.has_transparency_data else "RGB"
    if "transparency" in image.info and image.mode in ("1", "L", "RGB"):
        return "RGBA" if image.mode == "RGB" else "LA"
    return image.mode


def resized_size(
    image: Image.Image, *, max_pixels: int = MAX_PIXELS, **words: Any
) -> tuple[int, int]:
    """Return width and height that a picture has after it was resized.

    Parameters
    ----------
    image : PIL.Image.Image
        The picture.
    max_pixels : int
        Results of more are refused.
    **words
        As for `ndresize.resize`, about the axes (height, width).

    Raises
    ------
    ResizeError
        If a word is not allowed, or there would be no pixels or too many.
    """
    asked = words.get("sizes")
    if asked is None:
        asked = (image.height * words["scales"][0], image.width * words["scales"][1])
    if math.prod(asked) > max_pixels:  # before planning, which takes time for such lengths
        raise ResizeError(
            f"the result must have at most {max_pixels} pixels, got {asked[1]:.0f}x{asked[0]:.0f}; "
            "ask for a smaller size, or raise the limit (--max-pixels)"
        )
    plan = resize.plan((image.height, image.width), np.float32, axes=(0, 1), **words)
    height, width = plan.output_shape
    if not (width and height):
        raise ResizeError(
            f"a picture must keep at least 1x1 pixels, got {width}x{height} from "
            f"{image.width}x{image.height}; ask for a larger size"
        )
    return width, height


def resize_picture(picture: Picture, *, threads: int | None = None, **words: Any) -> Picture:
    """Resize a picture.

    Parameters
    ----------
    picture : Picture
        Of any mode but LAB and HSV.
    threads : int, optional
        How many threads at most.
    **words
        As for `ndresize.resize`, about the axes (height, width), and not so that a side becomes 0.

    Returns
    -------
    Picture
        Of the mode that `resized_mode` says; notes tell what it changed.

    Raises
    ------
    ResizeError
        If a word is not allowed.
    """
    source, notes = picture.image, list(picture.notes)
    nearest = words.get("mode", "nearest") == "nearest"
    mode = resized_mode(source, nearest=nearest)
    if mode != source.mode and source.mode in _PALETTE:
        notes.append(f"its palette becomes {mode}; --mode nearest keeps palettes")
    elif mode != source.mode:
        notes.append(f"its transparent colour becomes alpha, its mode {mode}")
    elif "transparency" in source.info and not nearest:
        notes.append("its transparent value is dropped: other values would become it")
    if mode != source.mode:
        source = source.convert(mode)
    samples = np.asarray(source)
    arguments = {**words, "axes": (0, 1), "threads": threads}
    if nearest:
        image = _image(resize(samples, **arguments), source)
        if "transparency" in source.info:
            image.info["transparency"] = source.info["transparency"]
    elif mode in _ALPHA and samples[..., -1].min() < 255:
        image = _image(_resize_with_alpha(samples, **arguments), source)
    elif mode == "1":  # an integer type of 0 and 1, rounded like the others
        image = _image(resize(samples.astype(np.uint8), **arguments) > 0, source)
    else:
        image = _image(resize(samples, **arguments), source)
    return replace(picture, image=image, notes=tuple(notes))


def _resize_with_alpha(
    samples: NDArray[np.uint8], *, extrapolation_value: float = 0.0, **arguments: Any
) -> NDArray[np.uint8]:
    """Weigh colours by their alpha, so that what cannot be seen lends no colour to the rest."""
    alpha = samples[..., -1:].astype(np.float32)
    weighted = samples[..., :-1] * alpha  # at most 255 * 255: exact in float32
    fill = float(np.clip(np.nan_to_num(extrapolation_value), 0, 255))
    weighted = resize(weighted, extrapolation_value=fill * fill, **arguments)
    alpha = resize(alpha, extrapolation_value=fill, **arguments)
    visible = np.rint(alpha) > 0
    colour = np.divide(weighted, alpha, out=np.zeros_like(weighted), where=visible)
    both = np.concatenate((colour, np.where(visible, alpha, 0)), axis=-1)
    return cast("NDArray[np.uint8]", np.clip(np.rint(both), 0, 255).astype(np.uint8))


def _image(samples: NDArray[Any], like: Image.Image) -> Image.Image:
    """Return samples as a picture of the mode and the palette of another."""
    size = samples.shape[1], samples.shape[0]
    if like.mode == "1":
        return Image.frombytes("1", size, (samples * np.uint8(255)).tobytes(), "raw", "1;8")
    if like.mode.startswith("I;16"):
        samples = samples.astype(">u2" if like.mode == "I;16B" else "<u2", copy=False)
    image = Image.frombytes(like.mode, size, samples.tobytes())
    if like.palette is not None and like.mode in _PALETTE:
        colours = like.palette.mode
        palette = bytes(like.getpalette(colours) or ())
        # PNG gives an index as few bits as the palette needs: it must reach the largest index.
        indices = samples if samples.ndim == 2 else samples[..., 0]
        image.putpalette(palette.ljust(len(colours) * (int(indices.max()) + 1), b"\0"), colours)
    return image
