"""What the interpreter of TPU-MLIR's ``top.Interp`` reads, in the float32 that it computes in."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndresize.axis import AxisOperator
from ndresize.dialects._openvino_filters import two_points

__all__ = ["PLATFORMS", "operator"]

PLATFORMS = ("onnx", "torch", "tflite", "caffe")

Reals = NDArray[np.float32]


def operator(
    mode: str, coord_mode: str, platform: str, n_in: int, n_out: int
) -> tuple[AxisOperator, Reals]:
    """Return the operator of one axis, and the coordinates that it reads at.

    Parameters
    ----------
    mode : {"nearest", "linear"}
        The interpolation.
    coord_mode : str
        As the operator says it; the interpreter follows it in part.
    platform : str
        Where the model came from, which the interpreter asks too.
    n_in, n_out : int
        Lengths, at least 1.
    """
    corners = _uses_corners(mode, coord_mode, platform)
    if corners:
        step = np.float32(n_in - 1) / np.float32(n_out - 1) if n_out > 1 else np.float32(0)
    else:
        step = np.float32(n_in) / np.float32(n_out)
    i = np.arange(n_out, dtype=np.float32)
    half = np.float32(0.5)
    x: Any = i * step if mode == "nearest" or corners else (i + half) * step - half
    x = np.clip(x, np.float32(0), np.float32(n_in - 1))
    if mode == "linear":
        return two_points(x, n_in), x
    # C's round, on numbers that are not negative; float64 holds x + 0.5 exactly.
    up = 0.5 if corners and platform != "caffe" else 0.0
    return AxisOperator.select(np.floor(x.astype(np.float64) + up).astype(np.int64), n_in), x


def _uses_corners(mode: str, coord_mode: str, platform: str) -> bool:
    """Return whether the step is ``(L - 1) / (O - 1)``."""
    if platform == "caffe":
        return True
    if mode == "linear":
        return coord_mode == "align_corners"
    if platform == "torch":
        return False
    return platform == "tflite" or coord_mode != "asymmetric"
