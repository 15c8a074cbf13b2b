"""JAX's image resizing, as JAX 0.10.2 computes it on a CPU.

``resize`` is ``jax.image.resize`` and ``scale_and_translate`` is
``jax.image.scale_and_translate``, both with 64-bit types switched off, as they are by default:
arrays of 64-bit types are first made 32-bit ones. JAX multiplies by a dense matrix for each axis;
here the zeros of that matrix are not multiplied, so they let no NaN and no infinity through.

Nothing here needs the package ``jax``.
"""

from __future__ import annotations

import enum
import functools
from typing import Any, ParamSpec

import numpy as np
from numpy.typing import DTypeLike

from ndresize.axis import AxisOperator
from ndresize.dialects import _arguments as arguments
from ndresize.dialects import _jax_weights
from ndresize.dialects._planned import ResizeFunction, planned
from ndresize.errors import ResizeError
from ndresize.plan import Arithmetic, Plan, make_plan

__all__ = ["METHODS", "resize", "scale_and_translate"]

P = ParamSpec("P")

METHODS = {
    "nearest": "nearest",
    "linear": "linear",
    "bilinear": "linear",
    "trilinear": "linear",
    "triangle": "linear",
    "cubic": "cubic",
    "bicubic": "cubic",
    "tricubic": "cubic",
    "cubic-pytorch": "cubic-pytorch",
    "bicubic-pytorch": "cubic-pytorch",
    "lanczos3": "lanczos3",
    "lanczos5": "lanczos5",
    "area": "area",
}
"""The words for methods, and the first word of each."""

_NARROW = {
    "float64": "float32",
    "int64": "int32",
    "uint64": "uint32",
    "complex128": "complex64",
}


_TYPES = ("bool", "bfloat16", "float16")  # besides integers and the wider floats


def _taking_shape(function: ResizeFunction[P]) -> ResizeFunction[P]:
    """Let the twin `plan`, whose first argument is a shape, take JAX's word ``shape`` by name."""
    plan = function.plan

    @functools.wraps(plan)
    def renamed(image_shape: Any, dtype: DTypeLike, /, *args: Any, **kwargs: Any) -> Plan:
        if "shape" in kwargs:
            if args:
                raise TypeError("plan() got multiple values for argument 'shape'")
            args = (kwargs.pop("shape"),)
        return plan(image_shape, dtype, *args, **kwargs)

    function.plan = renamed
    return function


@_taking_shape
@planned("image")
def resize(
    image_shape: tuple[int, ...],
    dtype: np.dtype[Any],
    /,
    shape: Any,
    method: Any,
    antialias: bool = True,
) -> Plan:
    """Resize an array as ``jax.image.resize`` does.

    Parameters
    ----------
    image : array of shape (d0, ..., dn)
        Of a boolean, integer, float or complex type.
    shape : sequence of int, shape (n + 1,)
        Of the result. An axis whose length does not change is not touched.
    method : str or jax.image.ResizeMethod
        A key of `METHODS`. "cubic-pytorch" is "cubic" with `antialias`; without, it has a steeper
        kernel (a = -0.75) and repeats edge samples.
    antialias : bool
        Widen the kernel where an axis shrinks. "nearest" and "area" do not look at it.

    Returns
    -------
    array
        "nearest": of the type of `image`. Else of float32 for booleans and integers, and of the
        type of `image` for floats. 64-bit types become 32-bit ones.

    Raises
    ------
    ResizeError
        If an argument is not what JAX takes.

    Examples
    --------
    >>> row = np.array([0, 4, 8, 100], np.uint8)
    >>> resize(row, (2,), "linear").round(2), resize(row, (2,), "linear", antialias=False)
    (array([ 2.86, 46.86], dtype=float32), array([ 2., 54.], dtype=float32))
    """
    kind = _method(method)
    antialias = arguments.flag("antialias", antialias)
    lengths = _lengths(image_shape, shape)
    _check_type(dtype)
    if kind == "nearest":
        for axis, n_out in enumerate(lengths):
            arguments.refuse_huge_axis(axis, n_out, 1)
        operators = {
            axis: _jax_weights.nearest(n_in, n_out)
            for axis, (n_in, n_out) in enumerate(zip(image_shape, lengths, strict=True))
            if n_in != n_out
        }
        return make_plan(
            image_shape,
            dtype,
            operators,
            arithmetic=Arithmetic("element"),
            output_dtype=_narrow(dtype),
        )
    weights = {}
    for axis, (n_in, n_out) in enumerate(zip(image_shape, lengths, strict=True)):
        if n_in != n_out:
            inverse = np.float32(1.0 / (n_out / n_in) if n_out else 1.0)
            weights[axis] = _operator(
                axis, kind, n_in, n_out, inverse, np.float32(0), antialias, compiled=True
            )
    return _weighted_plan(image_shape, dtype, weights)


