"""One axis of TensorFlow's ScaleAndTranslate, in float32 as its CPU kernel has it.

From ``tensorflow/core/kernels/image/scale_and_translate_op.cc`` and ``sampling_kernels.h``.
"""

from __future__ import annotations

import numpy as np

from ndresize.axis import AxisOperator
from ndresize.dialects._scale_and_translate import KEYS, TRIANGLE, Distances, Kernel, lanczos

__all__ = ["KERNELS", "span_taps", "spans"]

_SMALLEST_SUM = np.float32(1000) * np.finfo(np.float32).tiny
_ONE, _HALF = np.float32(1), np.float32(0.5)


def _gaussian(x: Distances) -> Distances:
    # The square is a float32; the division by 2 * 0.5**2 and the exponential are in double.
    power = (-x * x).astype(np.float64) / 0.5
    return np.where(x >= 1.5, 0.0, np.exp(power)).astype(np.float32)


def _box(x: Distances) -> Distances:
    return np.where(x < _HALF, _ONE, np.where(x == _HALF, _HALF, np.float32(0)))


def _mitchell(x: Distances) -> Distances:
    # Each quotient is rounded to float32 first.
    third = np.float32(10) / np.float32(3)
    ninths = (np.float32(8) / np.float32(9), np.float32(16) / np.float32(9))
    sixth, eighteenth = np.float32(7) / np.float32(6), np.float32(-7) / np.float32(18)
    inner = ((sixth * x - 2) * x) * x + ninths[0]
    outer = ((eighteenth * x + 2) * x - third) * x + ninths[1]
    return np.where(x >= 2, np.float32(0), np.where(x >= 1, outer, inner))


KERNELS = {
    "lanczos1": lanczos(1),
    "lanczos3": lanczos(3),
    "lanczos5": lanczos(5),
    "gaussian": Kernel(1.5, _gaussian),
    "box": Kernel(1, _box),
    "triangle": TRIANGLE,
    "keyscubic": KEYS,
    "mitchellcubic": Kernel(2, _mitchell),
}
"""By the word of ``kernel_type``."""


def _stretch(scale: np.float32, antialias: bool) -> np.float32:
    inverse = np.float32(1.0 / float(scale))
    return max(inverse, _ONE) if antialias else _ONE


def span_taps(kernel: str, n_in: int, scale: np.float32, antialias: bool) -> int:
    """Return a bound on the taps of a row."""
    width = float(KERNELS[kernel].radius) * float(_stretch(scale, antialias))
    return int(min(2 * np.ceil(width) + 1, n_in))


def spans(
    kernel: str,
    n_in: int,
    n_out: int,
    scale: np.float32,
    translation: np.float32,
    antialias: bool,
) -> AxisOperator:
    """Return the operator of an axis.

    Parameters
    ----------
    kernel : str
        A key of `KERNELS`.
    n_in, n_out : int
        Lengths, at least 1. `n_out` need not be ``scale * n_in``.
    scale, translation : float32
        An input position x lies at ``x * scale + translation`` in the output, pixels being cells
        that begin at integers.
    antialias : bool
        Whether a shrinking axis stretches the kernel.

    Notes
    -----
    A row whose centre lies outside the input is all zeros. Any other is divided by its sum.
    """
    how = KERNELS[kernel]
    inverse = np.float32(1.0 / float(scale))
    stretch = _stretch(scale, antialias)
    at = (np.arange(n_out).astype(np.float32) + _HALF) * inverse + -inverse * translation
    reach = np.float32(how.radius) * stretch
    inside = ~((at < 0) | (at > np.float32(n_in)))
    at = np.where(inside, at, np.float32(0))
    first = np.clip(np.ceil(at - reach - _HALF), 0, n_in - 1).astype(np.int64)
    last = np.clip(np.floor(at + reach - _HALF), 0, n_in - 1).astype(np.int64)
    taps = int((last - first).max(initial=0)) + 1
    source = first[:, None] + np.arange(taps)
    distance = source.astype(np.float32) + _HALF - at[:, None]
    weights = how.function(np.abs(distance * (_ONE / stretch)))
    weights[(source > last[:, None]) | ~inside[:, None]] = 0
    total = np.add.accumulate(weights, axis=1, dtype=np.float32)[:, -1]  # one after another
    counts = np.abs(total) >= _SMALLEST_SUM
    weights *= (_ONE / np.where(counts, total, _ONE))[:, None]
    weights[~counts] = 0
    return AxisOperator(first, weights, n_in)
