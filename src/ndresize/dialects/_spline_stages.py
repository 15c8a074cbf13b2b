"""Calls that do a little more than their plan, because it depends on the data or has a constant."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, cast

import numpy as np
from numpy.typing import NDArray

from ndresize.axis import AxisOperator
from ndresize.dialects import _arguments as arguments
from ndresize.dialects._planned import ResizeFunction
from ndresize.element_types import element_type
from ndresize.engine import portable
from ndresize.errors import ResizeError
from ndresize.plan import Arithmetic, Pass, Plan

__all__ = ["around", "converted", "element_of", "stored", "with_stages", "written"]

P = ParamSpec("P")


def with_stages(linear: ResizeFunction[P], run: Callable[..., Any]) -> ResizeFunction[P]:
    """Return a function with the face and the plan of `linear` that is called as `run`."""

    def resize(x: Any, /, *args: Any, **kwargs: Any) -> Any:
        return run(x, *args, **kwargs)

    functools.update_wrapper(resize, cast("Callable[..., Any]", linear))
    del resize.__wrapped__  # type: ignore[attr-defined]  # the signature it took over is right
    return cast("ResizeFunction[P]", resize)


def element_of(name: str, x: Any) -> tuple[Any, np.dtype[Any]]:
    """Return an array, of NumPy if it is of no other library, and its element type."""
    if portable.is_foreign(x):
        return x, portable.element_type_of(x)
    x = arguments.as_array(name, x)
    dtype = element_type(x.dtype)
    return x.astype(dtype, copy=False), dtype


def converted(x: Any, dtype: np.dtype[Any]) -> Any:
    """Return an array in another element type."""
    xp = portable.namespace(x)
    return xp.astype(x, getattr(xp, dtype.name))


def around(x: Any, plan: Plan, constant: Any, threads: int | None = None) -> Any:
    """Return what a plan makes of an array that has a constant around it, not zeros.

    Weights inside and outside sum to 1, so the constant's share of an output sample is what the
    weights inside leave of it, a product over the axes.

    Parameters
    ----------
    x : array
        Of the plan's input type.
    plan : Plan
        With float64 or complex128 results.
    constant : number
        Finite.
    threads : int, optional
        How many threads at most.
    """
    xp = portable.namespace(x)
    y = plan(x, threads=threads)
    added = xp.asarray((1.0 - functools.reduce(np.multiply.outer, _inside(plan))) * constant)
    if xp is not np:
        added = xp.asarray(added, device=y.device)
    return y + added


@functools.lru_cache(maxsize=64)
def _inside(plan: Plan) -> tuple[NDArray[np.float64], ...]:
    """Return per axis what the weights inside sum to, for each output sample."""
    inside = [np.ones(n) for n in plan.input_shape]
    for step in plan.passes:
        inside[step.axis] = _applied(step.operator, inside[step.axis])
    return tuple(inside)


def _applied(operator: AxisOperator, line: NDArray[np.float64]) -> NDArray[np.float64]:
    last = max(operator.n_in - 1, 0)
    index = np.minimum(operator.starts[:, None] + np.arange(operator.taps), last)
    total: NDArray[np.float64] = (operator.weights * line[index]).sum(axis=1)
    return total


def stored(y: Any, dtype: np.dtype[Any]) -> Any:
    """Return float64 sums as SciPy stores them: integers half away from zero, saturated."""
    shape = tuple(y.shape)
    if portable.element_type_of(y) == dtype:
        return y
    copy = Pass(0, AxisOperator.identity(shape[0]), Arithmetic("float64"))
    store = Plan(shape, portable.element_type_of(y), (copy,), shape, dtype, "half_away")
    return portable.run(store, y)


def written(y: Any, out: Any) -> Any:
    """Return `y`, or `out` with it if that is given."""
    if out is None:
        return y
    if not isinstance(out, np.ndarray) or not isinstance(y, np.ndarray):
        raise ResizeError("out can be given for NumPy arrays alone, and must be one")
    if out.shape != y.shape or out.dtype != y.dtype:
        raise ResizeError(
            f"out must have shape {y.shape} and type {y.dtype}, got {out.shape} and {out.dtype}"
        )
    if not out.flags.writeable:
        raise ResizeError("out must be writeable, got a read-only array")
    out[...] = y
    return out
