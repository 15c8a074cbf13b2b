"""`ndresize.dialects.opencv` and the package ``cv2``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterparts.counterpart import Call, Counterpart
from ndresize.dialects.opencv import INTERPOLATIONS

__all__ = ["COUNTERPARTS"]

_TYPES = {
    "INTER_NEAREST": "bool int8 uint8 int16 uint16 int32 uint32 float16 float32 float64",
    "INTER_LINEAR_EXACT": "int8 uint8 int16 uint16 int32 float32 float64",
    "INTER_LINEAR": "uint8 int16 uint16 float32 float64",
}


def run(data: NDArray[Any], arguments: Mapping[str, Any]) -> NDArray[Any]:
    """Call ``cv2.resize``, on one thread."""
    import cv2

    cv2.setNumThreads(1)
    words = dict(arguments)
    words["interpolation"] = INTERPOLATIONS[words["interpolation"]]
    result: NDArray[Any] = cv2.resize(data, words.pop("dsize"), **words)
    return result


def _length(rng: np.random.Generator) -> int:
    """Return a length, mostly a small one."""
    return int(rng.integers(1, rng.choice([6, 20, 70, 200], p=[0.2, 0.4, 0.3, 0.1]) + 1))


def draw(rng: np.random.Generator) -> Call:
    """Return a random call that OpenCV answers."""
    while True:
        call = _any_call(rng)
        if not _is_refused(call):
            return call


def _any_call(rng: np.random.Generator) -> Call:
    interpolation = str(rng.choice(list(INTERPOLATIONS)))
    kinds = _TYPES.get(interpolation.removesuffix("_EXACT"), _TYPES["INTER_LINEAR"])
    kinds = _TYPES.get(interpolation, kinds)
    rows, columns = _length(rng), _length(rng)
    shape: tuple[int, ...] = rows, columns
    if rng.random() < 0.6:
        shape = rows, columns, int(rng.choice([1, 2, 3, 4, 5, 8, 33]))
    arguments: dict[str, Any] = {"interpolation": interpolation}
    how = rng.random()
    if how < 0.15:  # a whole factor, where several paths have rules of their own
        down, across = (int(k) for k in rng.integers(1, 7, 2))
        if rng.random() < 0.5:
            down = across
        shape = (rows * down, columns * across, *shape[2:])
        arguments["dsize"] = [columns, rows]
    elif how < 0.25:
        arguments["dsize"] = [columns * int(rng.integers(1, 5)), rows * int(rng.integers(1, 5))]
    elif how < 0.7:
        arguments["dsize"] = [_length(rng), _length(rng)]
    else:
        usual = rng.random() < 0.5
        choices = [0.5, 0.25, 1 / 3, 0.75, 1.5, 2.0, 3.0]
        factors = rng.choice(choices, 2) if usual else np.round(rng.uniform(0.1, 3, 2), 3)
        if rng.random() < 0.3:
            factors[1] = factors[0]
        arguments |= {"dsize": None, "fx": float(factors[0]), "fy": float(factors[1])}
    return Call(shape, str(rng.choice(kinds.split())), arguments)


def _size(call: Call) -> tuple[int, int]:
    """Return (rows, columns) of the result."""
    words = call.arguments
    if words["dsize"] is None:
        return round(call.shape[0] * words["fy"]), round(call.shape[1] * words["fx"])
    return words["dsize"][1], words["dsize"][0]


def _is_refused(call: Call) -> bool:
    """Return whether OpenCV asserts that it cannot."""
    rows, columns = _size(call)
    if min(rows, columns) < 1:
        return True
    if (rows, columns) == call.shape[:2]:
        return False
    interpolation = call.arguments["interpolation"]
    channels = call.shape[2] if len(call.shape) == 3 else 1
    scales = _scales(call)
    shrinks = min(scales) >= 1
    whole = all(abs(s - round(s)) < 2.0**-52 for s in scales)
    if interpolation == "INTER_LINEAR_EXACT" and call.dtype in ("int8", "int32"):
        return whole and [round(s) for s in scales] == [2, 2] and channels != 2
    return interpolation == "INTER_AREA" and shrinks and not whole and channels > 4


def _scales(call: Call) -> tuple[float, float]:
    words = call.arguments
    if words["dsize"] is None:
        return 1 / words["fy"], 1 / words["fx"]
    rows, columns = _size(call)
    return 1 / (rows / call.shape[0]), 1 / (columns / call.shape[1])


def _channels(call: Call) -> int:
    return call.shape[2] if len(call.shape) == 3 else 1


def _strays_by(call: Call) -> float:
    """Return by how much given factors differ from the ratios of the lengths."""
    if min(call.arguments["dsize"] or (0, 0)) > 0:
        return 0.0
    factors = call.arguments["fy"], call.arguments["fx"]
    pairs = zip(factors, _size(call), call.shape, strict=False)
    return max(abs(n_out / n_in - factor) / factor for factor, n_out, n_in in pairs)


def _is_affine(call: Call) -> bool:
    return _strays_by(call) > (0 if call.dtype == "float64" else 1e-10)


def _is_whole_at_an_edge(call: Call) -> bool:
    """Return whether the first or the last sample comes to lie on one of the result."""
    places = []
    for n_in, scale in zip(call.shape, _scales(call), strict=False):
        origin = 0.5 / scale - 0.5
        places += [origin, (n_in - 1) / scale + origin]
    return any(abs(place - round(place)) < 1e-9 for place in places)


def _is_thin(call: Call) -> bool:
    """Return whether an image has two rows or columns, or its result has one."""
    return min(call.shape[:2]) == 2 or min(_size(call)) == 1


def _is_ipp(call: Call) -> bool:
    """Return whether IPP answers, should it have the interpolation for the type."""
    taps = 4 if call.arguments["interpolation"] == "INTER_CUBIC" else 2
    shortest = 2 if _is_affine(call) else taps
    return _channels(call) in (1, 3, 4) and min(call.shape[:2]) >= shortest


def _is(call: Call, interpolations: str, types: str) -> bool:
    name = call.arguments["interpolation"].removeprefix("INTER_")
    copies = _size(call) == call.shape[:2]
    return name in interpolations.split() and call.dtype in types.split() and not copies


def _has_partial_cells(call: Call) -> bool:
    """Return whether cells are of whole samples and the last one is not full."""
    scales = _scales(call)
    whole = all(abs(s - round(s)) < 2.0**-52 for s in scales)
    pairs = zip(scales, _size(call), call.shape, strict=False)
    return whole and any(round(s) * n_out > n_in for s, n_out, n_in in pairs)


def _has_large_cells(call: Call) -> bool:
    """Return whether the sums of cells of whole samples can be beyond what float32 counts to."""
    scales = _scales(call)
    whole = all(abs(s - round(s)) < 2.0**-52 for s in scales)
    largest = -int(np.iinfo(call.dtype).min) or int(np.iinfo(call.dtype).max)
    return whole and round(scales[0]) * round(scales[1]) * largest > 2**24


DEVIATIONS = {
    "linear-int16": lambda call: (
        _is(call, "LINEAR", "int16") and _is_ipp(call) and not _is_affine(call)
    ),
    "linear-factors": lambda call: (
        (
            (_is(call, "LINEAR LINEAR_EXACT", "float64") and _is_whole_at_an_edge(call))
            or (_is(call, "LINEAR", "int16 uint16") and _is_thin(call))
        )
        and _is_ipp(call)
        and _is_affine(call)
    ),
    "cubic-16-bits": lambda call: (
        _is(call, "CUBIC", "int16 uint16") and _is_ipp(call) and not _is_affine(call)
    ),
    "linear-exact-int32": lambda call: _is(call, "LINEAR_EXACT", "int32"),
    "partial-cells-float64": lambda call: (
        _is(call, "AREA LINEAR LINEAR_EXACT", "float64") and _has_partial_cells(call)
    ),
    "large-cells": lambda call: _is(call, "AREA", "int16 uint16") and _has_large_cells(call),
}

COUNTERPARTS = (
    Counterpart(
        name="opencv.resize",
        theirs="cv2.resize",
        package="opencv-python-headless",
        run=run,
        draw=draw,
        deviations=DEVIATIONS,
        speed={
            "1080p to 224, linear": Call(
                (1080, 1920, 3),
                "uint8",
                {"dsize": [224, 224], "interpolation": "INTER_LINEAR"},
            ),
            "1080p to 224, area": Call(
                (1080, 1920, 3), "uint8", {"dsize": [224, 224], "interpolation": "INTER_AREA"}
            ),
            "1080p to 180p, area": Call(
                (1080, 1920, 3), "uint8", {"dsize": [320, 180], "interpolation": "INTER_AREA"}
            ),
            "1080p to 720p, exact linear, int16": Call(
                (1080, 1920),
                "int16",
                {"dsize": [1280, 720], "interpolation": "INTER_LINEAR_EXACT"},
            ),
            "256 to 1024, cubic, float32": Call(
                (256, 256, 3), "float32", {"dsize": [1024, 1024], "interpolation": "INTER_CUBIC"}
            ),
        },
    ),
)
