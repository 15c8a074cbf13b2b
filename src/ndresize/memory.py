"""What fits into memory, and the refusal of what does not."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np

from ndresize.errors import ResizeError

__all__ = ["machine_memory", "refuse_larger_than_memory", "refuse_uncountable"]


def machine_memory() -> int:
    """Return the bytes of memory that this machine has."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not a POSIX system: let the allocation decide
        return 2**63 - 1


def refuse_uncountable(shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    """Refuse an output whose bytes no machine can count."""
    size = math.prod(shape) * max(dtype.itemsize, 1)
    if size > 2**63 - 1:
        raise ResizeError(
            f"the output of shape {shape} would take {size} bytes, more than 2**63-1; ask for a "
            "smaller size"
        )


def refuse_larger_than_memory(shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    """Refuse an output that is larger than this machine's memory."""
    size = math.prod(shape) * dtype.itemsize
    if size > 2**28 and size > machine_memory():  # small ones are not worth the question
        raise ResizeError(
            f"the output of shape {shape} and type {dtype} takes {size} bytes and the machine has "
            f"{machine_memory()}; make it window by window with plan.crop"
        )
