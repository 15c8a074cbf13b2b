"""scikit-image: ``skimage.transform.resize`` of release 0.26.0 (on SciPy 1.17.1).

It blurs with a Gaussian where an axis shrinks, zooms with ``scipy.ndimage.zoom`` and clips to the
range of the image. Blur and zoom are passes of the plan; the clip depends on the data and is done
after it.

Nothing here needs the package ``skimage``.
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ndresize.axis import AxisOperator
from ndresize.dialects import _arguments as arguments
from ndresize.dialects._planned import planned
from ndresize.dialects._scikit_image_blur import blur, blur_and_read, blurred_integers, sigmas
from ndresize.dialects._scikit_image_range import clipped, scale_of, without_lowest
from ndresize.dialects._scipy_types import sums
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
from ndresize.engine import portable
from ndresize.errors import ResizeError
from ndresize.plan import Arithmetic, Pass, Plan

__all__ = ["MODES", "resize"]

MODES = {
    "constant": "grid-constant",
    "edge": "nearest",
    "symmetric": "reflect",
    "reflect": "mirror",
    "wrap": "grid-wrap",
}
"""NumPy's names of the boundary modes, and SciPy's names of the same."""


@planned("image")
def _linear(
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    /,
    output_shape: Any,
    order: int | None = None,
    mode: str = "reflect",
    cval: Any = 0,
    clip: bool = True,
    preserve_range: bool = False,
    anti_aliasing: bool | None = None,
    anti_aliasing_sigma: Any = None,
) -> Plan:
    """Resize an image as scikit-image does.

    Called with an array `image` it returns the resized image; ``resize.plan(shape, dtype, ...)``
    takes a shape and an element type in its place and returns the plan of the linear part: the
    conversion to floats, the blur and the zoom, without the clip and with a `cval` of 0.

    Parameters
    ----------
    image : array of shape (d0, ..., dn)
        bool (order 0), integers, float16, float32 or float64; not empty.
    output_shape : sequence of int
        One length per axis. One fewer keeps the last axis; each one more adds an axis of length 1
        to the image.
    order : int, optional
        Degree of the spline, 0 to 5; 0 for bool and 1 for all else by default.
    mode : str
        What lies beyond the image, in the names of ``numpy.pad``: "reflect" (edge samples are not
        repeated), "symmetric", "edge", "wrap", "constant".
    cval : number
        The constant, in the range of the result: ``cval * (1 - plan(ones))`` of float64 is added.
    clip : bool
        Whether the result is clipped to the range of the image.
    preserve_range : bool
        Whether integers keep their values; if not, they are divided by their type's largest, but
        for order 0.
    anti_aliasing : bool, optional
        Whether the image is blurred first; by default where some axis shrinks, unless the image is
        bool, or of integers and `order` is given as 0.
    anti_aliasing_sigma : float or sequence of float, optional
        Standard deviation of the Gaussian, for all axes (also that of the channels) or for each;
        by default (input length / output length - 1) / 2 where an axis shrinks.
    out : numpy.ndarray, optional
        Where to write the result.
    threads : int, optional
        How many threads at most.

    Returns
    -------
    array
        float32 for float16 and float32, else float64; for order 0 of the type of the image
        (float16 becomes float32).

    Raises
    ------
    ResizeError
        If an argument is not what scikit-image takes, or the image is empty or complex.

    Examples
    --------
    >>> import numpy as np
    >>> resize(np.array([[0, 51, 153, 255]], np.uint8), (1, 8)).round(2)
    array([[0.05, 0.05, 0.15, 0.3 , 0.5 , 0.7 , 0.9 , 0.9 ]])
    >>> resize.plan((480, 640, 3), np.uint8, (240, 320)).output_shape
    (240, 320, 3)
    """
    call = _checked(
        shape, dtype, output_shape, order, mode, cval, clip, preserve_range, anti_aliasing,
        anti_aliasing_sigma,
    )  # fmt: skip
    found = call.dtype
    zooms = {
        axis: zoomed(n_in, n_out, call.order, call.mode, True, True, bits_of(found)).operators
        for axis, (n_in, n_out) in enumerate(zip(call.shape, call.output_shape, strict=True))
        if call.shape != call.output_shape
    }
    if call.truncates:
        return _truncating(call, dtype, zooms)
    operators = {
        axis: _blurred(n, sigma, call.mode, zooms.get(axis, ()))
        for axis, (n, sigma) in enumerate(zip(call.shape, call.sigmas, strict=True))
    }
    if call.scale != 1:
        _fold(operators, call.scale, call.output_shape)
    source = np.dtype(np.float32) if dtype == np.float16 else dtype
    arithmetic = sums(source, found, call.order)
    return spline_plan(
        call.shape, call.output_shape, dtype, found, operators, call.order, arithmetic
    )


@dataclass(frozen=True)
class _Call:
    """What a call comes to.

    Parameters
    ----------
    shape, output_shape : tuple of int
        With all axes.
    dtype : numpy.dtype
        Of the result.
    order, mode
        Of SciPy's zoom.
    sigmas : tuple of float
        Of the blur along each axis, 0 for none.
    scale : float
        By what the image is multiplied.
    constant : float
        What lies beyond the image in mode "constant"; 0 in the others.
    truncates : bool
        Whether the blur is of integers, which it cuts off after each axis.
    clip : bool
        Whether the result is clipped to the range of the image.
    """

    shape: tuple[int, ...]
    output_shape: tuple[int, ...]
    dtype: np.dtype[Any]
    order: int
    mode: str
    sigmas: tuple[float, ...]
    scale: float
    constant: float
    truncates: bool
    clip: bool


def _checked(
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    output_shape: Any,
    order: Any,
    mode: Any,
    cval: Any,
    clip: Any,
    preserve_range: Any,
    anti_aliasing: Any,
    anti_aliasing_sigma: Any,
) -> _Call:
    if dtype.name not in _TYPES:
        raise ResizeError(f"image must be of one of the types {', '.join(_TYPES)}, got {dtype}")
    arguments.choice("mode", mode, tuple(MODES))
    shape, output = _shapes(shape, output_shape)
    if 0 in shape:
        raise ResizeError(f"image must not be empty, got shape {shape}")
    given = order
    order = _order(order, dtype)
    blurred = anti_aliasing is not None and arguments.flag("anti_aliasing", anti_aliasing)
    if anti_aliasing is None:
        # An order that is left out does not count as 0, whatever it will be.
        picks = dtype.kind in "iu" and given == 0
        blurred = dtype.kind != "b" and not picks and any(map(operator.lt, output, shape))
    if blurred and dtype.kind == "b":
        raise ResizeError("anti_aliasing must be False for bool images, got True")
    lengths = tuple(map(_length, shape, output))
    for axis, n_out in enumerate(lengths):
        arguments.refuse_huge_axis(axis, n_out, order + 1)
    if blurred and 0 in lengths:
        raise ResizeError(f"output_shape must be of at least 1 where it is blurred, got {output}")
    spread = tuple(sigmas(anti_aliasing_sigma, shape, output)) if blurred else (0.0,) * len(shape)
    keeps = arguments.flag("preserve_range", preserve_range) or order == 0
    found = np.dtype(np.float32) if dtype.name in ("float16", "float32") else np.dtype(np.float64)
    if order == 0 and dtype != np.float16:
        found = dtype
    for axis, (n_in, n_out, sigma) in enumerate(zip(shape, lengths, spread, strict=True)):
        rows = n_in if order > 1 else min(n_in, 2 * n_out)  # that are blurred
        arguments.refuse_huge_axis(axis, rows, max(int(8 * sigma) + 1, 100 * (order > 1)))
    constant = arguments.finite("cval", cval)
    return _Call(
        shape=shape,
        output_shape=lengths,
        dtype=found,
        order=order,
        mode=MODES[mode],
        sigmas=spread,
        scale=1.0 if keeps else scale_of(dtype),
        constant=constant if mode == "constant" else 0.0,
        truncates=order == 0 and dtype.kind in "iu" and any(spread),
        clip=arguments.flag("clip", clip),
    )


_TYPES = (
    *("bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64"),
    *("float16", "float32", "float64"),
)


def _shapes(shape: tuple[int, ...], given: Any) -> tuple[tuple[int, ...], tuple[Any, ...]]:
    """Return the shape of the image and that of the output, with as many axes."""
    try:
        output = () if isinstance(given, bytes) else tuple(given)
    except TypeError:
        output = ()
    numbers = int | float | np.integer | np.floating
    if not output or not all(isinstance(n, numbers) and 0 <= n < math.inf for n in output):
        raise ResizeError(f"output_shape must be a list of lengths, got {given!r}")
    if len(output) > len(shape):
        shape += (1,) * (len(output) - len(shape))
    elif len(output) == len(shape) - 1:
        output += (shape[-1],)
    elif len(output) < len(shape):
        raise ResizeError(
            f"output_shape must have {len(shape)} entries, one per axis of the image, or one fewer "
            f"to keep the last axis, got {len(output)}"
        )
    return shape, output


def _length(n_in: int, n_out: Any) -> int:
    """Return the length that SciPy's zoom makes of what goes through a factor on its way there."""
    return round(n_in * (1 / (n_in / n_out))) if n_out else 0


