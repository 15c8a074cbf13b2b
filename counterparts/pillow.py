"""`ndresize.dialects.pillow` and Pillow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterparts.counterpart import Call, Counterpart

_TYPES = ("uint8", "uint16", "int32", "float32", "bool", "int8", "int16", "uint32", "float64")
_FILTERS = ("NEAREST", "BOX", "BILINEAR", "HAMMING", "BICUBIC", "LANCZOS", "MKS2013", "MKS2021")
_NUMBERS = (0, 4, 2, 5, 3, 1, 6, 7)
_OVERSHOOTING = (1, 3, 6, 7)
_MODES = {
    2: ("LA", "La", "PA"),
    3: ("RGB", "YCbCr", "HSV"),
    4: ("RGBA", "RGBa", "RGBX", "CMYK"),
}


def run(image: NDArray[Any], arguments: Mapping[str, Any]) -> NDArray[Any]:
    """Return what Pillow answers."""
    from PIL import Image

    given = dict(arguments)
    mode = given.pop("mode", None)
    if isinstance(given.get("resample"), str):
        given["resample"] = Image.Resampling[given["resample"]]
    return np.asarray(Image.fromarray(image, mode=mode).resize(**given))


def _length(rng: np.random.Generator) -> int:
    return int(rng.integers(1, [4, 20, 60, 200][rng.integers(4)], endpoint=True))


def _edges(rng: np.random.Generator, n: int) -> tuple[float, float]:
    a, b = np.sort(rng.uniform(0, n, 2)) if rng.random() < 0.7 else np.sort(rng.integers(0, n, 2))
    return float(a), min(float(b) + (0.01 if rng.random() < 0.05 else 1), float(n))


def draw(rng: np.random.Generator) -> Call:
    """Return a random call that Pillow answers."""
    width, height, across, down = (_length(rng) for _ in range(4))
    resample: Any = _FILTERS[rng.integers(len(_FILTERS))]
    arguments: dict[str, Any] = {"size": [across, down]}
    channels = int(rng.integers(0, 5))
    shape: tuple[int, ...] = (height, width)
    dtype = "uint8"
    if channels >= 2:
        shape = (height, width, channels)
        if rng.random() < 0.4:
            arguments["mode"] = _MODES[channels][rng.integers(len(_MODES[channels]))]
    else:
        dtype = _TYPES[rng.integers(len(_TYPES))] if rng.random() < 0.7 else "uint8"
        if dtype == "uint8" and rng.random() < 0.2:
            arguments["mode"] = ("L", "P")[rng.integers(2)]
    if rng.random() < 0.9:
        arguments["resample"] = (
            resample if rng.random() < 0.8 else _NUMBERS[_FILTERS.index(resample)]
        )
    if rng.random() < 0.4:
        left, right = _edges(rng, width)
        upper, lower = _edges(rng, height)
        box = (left, upper, right, lower)
        if rng.random() < 0.2:
            box = (0.0, 0.0, float(width), float(height))
        arguments["box"] = box if rng.random() < 0.5 else list(box)
    if dtype != "uint16" and rng.random() < 0.3:
        arguments["reducing_gap"] = float(rng.choice([1.0, 1.5, 2.0, 3.0]))
    if rng.random() < 0.05:
        arguments["size"] = [width, height]
    return Call(shape, dtype, arguments)


def _number(call: Call) -> int:
    resample = call.arguments.get("resample", "BICUBIC")
    return resample if isinstance(resample, int) else _NUMBERS[_FILTERS.index(resample)]


def _overflows(call: Call) -> bool:
    return call.dtype in ("int32", "uint32") and _number(call) in _OVERSHOOTING


def _copies_of_lists(call: Call) -> bool:
    straight = call.arguments.get("mode") in (None, "LA", "RGBA") and call.shape[2:] in ((2,), (4,))
    whole = [0, 0, call.shape[1], call.shape[0]]
    same = call.arguments["size"] == [call.shape[1], call.shape[0]]
    return straight and same and call.arguments.get("box") == whole and _number(call) != 0


COUNTERPARTS: tuple[Counterpart, ...] = (
    Counterpart(
        name="pillow.resize",
        theirs="PIL.Image.Image.resize",
        package="pillow",
        run=run,
        draw=draw,
        deviations={"int32-overflow": _overflows, "whole-box-as-a-list": _copies_of_lists},
        speed={
            "1080p RGB to 224 BICUBIC": Call(
                (1080, 1920, 3), "uint8", {"size": [224, 224], "resample": "BICUBIC"}
            ),
            "1080p RGB to 224 LANCZOS": Call(
                (1080, 1920, 3), "uint8", {"size": [224, 224], "resample": "LANCZOS"}
            ),
            "1080p RGBA to 720p BILINEAR": Call(
                (1080, 1920, 4), "uint8", {"size": [1280, 720], "resample": "BILINEAR"}
            ),
        },
    ),
)
