"""The attributes of OpenVINO's Interpolate, by version, checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ndresize.dialects import _arguments as arguments
from ndresize.dialects._openvino_coordinates import COORDINATES, NEAREST_MODES
from ndresize.errors import ResizeError

__all__ = ["MODES", "VERSIONS", "Attributes", "checked", "checked_version_1"]

MODES = {
    1: ("nearest", "linear", "linear_onnx", "cubic"),
    4: ("nearest", "linear", "linear_onnx", "cubic"),
    11: ("nearest", "linear", "linear_onnx", "cubic", "bilinear_pillow", "bicubic_pillow"),
}
"""The modes that each version has."""

VERSIONS = tuple(MODES)

_AFTER_1 = (
    "shape_calculation_mode",
    "coordinate_transformation_mode",
    "nearest_mode",
    "cube_coeff",
)


@dataclass(frozen=True)
class Attributes:
    """What versions 4 and 11 are told; a call of version 1 is translated into it."""

    mode: str
    by_scales: bool
    coordinate_transformation_mode: str
    nearest_mode: str
    antialias: bool
    pads_begin: tuple[int, ...]
    pads_end: tuple[int, ...]
    cube_coeff: float


def checked(
    version: int,
    given: dict[str, Any],
    sizes: Any,
    scales: Any,
) -> Attributes:
    """Return the attributes of a call of version 4 or 11, or refuse them."""
    if given["align_corners"] is not None:
        raise ResizeError(
            "align_corners is of version 1; give coordinate_transformation_mode='align_corners' "
            f"to version {version}"
        )
    return Attributes(
        mode=_mode(version, given["mode"]),
        by_scales=_by_scales(version, given["shape_calculation_mode"], sizes, scales),
        coordinate_transformation_mode=_choice(given, "coordinate_transformation_mode"),
        nearest_mode=_choice(given, "nearest_mode"),
        antialias=arguments.flag("antialias", given["antialias"]),
        pads_begin=_pads("pads_begin", given["pads_begin"]),
        pads_end=_pads("pads_end", given["pads_end"]),
        cube_coeff=_coefficient(given["cube_coeff"]),
    )


def checked_version_1(
    given: dict[str, Any], sizes: Any, scales: Any, axes: Any, rank: int
) -> Attributes:
    """Return what OpenVINO makes of a call of version 1, or refuse it.

    OpenVINO has no kernel for version 1: it runs version 4 with the attributes chosen here (the
    rule is the same in the reference and in the conversion that every plugin applies).
    """
    for name in _AFTER_1:
        if given[name] is not None:
            raise ResizeError(f"{name} came with version 4; got {given[name]!r} for version 1")
    if not arguments.absent(scales):
        raise ResizeError(f"scales came with version 4; give sizes to version 1, got {scales}")
    if arguments.absent(sizes):
        raise ResizeError("sizes must be given, version 1 has nothing else; got none")
    if axes is None:
        raise ResizeError("axes must be given, they are obligatory in version 1; got none")
    mode = _mode(1, given["mode"])
    if mode == "linear":
        if rank > 5:
            raise ResizeError(
                f"mode linear of version 1 must have at most 5 dimensions, got {rank}; OpenVINO "
                "converts no more to version 4 and has no other way to run it"
            )
        mode = "linear_onnx" if rank < 5 else "linear"
    pads = [_pads(name, given[name]) for name in ("pads_begin", "pads_end")]
    corners = given["align_corners"]
    transformation = "asymmetric"
    if arguments.flag("align_corners", True if corners is None else corners):
        transformation = "align_corners"
    elif (
        mode in ("linear", "linear_onnx")
        and not any(map(any, pads))
        # Plain pictures are excepted; nothing says why.
        and not (rank == 4 and sorted(arguments.vector("axes", axes)) == [2, 3])
    ):
        transformation = "half_pixel"
    return Attributes(
        mode=mode,
        by_scales=False,
        coordinate_transformation_mode=transformation,
        nearest_mode="simple",
        antialias=arguments.flag("antialias", given["antialias"]),
        pads_begin=pads[0],
        pads_end=pads[1],
        cube_coeff=-0.75,
    )


def _mode(version: int, mode: Any) -> str:
    if mode is None:
        raise ResizeError(f"mode must be given, one of {', '.join(MODES[version])}; got none")
    if isinstance(mode, str) and mode == "area" and version == 1:
        raise ResizeError(
            "mode area of version 1 is in the documents and runs nowhere: OpenVINO converts it to "
            "no other version and has no kernel; ndresize.resize has an area mode, got 'area'"
        )
    if isinstance(mode, str) and mode in set(MODES[11]) - set(MODES[version]):
        raise ResizeError(f"mode {mode!r} came with version 11; the version is {version}")
    return arguments.choice("mode", mode, MODES[version])


def _choice(given: dict[str, Any], name: str) -> str:
    allowed = COORDINATES if name == "coordinate_transformation_mode" else NEAREST_MODES
    return allowed[0] if given[name] is None else arguments.choice(name, given[name], allowed)


def _by_scales(version: int, mode: Any, sizes: Any, scales: Any) -> bool:
    """Return whether the scales decide the output shape."""
    has_sizes, has_scales = not arguments.absent(sizes), not arguments.absent(scales)
    if version == 11 and has_sizes and has_scales:
        raise ResizeError(
            "version 11 has one input for sizes or scales, got both; shape_calculation_mode says "
            "which it is"
        )
    if mode is None:
        if has_sizes and has_scales:
            raise ResizeError(
                "shape_calculation_mode must be sizes or scales where both are given, got none"
            )
        if not (has_sizes or has_scales):
            raise ResizeError("sizes or scales must be given, got neither")
        return has_scales
    by_scales = arguments.choice("shape_calculation_mode", mode, ("sizes", "scales")) == "scales"
    if not (has_scales if by_scales else has_sizes):
        other = "sizes" if by_scales else "scales"
        told = f"{other} alone" if has_sizes or has_scales else "neither"
        raise ResizeError(f"{mode} must be given with shape_calculation_mode {mode!r}, got {told}")
    return by_scales


def _pads(name: str, value: Any) -> tuple[int, ...]:
    pads = () if value is None else tuple(arguments.vector(name, value))
    for position, pad in enumerate(pads):
        if not isinstance(pad, int) or not 0 <= pad < 2**40:
            raise ResizeError(
                f"{name} must be integers of at least 0, got {pad!r} at position {position}"
            )
    return pads


def _coefficient(value: Any) -> float:
    number = arguments.finite("cube_coeff", -0.75 if value is None else value)
    return arguments.finite("cube_coeff", float(np.float32(number)))