def _order(order: Any, dtype: np.dtype[Any]) -> int:
    if order is None:
        return 0 if dtype.kind == "b" else 1
    try:
        found = operator.index(order)
    except TypeError:
        found = -1
    if not 0 <= found <= 5:
        raise ResizeError(f"order must be an integer from 0 to 5, got {order!r}")
    if dtype.kind == "b" and found != 0:
        raise ResizeError(
            f"order must be 0 for bool images, got {order!r}; convert the image to float"
        )
    return found


def _fold(
    operators: dict[int, list[AxisOperator]], scale: float, output_shape: tuple[int, ...]
) -> None:
    """Put a factor into the weights of one operator."""
    for steps in operators.values():
        for position, step in enumerate(steps):
            if not step.is_selection:
                steps[position] = AxisOperator(step.starts, step.weights * scale, step.n_in)
                return
    n = output_shape[-1]
    last = len(output_shape) - 1
    operators[last].append(AxisOperator(np.arange(n), np.full((n, 1), scale), n))


def _blurred(
    n: int, sigma: float, mode: str, steps: tuple[AxisOperator, ...]
) -> list[AxisOperator]:
    """Return the operators of one axis, the blur first if there is one."""
    if sigma == 0:
        return list(steps)
    if len(steps) == 1 and not steps[0].is_identity:
        return list(blur_and_read(n, sigma, mode, steps[0]))
    return [*blur(n, sigma, mode), *steps]


