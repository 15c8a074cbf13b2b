"""ONNX Resize and Upsample as ONNX Runtime 1.32 computes them on the CPU.

The words are ONNX's; lengths, coordinates, weights, sums and refusals are those of
``onnxruntime/core/providers/cpu/tensor/upsample*``. ``docs/onnxruntime.md`` lists what differs
from the operator's page.

Nothing here needs the package ``onnxruntime``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ndresize.dialects import _arguments as arguments
from ndresize.dialects._onnxruntime_plan import ELEMENT_TYPES, plan_of
from ndresize.dialects._onnxruntime_words import Words, checked_words
from ndresize.dialects._planned import planned
from ndresize.errors import ResizeError
from ndresize.plan import Plan

__all__ = ["ELEMENT_TYPES", "OPSETS", "UPSAMPLE_OPSETS", "resize", "upsample"]

OPSETS = (10, 11, 13, 18, 19)
"""The opsets that changed Resize."""

UPSAMPLE_OPSETS = (7, 9)
"""The opsets that changed Upsample."""


@planned("X")
def resize(
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    /,
    roi: Any = None,
    scales: Any = None,
    sizes: Any = None,
    *,
    opset: int = 19,
    mode: str = "nearest",
    **attributes: Any,
) -> Plan:
    """Resize a tensor as ONNX Runtime's CPU kernel does.

    Called with an array `X` it returns the resized array; ``resize.plan(shape, dtype, ...)``
    takes a shape and an element type in its place and returns the plan.

    Parameters
    ----------
    X : array of shape (d0, ..., dn)
        float32, float16, int32, int8 or uint8. "linear" takes 2, 3, 4 or 5 dimensions, "cubic" 2
        or 4; of 4 or 5, the outer two, or the first and the last of 4, must have scale 1.
    roi : sequence of float, shape (2 * k,), optional
        Starts, then ends, of the region of each of the k axes. Read for "tf_crop_and_resize"
        alone.
    scales : sequence of float, shape (k,), optional
        Output length over input length; becomes float32. The output length is the float32 product
        of length and scale, cut.
    sizes : sequence of int, shape (k,), optional
        Output length of each axis.
    opset : {19, 18, 13, 11, 10}
        Whose Resize.
    mode : {"nearest", "linear", "cubic"}
        The interpolation.
    **attributes
        Those of the operator: coordinate_transformation_mode (every word with every opset from 11
        on), nearest_mode, cubic_coeff_a, exclude_outside, extrapolation_value; from opset 18 on
        antialias, axes, keep_aspect_ratio_policy.

    Returns
    -------
    array
        Of the same element type.

    Raises
    ------
    ResizeError
        If ONNX Runtime would raise.

    Examples
    --------
    >>> import numpy as np
    >>> resize(np.array([[0, 3]], np.uint8), sizes=[1, 3], mode="linear")
    array([[0, 1, 3]], dtype=uint8)
    """
    opset = arguments.one_of("opset", opset, OPSETS)
    words = checked_words(opset, mode, attributes)
    if opset == 10:
        for name, value in (("roi", roi), ("sizes", sizes)):
            if value is not None:
                raise ResizeError(f"{name} came with opset 11; the opset is 10, got {value!r}")
    if opset == 11 and words.crops and arguments.absent(roi):
        raise ResizeError("roi must be given for tf_crop_and_resize in opset 11, got none")
    return plan_of(shape, dtype, words, roi, scales, sizes)


@planned("X")
def upsample(
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    /,
    scales: Any,
    *,
    opset: int = 9,
    mode: str = "nearest",
) -> Plan:
    """Enlarge a tensor as ONNX Runtime's CPU kernel does.

    Called with an array `X` it returns the enlarged array; ``upsample.plan(shape, dtype, ...)``
    returns the plan.

    Parameters
    ----------
    X : array of shape (d0, ..., dn)
        float32, float16, int32, int8 or uint8; for "linear" as in `resize`.
    scales : sequence of float, shape (rank,)
        At least 1 each; becomes float32.
    opset : {9, 7}
        Whose Upsample; the result is the same.
    mode : {"nearest", "linear"}
        The interpolation.

    Returns
    -------
    array
        Of the same element type.

    Raises
    ------
    ResizeError
        If ONNX Runtime would raise.
    """
    opset = arguments.one_of("opset", opset, UPSAMPLE_OPSETS)
    mode = arguments.choice("mode", mode, ("nearest", "linear"))
    if any(scale < 1 for scale in arguments.float32_scales("scales", scales, len(shape), "axis")):
        raise ResizeError(
            f"scales of Upsample must be at least 1, got {scales!r}; Resize can shrink"
        )
    return plan_of(shape, dtype, Words(mode), None, scales, None)
