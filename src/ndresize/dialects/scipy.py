"""SciPy: ``scipy.ndimage.zoom`` of release 1.17.1.

SciPy computes coordinates and sums in double, and so does this module, but for float32 data of
order 0 and 1, which are summed in float32. Coordinates are SciPy's own doubles, one rounded
operation after another, so that order 0 picks the same samples and "constant" fills the same ones.
The splines of order 2 to 5 are two passes per axis: the prefilter, whose recursion is written out
as the short filter that it is to the last bit of the result, and the interpolation of coefficients.

Nothing here needs the package ``scipy``.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ndresize.dialects import _arguments as arguments
from ndresize.dialects._planned import planned
from ndresize.dialects._scipy_types import output_type, refuse_types, sums
from ndresize.dialects._spline_edges import MODES
from ndresize.dialects._spline_operators import bits_of, zoomed
from ndresize.dialects._spline_plan import spline_plan
from ndresize.dialects._spline_stages import (
    around,
    converted,
    element_of,
    stored,
    with_stages,
    written,
)
from ndresize.errors import ResizeError
from ndresize.plan import Plan
from ndresize.rounding import limits

__all__ = ["MODES", "zoom"]


@planned("input")
def _linear(
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    /,
    zoom: Any,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: Any = 0.0,
    prefilter: bool = True,
    *,
    grid_mode: bool = False,
) -> Plan:
    """Zoom an array by spline interpolation as SciPy does.

    Called with an array `input` it returns the zoomed array; ``zoom.plan(shape, dtype, ...)`` takes
    a shape and an element type in its place and returns the plan.

    Parameters
    ----------
    input : array of shape (d0, ..., dn)
        Of at least one dimension: bool (order 0), integers, float32, float64, complex64 or
        complex128. Integers are stored half away from zero and saturated.
    zoom : float or sequence of float, shape (n + 1,)
        Output length over input length, which is then rounded to an integer, halves to even. With
        a prefilter and all of them 1 the result is a copy.
    output : dtype, type or str, optional
        Element type of the result, that of the input by default. To write into an array give it
        as `out`.
    order : int
        Degree of the spline, 0 to 5: 0 picks the nearest sample, 1 is linear.
    mode : str
        What lies beyond the input: "reflect" (or "grid-mirror"), "constant", "grid-constant",
        "nearest", "mirror", "wrap", "grid-wrap". "constant" replaces output samples whose
        coordinate is outside, which only rounding or `grid_mode` brings about; "grid-constant"
        puts `cval` around the input.
    cval : number
        The constant. With "grid-constant" a plan is the linear part alone, with zeros around the
        input: ``zoom`` adds ``cval * (1 - plan(ones))`` to its sums. Before a prefilter `cval`
        becomes an element of the input.
    prefilter : bool
        Whether samples are made into spline coefficients first (order 2 and above); if not, the
        result is smoothed.
    grid_mode : bool
        Whether the outer edges of the two grids meet, or the centres of their corner samples.
        SciPy does not look at it for complex input.
    out : numpy.ndarray, optional
        Where to write the result.
    threads : int, optional
        How many threads at most.

    Returns
    -------
    array
        Of the type `output`, or of the input's.

    Raises
    ------
    ResizeError
        If an argument is not what SciPy takes, or sums of truth values are asked for.

    Examples
    --------
    >>> import numpy as np
    >>> zoom(np.array([2.0, 3.0, 5.0, 12.0]), 1.75, order=1)
    array([ 2. ,  2.5,  3. ,  4. ,  5. ,  8.5, 12. ])
    >>> zoom(np.array([2.0, 3.0, 5.0, 12.0]), 1.75).round(3)
    array([ 2.   ,  2.425,  3.   ,  3.25 ,  5.   ,  9.325, 12.   ])
    >>> zoom.plan((480, 640), np.uint8, 0.5, order=0).output_shape
    (240, 320)
    """
    order = _order(order)
    arguments.choice("mode", mode, MODES)
    prefilter = arguments.flag("prefilter", prefilter)
    grid_mode = arguments.flag("grid_mode", grid_mode)
    if not shape:
        raise ResizeError("input must have at least one dimension, got a scalar")
    factors = _factors(zoom, len(shape))
    lengths = tuple(map(_length, shape, factors))
    found = output_type(output, dtype)
    if prefilter and all(factor == 1 for factor in factors):
        if dtype.kind not in "biufc" or found.kind not in "biufc":
            raise ResizeError(f"input must be of a numeric type, got {dtype} and output {found}")
        return Plan(shape, dtype, (), shape, found)
    refuse_types(dtype, found, order)
    constant = _constant(cval, dtype, found)
    if mode == "grid-constant" and prefilter and order > 1:
        _padded(cval, dtype)
    for axis, n_out in enumerate(lengths):
        arguments.refuse_huge_axis(axis, n_out, order + 1)
        if prefilter and order > 1 and n_out != shape[axis]:
            arguments.refuse_huge_axis(axis, shape[axis], 100)
    grid = grid_mode and dtype.kind != "c"  # it is not handed on to the real and imaginary parts
    axes = [
        zoomed(n_in, n_out, order, mode, prefilter, grid, bits_of(found))
        for n_in, n_out in zip(shape, lengths, strict=True)
    ]
    arithmetic = sums(dtype, found, order)
    operators = {axis: done.operators for axis, done in enumerate(axes)}
    fill = constant, [done.outside for done in axes]
    return spline_plan(shape, lengths, dtype, found, operators, order, arithmetic, fill)


def _zoom(
    input: Any,  # noqa: A002  # SciPy's own name
    /,
    zoom: Any,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: Any = 0.0,
    prefilter: bool = True,
    *,
    grid_mode: bool = False,
    out: Any = None,
    threads: int | None = None,
) -> Any:
    """Run the plan, around the constant where it enters the sums."""
    words: dict[str, Any] = {
        "order": order,
        "mode": mode,
        "prefilter": prefilter,
        "grid_mode": grid_mode,
    }
    grid = isinstance(mode, str) and mode == "grid-constant"
    if not grid or (isinstance(cval, int | float) and cval == 0):
        return _linear(input, zoom, output, cval=cval, **words, out=out, threads=threads)
    x, dtype = element_of("input", input)
    plan = _linear.plan(x.shape, dtype, zoom, output, cval=cval, **words)
    if not plan.passes or not _blends(plan, order, mode, prefilter, grid_mode):
        return _linear(x, zoom, output, cval=cval, **words, out=out, threads=threads)
    wide = np.dtype(np.complex128 if dtype.kind == "c" else np.float64)
    value = _constant(cval, dtype, wide)
    if not np.isfinite(value):
        raise ResizeError(
            f"cval must be finite in mode grid-constant, where it enters the sums, got {cval!r}"
        )
    if prefilter and order > 1:
        value = _padded(cval, dtype)
    inner = _linear.plan(x.shape, wide, zoom, None, **words)
    y = around(converted(x, wide), inner, value, threads)
    return written(stored(y, plan.dtype), out)


def _padded(cval: Any, dtype: np.dtype[Any]) -> Any:
    """Return the constant as it is after the input was padded with it, in the input's own type.

    NumPy refuses to put into a signed integer what it does not hold; an unsigned one wraps.
    """
    pad = np.zeros(1, dtype)
    try:
        with np.errstate(invalid="ignore", over="ignore"):
            pad[:] = np.asarray(cval)[()]
    except (OverflowError, ValueError):
        raise ResizeError(
            f"cval must be a number that {dtype} holds, in mode grid-constant with a prefilter, "
            f"got {cval!r}: the input is padded with it; give prefilter=False or another input type"
        ) from None
    return pad[0].item()


def _blends(plan: Plan, order: int, mode: str, prefilter: bool, grid_mode: bool) -> bool:
    grid = bool(grid_mode) and plan.input_dtype.kind != "c"
    return any(
        zoomed(n_in, n_out, int(order), mode, bool(prefilter), grid).blends
        for n_in, n_out in zip(plan.input_shape, plan.output_shape, strict=True)
    )


zoom = with_stages(_linear, _zoom)
zoom.__name__ = zoom.__qualname__ = "zoom"  # type: ignore[attr-defined]


def _order(order: Any) -> int:
    try:
        found = operator.index(order)
    except TypeError:
        found = -1
    if not 0 <= found <= 5:
        raise ResizeError(f"order must be an integer from 0 to 5, got {order!r}")
    return found


def _factors(zoom: Any, rank: int) -> list[Any]:
    """Return one zoom factor per axis, each as it was given: its own type multiplies."""
    if isinstance(zoom, str | bytes) or not np.iterable(zoom):
        return [zoom] * rank
    factors = list(zoom)
    if len(factors) != rank:
        raise ResizeError(
            f"zoom must be a number or have {rank} entries, one per axis, got {len(factors)}"
        )
    return factors


def _length(n_in: int, factor: Any) -> int:
    try:
        length = operator.index(round(n_in * factor))
    except (TypeError, ValueError, OverflowError):
        length = -1
    if length < 0 or isinstance(factor, str | bytes):
        raise ResizeError(f"zoom must be finite numbers of at least 0, got {factor!r}")
    return length


def _constant(cval: Any, dtype: np.dtype[Any], found: np.dtype[Any]) -> Any:
    """Return the constant in a form that the type of the result holds."""
    try:
        value: Any = complex(cval) if dtype.kind == "c" else arguments.number("cval", cval)
    except (TypeError, ValueError):
        kind = "number" if dtype.kind == "c" else "real number"
        raise ResizeError(f"cval must be a {kind} for {dtype} input, got {cval!r}") from None
    if found.kind == "b":
        return bool(int(value)) if np.isfinite(value) else False
    if found.kind in "iu" and not np.isnan(value):
        low, high = limits(found)
        return min(max(value, low), high)
    return value
