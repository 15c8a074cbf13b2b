"""onnxruntime: a session of one Resize node."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.contestant import Contestant
from benchmarks.peers._layout import leading_ones
from benchmarks.task import Task

__all__ = ["session", "through_float32"]


def session(task: Task, x: NDArray[Any], threads: int) -> Contestant:
    """Return runs of a session whose only node is the Resize."""
    return _contestant(task, x, threads, cast=False)


def through_float32(task: Task, x: NDArray[Any], threads: int) -> Contestant:
    """Return runs for a type that its Resize does not take: cast, Resize, Round, cast back."""
    return _contestant(task, x, threads, cast=True)


def _contestant(task: Task, x: NDArray[Any], threads: int, cast: bool) -> Contestant:
    import onnxruntime

    ones = leading_ones(task)
    lengths, sizes = ones + task.shape, ones + task.output_shape
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Its idle threads would otherwise spin while the next contestant is timed.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 4  # what it cannot do is raised as well
    run = onnxruntime.InferenceSession(
        _model(task, lengths, sizes, cast), options, providers=["CPUExecutionProvider"]
    ).run
    if x.flags.c_contiguous:
        feed = {"x": x.reshape(lengths)}
        return Contestant(lambda: run(None, feed)[0], lambda y: y.reshape(task.output_shape))
    return Contestant(
        lambda: run(None, {"x": np.ascontiguousarray(x).reshape(lengths)})[0],
        lambda y: y.reshape(task.output_shape),
    )


def _model(task: Task, lengths: tuple[int, ...], sizes: tuple[int, ...], cast: bool) -> bytes:
    from onnx import TensorProto, helper

    dtype = helper.np_dtype_to_tensor_dtype(np.dtype(task.dtype))
    nodes = [helper.make_node("Resize", ["a", "", "", "sizes"], ["b"], **_attributes(task))]
    if cast:
        nodes.insert(0, helper.make_node("Cast", ["x"], ["a"], to=TensorProto.FLOAT))
        nodes.append(helper.make_node("Round", ["b"], ["c"]))
        nodes.append(helper.make_node("Cast", ["c"], ["y"], to=dtype))
    else:
        nodes[0].input[0], nodes[0].output[0] = "x", "y"
    graph = helper.make_graph(
        nodes,
        "resize",
        [helper.make_tensor_value_info("x", dtype, lengths)],
        [helper.make_tensor_value_info("y", dtype, sizes)],
        [helper.make_tensor("sizes", TensorProto.INT64, [len(sizes)], sizes)],
    )
    opset = helper.make_opsetid("", 19)
    return helper.make_model(graph, opset_imports=[opset], ir_version=9).SerializeToString()


def _attributes(task: Task) -> dict[str, Any]:
    attributes: dict[str, Any] = {"mode": task.mode}
    if task.antialias:
        attributes |= {"antialias": 1, "exclude_outside": 1}
    if task.mode == "cubic":
        attributes["cubic_coeff_a"] = task.cubic_coeff_a
    if task.align_corners:
        attributes["coordinate_transformation_mode"] = "align_corners"
    if task.floor:
        attributes |= {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    return attributes
