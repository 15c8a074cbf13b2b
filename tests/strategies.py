"""Random operators, arrays and ONNX calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from ndresize import AxisOperator
from oracle import Array, Call, bfloat16

FLOATS = ("float16", "float32", "float64", "bfloat16")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
RUNTIME_TYPES = ("float32", "float16", "int32", "int8", "uint8")
COMPLEX = ("complex64", "complex128")
NUMBERS = (*FLOATS, *INTEGERS, *COMPLEX)

COORDINATES = (
    "half_pixel",
    "pytorch_half_pixel",
    "align_corners",
    "asymmetric",
    "tf_crop_and_resize",
)
NEAREST = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
COEFFICIENTS = (-0.75, -0.5, -1.0, -0.3, 0.0)

# Ratios whose coordinates tie, floats that fall just below or above one, and plain floats.
SCALES = (0.25, 1 / 3, 0.4, 0.5, 0.6, 2 / 3, 0.7, 0.75, 0.9, 1.0, 1.1, 1.25, 1.3, 1.5, 1.6, 2.0)
SCALES = (*SCALES, 7 / 3, 2.5, 3.0)


def dtype_named(name: str) -> np.dtype[Any]:
    """Return the NumPy type, bfloat16 too."""
    return bfloat16 if name == "bfloat16" else np.dtype(name)


@st.composite
def arrays(draw: st.DrawFn, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
    """Return an array of plain noise: the seed is drawn, not each sample."""
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        full = draw(st.booleans())
        low, high = (info.min, info.max) if full else (max(info.min, -20), 20)
        return rng.integers(low, high, tuple(shape), dtype, endpoint=True)
    x = rng.uniform(-8, 8, tuple(shape))
    if dtype.kind == "c":
        return (x + 1j * rng.uniform(-8, 8, tuple(shape))).astype(dtype)
    return x.astype(dtype)


@st.composite
def axis_operators(draw: st.DrawFn, n_in: int | None = None) -> AxisOperator:
    """Return any small banded matrix, with empty rows and zeros inside rows."""
    if n_in is None:
        n_in = draw(st.integers(1, 9))
    n_out = draw(st.integers(0, 9))
    taps = draw(st.integers(1, n_in)) if n_in else 1
    starts = draw(st.lists(st.integers(0, max(n_in - taps, 0)), min_size=n_out, max_size=n_out))
    # Small dyadic weights: products and sums of them are exact, so equality can be asked for.
    weight = st.sampled_from([0.0, 0.0, 1.0, 0.5, 0.25, -0.25, 0.75])
    if not n_in:
        weight = st.just(0.0)
    row = st.lists(weight, min_size=taps, max_size=taps)
    rows = draw(st.lists(row, min_size=n_out, max_size=n_out))
    return AxisOperator(starts, np.array(rows).reshape(n_out, taps), n_in)


@st.composite
def layouts(draw: st.DrawFn, x: Array) -> Array:
    """Return the same array in some other memory layout."""
    kind = draw(st.sampled_from(["plain", "fortran", "reversed", "spaced", "unaligned", "swapped"]))
    if x.ndim == 0 and kind != "swapped":
        return x
    if kind == "fortran":
        return np.asfortranarray(x)
    if kind == "reversed":
        backwards = (slice(None, None, -1),) * x.ndim
        return np.ascontiguousarray(x[backwards])[backwards]
    if kind == "spaced":
        every_third = np.zeros([3 * n for n in x.shape], x.dtype)[(slice(1, None, 3),) * x.ndim]
        every_third[...] = x
        return every_third
    if kind == "unaligned":
        flat = np.zeros(x.nbytes + 1, np.uint8)[1:].view(x.dtype).reshape(x.shape)
        flat[...] = x
        return flat
    if kind == "swapped" and x.dtype != bfloat16:
        return x.astype(x.dtype.newbyteorder())
    return x


@st.composite
def calls(
    draw: st.DrawFn,
    *,
    dtypes: Sequence[str] = NUMBERS,
    opsets: Sequence[int] = (10, 11, 13, 18, 19),
    ranks: tuple[int, int] = (0, 4),
    lengths: tuple[int, int] = (1, 7),
    negative_axes: bool = True,
) -> Call:
    """Return any call that the page allows."""
    opset = draw(st.sampled_from(opsets))
    names = [name for name in dtypes if name != "bfloat16" or opset >= 13]
    rank = draw(st.integers(*ranks))
    # Many samples say no more than few: long axes only where there are few of them.
    limit = (lengths[0], max(lengths[0], lengths[1] if rank < 3 else 4))
    shape = tuple(draw(st.lists(st.integers(*limit), min_size=rank, max_size=rank)))
    if rank and draw(st.integers(0, 24)) == 1:
        empty = draw(st.integers(0, rank - 1))
        shape = (*shape[:empty], 0, *shape[empty + 1 :])
    x = draw(arrays(shape, dtype_named(draw(st.sampled_from(names)))))
    words = draw(_attributes(opset))
    axes = list(range(rank))
    if opset >= 18 and draw(st.booleans()):
        axes = draw(st.permutations(axes))[: draw(st.integers(0, rank))]
        signs = draw(st.lists(st.booleans(), min_size=len(axes), max_size=len(axes)))
        signed = [a - rank if s and negative_axes else a for a, s in zip(axes, signs, strict=True)]
        if axes or negative_axes:
            words["axes"] = signed
        else:
            axes = list(range(rank))
    count = len(axes)
    roi = scales = sizes = None
    if words.get("coordinate_transformation_mode") == "tf_crop_and_resize":
        ends = st.sampled_from([(0, 1), (0, 1), (0.25, 0.75), (-0.2, 0.7), (0.6, 0.4), (0.5, 1.25)])
        pairs = draw(st.lists(ends, min_size=count, max_size=count))
        roi = np.array([s for s, _ in pairs] + [e for _, e in pairs], np.float32)
    if opset > 10 and draw(st.booleans()):
        longest = 9 if rank < 3 else 5
        new = st.integers(1, longest)
        lists = draw(st.lists(new, min_size=count, max_size=count))
        sizes = np.array([n if shape[a] else 0 for a, n in zip(axes, lists, strict=True)], np.int64)
        if opset >= 18 and 0 not in shape:
            policy = draw(st.sampled_from(["stretch", "stretch", "not_larger", "not_smaller"]))
            words["keep_aspect_ratio_policy"] = policy
    else:
        factor = st.sampled_from(SCALES if rank < 3 else SCALES[:-3])
        scales = np.array(draw(st.lists(factor, min_size=count, max_size=count)), np.float32)
    return Call(x, roi, scales, sizes, opset, words)


@st.composite
def _attributes(draw: st.DrawFn, opset: int) -> dict[str, Any]:
    if opset == 10:
        return {"mode": draw(st.sampled_from(["nearest", "linear"]))}
    mode = draw(st.sampled_from(["nearest", "linear", "cubic"]))
    rules = COORDINATES
    if opset == 19:
        rules = (*rules, "half_pixel_symmetric")
    if opset == 11:
        rules = (*rules, "tf_half_pixel_for_nn")
    rule = draw(st.sampled_from(rules))
    words: dict[str, Any] = {"mode": mode, "coordinate_transformation_mode": rule}
    if mode == "nearest":
        words["nearest_mode"] = draw(st.sampled_from(NEAREST))
    if mode == "cubic":
        words["cubic_coeff_a"] = draw(st.sampled_from(COEFFICIENTS))
    if draw(st.booleans()):
        words["exclude_outside"] = draw(st.sampled_from([0, 1]))
    if opset >= 18 and mode != "nearest":
        words["antialias"] = draw(st.sampled_from([0, 1]))
    if rule == "tf_crop_and_resize":
        words["extrapolation_value"] = draw(st.sampled_from([0.0, 5.0, -2.5, 0.1]))
    return words


@st.composite
def runtime_calls(draw: st.DrawFn, dtypes: Sequence[str] = RUNTIME_TYPES) -> Call:
    """Return a call of the ranks and types that ONNX Runtime has."""
    rank = draw(st.sampled_from([2, 2, 3, 4]))
    if rank != 4:
        return draw(calls(dtypes=dtypes, ranks=(rank, rank)))
    # Four axes, of which it resizes the last two: put two in front.
    call = draw(calls(dtypes=dtypes, ranks=(2, 2)))
    shape = (draw(st.integers(1, 2)), draw(st.integers(1, 3)))
    x = np.ascontiguousarray(np.broadcast_to(call.x, shape + call.x.shape))
    x = x + np.arange(shape[1], dtype=x.dtype)[:, None, None]
    words, roi, scales, sizes = dict(call.attributes), call.roi, call.scales, call.sizes
    if "axes" in words:
        words["axes"] = [a + 2 if a >= 0 else a for a in words["axes"]]
    else:
        if roi is not None:
            roi = np.array([0, 0, *roi[:2], 1, 1, *roi[2:]], np.float32)
        scales = None if scales is None else np.array([1, 1, *scales], np.float32)
        sizes = None if sizes is None else np.array([*shape, *sizes], np.int64)
    return Call(x, roi, scales, sizes, call.opset, words)
