"""Turn a function from shape and type to a plan into one from array to array, with its twin."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from enum import Enum
from numbers import Number
from threading import Lock
from types import NoneType
from typing import Any, Concatenate, ParamSpec, Protocol, cast

import numpy as np
from numpy.typing import DTypeLike

from ndresize.dialects import _arguments as arguments
from ndresize.element_types import element_type
from ndresize.engine import portable
from ndresize.errors import ResizeError
from ndresize.plan import Plan

__all__ = ["ResizeFunction", "checked_shape", "planned"]

P = ParamSpec("P")
_KEPT = 512  # plans per function; one holds about 16 bytes per output index and tap of an axis


class ResizeFunction(Protocol[P]):
    """A dialect function: call it with an array, or its twin `plan` with a shape and a type."""

    plan: Callable[Concatenate[Any, DTypeLike, P], Plan]

    # Not P: it leaves no place for ``out`` and ``threads``.
    def __call__(self, x: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Resize an array."""


Planner = Callable[Concatenate[tuple[int, ...], "np.dtype[Any]", P], Plan]


def planned(name: str) -> Callable[[Planner[P]], ResizeFunction[P]]:
    """Make a planner the twin of a function that takes an array, here called `name`.

    The function takes what the planner takes, with the array in place of shape and type, and
    besides ``out=`` and ``threads=`` as `Plan.__call__` does. Plans are kept and used again.
    """

    def decorate(planner: Planner[P]) -> ResizeFunction[P]:
        kept: dict[Any, Plan] = {}  # the oldest first
        lock = Lock()

        def plan_for(shape: tuple[int, ...], dtype: Any, args: Any, kwargs: Any) -> Plan:
            try:
                words = tuple((k, _frozen(v)) for k, v in kwargs.items())
                key = shape, dtype, _frozen(args), words
            except TypeError:  # an argument that may be another one next time, or a wrong one
                return planner(shape, element_type(dtype), *args, **kwargs)
            known = kept.get(key)
            if known is None:
                known = planner(shape, element_type(dtype), *args, **kwargs)
                with lock:
                    kept[key] = known
                    if len(kept) > _KEPT:
                        del kept[next(iter(kept))]
            return known

        @functools.wraps(planner)
        def plan(shape: Any, dtype: DTypeLike, *args: P.args, **kwargs: P.kwargs) -> Plan:
            return plan_for(checked_shape(shape), element_type(dtype), args, kwargs)

        def resize(
            x: Any, /, *args: Any, out: Any = None, threads: int | None = None, **kwargs: Any
        ) -> Any:
            if type(x) is not np.ndarray:
                if portable.is_foreign(x):
                    dtype = portable.element_type_of(x)
                    found = plan_for(tuple(x.shape), dtype, args, kwargs)
                    return found(x, out=out, threads=threads)
                x = arguments.as_array(name, x)
            dtype = x.dtype
            if not dtype.isnative:
                x = x.astype(dtype := element_type(dtype))
            return plan_for(x.shape, dtype, args, kwargs)(x, out=out, threads=threads)

        functools.update_wrapper(resize, planner)
        del resize.__wrapped__  # type: ignore[attr-defined]  # the signature below is the right one
        resize.__signature__ = _signature(planner, name)  # type: ignore[attr-defined]
        plan.__name__ = "plan"
        plan.__qualname__ = f"{planner.__qualname__}.plan"
        resize.plan = plan  # type: ignore[attr-defined]
        return cast("ResizeFunction[P]", resize)

    return decorate


def checked_shape(shape: Any) -> tuple[int, ...]:
    """Return `shape` as a tuple of lengths, or refuse it."""
    try:
        lengths = tuple(int(n.__index__()) for n in shape)
    except (TypeError, AttributeError):
        raise ResizeError(f"shape must be a sequence of integers, got {shape!r}") from None
    if any(n < 0 for n in lengths):
        raise ResizeError(f"shape must not have negative lengths, got {lengths}")
    return lengths


_UNCHANGING = (
    *(int, float, str, NoneType, complex, bytes, np.generic, np.dtype, type),
    *(Number, Enum, range),
)


def _frozen(value: Any) -> Any:
    """Return a hashable stand-in, different for values that a planner may tell apart.

    Raises
    ------
    TypeError
        If the value may change, or be used up, while it stays the same object.
    """
    if isinstance(value, list | tuple):
        return type(value), tuple(map(type, value)), tuple(_frozen(v) for v in value)
    if isinstance(value, _UNCHANGING):
        return type(value), value
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return value.dtype, value.shape, value.tobytes()
    raise TypeError(f"a {type(value).__name__} is no key")


def _signature(planner: Callable[..., Plan], name: str) -> inspect.Signature:
    parameters = list(inspect.signature(planner).parameters.values())[2:]
    array = inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY)
    extra = [
        inspect.Parameter(word, inspect.Parameter.KEYWORD_ONLY, default=None)
        for word in ("out", "threads")
    ]
    rest = [p for p in parameters if p.kind is inspect.Parameter.VAR_KEYWORD]
    named = [p for p in parameters if p.kind is not inspect.Parameter.VAR_KEYWORD]
    return inspect.Signature([array, *named, *extra, *rest])
