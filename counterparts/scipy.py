"""``scipy.ndimage.zoom``."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterparts.counterpart import Call, Counterpart

__all__ = ["COUNTERPARTS"]

MODES = (
    "reflect",
    "grid-mirror",
    "constant",
    "grid-constant",
    "nearest",
    "mirror",
    "wrap",
    "grid-wrap",
)
TYPES = (
    *("float32",) * 10,
    *("float64",) * 3,
    *("uint8", "int8", "uint16", "int16") * 2,
    *("uint32", "int32", "uint64", "int64", "bool"),
)
"""Complex arrays are two real ones (``tests/test_scipy_dialect.py``)."""


def run(x: NDArray[Any], arguments: Mapping[str, Any]) -> NDArray[Any]:
    """Call SciPy's."""
    from scipy import ndimage

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that other modes go better with grid_mode
        return np.asarray(ndimage.zoom(x, **arguments))


def draw(rng: np.random.Generator) -> Call:
    """Draw any call."""
    rank = int(rng.choice([1, 2, 3, 4], p=[0.35, 0.45, 0.15, 0.05]))
    longest = {1: 200, 2: 24, 3: 9, 4: 5}[rank] if rng.random() < 0.3 else 8 - rank
    shape = tuple(int(n) for n in rng.integers(1, longest + 1, rank))
    dtype = str(rng.choice(TYPES))
    words: dict[str, Any] = {"zoom": _zoom(rng, shape)}
    words["order"] = int(rng.integers(0, 6)) if dtype != "bool" else 0
    if rng.random() < 0.1 and dtype != "bool":
        del words["order"]
    if rng.random() < 0.85:
        words["mode"] = str(rng.choice(MODES))
    if rng.random() < 0.4:
        words["cval"] = [1, 0.5, -3.25, 100.5][rng.integers(4)]
    if rng.random() < 0.3:
        words["prefilter"] = bool(rng.integers(2))
    if rng.random() < 0.5:
        words["grid_mode"] = bool(rng.integers(2))
    if rng.random() < 0.2 and dtype != "bool":
        words["output"] = str(rng.choice([t for t in TYPES if t[0] in "fui"]))
    return Call(shape, dtype, words)


def _zoom(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    if rng.random() < 0.25:
        return float([0.5, 2, 1.5, 3, 1, 0.1234, rng.uniform(0.2, 3)][rng.integers(7)])
    factors = [float(rng.uniform(0.1, 3.0)) for _ in shape]
    lengths = [max(int(rng.integers(0, 30 // len(shape) + 4)), 1) / n for n in shape]
    return [
        1.0 if rng.random() < 0.15 else by_length if rng.random() < 0.6 else factor
        for factor, by_length in zip(factors, lengths, strict=True)
    ]


def copies(call: Call) -> bool:
    """Return whether a call only copies."""
    zoom, words = call.arguments["zoom"], call.arguments
    return bool(np.all(np.asarray(zoom) == 1)) and words.get("prefilter", True)


def wide_integers(call: Call) -> bool:
    """Return whether integers go through doubles that cannot hold them."""
    types = (call.dtype, call.arguments.get("output", call.dtype))
    return not copies(call) and any(t in ("int64", "uint64") for t in types)


def tied_sums(call: Call) -> bool:
    """Return whether an integer may be decided by the last bit of a sum that ends in one half.

    Linear weights with a power of two as denominator give exact sums.
    """
    words = call.arguments
    found, order = words.get("output", call.dtype), words.get("order", 3)
    if found[0] not in "ui" or order == 0 or copies(call):
        return False
    if order > 1 or call.dtype[0] == "f":
        return True
    denominator = 1
    for n_in, n_out in zip(call.shape, lengths(call), strict=True):
        if words.get("grid_mode", False):
            denominator *= 2 * n_out // math.gcd(2 * n_out, n_in - n_out, 2 * n_in)
        elif n_out > 1:
            denominator *= (n_out - 1) // math.gcd(n_out - 1, n_in - 1)
    odd = denominator % 2 == 1
    exact = denominator & (denominator - 1) == 0 and words.get("cval", 0) == int(
        words.get("cval", 0)
    )
    return not (odd or exact)


def lengths(call: Call) -> list[int]:
    """Return the output lengths of a call."""
    zoom = call.arguments["zoom"]
    factors = zoom if np.iterable(zoom) else [zoom] * len(call.shape)
    return [round(n * factor) for n, factor in zip(call.shape, factors, strict=True)]


def sums_in_double(call: Call) -> bool:
    """Return whether the last bits of doubles show in the result of a spline."""
    words = call.arguments
    found, order = words.get("output", call.dtype), words.get("order", 3)
    return found == "float64" and order > 1 and not copies(call)


COUNTERPARTS = (
    Counterpart(
        "scipy.zoom",
        "scipy.ndimage.zoom",
        "scipy",
        run,
        draw,
        deviations={
            "wide-integers": wide_integers,
            "tied-sums": tied_sums,
            "sums-in-double": sums_in_double,
        },
        speed={
            "float32 1080p to 224, order 1": Call(
                (1080, 1920), "float32", {"zoom": (224 / 1080, 224 / 1920), "order": 1}
            ),
            "float32 256 x 256 to 512 x 512, order 3": Call(
                (256, 256), "float32", {"zoom": 2, "order": 3}
            ),
            "uint8 512 x 512 x 3 to 256 x 256 x 3, order 0": Call(
                (512, 512, 3), "uint8", {"zoom": (0.5, 0.5, 1), "order": 0}
            ),
        },
    ),
)
