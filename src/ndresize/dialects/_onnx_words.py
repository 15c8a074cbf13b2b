"""The words of ONNX Resize that the page and ONNX Runtime share: since when, and which."""

from __future__ import annotations

from typing import Any

from ndresize.dialects import _arguments as arguments
from ndresize.errors import ResizeError

__all__ = ["POLICIES", "refuse_length", "refuse_two_shapes", "refuse_unknown"]

_SINCE = {
    "coordinate_transformation_mode": 11,
    "cubic_coeff_a": 11,
    "exclude_outside": 11,
    "extrapolation_value": 11,
    "nearest_mode": 11,
    "antialias": 18,
    "axes": 18,
    "keep_aspect_ratio_policy": 18,
}
"""The attributes besides mode, and the opsets that they came with."""

POLICIES = ("stretch", "not_larger", "not_smaller")
"""What keep_aspect_ratio_policy may be."""


def refuse_unknown(opset: int, attributes: dict[str, Any]) -> None:
    """Refuse attributes that Resize does not have, or not yet with an opset."""
    for name, value in attributes.items():
        if name not in _SINCE:
            known = ", ".join(n for n, since in _SINCE.items() if since <= opset) or "none but mode"
            raise ResizeError(f"unknown attribute {name}={value!r}; Resize-{opset} has: {known}")
        if opset < _SINCE[name]:
            raise ResizeError(f"{name} came with opset {_SINCE[name]}; the opset is {opset}")


def refuse_two_shapes(scales: Any, sizes: Any) -> None:
    """Refuse both inputs that tell the output's shape, and neither."""
    if arguments.absent(scales) and arguments.absent(sizes):
        raise ResizeError("give scales or sizes; got neither")
    if not arguments.absent(scales) and not arguments.absent(sizes):
        raise ResizeError(f"give scales or sizes, not both; got scales={scales}, sizes={sizes}")


def refuse_length(axis: int, n_in: int, n_out: int) -> None:
    """Refuse an output length of an axis that is negative, or 0 where the input's is not."""
    if n_out < 0 or (n_out == 0) != (n_in == 0):
        rule = "greater than 0" if n_in else "0, as the axis is empty"
        raise ResizeError(f"sizes must be {rule}, got {n_out} (axis {axis})")
