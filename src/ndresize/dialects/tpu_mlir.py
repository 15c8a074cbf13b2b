"""TPU-MLIR: its note on Resize, and what its compiler's ``top.Interp`` computes.

`resize` is the note, which explains the coordinates as two grids laid over each other and means
ONNX Resize. `interp` is the interpreter that the compiler holds its models against; it does not
follow the note everywhere, and each time it does not a `TpuMlirWarning` says so. `from_onnx` tells
which ``Interp`` the importer makes of an ONNX node and what is lost.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndresize import coordinates, filters
from ndresize.axis import AxisOperator
from ndresize.dialects import _arguments as arguments
from ndresize.dialects._planned import ResizeFunction, planned
from ndresize.dialects._resampling import NEAREST_RULES, Sampling
from ndresize.dialects._tpu_grids import line_of
from ndresize.dialects._tpu_import import Interp, from_onnx
from ndresize.dialects._tpu_interp import PLATFORMS, operator
from ndresize.dialects._tpu_quirks import TpuMlirWarning, quirks
from ndresize.engine import portable
from ndresize.errors import ResizeError
from ndresize.plan import Arithmetic, Fill, Plan, make_plan

__all__ = ["Interp", "TpuMlirWarning", "from_onnx", "interp", "resize"]

COORDINATES = (
    "half_pixel",
    "align_corners",
    "asymmetric",
    "pytorch_half_pixel",
    "tf_crop_and_resize",
)
COORD_MODES = COORDINATES[:4]


@planned("A")
def resize(
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    /,
    sizes: Any,
    *,
    axes: Any = (-2, -1),
    coordinate_transformation_mode: str = "half_pixel",
    mode: str = "linear",
    nearest_mode: str = "round_prefer_floor",
    cubic_coeff_a: float = -0.75,
    roi: Any = None,
    extrapolation_value: float = 0.0,
) -> Plan:
    """Resize A[h_a, w_a] to B[h_b, w_b] as the note explains it.

    Per axis the samples of A and of B are placed in a region each, the region of B is stretched
    onto that of A, and the place of each sample of B is read off on A:

    - "half_pixel": regions as long as the samples are many (h_a, h_b), sample y in the middle of
      its cell, at ``0.5 + y``. Stretched by ``h_a / h_b``, sample y of B is at
      ``(0.5 + y) * h_a / h_b``.
    - "align_corners": regions one shorter (h_a - 1, h_b - 1), sample y at y, so that the first and
      the last lie on the ends. Sample y of B is at ``y * (h_a - 1) / (h_b - 1)``.
    - "asymmetric": regions as long as the samples are many, and still sample y at y, the left end
      of its cell. Sample y of B is at ``y * h_a / h_b``.

    Stretching A onto B instead gives the same. "pytorch_half_pixel" and "tf_crop_and_resize" are
    named by the note alone and are ONNX's: the first is "half_pixel" with the only sample of a
    length of 1 at A's first; the second cuts `roi` out of the region of "align_corners".

    Parameters
    ----------
    A : array of shape (..., h_a, w_a)
        Any numeric type; integers are rounded half to even.
    sizes : sequence of int, shape (k,)
        h_b and w_b.
    axes : sequence of int, shape (k,)
        The axes that they are about, the last two by default.
    coordinate_transformation_mode : str
        As above.
    mode : {"linear", "nearest", "cubic"}
        "linear": the mean of the four nearest samples of A, each weighted by the area of the
        rectangle opposite; beyond A's edge the edge sample. With the distances L, R, T, B to the
        left, right, top and bottom neighbours, ``v0*R*B + v1*L*B + v2*T*R + v3*L*T`` (the note
        has R*B for v3 too, a slip). "nearest": the nearest sample. "cubic": four samples per
        axis (the note counts eight), weighted by Keys's kernel.
    nearest_mode : str
        Which of two equally near samples is taken, on which the note is silent; ONNX's rules.
    cubic_coeff_a : float
        Keys's coefficient, -0.75 in ONNX.
    roi : sequence of float, shape (2 * k,), optional
        For "tf_crop_and_resize": starts, then ends.
    extrapolation_value : float
        What "tf_crop_and_resize" puts outside A.

    Returns
    -------
    array
        B.

    Raises
    ------
    ResizeError
        If an argument is not allowed.

    Examples
    --------
    >>> import numpy as np
    >>> resize(np.array([[0.0, 1.0, 2.0, 3.0]]), (1, 2))
    array([[0.5, 2.5]])
    """
    transformation = arguments.choice(
        "coordinate_transformation_mode", coordinate_transformation_mode, COORDINATES
    )
    arguments.choice("mode", mode, ("linear", "nearest", "cubic"))
    rule = arguments.choice("nearest_mode", nearest_mode, NEAREST_RULES)
    if dtype.kind not in "iuf" and dtype.name != "bfloat16":
        raise ResizeError(f"A must be of a numeric type, got {dtype}")
    listed = arguments.normalised_axes(axes, len(shape))
    lengths = arguments.integers("sizes", sizes, len(listed), "entry of axes")
    for axis, size in zip(listed, lengths, strict=True):
        if size < 1 or shape[axis] < 1:
            raise ResizeError(
                f"sizes must be at least 1, of an axis that is not empty, got {size} for "
                f"{shape[axis]} (axis {axis})"
            )
    regions = [(Fraction(0), Fraction(1))] * len(listed)
    cropping = transformation == "tf_crop_and_resize"
    given = [] if arguments.absent(roi) else arguments.vector("roi", roi)
    if cropping:
        values = [arguments.finite("roi", value) for value in given]
        if len(values) != 2 * len(listed):
            raise ResizeError(
                f"roi must have {2 * len(listed)} entries, starts and then ends, got {len(values)}"
            )
        exact = [Fraction(value) for value in values]
        regions = list(zip(exact[: len(listed)], exact[len(listed) :], strict=True))
    coefficient = arguments.finite("cubic_coeff_a", cubic_coeff_a)
    constant = arguments.finite("extrapolation_value", extrapolation_value)
    how = Sampling(next(r for r in NEAREST_RULES if r == rule))
    if mode != "nearest":
        how = Sampling(filters.linear if mode == "linear" else filters.cubic(coefficient))
    operators: dict[int, AxisOperator] = {}
    outside: list[NDArray[np.bool_] | None] = [None] * len(shape)
    for axis, size, region in zip(listed, lengths, regions, strict=True):
        arguments.refuse_huge_axis(axis, size, how.taps(1.0))
        line = line_of(transformation, shape[axis], size, region)
        operators[axis], _ = how.operator(shape[axis], size, line)
        beyond = coordinates.on_line(size, line).outside(shape[axis])
        outside[axis] = beyond if cropping and beyond.any() else None
    fill = None
    if any(mask is not None for mask in outside):
        fill = Fill(constant, tuple(outside))
    arithmetic = Arithmetic("element") if mode == "nearest" else Arithmetic.for_dtype(dtype)
    return make_plan(shape, dtype, operators, arithmetic=arithmetic, fill=fill)


def _warning(planner: ResizeFunction[...]) -> ResizeFunction[...]:
    """Return the function and its twin, both telling of the quirks of each call."""
    run: Callable[..., Any] = planner
    make: Callable[..., Plan] = planner.plan

    def tell(shape: tuple[int, ...], plan: Plan, words: dict[str, Any]) -> None:
        for text in quirks(
            shape[-2:],
            plan.output_shape[-2:],
            words.get("mode", "nearest"),
            words.get("coord_mode", "half_pixel"),
            words.get("platform", "onnx"),
        ):
            warnings.warn(text, TpuMlirWarning, stacklevel=3)

    def interp(x: Any, /, *, out: Any = None, threads: int | None = None, **words: Any) -> Any:
        x = x if portable.is_foreign(x) else arguments.as_array("x", x)
        shape = tuple(x.shape)
        plan = make(shape, portable.element_type_of(x), **words)
        tell(shape, plan, words)
        return run(x, out=out, threads=threads, **words)

    def plan(shape: Any, dtype: Any, **words: Any) -> Plan:
        made = make(shape, dtype, **words)
        tell(made.input_shape, made, words)
        return made

    interp.__doc__ = planner.__doc__
    interp.__signature__ = planner.__signature__  # type: ignore[attr-defined]
    interp.plan = plan  # type: ignore[attr-defined]
    return interp  # type: ignore[return-value]


@planned("x")
def _interp(
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    /,
    *,
    scale_h: float | None = None,
    scale_w: float | None = None,
    target_shape: Any = None,
    mode: str = "nearest",
    coord_mode: str = "half_pixel",
    platform: str = "onnx",
) -> Plan:
    """Compute what the interpreter of ``top.Interp`` computes.

    In float32, rows before columns, whatever becomes of the operator on a chip. Where it does
    something else than its attributes say, a `TpuMlirWarning` names it and tells what ONNX Resize
    gives: "linear" knows "align_corners" and takes everything else, "asymmetric" too, for
    "half_pixel"; "nearest" knows "asymmetric" and takes everything else for "align_corners";
    "cubic" is replaced by "linear".

    Parameters
    ----------
    x : array of shape (n, c, h, w), float
        Batch and channels are left alone.
    scale_h, scale_w : float
        Output over input length; the output length is ``floor(length * scale)``.
    target_shape : (int, int), optional
        The output lengths; then no scale is needed.
    mode : {"nearest", "linear", "cubic"}
        "cubic" is what the importer gets and replaces.
    coord_mode : {"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"}
        What the operator says.
    platform : {"onnx", "torch", "tflite", "caffe"}
        Where the model came from.

    Returns
    -------
    array of shape (n, c, h_out, w_out)
        Of the same element type.

    Raises
    ------
    ResizeError
        If an argument is not what the operator has.

    Warns
    -----
    TpuMlirWarning
        See above.
    """
    arguments.choice("mode", mode, ("nearest", "linear", "cubic"))
    arguments.choice("coord_mode", coord_mode, COORD_MODES)
    arguments.choice("platform", platform, PLATFORMS)
    if len(shape) != 4:
        raise ResizeError(f"x must have 4 dimensions, batch, channels, rows, columns, got {shape}")
    if dtype.kind != "f" and dtype.name != "bfloat16":
        raise ResizeError(f"x must be of a float type, got {dtype}; the interpreter has float32")
    lengths = _lengths(shape[2:], scale_h, scale_w, target_shape)
    kind = "linear" if mode == "cubic" else mode
    operators = {}
    for axis, size in zip((2, 3), lengths, strict=True):
        if size < 1 or shape[axis] < 1:
            raise ResizeError(
                f"the output length must be at least 1, of an axis that is not empty, got {size} "
                f"for {shape[axis]} (axis {axis})"
            )
        arguments.refuse_huge_axis(axis, size, 2)
        operators[axis], _ = operator(kind, coord_mode, platform, shape[axis], size)
    arithmetic = Arithmetic("element") if kind == "nearest" else Arithmetic.for_dtype(dtype)
    return make_plan(shape, dtype, operators, arithmetic=arithmetic, order=(2, 3))


interp = _warning(_interp)


def _lengths(shape: tuple[int, ...], scale_h: Any, scale_w: Any, target_shape: Any) -> list[int]:
    if target_shape is not None:
        return arguments.integers("target_shape", target_shape, 2, "of rows and columns")
    lengths = []
    for name, n, value in zip(("scale_h", "scale_w"), shape, (scale_h, scale_w), strict=True):
        if value is None:
            raise ResizeError(f"{name} must be given, or target_shape; got neither")
        scale = arguments.finite(name, value)
        if not 0 < scale < 2**40:
            raise ResizeError(f"{name} must be greater than 0, got {value!r}")
        lengths.append(int(n * scale))
    return lengths
