"""Where ``top.Interp`` does not do what it says, told in words."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from ndresize.coordinates import on_line
from ndresize.dialects._resampling import nearest_index
from ndresize.dialects._tpu_grids import line_of
from ndresize.dialects._tpu_interp import operator

__all__ = ["TpuMlirWarning", "quirks"]


class TpuMlirWarning(UserWarning):
    """The compiler computes something else than the operator says."""


def quirks(
    shape: tuple[int, ...],
    output: tuple[int, ...],
    mode: str,
    coord_mode: str,
    platform: str,
) -> Iterator[str]:
    """Yield a text for each quirk that shows in a call.

    Parameters
    ----------
    shape, output : (int, int)
        Rows and columns.
    mode, coord_mode, platform : str
        What the operator says.
    """
    kind = "linear" if mode == "cubic" else mode
    if mode == "cubic" and shape != output:
        yield (
            "cubic-replaced-by-linear: TPU-MLIR has no cubic and computes linear; ONNX Resize "
            "weighs four samples per axis by Keys's kernel (onnx.resize with mode='cubic')"
        )
    if platform == "caffe":
        return  # Caffe's own rule, which coord_mode is not about
    for axis, (n_in, n_out) in enumerate(zip(shape, output, strict=True)):
        found = _first_difference(kind, coord_mode, platform, n_in, n_out)
        if found is not None:
            position, theirs, onnx = found
            yield (
                f"{_name(kind, coord_mode)}; ONNX Resize reads output sample {position} of axis "
                f"{axis - 2} at {onnx:g}, TPU-MLIR at {theirs:g} (onnx.resize with "
                f"coordinate_transformation_mode={coord_mode!r}"
                + (", nearest_mode='round_prefer_floor')" if kind == "nearest" else ")")
            )
            return


def _name(mode: str, coord_mode: str) -> str:
    if mode == "linear":
        return f"{coord_mode}-as-half-pixel: linear {coord_mode} is evaluated as half_pixel"
    if coord_mode in ("half_pixel", "pytorch_half_pixel"):
        return f"{coord_mode}-as-align-corners: nearest {coord_mode} is evaluated as align_corners"
    return f"nearest-{coord_mode}: nearest_mode is not read"


def _first_difference(
    mode: str, coord_mode: str, platform: str, n_in: int, n_out: int
) -> tuple[int, float, float] | None:
    """Return an output index, and where the interpreter and ONNX read for it; None if alike."""
    made, x = operator(mode, coord_mode, platform, n_in, n_out)
    at = on_line(n_out, line_of(coord_mode, n_in, n_out, (Fraction(0), Fraction(1))))
    if mode == "nearest":
        onnx = np.clip(nearest_index(at, "round_prefer_floor"), 0, n_in - 1).astype(np.float64)
        theirs = made.starts.astype(np.float64)
        apart = np.flatnonzero(onnx != theirs)
    else:
        onnx = np.clip(at.whole + at.fraction, 0, n_in - 1)
        theirs = x.astype(np.float64)
        apart = np.flatnonzero(np.abs(onnx - theirs) > 1e-5 * n_in)
    if len(apart) == 0:
        return None
    return int(apart[0]), float(theirs[apart[0]]), float(onnx[apart[0]])
