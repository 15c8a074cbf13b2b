"""`ndresize.resize`: the words of ONNX Resize-19, and filters that ONNX lacks."""

from __future__ import annotations

from typing import Any

import numpy as np

from ndresize import filters
from ndresize.dialects import _arguments as arguments
from ndresize.dialects import onnx
from ndresize.dialects._planned import planned
from ndresize.filters import Filter
from ndresize.plan import Plan

__all__ = ["MODES", "resize"]

_FILTERS: dict[str, Filter] = {
    "linear": filters.linear,
    "lanczos3": filters.lanczos(3),
    "area": filters.area,
    "box": filters.box,
    "hamming": filters.hamming,
    "mitchell": filters.mitchell,
    "gaussian": filters.gaussian,
}

MODES = ("nearest", "linear", "cubic", *list(_FILTERS)[1:])
"""What `resize` takes as `mode`."""

_COORDINATES = (
    "half_pixel",
    "half_pixel_symmetric",
    "pytorch_half_pixel",
    "align_corners",
    "asymmetric",
    "tf_crop_and_resize",
)


@planned("x")
def resize(
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    /,
    roi: Any = None,
    scales: Any = None,
    sizes: Any = None,
    *,
    axes: Any = None,
    mode: str = "nearest",
    antialias: bool = False,
    coordinate_transformation_mode: str = "half_pixel",
    nearest_mode: str = "round_prefer_floor",
    cubic_coeff_a: float = -0.75,
    exclude_outside: bool = False,
    extrapolation_value: float = 0.0,
    keep_aspect_ratio_policy: str = "stretch",
) -> Plan:
    """Resize an array of any rank and type.

    The words and defaults are those of ONNX Resize-19 (`ndresize.dialects.onnx.resize`), with
    more filters. Called with an array `x` it returns the resized array;
    ``resize.plan(shape, dtype, ...)`` returns the plan.

    Parameters
    ----------
    x : array
        Any shape. Integers are rounded half to even and saturate; bool and strings can only be
        resized by "nearest". torch, JAX and other array-API arrays give arrays of their kind.
    roi : sequence of float, optional
        For "tf_crop_and_resize": starts, then ends, of each axis's region.
    scales : sequence of float, optional
        Output length over input length per axis; the output length is its floor.
    sizes : sequence of int, optional
        Output lengths. Give either `scales` or `sizes`.
    axes : sequence of int, optional
        The axes that they are about, in their order; all by default.
    mode : str
        "nearest", "linear", "cubic", or a filter that ONNX lacks: "lanczos3", "area", "box",
        "hamming", "mitchell", "gaussian". The weights of these, and of all filters with
        `antialias`, are divided by their sum. "area" always widens with the step.
    antialias : bool
        Widen the filter by the step when shrinking.
    coordinate_transformation_mode, nearest_mode, cubic_coeff_a, exclude_outside
        As in `ndresize.dialects.onnx.resize`.
    extrapolation_value, keep_aspect_ratio_policy
        As in `ndresize.dialects.onnx.resize`.

    Returns
    -------
    array
        Of the same element type.

    Raises
    ------
    ResizeError
        If an argument is not allowed.

    Examples
    --------
    >>> import numpy as np
    >>> picture = np.zeros((480, 640, 3), np.uint8)
    >>> resize(picture, sizes=(224, 224), axes=(0, 1), mode="linear", antialias=True).shape
    (224, 224, 3)
    """
    arguments.choice("mode", mode, MODES)
    transformation = arguments.choice(
        "coordinate_transformation_mode", coordinate_transformation_mode, _COORDINATES
    )
    coefficient = arguments.finite("cubic_coeff_a", cubic_coeff_a)
    kernel = filters.cubic(coefficient) if mode == "cubic" else _FILTERS.get(mode)
    words = onnx.checked_words(
        kernel,
        transformation,
        {
            "axes": axes,
            "antialias": antialias,
            "nearest_mode": nearest_mode,
            "exclude_outside": exclude_outside,
            "extrapolation_value": extrapolation_value,
            "keep_aspect_ratio_policy": keep_aspect_ratio_policy,
        },
    )
    return onnx.words_to_plan(shape, dtype, words, roi, scales, sizes)