@_taking_shape
@planned("image")
def scale_and_translate(
    image_shape: tuple[int, ...],
    dtype: np.dtype[Any],
    /,
    shape: Any,
    spatial_dims: Any,
    scale: Any,
    translation: Any,
    method: Any,
    antialias: bool = True,
) -> Plan:
    """Scale and shift an array as ``jax.image.scale_and_translate`` does.

    A point x of the input lies at ``x * scale + translation`` of the result, samples being cells
    that begin at integers. Where the centre of a sample of the result lies outside the input, the
    sample is 0 (but for "cubic-pytorch" without `antialias`, which repeats edge samples).

    Parameters
    ----------
    image : array of shape (d0, ..., dn)
        Of a boolean, integer, float or complex type.
    shape : sequence of int, shape (n + 1,)
        Of the result; axes that are not in `spatial_dims` keep their lengths.
    spatial_dims : sequence of int, shape (k,)
        The axes that are resized, each once; negative ones count from the back.
    scale, translation : array_like of float, shape (k,)
        For each of `spatial_dims`; become float32. A negative scale mirrors.
    method : str or jax.image.ResizeMethod
        A key of `METHODS` but "nearest".
    antialias : bool
        Widen the kernel by 1 / scale where scale is below 1. "area" does not look at it.

    Returns
    -------
    array
        Of float32 for booleans and integers, and of the type of `image` for floats; 64-bit types
        become 32-bit ones.

    Raises
    ------
    ResizeError
        If an argument is not what JAX takes, or is ambiguous or silently ignored there.

    Examples
    --------
    >>> row = np.array([0, 4, 8, 100], np.uint8)
    >>> scale_and_translate(row, (4,), (0,), [1], [1], "linear")
    array([0., 0., 4., 8.], dtype=float32)
    """
    kind = _method(method)
    if kind == "nearest":
        raise ResizeError(
            "method must not be 'nearest' for scale_and_translate, which JAX does not support; "
            "'area' with a large scale comes near it"
        )
    antialias = arguments.flag("antialias", antialias)
    lengths = _lengths(image_shape, shape, resized=False)
    _check_type(dtype)
    axes = arguments.normalised_axes(_listed(spatial_dims), len(image_shape))
    for axis, (n_in, n_out) in enumerate(zip(image_shape, lengths, strict=True)):
        if axis not in axes and n_in != n_out:
            raise ResizeError(
                f"shape must keep the lengths of axes that are not in spatial_dims, got {n_out} "
                f"for axis {axis} of length {n_in}; JAX would ignore it and return {n_in}"
            )
    scales = _float32s("scale", scale, len(axes))
    shifts = _float32s("translation", translation, len(axes))
    weights = {}
    for axis, factor, shift in zip(axes, scales, shifts, strict=True):
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            inverse = np.float32(1) / factor
            moved = shift * inverse
        if not (np.isfinite(inverse) and np.isfinite(moved)):
            raise ResizeError(
                f"scale must not be 0 and translation / scale not exceed float32, got {factor} "
                f"and {shift} (axis {axis}); JAX would return zeros"
            )
        weights[axis] = _operator(
            axis, kind, image_shape[axis], lengths[axis], inverse, moved, antialias, compiled=False
        )
    return _weighted_plan(image_shape, dtype, weights)


