"""``skimage.transform.resize``."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterparts.counterpart import Call, Counterpart

__all__ = ["COUNTERPARTS"]

MODES = ("constant", "edge", "symmetric", "reflect", "wrap")
TYPES = (
    *("float32",) * 8,
    *("uint8",) * 4,
    *("float64",) * 3,
    *("int8", "uint16", "int16", "float16") * 2,
    *("uint32", "int32", "uint64", "int64", "bool"),
)

_ORDERS = (0.2, 0.2, 0.15, 0.15, 0.15, 0.15)


def run(x: NDArray[Any], arguments: Mapping[str, Any]) -> NDArray[Any]:
    """Call scikit-image's."""
    from skimage.transform import resize

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that an axis is blurred and does not shrink
        return np.asarray(resize(x, **arguments))


def draw(rng: np.random.Generator) -> Call:
    """Draw any call."""
    rank = int(rng.choice([1, 2, 3, 4], p=[0.3, 0.45, 0.2, 0.05]))
    longest = {1: 200, 2: 24, 3: 9, 4: 5}[rank] if rng.random() < 0.4 else 8 - rank
    shape = tuple(int(n) for n in rng.integers(1, longest + 1, rank))
    dtype = str(rng.choice(TYPES))
    top = {1: 60, 2: 24, 3: 9, 4: 6}[rank]
    output = [n if rng.random() < 0.15 else int(rng.integers(1, top)) for n in shape]
    if rng.random() < 0.1:
        output.append(int(rng.integers(1, 4)))
    elif rank > 1 and rng.random() < 0.3:
        del output[-1]
    words: dict[str, Any] = {"output_shape": output}
    if rng.random() < 0.75:
        words["order"] = int(rng.choice(6, p=_ORDERS)) if dtype != "bool" else 0
    if rng.random() < 0.75:
        words["mode"] = str(rng.choice(MODES))
    if rng.random() < 0.4:
        words["cval"] = [1, 0.5, -2.25, 3.0][rng.integers(4)]
    if rng.random() < 0.4:
        words["clip"] = bool(rng.integers(2))
    if rng.random() < 0.4:
        words["preserve_range"] = bool(rng.integers(2))
    if rng.random() < 0.4 and dtype != "bool":
        words["anti_aliasing"] = bool(rng.integers(2))
    if rng.random() < 0.2 and dtype != "bool":
        axes = max(len(output), rank)
        sigma = [float(rng.choice([0, 0.4, rng.uniform(0, 6)])) for _ in range(axes)]
        words["anti_aliasing_sigma"] = sigma if rng.random() < 0.5 else sigma[0]
    return Call(shape, dtype, words)


def wide_integers(call: Call) -> bool:
    """Return whether 64-bit integers are picked, by way of doubles that cannot hold them."""
    return call.dtype in ("int64", "uint64") and call.arguments.get("order") == 0


def sums_in_double(call: Call) -> bool:
    """Return whether the last bits of doubles show: in splines and blurs.

    Where integers become fractions they are below the tolerance but for 4-D splines of high order.
    """
    words = call.arguments
    keeps = call.dtype == "float64" or (call.dtype[0] in "ui" and words.get("preserve_range"))
    blurs = words.get("anti_aliasing", True)
    if not keeps and call.dtype[0] in "ui":
        return words.get("order", 1) > 3 and max(len(call.shape), len(words["output_shape"])) > 3
    return bool(keeps) and (words.get("order", 1) > 1 or (words.get("order", 1) == 1 and blurs))


COUNTERPARTS = (
    Counterpart(
        "scikit_image.resize",
        "skimage.transform.resize",
        "scikit-image",
        run,
        draw,
        deviations={
            "wide-integers": wide_integers,
            "sums-in-double": sums_in_double,
        },
        speed={
            "uint8 1080p x 3 to 224": Call((1080, 1920, 3), "uint8", {"output_shape": (224, 224)}),
            "float32 512 x 512 to 1024 x 1024, order 3": Call(
                (512, 512), "float32", {"output_shape": (1024, 1024), "order": 3}
            ),
        },
    ),
)
