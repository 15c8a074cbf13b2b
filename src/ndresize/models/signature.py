"""What a model takes and gives, and whether what it was given is that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndresize.errors import ResizeError

__all__ = ["Length", "Tensor", "checked_inputs", "printable", "some_of", "type_name"]

Length = int | str | None
"""Of an axis: known, a name that stands for any length, or not known."""


@dataclass(frozen=True)
class Tensor:
    """A tensor as a model declares it.

    Parameters
    ----------
    name : str
        Its name in the model.
    dtype : numpy.dtype or None
        Its element type, None if not known. Strings are `object`.
    shape : tuple of (int, str or None) or None
        Its shape, None if not even the rank is known.
    """

    name: str
    dtype: np.dtype[Any] | None = None
    shape: tuple[Length, ...] | None = None

    @property
    def static_shape(self) -> tuple[int, ...] | None:
        """The shape, if every length is known."""
        if self.shape is None:
            return None
        lengths = tuple(n for n in self.shape if isinstance(n, int))
        return lengths if len(lengths) == len(self.shape) else None

    def takes(self, shape: tuple[int, ...]) -> bool:
        """Return whether an array of a shape fits the declared one."""
        return self.shape is None or (
            len(shape) == len(self.shape)
            and all(n == m for m, n in zip(shape, self.shape, strict=True) if isinstance(n, int))
        )

    def __str__(self) -> str:
        kind = "any type" if self.dtype is None else type_name(self.dtype)
        if self.shape is None:
            return f"{self.name!r} ({kind}, any shape)"
        lengths = ", ".join("?" if n is None else printable(str(n)) for n in self.shape)
        return f"{self.name!r} ({kind}, [{lengths}])"


def checked_inputs(
    given: Mapping[str, Any], required: Sequence[Tensor], optional: Sequence[Tensor] = ()
) -> dict[str, NDArray[Any]]:
    """Return what was given as arrays, or refuse it.

    Parameters
    ----------
    given : mapping from str to array_like
        By input name.
    required, optional : sequence of Tensor
        The inputs that must and those that may be given.

    Returns
    -------
    dict from str to ndarray
        In the order of the model, in the machine's byte order.

    Raises
    ------
    ResizeError
        If an input is missing or unknown, or its type, rank or a length is not what the model
        declares.
    """
    known = {tensor.name: tensor for tensor in (*required, *optional)}
    listed = some_of([str(t) for t in known.values()]) or "none"
    for name in given:
        if name not in known:
            raise ResizeError(f"the model has no input {name!r}; its inputs: {listed}")
    for tensor in required:
        if tensor.name not in given:
            raise ResizeError(
                f"input {tensor.name!r} is missing; got {some_of(list(map(repr, given))) or 'none'}"
                f", the model's inputs: {listed}"
            )
    return {name: _checked(given[name], t) for name, t in known.items() if name in given}


def some_of(texts: Sequence[str], most: int = 8) -> str:
    """Return texts joined by commas, of a long list the first few."""
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return ", ".join(texts[:most]) + more


def printable(text: str) -> str:
    """Return a text from a file on one line."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def type_name(dtype: np.dtype[Any]) -> str:
    """Return the name of an element type; every type that holds strings is called string."""
    return "string" if dtype.kind in "OUST" else dtype.name


def _checked(value: Any, tensor: Tensor) -> NDArray[Any]:
    try:
        array = np.asarray(value)
    except (TypeError, ValueError) as error:
        raise ResizeError(
            f"input {tensor.name!r} must be an array, got {type(value).__name__}: {error}"
        ) from None
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if tensor.dtype is not None and tensor.dtype.name == "bfloat16" and array.dtype == "V2":
        array = array.view(tensor.dtype)  # NumPy's files know its bytes and not its name
    if tensor.dtype is not None and not _same_type(array, tensor.dtype):
        raise ResizeError(
            f"input {tensor.name!r} must be {type_name(tensor.dtype)}, got "
            f"{_given_type(array)}; convert it first"
        )
    if not tensor.takes(array.shape):
        raise ResizeError(f"input {tensor} does not take an array of shape {list(array.shape)}")
    return array


def _same_type(array: NDArray[Any], dtype: np.dtype[Any]) -> bool:
    if dtype.kind != "O":
        return array.dtype == dtype
    if array.dtype.kind == "O":
        return all(isinstance(item, str | bytes) for item in array.flat)
    return array.dtype.kind in "UST"


def _given_type(array: NDArray[Any]) -> str:
    return "objects" if array.dtype.kind == "O" else type_name(array.dtype)
