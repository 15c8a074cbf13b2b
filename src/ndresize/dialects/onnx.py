"""ONNX Resize (opsets 10, 11, 13, 18, 19) and Upsample (opsets 7, 9).

The source of every rule is the operator's page. Where the page is silent or its sources differ,
``docs/onnx.md`` lists the choice with the smallest input that shows it. Coordinates, ties and
output lengths are exact rational arithmetic on the values given; a scale is the float32 that the
operator's input would hold.

Nothing here needs the package ``onnx``.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndresize import coordinates
from ndresize.axis import AxisOperator
from ndresize.coordinates import Line
from ndresize.dialects import _arguments as arguments
from ndresize.dialects._onnx_words import (
    POLICIES,
    refuse_length,
    refuse_two_shapes,
    refuse_unknown,
)
from ndresize.dialects._planned import planned
from ndresize.dialects._resampling import NEAREST_RULES, NearestRule, Sampling
from ndresize.errors import ResizeError
from ndresize.filters import Filter, cubic, linear
from ndresize.memory import refuse_uncountable
from ndresize.plan import Arithmetic, Fill, Plan, make_plan

__all__ = ["OPSETS", "UPSAMPLE_OPSETS", "resize", "upsample"]

OPSETS = (10, 11, 13, 18, 19)
"""The opsets that changed Resize; an opset in between means the one below it."""

UPSAMPLE_OPSETS = (7, 9)

_COORDINATES_SINCE = {
    "half_pixel": 11,
    "pytorch_half_pixel": 11,
    "align_corners": 11,
    "asymmetric": 11,
    "tf_half_pixel_for_nn": 11,
    "tf_crop_and_resize": 11,
    "half_pixel_symmetric": 19,
}


@dataclass(frozen=True)
class Words:
    """The attributes of one Resize call, checked.

    `edge` and the other derived choices live in `words_to_plan`; here are ONNX's own names.
    """

    kernel: Filter | None  # None: nearest
    coordinate_transformation_mode: str = "half_pixel"
    nearest_mode: NearestRule | None = "round_prefer_floor"  # None: opset 10, which has no rule
    antialias: bool = False
    exclude_outside: bool = False
    extrapolation_value: float = 0.0
    keep_aspect_ratio_policy: str = "stretch"
    axes: tuple[int, ...] | None = None


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
    """Resize a tensor as ONNX Resize does.

    Called with an array `X` it returns the resized array; ``resize.plan(shape, dtype, ...)``
    takes a shape and an element type in its place and returns the plan.

    Parameters
    ----------
    X : array of shape (d0, ..., dn)
        Any rank and any element type of the operator. Integers are rounded half to even and
        saturate. bool and strings can only be resized by "nearest".
    roi : sequence of float, shape (2 * k,), optional
        Starts, then ends, of the region of each of the k axes, 0 and 1 being the centres of the
        first and last sample. Used by "tf_crop_and_resize" alone.
    scales : sequence of float, shape (k,), optional
        Output length over input length of each axis; becomes float32. The output length is
        ``floor(length * scale)``.
    sizes : sequence of int, shape (k,), optional
        Output length of each axis. Give either `scales` or `sizes`; None and an empty sequence
        both mean "not given".
    opset : {19, 18, 13, 11, 10}
        Whose Resize; each takes exactly the attributes that it has.
    mode : {"nearest", "linear", "cubic"}
        "cubic" came with opset 11.
    coordinate_transformation_mode : str
        "half_pixel" (the default), "pytorch_half_pixel", "align_corners", "asymmetric",
        "tf_crop_and_resize", "half_pixel_symmetric" (opset 19), "tf_half_pixel_for_nn" (opset 11
        alone).
    nearest_mode : {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}
        Which neighbour "nearest" picks.
    cubic_coeff_a : float
        Keys's coefficient, -0.75 by default.
    exclude_outside : {0, 1}
        1: samples outside the tensor weigh nothing and the rest is divided by its sum.
    extrapolation_value : float
        Value of the samples that "tf_crop_and_resize" places outside the tensor; 0 by default.
    antialias : {0, 1}
        1: widen the filter by the step when shrinking. Opset 18.
    axes : sequence of int
        The axes that `roi`, `scales` and `sizes` are about; all by default. Opset 18.
    keep_aspect_ratio_policy : {"stretch", "not_larger", "not_smaller"}
        How `sizes` are read. Opset 18.

    Returns
    -------
    array
        Of the same element type.

    Raises
    ------
    ResizeError
        If an argument is not what the chosen opset allows.

    Examples
    --------
    >>> import numpy as np
    >>> resize(np.array([0.0, 1.0, 2.0, 3.0], np.float32), sizes=[2], mode="linear")
    array([0.5, 2.5], dtype=float32)
    >>> resize.plan((1, 3, 480, 640), np.uint8, scales=[1, 1, 0.5, 0.5]).output_shape
    (1, 3, 240, 320)
    """
    opset = arguments.one_of("opset", opset, OPSETS)
    words = _words(opset, mode, attributes)
    _refuse_type(opset, dtype)
    return words_to_plan(shape, dtype, words, roi, scales, sizes)


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
    """Enlarge a tensor as ONNX Upsample does.

    Called with an array `X` it returns the enlarged array; ``upsample.plan(shape, dtype, ...)``
    returns the plan. The page does not define coordinates; every runtime uses "asymmetric" with
    "floor" for nearest.

    Parameters
    ----------
    X : array of shape (d0, ..., dn)
        Any rank and any element type of the operator.
    scales : sequence of float, shape (rank,)
        At least 1 each; becomes float32. The output length is ``floor(length * scale)``.
    opset : {9, 7}
        In 7 `scales` was an attribute, in 9 an input; the result is the same.
    mode : {"nearest", "linear"}
        The interpolation.

    Returns
    -------
    array
        Of the same element type.

    Raises
    ------
    ResizeError
        If a scale is below 1, or an argument is otherwise not what the operator allows.
    """
    opset = arguments.one_of("opset", opset, UPSAMPLE_OPSETS)
    arguments.choice("mode", mode, ("nearest", "linear"))
    _refuse_type(opset, dtype)
    values = arguments.float32_scales("scales", scales, len(shape), "axis of X")
    for position, scale in enumerate(values):
        if scale < 1:
            raise ResizeError(
                f"scales of Upsample must be at least 1, got {float(scale)} at position {position};"
                " Resize can shrink"
            )
    return words_to_plan(shape, dtype, _words(10, mode, {}), None, scales, None)


def words_to_plan(
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    words: Words,
    roi: Any,
    scales: Any,
    sizes: Any,
) -> Plan:
    """Return the plan of checked attributes and unchecked inputs."""
    if words.kernel is not None and not _is_number(dtype):
        raise ResizeError(
            f"mode must be nearest for elements of type {dtype}, which cannot be averaged, got "
            f"{words.kernel.name}"
        )
    axes = arguments.normalised_axes(words.axes, len(shape))
    per = "axis of X" if words.axes is None else "entry of axes"
    lengths = _lengths(shape, axes, words, scales, sizes, per)
    made = dict(zip(axes, (n for n, _ in lengths), strict=True))
    refuse_uncountable(tuple(made.get(a, n) for a, n in enumerate(shape)), dtype)
    regions = _regions(words, roi, len(axes), per)
    operators: dict[int, AxisOperator] = {}
    outside: list[NDArray[np.bool_] | None] = [None] * len(shape)
    for axis, (n_out, scale), region in zip(axes, lengths, regions, strict=True):
        operators[axis], outside[axis] = _axis(axis, shape[axis], n_out, scale, words, region)
    fill = None
    if any(mask is not None for mask in outside):
        cropping = words.coordinate_transformation_mode == "tf_crop_and_resize"
        fill = Fill(words.extrapolation_value if cropping else 0.0, tuple(outside))
    picks = words.kernel is None
    arithmetic = Arithmetic("element") if picks else Arithmetic.for_dtype(dtype)
    return make_plan(shape, dtype, operators, arithmetic=arithmetic, fill=fill)


def _words(opset: int, mode: str, attributes: dict[str, Any]) -> Words:
    mode = arguments.choice("mode", mode, ("nearest", "linear", "cubic"))
    if mode == "cubic" and opset < 11:
        raise ResizeError(f"mode 'cubic' came with opset 11; the opset is {opset}")
    refuse_unknown(opset, attributes)
    if opset == 10:
        return Words(linear if mode == "linear" else None, "asymmetric", nearest_mode=None)
    given = dict(attributes)
    transformation = arguments.choice(
        "coordinate_transformation_mode",
        given.pop("coordinate_transformation_mode", "half_pixel"),
        tuple(_COORDINATES_SINCE),
    )
    if opset < _COORDINATES_SINCE[transformation]:
        raise ResizeError(
            f"coordinate_transformation_mode {transformation!r} came with opset 19; the opset is "
            f"{opset}"
        )
    if transformation == "tf_half_pixel_for_nn" and opset > 11:
        raise ResizeError(
            "coordinate_transformation_mode 'tf_half_pixel_for_nn' was removed with opset 13; "
            "'half_pixel' with nearest_mode 'round_prefer_ceil' picks the same samples as its "
            f"'floor'; the opset is {opset}"
        )
    # The operator's attributes are float32, as its scales are.
    coefficient = arguments.float32("cubic_coeff_a", given.pop("cubic_coeff_a", -0.75))
    arguments.finite("cubic_coeff_a", coefficient)
    if "extrapolation_value" in given:
        value = given["extrapolation_value"]
        given["extrapolation_value"] = arguments.float32("extrapolation_value", value)
    kernels = {"nearest": None, "linear": linear, "cubic": cubic(coefficient)}
    return checked_words(kernels[mode], transformation, given)


def checked_words(kernel: Filter | None, transformation: str, given: dict[str, Any]) -> Words:
    """Return the words of the attributes that every opset from 18 on has."""
    antialias = arguments.flag("antialias", given.get("antialias", 0))
    if antialias and kernel is None:
        raise ResizeError(
            "antialias needs a mode that averages, as linear does; got nearest, which picks samples"
        )
    rule = arguments.choice(
        "nearest_mode", given.get("nearest_mode", "round_prefer_floor"), NEAREST_RULES
    )
    axes = given.get("axes")
    return Words(
        kernel=kernel,
        coordinate_transformation_mode=transformation,
        nearest_mode=next(r for r in NEAREST_RULES if r == rule),
        antialias=antialias,
        exclude_outside=arguments.flag("exclude_outside", given.get("exclude_outside", 0)),
        extrapolation_value=arguments.number(
            "extrapolation_value", given.get("extrapolation_value", 0.0)
        ),
        keep_aspect_ratio_policy=arguments.choice(
            "keep_aspect_ratio_policy", given.get("keep_aspect_ratio_policy", "stretch"), POLICIES
        ),
        axes=None if axes is None else tuple(arguments.vector("axes", axes)),
    )


def _refuse_type(opset: int, dtype: np.dtype[Any]) -> None:
    if dtype.name == "bfloat16":
        if opset < 13:
            raise ResizeError(f"bfloat16 came with opset 13; the opset is {opset}")
        return
    known = dtype.kind in "biuOUST" or dtype.char in "efdFD"
    # isbuiltin is 2 for types that another package registered, as ml_dtypes does its float8.
    if not known or dtype.isbuiltin == 2 or dtype.fields is not None:
        raise ResizeError(
            f"X must have an element type of the operator (a float, integer, complex, bool or "
            f"string type), got {dtype}"
        )


def _is_number(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in "iufc" or dtype.name == "bfloat16"


def _lengths(
    shape: tuple[int, ...], axes: list[int], words: Words, scales: Any, sizes: Any, per: str
) -> list[tuple[int, Fraction]]:
    """Return output length and scale of each axis."""
    if not axes and arguments.absent(scales) and arguments.absent(sizes):
        return []
    refuse_two_shapes(scales, sizes)
    policy = words.keep_aspect_ratio_policy
    if arguments.absent(sizes):
        if policy != "stretch":
            raise ResizeError(
                f"keep_aspect_ratio_policy {policy!r} needs sizes, got scales (the ONNX reference "
                "would ignore the policy)"
            )
        given = arguments.float32_scales("scales", scales, len(axes), per)
        # The page multiplies by the extent of the roi as well; no implementation does.
        return [(int(shape[a] * s), s) for a, s in zip(axes, given, strict=True)]
    lengths = arguments.integers("sizes", sizes, len(axes), per)
    for axis, size in zip(axes, lengths, strict=True):
        refuse_length(axis, shape[axis], size)
    ratios = [
        Fraction(n, shape[a]) if n else Fraction(1) for a, n in zip(axes, lengths, strict=True)
    ]
    if policy == "stretch":
        return list(zip(lengths, ratios, strict=True))
    if 0 in lengths:
        raise ResizeError(
            f"keep_aspect_ratio_policy must be stretch for empty axes, got {policy!r}"
        )
    scale = min(ratios) if policy == "not_larger" else max(ratios)
    # Halfway cases go up. The coordinates keep the scale itself, not the ratio of the lengths.
    return [((2 * scale * shape[a] + 1) // 2, scale) for a in axes]


def _regions(words: Words, roi: Any, count: int, per: str) -> list[tuple[Fraction, Fraction]]:
    """Return start and end of each axis's region."""
    if words.coordinate_transformation_mode != "tf_crop_and_resize":
        if not arguments.absent(roi):
            arguments.vector("roi", roi)  # numbers, which nothing reads
        return [(Fraction(0), Fraction(1))] * count
    if arguments.absent(roi) and count:
        raise ResizeError(
            "roi must be given with coordinate_transformation_mode tf_crop_and_resize"
        )
    values = [] if roi is None else arguments.vector("roi", roi)
    if len(values) != 2 * count:
        raise ResizeError(
            f"roi must have {2 * count} entries, a start per {per} and then an end per {per}, got "
            f"{len(values)}"
        )
    exact = [Fraction(arguments.finite("roi", value)) for value in values]
    return list(zip(exact[:count], exact[count:], strict=True))


