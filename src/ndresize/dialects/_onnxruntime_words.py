"""The attributes of a call of ONNX Runtime's Resize, checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ndresize.dialects import _arguments as arguments
from ndresize.dialects._onnx_words import POLICIES, refuse_unknown
from ndresize.dialects._onnxruntime_coordinates import MODES, NEAREST_MODES
from ndresize.errors import ResizeError

__all__ = ["Words", "checked_words"]


@dataclass(frozen=True)
class Words:
    """The attributes of a call, checked."""

    mode: str
    transformation: str = "asymmetric"
    nearest_mode: str = "simple"
    antialias: bool = False
    exclude_outside: bool = False
    cubic_coeff_a: float = -0.75
    extrapolation_value: float = 0.0
    policy: str = "stretch"
    axes: tuple[int, ...] | None = None

    @property
    def crops(self) -> bool:
        """Whether the roi is used, and what lies outside takes the extrapolation value."""
        return self.transformation == "tf_crop_and_resize"


def checked_words(opset: int, mode: str, attributes: dict[str, Any]) -> Words:
    """Return the attributes of Resize, checked."""
    mode = arguments.choice("mode", mode, ("nearest", "linear", "cubic"))
    refuse_unknown(opset, attributes)
    if opset == 10:
        return Words(mode)
    given = attributes.get
    antialias = arguments.flag("antialias", given("antialias", 0))
    exclude = arguments.flag("exclude_outside", given("exclude_outside", 0))
    if antialias and mode == "nearest":
        raise ResizeError("antialias needs mode linear or cubic, got nearest")
    if exclude and not (mode == "cubic" or antialias):
        raise ResizeError(
            f"exclude_outside needs mode cubic, or linear with antialias, got {mode} without it"
        )
    axes = given("axes")
    return Words(
        mode,
        arguments.choice(
            "coordinate_transformation_mode",
            given("coordinate_transformation_mode", "half_pixel"),
            MODES,
        ),
        arguments.choice(
            "nearest_mode", given("nearest_mode", "round_prefer_floor"), NEAREST_MODES
        ),
        antialias,
        exclude,
        arguments.finite("cubic_coeff_a", given("cubic_coeff_a", -0.75)),
        arguments.float32("extrapolation_value", given("extrapolation_value", 0.0)),
        arguments.choice(
            "keep_aspect_ratio_policy", given("keep_aspect_ratio_policy", "stretch"), POLICIES
        ),
        None if arguments.absent(axes) else tuple(arguments.vector("axes", axes)),
    )
