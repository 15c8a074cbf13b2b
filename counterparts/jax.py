"""The functions of `ndresize.dialects.jax` and what they stand for."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterparts.counterpart import Call, Counterpart, Drawn

_WEIGHTED = ("linear", "cubic", "cubic-pytorch", "lanczos3", "lanczos5", "area")
_WORDS = {
    "linear": ("linear", "bilinear", "trilinear", "triangle"),
    "cubic": ("cubic", "bicubic", "tricubic"),
    "cubic-pytorch": ("cubic-pytorch", "bicubic-pytorch"),
}
_TYPES = (
    "bool",
    "uint8",
    "int8",
    "uint16",
    "int16",
    "uint32",
    "int32",
    "uint64",
    "int64",
    "float16",
    "bfloat16",
    "float64",
)


@functools.cache
def _jax() -> ModuleType:
    """Import JAX for the CPU alone."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    import jax

    module: ModuleType = jax
    return module


def _resize(image: NDArray[Any], arguments: Mapping[str, Any]) -> NDArray[Any]:
    return np.asarray(_jax().image.resize(image, **arguments))


def _scale_and_translate(image: NDArray[Any], arguments: Mapping[str, Any]) -> NDArray[Any]:
    words = dict(arguments)
    for name in ("scale", "translation"):
        words[name] = np.array(words[name], np.float32)
    return np.asarray(_jax().image.scale_and_translate(image, **words))


def _length(rng: np.random.Generator) -> int:
    """Return a length: mostly small, now and then up to 200."""
    return int(rng.integers(1, 201 if rng.random() < 0.1 else 10))


def _shape(rng: np.random.Generator) -> tuple[int, ...]:
    rank = int(rng.choice([1, 2, 3, 4], p=[0.3, 0.4, 0.2, 0.1]))
    shape = [_length(rng) if axis < 2 else int(rng.integers(1, 8)) for axis in range(rank)]
    return tuple(int(n) for n in rng.permutation(shape))


def _type(rng: np.random.Generator) -> str:
    return "float32" if rng.random() < 0.5 else str(rng.choice(_TYPES))


def _word(rng: np.random.Generator, method: str) -> str:
    return str(rng.choice(_WORDS.get(method, (method,))))