def _axis(
    axis: int,
    n_in: int,
    n_out: int,
    scale: Fraction,
    words: Words,
    region: tuple[Fraction, Fraction],
) -> tuple[AxisOperator, NDArray[np.bool_] | None]:
    """Return the operator of one axis and its samples that take a constant."""
    kernel = words.kernel
    stretch = 1.0
    if kernel is not None and (words.antialias or not kernel.widen):
        stretch = float(max(1 / scale, Fraction(1)) if kernel.widen else 1 / scale)
    rule = words.nearest_mode or ("ceil" if scale < 1 else "floor")
    how = Sampling(
        kernel or rule,
        edge="exclude" if words.exclude_outside else "replicate",
        normalised=words.antialias or not (kernel is None or kernel.sums_to_one),
    )
    if n_out == 0:
        return AxisOperator(np.zeros(0), np.zeros((0, 1)), n_in), None
    arguments.refuse_huge_axis(axis, n_out, how.taps(stretch))
    mode = words.coordinate_transformation_mode
    line = _line(mode, n_in, n_out, scale, region)
    operator, outside = how.operator(n_in, n_out, line, stretch)
    if mode == "tf_crop_and_resize":
        beyond = coordinates.on_line(n_out, line).outside(n_in)
        return operator, beyond if beyond.any() else None
    return operator, outside


def _line(
    mode: str, n_in: int, n_out: int, scale: Fraction, region: tuple[Fraction, Fraction]
) -> Line:
    """Return the coordinates of one axis."""
    if mode == "pytorch_half_pixel" and n_out == 1:
        return Fraction(0), Fraction(0)
    if mode in ("half_pixel", "pytorch_half_pixel"):
        return coordinates.half_pixel(scale)
    if mode == "half_pixel_symmetric":
        return coordinates.half_pixel_symmetric(scale, n_in, n_out)
    if mode == "align_corners":
        # The unrounded length: test_resize_downsample_scales_linear_align_corners is explicit.
        return coordinates.align_corners(n_in, scale * n_in) if n_out > 1 else (Fraction(0),) * 2
    if mode == "tf_crop_and_resize":
        return coordinates.crop(n_in, n_out, *region)
    if mode == "tf_half_pixel_for_nn" and scale != 1:
        return coordinates.half_pixel_for_nearest(scale)
    # asymmetric; and tf_half_pixel_for_nn where the axis is not resized, which all runtimes copy.
    return coordinates.asymmetric(scale)
