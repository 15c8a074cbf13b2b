"""Which ``top.Interp`` TPU-MLIR's importer makes of an ONNX Resize or Upsample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ndresize.dialects import _arguments as arguments
from ndresize.errors import ResizeError

__all__ = ["Interp", "from_onnx"]

_KEPT = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric")

_UNREAD = {
    # Attribute: the value that loses nothing.
    "antialias": 0,
    "axes": None,
    "cubic_coeff_a": -0.75,
    "exclude_outside": 0,
    "extrapolation_value": 0.0,
    "keep_aspect_ratio_policy": "stretch",
}


@dataclass(frozen=True)
class Interp:
    """A ``top.Interp``.

    Parameters
    ----------
    mode, coord_mode : str
        Its attributes.
    scale_h, scale_w : float or None
        Its scales, where the node's scales were given.
    target_shape : (int, int) or None
        Its target, where the node's sizes were given.
    lost : tuple of str
        What the node says and the operator does not, one line each.
    """

    mode: str
    coord_mode: str
    scale_h: float | None
    scale_w: float | None
    target_shape: tuple[int, int] | None
    lost: tuple[str, ...]

    @property
    def words(self) -> dict[str, Any]:
        """The arguments of `interp` that run it."""
        found = {
            "mode": self.mode,
            "coord_mode": self.coord_mode,
            "scale_h": self.scale_h,
            "scale_w": self.scale_w,
            "target_shape": self.target_shape,
        }
        return {name: value for name, value in found.items() if value is not None}


def from_onnx(node: Any, scales: Any = None, sizes: Any = None, *, opset: int = 13) -> Interp:
    """Return the operator that the importer makes of an ONNX node.

    Parameters
    ----------
    node : onnx.NodeProto
        A Resize or an Upsample, or anything with its `op_type` and `attribute`.
    scales, sizes : sequence of number, shape (4,), optional
        The values of those inputs.
    opset : int
        The model's. Resize before 11 and Upsample have no coordinate mode.

    Returns
    -------
    Interp
        With what was lost on the way.

    Raises
    ------
    ResizeError
        If the importer does not take the node.
    """
    if node.op_type not in ("Resize", "Upsample"):
        raise ResizeError(f"node must be a Resize or an Upsample, got {node.op_type}")
    given = {attribute.name: _value(attribute) for attribute in node.attribute}
    lost = []
    mode = given.get("mode", "nearest")
    if mode in ("cubic", "bicubic"):
        lost.append("mode cubic becomes linear")
        mode = "linear"
    mode = arguments.choice("mode", "linear" if mode == "bilinear" else mode, ("nearest", "linear"))
    coord_mode = given.get("coordinate_transformation_mode", "half_pixel")
    if node.op_type == "Upsample" or opset < 11:
        lost.append("no coordinate mode becomes half_pixel, where all runtimes are asymmetric")
    if coord_mode == "tf_half_pixel_for_nn":
        lost.append("coordinate_transformation_mode tf_half_pixel_for_nn becomes half_pixel")
        coord_mode = "half_pixel"
    if coord_mode not in _KEPT:
        raise ResizeError(
            f"coordinate_transformation_mode must be one of {', '.join(_KEPT)} for top.Interp, got "
            f"{coord_mode!r}; ndresize.dialects.onnx can run it"
        )
    if mode == "nearest" and (node.op_type == "Resize" and opset >= 11):
        rule = given.get("nearest_mode", "round_prefer_floor")
        lost.append(f"nearest_mode {rule} is not read")
    for name, harmless in _UNREAD.items():
        if name in given and given[name] != harmless:
            lost.append(f"{name} {given[name]!r} is not read")
    scale_h, scale_w = _pair("scales", scales, float)
    target = _pair("sizes", sizes, int)
    return Interp(
        mode,
        coord_mode,
        scale_h,
        scale_w,
        None if target[0] is None else (target[0], target[1]),
        tuple(lost),
    )


def _pair(name: str, values: Any, kind: Any) -> tuple[Any, Any]:
    if arguments.absent(values):
        return None, None
    found = arguments.vector(name, values)
    if len(found) != 4 or (name == "scales" and found[:2] != [1, 1]):
        raise ResizeError(
            f"{name} must have 4 entries and leave batch and channels alone, got {found}"
        )
    return kind(found[2]), kind(found[3])


def _value(attribute: Any) -> Any:
    """Return the value of an AttributeProto without asking the package onnx for it."""
    kinds = {1: "f", 2: "i", 3: "s", 6: "floats", 7: "ints"}  # AttributeProto.AttributeType
    field = kinds.get(attribute.type)
    if field is None:
        raise ResizeError(f"attribute {attribute.name} must be a number or a word")
    value = getattr(attribute, field)
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    return value if isinstance(value, int | float | str) else list(value)
