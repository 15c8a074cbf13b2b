"""Kernels of TensorFlow's ScaleAndTranslate, in float32 as it evaluates them.

The formulas are those of ``tensorflow/core/kernels/image/sampling_kernels.h``, in the same order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndresize.dialects._c_library import sine

__all__ = ["KEYS", "TRIANGLE", "Kernel", "lanczos"]

Distances = NDArray[Any]
"""Distances that are not negative, in kernel widths; float32."""


@dataclass(frozen=True)
class Kernel:
    """A kernel and the radius beyond which it is zero.

    Parameters
    ----------
    radius : float
        In input samples, unstretched.
    function : callable
        From distances to weights, in the type of the distances.
    """

    radius: float
    function: Callable[[Distances], Distances]


def _triangle(x: Distances) -> Distances:
    result: Distances = np.maximum(1 - x, x.dtype.type(0))
    return result


def _keys(x: Distances) -> Distances:
    real = x.dtype.type
    inner = ((real(1.5) * x - real(2.5)) * x) * x + 1
    outer = ((real(-0.5) * x + real(2.5)) * x - 4) * x + 2
    result: Distances = np.where(x >= 2, real(0), np.where(x >= 1, outer, inner))
    return result


TRIANGLE = Kernel(1, _triangle)
"""Two-point linear interpolation."""

KEYS = Kernel(2, _keys)
"""Keys's cubic with a = -0.5."""


def lanczos(radius: int) -> Kernel:
    """Return the sinc under a wider sinc; it is 1 up to a distance of 0.001."""

    def function(x: Distances) -> Distances:
        real = x.dtype.type
        pi, width = real(np.pi), real(radius)
        near = x <= real(1e-3)
        safe = np.where(near, real(1), x)
        waves = width * sine(pi * safe) * sine(pi * safe / width) / (pi * pi * safe * safe)
        result: Distances = np.where(x > width, real(0), np.where(near, real(1), waves))
        return result

    return Kernel(radius, function)
