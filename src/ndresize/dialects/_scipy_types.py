"""Which element types SciPy's zoom takes and gives."""

from __future__ import annotations

from typing import Any

import numpy as np

from ndresize.errors import ResizeError
from ndresize.plan import Arithmetic

__all__ = ["output_type", "refuse_types", "sums"]


def output_type(output: Any, dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the element type of the result, as SciPy's ``_get_output`` chooses it.

    Parameters
    ----------
    output : dtype, type, str or None
        As the call has it.
    dtype : numpy.dtype
        Of the input.
    """
    complex_input = dtype.kind == "c"
    if output is None:
        return dtype
    if isinstance(output, type | np.dtype | str):
        try:
            found = np.dtype(output)
        except TypeError:
            raise ResizeError(f"output must be an element type, got {output!r}") from None
        found = found if found.isnative else found.newbyteorder("=")
        if isinstance(output, str) and not issubclass(found.type, np.number):
            raise ResizeError(f"output must be a numeric type, got {output!r}")
        if complex_input and found.kind != "c":
            if isinstance(output, str):
                raise ResizeError(
                    f"output must be a complex type for {dtype} input, got {output!r}; zoom "
                    "input.real if that is what is meant"
                )
            found = np.promote_types(found, np.complex64)
        return found
    raise ResizeError(
        f"output must be an element type, got {type(output).__name__}; to write into an array "
        "give it as out="
    )


_SUMMED = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
_REAL = (*_SUMMED, "float32", "float64")
_COMPLEX = ("complex64", "complex128")


def refuse_types(dtype: np.dtype[Any], found: np.dtype[Any], order: int) -> None:
    """Refuse types that SciPy's kernel does not read or write, and sums of truth values."""
    if dtype.name not in (*_REAL, *_COMPLEX, "bool"):
        raise ResizeError(
            f"input must be of a type that SciPy's kernel reads ({', '.join(_REAL)}, "
            f"{', '.join(_COMPLEX)}, bool), got {dtype}; convert it first"
        )
    if found.name not in (*_REAL, *_COMPLEX, "bool") or (found.kind == "c" and dtype.kind != "c"):
        raise ResizeError(
            f"output must be of a type that SciPy's kernel writes ({', '.join(_REAL)}, and complex "
            f"types for complex input), got {found}; convert the result instead"
        )
    if found.kind == "b" and (order > 0 or dtype.kind != "b"):
        raise ResizeError(
            f"output must not be bool for {dtype} input and order {order}, got bool: SciPy cuts "
            "the fractions off sums in double, and all that is True may come out False by the "
            "last bit; give order=0 or convert to float"
        )


def sums(dtype: np.dtype[Any], found: np.dtype[Any], order: int) -> Arithmetic:
    """Return what is summed in: SciPy has doubles; two float32 samples per axis need none."""
    if order <= 1 and dtype == found and dtype.name in ("float32", "complex64"):
        return Arithmetic("float32")
    return Arithmetic("float64")
