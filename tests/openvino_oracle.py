"""Interpolate-4 as its page tells it, sample by sample: a second opinion on device="document".

Written from the page alone, in float64 and without any of the library's code; slow on purpose.
What the page leaves open or cannot run: integers are stored as `round` rounds them, a pad list
longer than the rank is cut to the rank, and the result of the 3-D and 5-D linear_onnx is returned.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["interpolate"]

Array = np.ndarray[Any, Any]


def coordinate(mode: str, i: int, scale: float, n_out: int, n_in: int) -> float:
    if mode == "asymmetric":
        return i / scale
    if mode == "tf_half_pixel_for_nn":
        return (i + 0.5) / scale
    if mode == "align_corners":
        return 0.0 if n_out == 1 else i * (n_in - 1) / (n_out - 1)
    if mode == "pytorch_half_pixel" and n_out <= 1:
        return 0.0
    return (i + 0.5) / scale - 0.5


def nearest_pixel(mode: str, x: float, shrinks: bool) -> int:
    if mode == "round_prefer_floor":
        return math.floor(x) if x == int(x) + 0.5 else round(x)
    if mode == "round_prefer_ceil":
        return round(x)
    if mode == "floor":
        return math.floor(x)
    if mode == "ceil" or shrinks:
        return math.ceil(x)
    return int(x)


def clip(index: int, n: int) -> int:
    return min(max(index, 0), n - 1)


def keys(t: float, a: float) -> list[float]:
    return [
        a * t * (t - 1) ** 2,
        1 + t * t * ((a + 2) * t - (a + 3)),
        t * (-a + t * ((2 * a + 3) - (a + 2) * t)),
        -a * t * t * (t - 1),
    ]


def interpolate(
    data: Array,
    sizes: Sequence[int] | None,
    scales: Sequence[float] | None,
    axes: Sequence[int] | None,
    *,
    mode: str,
    shape_calculation_mode: str,
    coordinate_transformation_mode: str = "half_pixel",
    nearest_mode: str = "round_prefer_floor",
    antialias: bool = False,
    pads_begin: Sequence[int] = (0,),
    pads_end: Sequence[int] = (0,),
    cube_coeff: float = -0.75,
) -> Array:
    """Return what the page's rules give."""
    rank = data.ndim
    listed = list(range(rank)) if axes is None else list(axes)
    pads = [([*p] + [0] * rank)[:rank] for p in (pads_begin, pads_end)]
    x = np.pad(data.astype(np.float64), list(zip(*pads, strict=True)))
    shape = list(x.shape)
    if shape_calculation_mode == "sizes":
        assert sizes is not None
        factors = [n / x.shape[a] for a, n in zip(listed, sizes, strict=True)]
        for a, n in zip(listed, sizes, strict=True):
            shape[a] = n
    else:
        assert scales is not None
        factors = [float(np.float32(s)) for s in scales]
        for a, s in zip(listed, factors, strict=True):
            shape[a] = math.floor(s * x.shape[a])

    def at(axis: int, i: int, scale: float) -> float:
        return coordinate(coordinate_transformation_mode, i, scale, shape[axis], x.shape[axis])

    result = np.zeros(shape)
    for place in np.ndindex(*shape):
        if mode == "nearest":
            every = [1.0] * rank
            for a, s in zip(listed, factors, strict=True):
                every[a] = s
            source = [
                clip(nearest_pixel(nearest_mode, at(a, i, every[a]), every[a] < 1), x.shape[a])
                for a, i in enumerate(place)
            ]
            result[place] = x[tuple(source)]
        elif mode == "cubic":
            result[place] = cubic(x, place, listed, factors, at, cube_coeff)
        elif mode == "linear":
            result[place] = linear(x, place, listed, factors, at, antialias)
        else:
            result[place] = linear_onnx(x, place, listed, factors, at)
    if data.dtype.kind in "iu":
        limits = np.iinfo(data.dtype)
        result = np.clip(np.rint(result), limits.min, limits.max)
    return result.astype(data.dtype)


def cubic(x: Array, place: Any, axes: Any, factors: Any, at: Any, a: float) -> float:
    whole, weights = [], []
    for axis, scale in zip(axes, factors, strict=True):
        c = at(axis, place[axis], scale)
        whole.append(math.floor(c))
        weights.append(keys(c - math.floor(c), a))
    total = 0.0
    for taps in itertools.product(range(4), repeat=len(axes)):
        source, weight = list(place), 1.0
        for k, (axis, tap) in enumerate(zip(axes, taps, strict=True)):
            source[axis] = clip(whole[k] + tap - 1, x.shape[axis])
            weight *= weights[k][tap]
        total += weight * x[tuple(source)]
    return total


def linear(x: Array, place: Any, axes: Any, factors: Any, at: Any, antialias: bool) -> float:
    wide = antialias and any(s < 1 for s in factors)
    a = [s if wide else 1.0 for s in factors]
    reach = [2 if s > 1 else math.ceil(2 / k) for s, k in zip(factors, a, strict=True)]
    centre = [at(axis, place[axis], s) for axis, s in zip(axes, factors, strict=True)]
    total, weights = 0.0, 0.0
    for steps in itertools.product(*(range(-r, r + 1) for r in reach)):
        source = list(place)
        weight = math.prod(a)
        for k, axis in enumerate(axes):
            source[axis] = round(centre[k]) + steps[k]
            weight *= max(0.0, 1 - abs(a[k] * (centre[k] - source[axis])))
        if all(0 <= source[axis] < x.shape[axis] for axis in axes):
            weights += weight
            total += weight * x[tuple(source)]
    return total / weights if weights else 0.0


def linear_onnx(x: Array, place: Any, axes: Any, factors: Any, at: Any) -> float:
    assert x.ndim in (2, 3, 4, 5)
    assert set(axes) == {2: {0, 1}, 3: {0, 1, 2}, 4: {2, 3}, 5: {2, 3, 4}}[x.ndim]
    sides = []
    for axis, scale in zip(sorted(axes), factors, strict=True):  # the first scale is the first axis
        c = max(0.0, min(at(axis, place[axis], scale), x.shape[axis] - 1.0))
        low = int(c)
        high = min(low + 1, x.shape[axis] - 1)
        near, far = (0.5, 0.5) if low == high else (high - c, c - low)
        sides.append((axis, ((low, near), (high, far))))
    total = 0.0
    for corner in itertools.product((0, 1), repeat=len(sides)):
        source, weight = list(place), 1.0
        for (axis, pair), which in zip(sides, corner, strict=True):
            source[axis], factor = pair[which]
            weight *= factor
        total += weight * x[tuple(source)]
    return total
