"""OpenVINO Interpolate, versions 1, 4 and 11.

Three accounts of it exist and they differ: the C++ reference (``device="reference"``, the
default), the CPU plugin (``device="CPU"``), both of release 2026.4.1, and the operator's page
(``device="document"``). ``docs/openvino.md`` lists every difference with the smallest input that
shows it. The reference and the plugin compute coordinates in float32, one rounded operation after
another, and so does this module; a scale is the float32 that the operator's input holds.

Nothing here needs the package ``openvino``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ndresize.dialects import _arguments as arguments
from ndresize.dialects import _openvino_attributes as attributes
from ndresize.dialects._openvino_plan import plan_of
from ndresize.dialects._openvino_rules import RULES
from ndresize.dialects._planned import planned
from ndresize.errors import ResizeError
from ndresize.plan import Plan

__all__ = ["DEVICES", "MODES", "VERSIONS", "interpolate"]

VERSIONS = attributes.VERSIONS
"""The versions of the operator, each named after the opset that brought it."""

MODES = attributes.MODES
"""The modes of each version."""

DEVICES = tuple(RULES)


@planned("data")
def interpolate(
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    /,
    sizes: Any = None,
    scales: Any = None,
    axes: Any = None,
    *,
    version: int = 4,
    mode: str | None = None,
    shape_calculation_mode: str | None = None,
    coordinate_transformation_mode: str | None = None,
    nearest_mode: str | None = None,
    antialias: bool = False,
    pads_begin: Any = None,
    pads_end: Any = None,
    cube_coeff: float | None = None,
    align_corners: bool | None = None,
    device: str = "reference",
) -> Plan:
    """Interpolate a tensor as OpenVINO does.

    Called with an array `data` it returns the resized array; ``interpolate.plan(shape, dtype,
    ...)`` takes a shape and an element type in its place and returns the plan.

    Parameters
    ----------
    data : array of shape (d0, ..., dn)
        Any numeric type. "nearest" copies; the other modes store integers as `device` does: the
        reference rounds halves away from zero in "linear" and the Pillow modes and cuts off
        fractions in "linear_onnx" and "cubic"; the CPU plugin rounds halves to even. All saturate.
    sizes : sequence of int, shape (k,), optional
        Output length of each axis in `axes`.
    scales : sequence of float, shape (k,), optional
        Output length over padded input length of each axis in `axes`; becomes float32.
        Version 11 takes one of both, version 1 takes `sizes`.
    axes : sequence of int, shape (k,), optional
        The axes that they are about, in their order, counted from the front; all by default.
        Obligatory in version 1, which forgets their order: its sizes are for ascending axes.
    version : {4, 11, 1}
        Whose Interpolate. 0, OpenVINO's own number for version 1, is taken as well.
    mode : str
        "nearest", "linear", "linear_onnx", "cubic", and in version 11 "bilinear_pillow" and
        "bicubic_pillow" (two axes: rows, then columns). "linear_onnx" takes the axes that
        `device` allows. The documents give version 1 an "area" that runs nowhere; it is refused.
    shape_calculation_mode : {"sizes", "scales"}, optional
        Which of both counts. May be left out where one is given.
    coordinate_transformation_mode : str
        "half_pixel" (the default), "pytorch_half_pixel", "asymmetric", "tf_half_pixel_for_nn",
        "align_corners". The Pillow modes do not look at it.
    nearest_mode : str
        "round_prefer_floor" (the default), "round_prefer_ceil", "floor", "ceil", "simple".
    antialias : bool
        Widen the triangle of "linear" where an axis shrinks. No other mode looks at it, and the
        CPU plugin does for five dimensions alone.
    pads_begin, pads_end : sequence of int
        Zeros put around the data before all else; a short list is continued by zeros, a long one
        is cut to the rank.
    cube_coeff : float
        Keys's coefficient for "cubic" and "bicubic_pillow", -0.75 by default.
    align_corners : bool
        Version 1; True by default. False means "asymmetric", or "half_pixel" for "linear" without
        pads unless the axes are the last two of four.
    device : {"reference", "CPU", "document"}
        Whose account of the operator.

    Returns
    -------
    array
        Of the same element type.

    Raises
    ------
    ResizeError
        If an argument is not what the version allows, or the device refuses or garbles the call.

    Examples
    --------
    >>> import numpy as np
    >>> row = np.array([[0.0, 1.0, 3.0, 10.0]], np.float32)
    >>> interpolate(row, sizes=[8], axes=[1], mode="linear").round(2)
    array([[ 0.  ,  0.25,  0.75,  1.5 ,  2.5 ,  4.75,  8.25, 10.  ]],
          dtype=float32)
    >>> interpolate.plan((1, 3, 480, 640), np.uint8, scales=[0.5, 0.5], axes=[2, 3],
    ...                  mode="nearest").output_shape
    (1, 3, 240, 320)
    """
    given = {
        "mode": mode,
        "shape_calculation_mode": shape_calculation_mode,
        "coordinate_transformation_mode": coordinate_transformation_mode,
        "nearest_mode": nearest_mode,
        "antialias": antialias,
        "pads_begin": pads_begin,
        "pads_end": pads_end,
        "cube_coeff": cube_coeff,
        "align_corners": align_corners,
    }
    version = 1 if isinstance(version, int) and version == 0 else version
    version = arguments.one_of("version", version, VERSIONS)
    rules = RULES[arguments.choice("device", device, DEVICES)]
    if dtype.kind not in "iuf" and dtype.name != "bfloat16":
        raise ResizeError(f"data must be of a numeric type, got {dtype}")
    if version == 1:
        words = attributes.checked_version_1(given, sizes, scales, axes, len(shape))
    else:
        words = attributes.checked(version, given, sizes, scales)
    return plan_of(shape, dtype, words, rules, version, sizes, scales, axes)
