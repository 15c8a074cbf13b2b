"""Where OpenVINO's three accounts of Interpolate differ: reference, CPU plugin, page.

Each field of `Rules` is one difference; ``docs/openvino.md`` has them as a table with the smallest
input that shows each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ndresize.rounding import RoundingRule

__all__ = ["RULES", "Device", "Rules"]

Device = Literal["reference", "CPU", "document"]


@dataclass(frozen=True)
class Rules:
    """One account of Interpolate.

    Parameters
    ----------
    device : {"reference", "CPU", "document"}
        Whose.
    real : type
        What coordinates are computed in.
    copies_equal_lengths : bool
        Whether an axis whose scale is 1 or whose length stays is copied, whatever the mode says.
    divides_first : bool
        Whether "align_corners" computes ``i * ((L - 1) / (O - 1))`` and not the product first.
    ties_to_even : bool
        Whether "round_prefer_ceil" takes halves to the even index (Python's `round`) and not up.
    lengths_in_float32 : bool
        Whether the output length is ``trunc(float32(L) * (scale + 1e-6))`` and not
        ``floor(L * scale)``.
    maps_unlisted_axes : bool
        Whether "nearest" sends the coordinates of axes that are not resized through the mode too.
    flat_linear_is_two_point : bool
        Whether "linear" of less than five dimensions is "linear_onnx", so without antialias.
    narrows_whatever_shrinks : bool
        Whether antialias narrows the triangle of growing axes even if no axis shrinks.
    pillow_coefficient : float or None
        What "bicubic_pillow" takes in place of `cube_coeff`.
    pillow_in_float32 : bool
        Whether the Pillow modes centre their filters in float32.
    rounding : dict from mode to rounding rule
        How each mode stores integers.
    """

    device: Device
    real: type[np.float32] | type[np.float64]
    copies_equal_lengths: bool
    divides_first: bool
    ties_to_even: bool
    lengths_in_float32: bool
    maps_unlisted_axes: bool
    flat_linear_is_two_point: bool
    narrows_whatever_shrinks: bool
    pillow_coefficient: float | None
    pillow_in_float32: bool
    rounding: Mapping[str, RoundingRule]


_AVERAGES = ("linear", "linear_onnx", "cubic", "bilinear_pillow", "bicubic_pillow")
_HALF_EVEN: dict[str, RoundingRule] = dict.fromkeys(_AVERAGES, "half_even")

RULES: dict[str, Rules] = {
    # src/core/reference of release 2026.4.1.
    "reference": Rules(
        "reference",
        real=np.float32,
        copies_equal_lengths=True,
        divides_first=False,
        ties_to_even=False,
        lengths_in_float32=True,
        maps_unlisted_axes=False,
        flat_linear_is_two_point=False,
        narrows_whatever_shrinks=False,
        pillow_coefficient=None,
        pillow_in_float32=False,
        rounding={
            "linear": "half_away",
            "linear_onnx": "truncate",  # a cast, where "linear" calls round
            "cubic": "truncate",
            "bilinear_pillow": "half_away",
            "bicubic_pillow": "half_away",
        },
    ),
    # The CPU plugin of release 2026.4.1 on x86-64.
    "CPU": Rules(
        "CPU",
        real=np.float32,
        copies_equal_lengths=True,
        divides_first=True,
        ties_to_even=False,
        lengths_in_float32=True,
        maps_unlisted_axes=False,
        flat_linear_is_two_point=True,
        narrows_whatever_shrinks=True,
        pillow_coefficient=-0.5,
        pillow_in_float32=True,
        # "linear" is here that of five dimensions, which a plain C++ loop does.
        rounding={**_HALF_EVEN, "linear": "truncate"},
    ),
    # The page of Interpolate-4, its listing taken by the letter.
    "document": Rules(
        "document",
        real=np.float64,
        copies_equal_lengths=False,
        divides_first=False,
        ties_to_even=True,
        lengths_in_float32=False,
        maps_unlisted_axes=True,
        flat_linear_is_two_point=False,
        narrows_whatever_shrinks=False,
        pillow_coefficient=None,
        pillow_in_float32=False,
        # The listing leaves floats where the page wants the input's type; `round` is its own rule.
        rounding=_HALF_EVEN,
    ),
}
