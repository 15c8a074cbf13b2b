"""OpenVINO: a compiled model of one Interpolate node."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.contestant import Contestant
from benchmarks.peers._layout import leading_ones
from benchmarks.task import Task

__all__ = ["compiled", "through_float32"]


def compiled(task: Task, x: NDArray[Any], threads: int) -> Contestant:
    """Return calls of a model whose only node is the Interpolate."""
    return _contestant(task, x, threads, cast=False)


def through_float32(task: Task, x: NDArray[Any], threads: int) -> Contestant:
    """Return calls for a type that its plugin does not take: convert, interpolate, round, back."""
    return _contestant(task, x, threads, cast=True)


def _contestant(task: Task, x: NDArray[Any], threads: int, cast: bool) -> Contestant:
    # Its telemetry would fork this process, in which JAX may have threads. OpenVINO does without.
    sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]
    import openvino
    from openvino import opset11

    ones = leading_ones(task)
    given = opset11.parameter([*ones, *task.shape], np.dtype(task.dtype).type, name="x")
    node = opset11.convert(given, "f32") if cast else given
    node = opset11.interpolate(
        node,
        np.array(task.sizes, np.int64),
        shape_calculation_mode="sizes",
        axes=np.array(task.axes, np.int64) + len(ones),
        **_attributes(task),
    )
    if cast:
        node = opset11.round(node, "half_to_even")
        node = opset11.convert(node, np.dtype(task.dtype).name.replace("uint", "u"))
    settings = {
        "INFERENCE_NUM_THREADS": threads,
        "PERFORMANCE_HINT": "LATENCY",
        "INFERENCE_PRECISION_HINT": "f32",
    }
    run = openvino.Core().compile_model(openvino.Model([node], [given]), "CPU", settings)
    # Its output is shared with the next call unless it is copied, and a result is to be kept.
    if x.flags.c_contiguous:
        feed = x.reshape(ones + x.shape)
        return Contestant(lambda: run(feed)[0], lambda y: y.reshape(task.output_shape))
    return Contestant(
        lambda: run(np.ascontiguousarray(x).reshape(ones + x.shape))[0],
        lambda y: y.reshape(task.output_shape),
    )


def _attributes(task: Task) -> dict[str, Any]:
    if task.antialias and len(task.axes) == 2:  # its own "linear" ignores antialias in 4-D
        attributes: dict[str, Any] = {"mode": {"linear": "bilinear", "cubic": "bicubic"}[task.mode]}
        attributes["mode"] += "_pillow"
    else:
        attributes = {"mode": task.mode}
        if task.antialias:
            attributes["antialias"] = True
        elif task.mode == "linear":
            attributes["mode"] = "linear_onnx"
    if task.mode == "cubic":
        attributes["cube_coeff"] = task.cubic_coeff_a
    if task.align_corners:
        attributes["coordinate_transformation_mode"] = "align_corners"
    if task.floor:
        attributes |= {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    return attributes