def _random_resize(rng: np.random.Generator) -> Call:
    shape = _shape(rng)
    result = []
    for n in shape:
        other = [2 * n, max(n // 2, 1), 3 * n, n + 1][int(rng.integers(4))]
        result.append(int(rng.choice([n, other, _length(rng)], p=[0.25, 0.15, 0.6])))
    method = str(rng.choice(["nearest", *_WEIGHTED]))
    words: dict[str, Any] = {"shape": tuple(result), "method": _word(rng, method)}
    if rng.random() < 0.6:
        words["antialias"] = bool(rng.random() < 0.3)
    dtype = _type(rng)
    if method == "nearest" and rng.random() < 0.1:
        dtype = str(rng.choice(["complex64", "complex128"]))
    return Call(shape, dtype, words)


_LENGTHS = (1, 2, 3, 5, 8, 13, 40)


def _random_scale_and_translate(rng: np.random.Generator) -> Call:
    # Few lengths: JAX runs this function operation by operation and compiles each for its shapes.
    shape = tuple(int(n) for n in rng.choice(_LENGTHS, int(rng.integers(1, 4))))
    count = int(rng.integers(1, min(len(shape), 2) + 1))
    axes = [int(axis) for axis in rng.permutation(len(shape))[:count]]
    result, scale, translation = list(shape), [], []
    for axis in axes:
        result[axis] = int(rng.choice(_LENGTHS))
        factor = float(rng.choice([0.25, 0.5, 1, 1.5, 2, result[axis] / shape[axis]]))
        scale.append(float(np.float32(-factor if rng.random() < 0.1 else factor)))
        shift = float(rng.choice([0, 0.5, -1, 2, rng.uniform(-1, 1) * result[axis]]))
        translation.append(float(np.float32(shift)))
    words: dict[str, Any] = {
        "shape": tuple(result),
        "spatial_dims": [a - len(shape) if rng.random() < 0.3 else a for a in axes],
        "scale": scale,
        "translation": translation,
        "method": _word(rng, str(rng.choice(_WEIGHTED))),
    }
    if rng.random() < 0.6:
        words["antialias"] = bool(rng.random() < 0.3)
    return Call(shape, _type(rng), words)


# JAX compiles for every new shape, which takes a fifth of a second: most calls are one of a few.
_FEW, _NEW = 28, 0.08
# It runs scale_and_translate operation by operation and compiles each of some thirty.
_FEWER, _NEWER = 12, 0.02


@functools.cache
def _few(draw: Drawn, count: int) -> list[Call]:
    """Return calls of all methods in turn."""
    methods = (*_WEIGHTED, "nearest") if draw is _random_resize else _WEIGHTED
    words = [_WORDS.get(method, (method,)) for method in methods]
    found: list[Call] = []
    for seed in range(10**6, 10**6 + 50 * count):
        call = draw(np.random.default_rng(seed))
        if len(found) < count and call.arguments["method"] in words[len(found) % len(words)]:
            found.append(call)
    return found


def _draw_resize(rng: np.random.Generator) -> Call:
    if rng.random() < _NEW:
        return _random_resize(rng)
    return _few(_random_resize, _FEW)[int(rng.integers(_FEW))]


def _draw_scale_and_translate(rng: np.random.Generator) -> Call:
    if rng.random() < _NEWER:
        return _random_scale_and_translate(rng)
    return _few(_random_scale_and_translate, _FEWER)[int(rng.integers(_FEWER))]


def _wide_integers(call: Call) -> bool:
    """Tell whether JAX wraps integers of 64 bits to 32 before it computes with them."""
    return call.dtype in ("int64", "uint64") and call.arguments["method"] != "nearest"


def _three_axes(call: Call) -> bool:
    """Tell whether weights below zero make sums of three axes and more larger than the samples."""
    lengths = zip(call.shape, call.arguments["shape"], strict=True)
    resized = sum(n_in != n_out for n_in, n_out in lengths)
    return resized > 2 and any(word in call.arguments["method"] for word in ("cubic", "lanczos"))


def _fused_positions(call: Call) -> bool:
    """Tell whether positions depend on whether XLA fuses a product and a difference.

    It does so for some lengths and not for others. Below a position of 8 the difference is within
    the tolerance.
    """
    if call.arguments["method"] == "nearest":
        return False
    for n_in, n_out in zip(call.shape, call.arguments["shape"], strict=True):
        if n_in == n_out:
            continue
        index = np.arange(n_out).astype(np.float32) + np.float32(0.5)
        step = np.float32(n_in / n_out)
        rounded = (index * step).astype(np.float64)
        if (np.abs(rounded - index.astype(np.float64) * float(step)) > 2.0**-22).any():
            return True
    return False


_PHOTOGRAPH = (1080, 1920, 3)

COUNTERPARTS = (
    Counterpart(
        name="jax.resize",
        theirs="jax.image.resize",
        package="jax",
        run=_resize,
        draw=_draw_resize,
        deviations={
            "wide-integers": _wide_integers,
            "fused-positions": _fused_positions,
            "three-axes": _three_axes,
        },
        speed={
            "linear antialias 1080p to 224": Call(
                _PHOTOGRAPH, "float32", {"shape": (224, 224, 3), "method": "linear"}
            ),
            "cubic 270p to 1080p": Call(
                (270, 480, 3), "float32", {"shape": (1080, 1920, 3), "method": "cubic"}
            ),
            "nearest 1080p to 224, uint8": Call(
                _PHOTOGRAPH, "uint8", {"shape": (224, 224, 3), "method": "nearest"}
            ),
        },
    ),
    Counterpart(
        name="jax.scale_and_translate",
        theirs="jax.image.scale_and_translate",
        package="jax",
        run=_scale_and_translate,
        draw=_draw_scale_and_translate,
        deviations={"wide-integers-translated": _wide_integers},
        speed={
            "linear 1080p to 224": Call(
                _PHOTOGRAPH,
                "float32",
                {
                    "shape": (224, 224, 3),
                    "spatial_dims": (0, 1),
                    "scale": [224 / 1080, 224 / 1920],
                    "translation": [0.0, 0.0],
                    "method": "linear",
                },
            )
        },
    ),
)
