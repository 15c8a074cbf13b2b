"""ndresize: a plan, the words of a call, and the same with memory given."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.contestant import Contestant
from benchmarks.task import Task

__all__ = ["call", "out_given", "plan"]


def plan(task: Task, x: NDArray[Any], threads: int) -> Contestant:
    """Return calls of a plan that is built already; it allocates its output."""
    import ndresize

    built = ndresize.resize.plan(x.shape, x.dtype, **_words(task))
    return Contestant(lambda: built(x, threads=threads))


def call(task: Task, x: NDArray[Any], threads: int) -> Contestant:
    """Return calls by words, as a user writes them who never heard of plans."""
    from ndresize.dialects import onnx

    words = _words(task)
    return Contestant(lambda: onnx.resize(x, threads=threads, **words))


def out_given(task: Task, x: NDArray[Any], threads: int) -> Contestant:
    """Return calls of a built plan into memory that is there already."""
    import ndresize

    built = ndresize.resize.plan(x.shape, x.dtype, **_words(task))
    out = np.empty(task.output_shape, x.dtype)
    return Contestant(lambda: built(x, out=out, threads=threads))


def _words(task: Task) -> dict[str, Any]:
    words: dict[str, Any] = {"sizes": task.sizes, "axes": task.axes, "mode": task.mode}
    if task.antialias:
        words |= {"antialias": True, "exclude_outside": True}
    if task.mode == "cubic":
        words["cubic_coeff_a"] = task.cubic_coeff_a
    if task.align_corners:
        words["coordinate_transformation_mode"] = "align_corners"
    if task.floor:
        words |= {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    return words