def _operator(
    axis: int,
    kind: str,
    n_in: int,
    n_out: int,
    inverse: np.float32,
    shift: np.float32,
    antialias: bool,
    *,
    compiled: bool,
) -> AxisOperator:
    """Return the operator of one axis; `compiled` as XLA fuses it in `resize`."""
    if n_in == 0 or n_out == 0:
        return AxisOperator(np.zeros(n_out), np.zeros((n_out, 1)), n_in)
    if kind == "cubic-pytorch" and antialias:
        kind = "cubic"
    taps = min(_jax_weights.taps(kind, inverse, antialias), n_in + 4)
    arguments.refuse_huge_axis(axis, n_out, taps)
    if kind == "area":
        return _jax_weights.area(n_in, n_out, inverse, shift, compiled)
    return _jax_weights.weighted(kind, n_in, n_out, inverse, shift, antialias, compiled)


def _weighted_plan(
    shape: tuple[int, ...], dtype: np.dtype[Any], operators: dict[int, AxisOperator]
) -> Plan:
    """Return the plan of a product with weights, which are first cast to the type of the image."""
    result = _narrow(dtype)
    if dtype.kind in "biu":
        result = np.dtype(np.float32)
    how = Arithmetic("float32")
    if result.itemsize == 2:  # every product with a matrix gives an array of the image's type
        how = Arithmetic("float32", store="element")
        operators = {
            axis: AxisOperator(op.starts, op.weights.astype(result).astype(np.float64), op.n_in)
            for axis, op in operators.items()
        }
    return make_plan(shape, dtype, operators, arithmetic=how, output_dtype=result)


def _narrow(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type that JAX makes of one with 64-bit types switched off."""
    return np.dtype(_NARROW[dtype.name]) if dtype.name in _NARROW else dtype


def _check_type(dtype: np.dtype[Any]) -> None:
    if (dtype.kind not in "iufc" and dtype.name not in _TYPES) or dtype.itemsize > 16:
        raise ResizeError(
            f"image must be of a boolean, integer, float or complex type, got {dtype}"
        )


def _method(method: Any) -> str:
    """Return the first of a method's words."""
    if isinstance(method, enum.Enum) and type(method).__name__ == "ResizeMethod":
        method = method.name.lower().replace("_", "-")
    return METHODS[arguments.choice("method", method, tuple(METHODS))]


def _listed(value: Any) -> Any:
    """Return an empty sequence as one of integers, which NumPy would make floats."""
    try:
        return value if len(value) else np.zeros(0, int)
    except TypeError:
        return value


def _lengths(image_shape: tuple[int, ...], shape: Any, resized: bool = True) -> tuple[int, ...]:
    """Return the output lengths, or refuse what is not one for each axis."""
    lengths = arguments.integers("shape", _listed(shape), len(image_shape), "axis of image")
    for axis, (n_in, n_out) in enumerate(zip(image_shape, lengths, strict=True)):
        if n_out < 0:
            raise ResizeError(
                f"shape must not have negative lengths, got {n_out} for axis {axis}; JAX would "
                "take it for 0"
            )
        if resized and n_in == 0 and n_out > 0:
            raise ResizeError(f"shape must be 0 where image is empty, got {n_out} for axis {axis}")
    return tuple(lengths)


def _float32s(name: str, value: Any, count: int) -> np.ndarray[Any, Any]:
    """Return `count` numbers as float32."""
    dtype = arguments.as_array(name, value).dtype
    if dtype.name in ("float16", "bfloat16"):
        raise ResizeError(
            f"{name} must be of float32, got {dtype}, in which JAX would compute positions; "
            "convert it first"
        )
    values = arguments.vector(name, _listed(value))
    if len(values) != count:
        raise ResizeError(f"{name} must have {count} entries, one per axis, got {len(values)}")
    with np.errstate(over="ignore"):
        result = np.array(values, np.float64).astype(np.float32)
    if not np.isfinite(result).all():
        raise ResizeError(f"{name} must be finite, got {value!r}; JAX would return zeros")
    return result
