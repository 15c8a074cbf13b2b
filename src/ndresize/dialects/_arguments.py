"""Checks of arguments that several systems share, each with a message that shows the way out."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndresize.errors import ResizeError
from ndresize.memory import machine_memory

__all__ = [
    "absent",
    "as_array",
    "choice",
    "finite",
    "flag",
    "float32",
    "float32_scales",
    "integers",
    "normalised_axes",
    "number",
    "one_of",
    "refuse_huge_axis",
    "vector",
]


def choice(name: str, value: Any, allowed: Sequence[str]) -> str:
    """Return `value` if it is one of the words `allowed`."""
    if isinstance(value, bytes):  # as onnx stores them
        value = value.decode(errors="replace")
    if not isinstance(value, str) or value not in allowed:
        close = difflib.get_close_matches(str(value), allowed, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise ResizeError(f"{name} must be one of {', '.join(allowed)}, got {value!r}{hint}")
    return value


def flag(name: str, value: Any) -> bool:
    """Return `value` as a bool if it is 0, 1 or a bool."""
    if isinstance(value, bool | int | np.integer | np.bool_) and value in (0, 1):
        return bool(value)
    raise ResizeError(f"{name} must be 0 or 1, got {value!r}")


def one_of(name: str, value: Any, allowed: Sequence[int]) -> int:
    """Return `value` if it is one of the integers `allowed`."""
    integer = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not integer or value not in allowed:
        raise ResizeError(f"{name} must be one of {', '.join(map(str, allowed))}, got {value!r}")
    return int(value)


def number(name: str, value: Any) -> float:
    """Return `value` as a float, which may be infinite or NaN, if it is a real number."""
    found = _float(value)
    if found is None:
        raise ResizeError(f"{name} must be a number, got {value!r}")
    return found


def finite(name: str, value: Any) -> float:
    """Return `value` as a float if it is a finite number."""
    found = _float(value)
    if found is None or not np.isfinite(found):
        raise ResizeError(f"{name} must be a finite number, got {value!r}")
    return found


def float32(name: str, value: Any) -> float:
    """Return the float32 that a number becomes; too large a one becomes infinite."""
    found = number(name, value)
    with np.errstate(over="ignore", under="ignore"):
        return float(np.float32(found))


def _float(value: Any) -> float | None:
    """Return a real number as a float, and None for what is not one: text, an array of several."""
    words = str | bytes | np.complexfloating | np.datetime64 | np.timedelta64
    if isinstance(value, words) or (isinstance(value, np.ndarray) and value.ndim > 0):
        return None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None


def as_array(name: str, value: Any) -> NDArray[Any]:
    """Return `value` as a NumPy array, or refuse lists that are no array."""
    try:
        return np.asarray(value)
    except (ValueError, TypeError) as error:
        raise ResizeError(f"{name} must be an array, got {type(value).__name__}: {error}") from None


def vector(name: str, value: Any) -> list[Any]:
    """Return `value` as a list of scalars, or refuse what is not one-dimensional."""
    try:
        array = np.asarray(value)
    except ValueError:
        array = np.empty((0, 0))
    if array.dtype.kind == "O" and any(type(entry) is int for entry in array.flat):
        raise ResizeError(f"{name} must fit into 64 bits, got {value!r}")
    if array.ndim != 1 or (array.size and array.dtype.kind not in "fiu"):
        raise ResizeError(f"{name} must be a one-dimensional list of numbers, got {value!r}")
    return list(array.tolist())


def absent(value: Any) -> bool:
    """Return whether an optional input is left out: None, or an empty tensor."""
    if value is None:
        return True
    try:
        return np.asarray(value).size == 0
    except (TypeError, ValueError):  # no array, which is refused where it is read
        return False


def integers(name: str, value: Any, count: int, per: str) -> list[int]:
    """Return `count` integers, one per `per`."""
    values = vector(name, value)
    if len(values) != count:
        raise ResizeError(f"{name} must have {count} entries, one per {per}, got {len(values)}")
    for position, entry in enumerate(values):
        if not isinstance(entry, int):
            raise ResizeError(f"{name} must be integers, got {entry!r} at position {position}")
    return values


def float32_scales(name: str, value: Any, count: int, per: str) -> list[Fraction]:
    """Return `count` scales as the exact values of the float32 that they become."""
    values = vector(name, value)
    if len(values) != count:
        raise ResizeError(f"{name} must have {count} entries, one per {per}, got {len(values)}")
    scales = []
    for position, entry in enumerate(values):
        with np.errstate(over="ignore", under="ignore"):
            scale = float(np.float32(entry))
        if not (np.isfinite(scale) and scale > 0):
            raise ResizeError(
                f"{name} must be finite and greater than 0, got {entry!r} at position {position}"
            )
        scales.append(Fraction(scale))
    return scales


def normalised_axes(axes: Any, rank: int, *, default: Iterable[int] | None = None) -> list[int]:
    """Return axes counted from the front; negative ones count from the back."""
    if axes is None:
        return list(range(rank) if default is None else default)
    result: list[int] = []
    for axis in vector("axes", axes):
        if not isinstance(axis, int) or not -rank <= axis < rank:
            raise ResizeError(f"axes must lie in [{-rank}, {rank - 1}] for rank {rank}, got {axis}")
        if axis % rank in result:
            raise ResizeError(f"axes must not repeat, got {list(axes)} for rank {rank}")
        result.append(axis % rank)
    return result


def refuse_huge_axis(axis: int, n_out: int, taps: int) -> None:
    """Refuse an axis whose table of weights alone would not fit into memory."""
    size = n_out * (taps + 1) * 8
    if size > 2**28 and size > machine_memory() // 16:  # building it takes several times its size
        raise ResizeError(
            f"output length {n_out} (axis {axis}) needs {size} bytes for its weights alone and the "
            f"machine has {machine_memory()}; ask for a smaller size, or a filter that reads less"
        )
