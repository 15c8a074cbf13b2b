"""SciPy: ``scipy.ndimage.zoom`` of release 1.17.1.

SciPy computes coordinates and sums in double, and so does this module, but for float32 data of
order 0 and 1, which are summed in float32. Coordinates are SciPy's own doubles, one rounded
operation after another, so that order 0 picks the same samples and "constant" fills the same ones.
The splines of order 2 to 5 are two passes per axis: the prefilter, whose recursion is written out
as the short filter that it is to the last bit of a double, and the interpolation of coefficients.

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
from ndresize.dialects._spline_operators import zoomed
from ndresize.dialects._spline_plan import spline_plan
from ndresize.dialects._spline_stages import (
    element_of,
    run_portably,
    stored,
    with_stages,
    written,
)
from ndresize.errors import ResizeError
from ndresize.plan import Arithmetic, Plan
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
        The constant. With "grid-constant" the result is ``cval + plan(input - cval)`` rather than
        ``plan(input)``: a plan is linear, and this is not.
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
    >>> zoom(np.array([0.0, 1.0, 3.0, 10.0]), 1.75, order=1)
    array([ 0. ,  0.5,  1. ,  2. ,  3. ,  6.5, 10. ])
    >>> zoom(np.array([0.0, 1.0, 3.0, 10.0]), 1.75).round(3)
    array([ 0.   ,  0.594,  1.   ,  1.469,  3.   ,  6.406, 10.   ])
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
    for axis, n_out in enumerate(lengths):
        arguments.refuse_huge_axis(axis, n_out, order + 1)
        if prefilter and order > 1 and n_out != shape[axis]:
            arguments.refuse_huge_axis(axis, shape[axis], 100)
    grid = grid_mode and dtype.kind != "c"  # it is not handed on to the real and imaginary parts
    axes = [
        zoomed(n_in, n_out, order, mode, prefilter, grid)
        for n_in, n_out in zip(shape, lengths, strict=True)
    ]
    arithmetic = Arithmetic(sums(dtype, found, order))
    operators = {axis: done.operators for axis, done in enumerate(axes)}
    fill = constant, [done.outside for done in axes]
    return run_portably(spline_plan(shape, lengths, dtype, found, operators, arithmetic, fill))


def _zoom(
    input: Any,  # noqa: A002  # SciPy's own name
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
    words = {"order": order, "mode": mode, "prefilter": prefilter, "grid_mode": grid_mode}
    if mode != "grid-constant" or order == 0 or (isinstance(cval, int | float) and cval == 0):
        return _linear(input, zoom, output, cval=cval, **words, out=out, threads=threads)
    x, dtype = element_of(input)
    plan = _linear.plan(x.shape, dtype, zoom, output, cval=cval, **words)  # type: ignore[arg-type]
    if not plan.passes or not _blends(plan, **words):
        return _linear(x, zoom, output, cval=cval, **words, out=out, threads=threads)
    value = _constant(cval, dtype, np.dtype(np.complex128 if dtype.kind == "c" else np.float64))
    if not np.isfinite(value):
        raise ResizeError(
            f"cval must be finite in mode grid-constant, where it enters the sums, got {cval!r}"
        )
    wide = np.dtype(type(value))
    inner = _linear.plan(x.shape, wide, zoom, None, **words)  # type: ignore[arg-type]
    shifted = _astype(x, wide) - value
    return written(stored(inner(shifted, threads=threads) + value, plan.dtype), out)
