"""The resize nodes of a model, wherever they are, and what can be known of each without running."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndresize.errors import ResizeError
from ndresize.models._onnx_package import onnx
from ndresize.models.onnx_calls import DOMAINS, OPERATORS, Call, attribute_values
from ndresize.models.onnx_tensors import (
    constant_array,
    declared_tensor,
    dense_array,
    stored_tensor,
    tensor_array,
)
from ndresize.models.signature import Tensor
from ndresize.plan import Plan

__all__ = ["ResizeNode", "find_nodes", "is_onnx", "node_name", "with_inferred_shapes"]

_SMALL = 2**16  # bytes; what is larger holds no shape and no scales


@dataclass(frozen=True)
class ResizeNode:
    """A Resize or Upsample node.

    Parameters
    ----------
    name : str
        As in the model; often empty.
    where : str
        The subgraph that it is in, as "if_node/then_branch"; empty for the main graph.
    operator : {"Resize", "Upsample"}
        Which.
    opset : int
        The model's.
    version : int or None
        The opset that last changed the operator; None if the node is not as its operator allows.
    inputs : mapping from str to str
        Names of values by the operator's own names for its inputs; those left out are missing.
    output : str
        Name of the result.
    attributes : mapping from str to object
        Those given in the model.
    tensors : mapping from str to Tensor
        What is known of the inputs' types and shapes, and of the output's as "Y".
    constants : mapping from str to ndarray
        Values of those of `roi`, `scales` and `sizes` that do not depend on the model's inputs.
    plan : Plan or None
        What the node does, if that is known before the model runs.
    reason : str
        Why there is no plan; empty if there is one.
    """

    name: str
    where: str
    operator: str
    opset: int
    version: int | None
    inputs: Mapping[str, str]
    output: str
    attributes: Mapping[str, Any]
    tensors: Mapping[str, Tensor]
    constants: Mapping[str, NDArray[Any]]

    plan: Plan | None
    reason: str


@dataclass(frozen=True)
class Scope:
    """What is known of the values that the nodes of a graph can name.

    Constants are read when they are asked for: most of a model's are weights of other operators.
    """

    tensors: dict[str, Tensor] = field(default_factory=dict)
    readers: dict[str, Callable[[], NDArray[Any]]] = field(default_factory=dict)

    def inside(self, graph: onnx.GraphProto, folder: Path | None) -> Scope:
        """Return the scope of a graph within this one."""
        scope = Scope(dict(self.tensors), dict(self.readers))
        for info in (*graph.input, *graph.output, *graph.value_info):
            scope.readers.pop(info.name, None)  # an inner value hides an outer one
            scope.tensors[info.name] = declared_tensor(info) or Tensor(info.name)
        overridable = {info.name for info in graph.input}
        for tensor in graph.initializer:
            if tensor.name not in overridable:
                scope.tensors[tensor.name] = stored_tensor(tensor)
                scope.readers[tensor.name] = partial(tensor_array, tensor, folder)
        for sparse in graph.sparse_initializer:
            if sparse.values.name not in overridable:
                scope.readers[sparse.values.name] = partial(dense_array, sparse, folder)
        return scope

    def follow(self, node: onnx.NodeProto, folder: Path | None) -> None:
        """Learn what constants a node makes."""
        for name in node.output:
            self.readers.pop(name, None)
        if is_onnx(node, "Constant") and node.output:
            self.readers[node.output[0]] = partial(constant_array, node, folder)
        if is_onnx(node, "Identity") and node.output and node.input:
            reader = self.readers.get(node.input[0])
            if reader is not None:
                self.readers[node.output[0]] = reader

    def constant(self, name: str) -> NDArray[Any] | None:
        """Return a constant, or None for what is none or cannot be read."""
        try:
            return self.readers[name]()
        except (KeyError, ResizeError):
            return None


def is_onnx(node: onnx.NodeProto, *operators: str) -> bool:
    """Return whether a node is one of ONNX's own operators of these names."""
    return node.domain in DOMAINS and node.op_type in operators


def with_inferred_shapes(
    model: onnx.ModelProto, shapes: Mapping[str, tuple[int, ...]]
) -> onnx.ModelProto:
    """Return a copy with the shapes of all values, as far as ONNX's inference finds them.

    The copy has no large initializers: they would be copied several times and say nothing.
    """
    light = onnx.ModelProto(ir_version=model.ir_version)
    light.opset_import.extend(model.opset_import)
    graph = light.graph
    graph.name = model.graph.name
    graph.node.extend(model.graph.node)
    graph.input.extend(model.graph.input)
    graph.output.extend(model.graph.output)
    graph.value_info.extend(model.graph.value_info)
    graph.sparse_initializer.extend(model.graph.sparse_initializer)
    for tensor in model.graph.initializer:
        if tensor.ByteSize() <= _SMALL:
            graph.initializer.append(tensor)
        else:
            kept = graph.initializer.add(name=tensor.name, data_type=tensor.data_type)
            kept.dims.extend(tensor.dims)
            kept.data_location = onnx.TensorProto.EXTERNAL
    for info in graph.input:
        if info.name in shapes:
            _set_shape(info, shapes[info.name])
    try:
        inferred: onnx.ModelProto = onnx.shape_inference.infer_shapes(light, data_prop=True)
    except Exception:  # of many kinds; the nodes can be listed without shapes
        return light
    return inferred