def _truncating(
    call: _Call, dtype: np.dtype[Any], zooms: dict[int, tuple[AxisOperator, ...]]
) -> Plan:
    """Return the plan of a blur of integers, which SciPy stores after each axis in turn."""
    sums_, picks = Arithmetic("float64", "element"), Arithmetic("element")
    blurs = {
        axis: blur(n, sigma, call.mode)
        for axis, (n, sigma) in enumerate(zip(call.shape, call.sigmas, strict=True))
        if sigma > 0
    }
    passes = [
        Pass(axis, step, picks if step.is_selection else sums_)
        for done in (blurs, zooms)
        for axis, steps in done.items()
        for step in steps
        if not step.is_identity
    ]
    return Plan(call.shape, dtype, tuple(passes), call.output_shape, dtype, "truncate")


def _resize(
    image: Any,
    /,
    output_shape: Any,
    order: int | None = None,
    mode: str = "reflect",
    cval: Any = 0,
    clip: bool = True,
    preserve_range: bool = False,
    anti_aliasing: bool | None = None,
    anti_aliasing_sigma: Any = None,
    *,
    out: Any = None,
    threads: int | None = None,
) -> Any:
    """Run the plan, around the constant, and clip."""
    words: tuple[Any, ...] = (order, mode, cval, clip, preserve_range, anti_aliasing)
    words += (anti_aliasing_sigma,)
    x, dtype = element_of("image", image)
    plan = _linear.plan(x.shape, dtype, output_shape, *words)
    call = _checked(tuple(x.shape), dtype, output_shape, *words)
    x = portable.namespace(x).reshape(x, call.shape)
    if call.scale != 1:
        x = without_lowest(x, dtype)
    if call.truncates:
        picks = _linear.plan(call.shape, dtype, output_shape, 0, mode, anti_aliasing=False)
        blurred = blurred_integers(np.asarray(x), call.sigmas, call.mode, call.constant)
        xp = portable.namespace(x)
        if xp is not np:
            blurred = xp.asarray(blurred, device=x.device)
        y = picks(blurred, out=out, threads=threads)
    elif call.constant != 0 and (call.order > 0 or any(call.sigmas)):
        y = written(_around(x, call, output_shape, words, threads), out)
    else:
        y = plan(x, out=out, threads=threads)
    if call.clip and (call.order > 0 or any(call.sigmas)):
        y = clipped(y, x, call.scale, call.constant if mode == "constant" else None)
    return y


def _around(
    x: Any, call: _Call, output_shape: Any, words: tuple[Any, ...], threads: int | None
) -> Any:
    """Return the result where a constant that is not 0 lies around the image."""
    wide = np.dtype(np.float64)
    _, mode, cval, clip, preserve_range, _, sigma = words
    blurred = any(call.sigmas)
    inner = _linear.plan(
        call.shape, wide, output_shape, call.order, mode, cval, clip, preserve_range, blurred, sigma
    )
    image = converted(x, wide) * call.scale
    return stored(around(image, inner, call.constant, threads), call.dtype)


resize = with_stages(_linear, _resize)
resize.__name__ = resize.__qualname__ = "resize"  # type: ignore[attr-defined]
