"""PyTorch's ``torch.nn.functional.interpolate``, as release 2.13.0 computes it on x86-64 CPUs.

Coordinates and weights are computed in PyTorch's own types and order of operations, with the fused
products of processors that have AVX2. Where PyTorch goes different ways with the same call, by
memory layout or by the number of threads, the way of a contiguous tensor is copied;
``docs/torch.md`` lists what then differs, with the smallest input that shows it.

Nothing here needs the package ``torch``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ndresize.axis import AxisOperator
from ndresize.dialects import _arguments as arguments
from ndresize.dialects import _torch_bytes as of_bytes
from ndresize.dialects import _torch_filters as filters
from ndresize.dialects._planned import planned
from ndresize.dialects._torch_words import MODES, Words, checked
from ndresize.memory import refuse_uncountable
from ndresize.plan import Arithmetic, Pass, Plan, make_plan

__all__ = ["MODES", "interpolate"]

_SMALL_IMAGE = 128  # rows and columns together, from which PyTorch takes its generic kernel


@planned("input")
def interpolate(
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    /,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Plan:
    """Resize all axes but batch and channels as PyTorch does.

    Called with an array `input` it returns the resized array; ``interpolate.plan(shape, dtype,
    ...)`` takes a shape and an element type in its place and returns the plan.

    Parameters
    ----------
    input : array of shape (N, C, W), (N, C, H, W) or (N, C, D, H, W)
        float32, float64, float16 or bfloat16; uint8 with the nearest modes and with "bilinear",
        "bicubic" and "lanczos". With `antialias` float32, float64 or uint8.
    size : int or sequence of int, optional
        Output length of each axis, or one for all.
    scale_factor : float or sequence of float, optional
        The output length is ``int(length * scale_factor)``, a product of doubles cut off. The
        factor itself then sets the coordinates, not the ratio of the lengths.
    mode : str
        "nearest" (the floor of the corner), "nearest-exact" (the centre), "linear" (3-D),
        "bilinear" (4-D), "trilinear" (5-D), "bicubic" (4-D, a = -0.75, or -0.5 with antialias),
        "lanczos" (4-D, three lobes, with antialias alone), "area" (adaptive average pooling: equal
        weights).
    align_corners : bool, optional
        Whether the centres of the corner samples meet; False if left out. Not to be given with
        "nearest", "nearest-exact" and "area".
    recompute_scale_factor : bool, optional
        Whether the ratio of the lengths sets the coordinates, not `scale_factor`.
    antialias : bool
        Widen the filter where an axis shrinks; "bilinear", "bicubic" and "lanczos".

    Returns
    -------
    array
        Of the same element type.

    Raises
    ------
    ResizeError
        If PyTorch refuses the call, or takes a flag that is neither 0 nor 1 for one.

    Examples
    --------
    >>> import numpy as np
    >>> row = np.array([[[0.0, 1.0, 3.0, 10.0]]], np.float32)
    >>> interpolate(row, size=8, mode="linear")
    array([[[ 0.  ,  0.25,  0.75,  1.5 ,  2.5 ,  4.75,  8.25, 10.  ]]],
          dtype=float32)
    >>> interpolate.plan((1, 3, 480, 640), np.uint8, scale_factor=0.5).output_shape
    (1, 3, 240, 320)
    """
    words = checked(
        shape,
        dtype,
        size,
        scale_factor,
        mode,
        align_corners,
        recompute_scale_factor,
        antialias,
    )
    output = shape[:2] + words.lengths
    refuse_uncountable(output, dtype)
    for axis, n_out in enumerate(words.lengths, start=2):
        arguments.refuse_huge_axis(axis, n_out, 4)
    # The last axis first: PyTorch's order, which its bits depend on.
    axes = range(len(shape) - 1, 1, -1)
    if dtype == np.uint8 and not words.mode.startswith("nearest"):
        return _plan_of_bytes(shape, words, list(axes))
    operators = {axis: _operator(axis, shape[axis], words, dtype) for axis in axes}
    arithmetic = Arithmetic("float64" if dtype == np.float64 else "float32")
    return make_plan(shape, dtype, operators, arithmetic=arithmetic, order=list(axes))


def _operator(axis: int, n_in: int, words: Words, dtype: np.dtype[Any]) -> AxisOperator:
    """Return the operator of one axis of floats, or of bytes that are picked."""
    n_out, scale = words.lengths[axis - 2], words.scales[axis - 2]
    kind = np.float64 if dtype == np.float64 else np.float32
    align = words.align_corners
    small = len(words.lengths) == 2 and sum(words.lengths) <= _SMALL_IMAGE
    if words.mode == "nearest":
        return filters.nearest(n_in, n_out, scale, kind, small)
    if words.mode == "nearest-exact":
        return filters.nearest_exact(n_in, n_out, scale, kind, small)
    if words.mode == "area":
        return filters.area(axis, n_in, n_out)
    if words.antialias:
        operator = filters.antialiased(axis, words.mode, n_in, n_out, scale, align, kind)
        return filters.first_row_alone(operator) if _one_column(axis, words) else operator
    # The generic kernels keep their weights in the element type.
    stored = dtype if dtype.itemsize == 2 else None
    if words.mode == "bicubic":
        return filters.cubic(n_in, n_out, scale, align, kind, stored)
    return filters.linear(n_in, n_out, scale, align, kind, None if small else stored)


def _one_column(axis: int, words: Words) -> bool:
    """Return whether the rows of a single column are resized."""
    return axis == 2 and words.lengths[1] == 1


def _plan_of_bytes(shape: tuple[int, ...], words: Words, axes: list[int]) -> Plan:
    """Return the plan of a uint8 image: each pass has bits of its own and stores bytes."""
    passes = []
    for axis in axes:
        operator, bits = of_bytes.operator(
            axis,
            words.mode,
            shape[axis],
            words.lengths[axis - 2],
            words.scales[axis - 2],
            words.align_corners,
            words.antialias,
        )
        if shape[1] > 4 and _one_column(axis, words):  # up to 4 channels have a kernel of their own
            operator = filters.first_row_alone(operator)
        if not operator.is_identity:
            passes.append(Pass(axis, operator, Arithmetic("fixed", "element", bits=bits)))
    dtype = np.dtype(np.uint8)
    return Plan(shape, dtype, tuple(passes), shape[:2] + words.lengths, dtype, "half_away")