def _set_shape(info: onnx.ValueInfoProto, shape: tuple[int, ...]) -> None:
    dims = info.type.tensor_type.shape.dim
    del dims[:]
    for length in shape:
        dims.add(dim_value=length)


def find_nodes(
    graph: onnx.GraphProto,
    opset: int,
    folder: Path | None,
    outer: Scope | None = None,
    where: str = "",
) -> Iterator[ResizeNode]:
    """Yield the resize nodes of a graph and of the graphs inside it, in order."""
    scope = (outer or Scope()).inside(graph, folder)
    for node in graph.node:
        scope.follow(node, folder)
        if is_onnx(node, *OPERATORS):
            yield _resize_node(node, opset, scope, where)
        for attribute in node.attribute:
            graphs = [attribute.g] if attribute.HasField("g") else attribute.graphs
            for position, body in enumerate(graphs):
                inner = f"{where}/" if where else ""
                inner += f"{node.name or node.op_type}/{attribute.name}"
                inner += f"[{position}]" if attribute.graphs else ""
                yield from find_nodes(body, opset, folder, scope, inner)


def node_name(operator: str, name: str, outputs: Sequence[str]) -> str:
    """Return what a node is called in messages: most nodes of real models have no name."""
    if name:
        return f"{operator} {name!r}"
    return f"the {operator} that gives {', '.join(map(repr, outputs)) or 'nothing'}"


def _resize_node(node: onnx.NodeProto, opset: int, scope: Scope, where: str) -> ResizeNode:
    call, plan, reason = None, None, ""
    names: tuple[str, ...] = ("X", "roi", "scales", "sizes")
    try:
        named = Call.of_node(node, opset)
        names = named.input_names
        named.refuse_inputs(list(map(bool, node.input)))
        call = named
    except ResizeError as error:
        reason = str(error)
    inputs = {role: name for role, name in zip(names, node.input, strict=False) if name}
    tensors = {role: scope.tensors[name] for role, name in inputs.items() if name in scope.tensors}
    output = node.output[0] if node.output else ""
    if output in scope.tensors:
        tensors["Y"] = scope.tensors[output]
    values = {role: scope.constant(name) for role, name in inputs.items() if role != "X"}
    constants = {role: value for role, value in values.items() if value is not None}
    if call is not None:
        try:
            plan = _plan(call, inputs, tensors, constants)
        except ResizeError as error:
            reason = str(error)
    return ResizeNode(
        name=node.name,
        where=where,
        operator=node.op_type,
        opset=opset,
        version=None if call is None else call.version,
        inputs=inputs,
        output=output,
        attributes=attribute_values(node),
        tensors=tensors,
        constants=constants,
        plan=plan,
        reason=reason,
    )


def _plan(
    call: Call,
    inputs: Mapping[str, str],
    tensors: Mapping[str, Tensor],
    constants: Mapping[str, NDArray[Any]],
) -> Plan:
    x = tensors.get("X", Tensor(inputs["X"]))
    if x.static_shape is None or x.dtype is None:
        raise ResizeError(f"type and shape of X must be known, got {x}")
    values = {role: constants.get(role) for role in inputs if role != "X"}
    if "sizes" in values and values["sizes"] is None and "Y" in tensors:
        values["sizes"] = _inferred_sizes(call, tensors["Y"])
    cropping = call.attributes.get("coordinate_transformation_mode") == "tf_crop_and_resize"
    for role, value in values.items():
        if value is None and (role != "roi" or cropping):  # else no coordinate looks at the roi
            raise ResizeError(f"{role} ({inputs[role]!r}) is computed while the model runs")
    return call.plan(x.static_shape, x.dtype, values)


def _inferred_sizes(call: Call, output: Tensor) -> NDArray[Any] | None:
    """Return the sizes that inference followed through the model's arithmetic of shapes.

    Exporters compute sizes by Shape, Slice and Concat nodes, which never become a constant.
    """
    lengths = output.static_shape
    if lengths is None or call.attributes.get("keep_aspect_ratio_policy", "stretch") != "stretch":
        return None  # with a policy, the output's lengths are not the sizes
    axes = call.attributes.get("axes", range(len(lengths)))
    if any(not -len(lengths) <= axis < len(lengths) for axis in axes):
        return None
    return np.array([lengths[axis] for axis in axes], np.int64)
