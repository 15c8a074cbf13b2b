"""onnxruntime: a session of one node."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.contestant import Contestant
from benchmarks.peers._layout import leading_ones
from benchmarks.task import Task

__all__ = ["node", "session", "through_float32"]


def session(task: Task, x: NDArray[Any], threads: int) -> Contestant:
    """Return runs of a session whose only node is the Resize."""
    return _contestant(task, x, threads, cast=False)


def through_float32(task: Task, x: NDArray[Any], threads: int) -> Contestant:
    """Return runs for a type that its Resize does not take: cast, Resize, Round, cast back."""
    return _contestant(task, x, threads, cast=True)


def _contestant(task: Task, x: NDArray[Any], threads: int, cast: bool) -> Contestant:
    ones = leading_ones(task)
    lengths, sizes = ones + task.shape, ones + task.output_shape
    run = _run(_model(task, lengths, sizes, cast), threads)
    if x.flags.c_contiguous:
        feed = {"x": x.reshape(lengths)}
        return Contestant(lambda: run(None, feed)[0], lambda y: y.reshape(task.output_shape))
    return Contestant(
        lambda: run(None, {"x": np.ascontiguousarray(x).reshape(lengths)})[0],
        lambda y: y.reshape(task.output_shape),
    )


def node(
    operator: str, x: NDArray[Any], arguments: Mapping[str, Any], threads: int
) -> Callable[..., Any]:
    """Return the run of a session whose only node is Resize or Upsample with some arguments."""
    from onnx import helper, numpy_helper

    words = dict(arguments)
    opset = words.pop("opset", 19 if operator == "Resize" else 9)
    names = ["roi", "scales", "sizes"] if operator == "Resize" else ["scales"]
    given = {
        name: np.asarray(words.pop(name), np.int64 if name == "sizes" else np.float32)
        for name in names
        if name in words
    }
    inputs = ["x", *(name if name in given else "" for name in names)]
    dtype = helper.np_dtype_to_tensor_dtype(x.dtype)
    graph = helper.make_graph(
        [helper.make_node(operator, inputs, ["y"], **words)],
        "resize",
        [helper.make_tensor_value_info("x", dtype, x.shape)],
        [helper.make_tensor_value_info("y", dtype, [None] * x.ndim)],
        [numpy_helper.from_array(value, name) for name, value in given.items()],
    )
    return _run(_serialised(graph, opset), threads)


def _run(model: bytes, threads: int) -> Callable[..., Any]:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Its idle threads would otherwise spin while the next contestant is timed.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 4  # what it cannot do is raised as well
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    run: Callable[..., Any] = session.run
    return run


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
    return _serialised(graph, 19)


def _serialised(graph: Any, version: int) -> bytes:
    from onnx import helper

    opset = helper.make_opsetid("", version)
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
