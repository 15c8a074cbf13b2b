"""A graph of nothing but resize nodes, constants and copies: planned whole, then run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndresize.errors import ResizeError
from ndresize.models._onnx_package import onnx
from ndresize.models.onnx_calls import OPERATORS, Call
from ndresize.models.onnx_nodes import is_onnx, node_name
from ndresize.models.onnx_tensors import (
    constant_array,
    declared_tensor,
    dense_array,
    element_type,
    tensor_array,
)
from ndresize.models.signature import Tensor, checked_inputs, printable, some_of, type_name
from ndresize.plan import Plan

__all__ = ["Program"]

Facts = dict[str, tuple[tuple[int, ...], np.dtype[Any]]]
"""Shape and type by name of a value."""


@dataclass(frozen=True)
class Step:
    """One node that is run: a resize, or an Identity, whose call is None."""

    what: str
    call: Call | None
    source: str
    inputs: Mapping[str, str]
    output: str


class Program:
    """A graph of Resize, Upsample, Constant and Identity nodes, ready to run.

    Parameters
    ----------
    graph : onnx.GraphProto
        The graph.
    opset : int
        The opset of its operators.
    folder : Path or None
        Where its model is.

    Raises
    ------
    ResizeError
        If it has another operator, a node is not as its operator allows, or the graph does not
        hang together.
    """

    required: tuple[Tensor, ...]
    """Inputs that must be given."""
    optional: tuple[Tensor, ...]
    """Inputs that have a default."""
    outputs: tuple[Tensor, ...]

    def __init__(self, graph: onnx.GraphProto, opset: int, folder: Path | None) -> None:
        _refuse_other_operators(graph)
        self._constants = dict(_initializers(graph, folder))
        inputs = tuple(_declared("input", info) for info in graph.input)
        self.required = tuple(t for t in inputs if t.name not in self._constants)
        self.optional = tuple(t for t in inputs if t.name in self._constants)
        self.outputs = tuple(_declared("output", info) for info in graph.output)
        _refuse_repeated("input", inputs)
        _refuse_repeated("output", self.outputs)
        if not self.outputs:
            raise ResizeError("the model must have an output, got none")
        self._steps: list[Step] = []
        known = {t.name for t in inputs} | set(self._constants)
        for node in graph.node:
            _refuse_unconnected(node, known)
            if is_onnx(node, "Constant"):
                self._constants[node.output[0]] = constant_array(node, folder)
            else:
                self._steps.append(_step(node, opset))
            known.add(node.output[0])
        for tensor in self.outputs:
            if tensor.name not in known:
                raise ResizeError(f"output {tensor.name!r} is given by no node of the model")
        self._last_use = {
            name: position
            for position, step in enumerate(self._steps)
            for name in (step.source, *step.inputs.values())
        }

    def run(self, given: Mapping[str, Any], threads: int | None = None) -> dict[str, NDArray[Any]]:
        """Return the outputs by name.

        Raises
        ------
        ResizeError
            If an input is not what the model declares, or a node cannot resize it. Raised before
            any work, save where scales, sizes or a region come out of a resize themselves.
        """
        arrays = self._constants | checked_inputs(given, self.required, self.optional)
        initial = {id(array) for array in arrays.values()}
        plans = self._plans(arrays)
        kept = {tensor.name for tensor in self.outputs}
        for position, (step, ready) in enumerate(zip(self._steps, plans, strict=True)):
            x = arrays[step.source]
            if step.call is None:
                arrays[step.output] = x
            else:
                plan = ready or _plan(step, x.shape, x.dtype, arrays)
                with _naming(step):
                    arrays[step.output] = plan(x, threads=threads)
            for name in {step.source, *step.inputs.values()} - kept:
                if self._last_use[name] == position:
                    arrays.pop(name)
        outputs = {}
        for tensor in self.outputs:
            array = arrays[tensor.name]
            # A model can hand out its input, or one value twice; its caller may write to each.
            outputs[tensor.name] = array.copy() if id(array) in initial else array
            initial.add(id(array))
        return outputs

    def _plans(self, arrays: Mapping[str, NDArray[Any]]) -> list[Plan | None]:
        """Return the plan of every step that can be planned before anything has run."""
        known = dict(arrays)
        facts: Facts = {name: (array.shape, array.dtype) for name, array in arrays.items()}
        plans: list[Plan | None] = []
        for step in self._steps:
            plan = None
            if step.call is None:
                if step.source in known:
                    known[step.output] = known[step.source]
                if step.source in facts:
                    facts[step.output] = facts[step.source]
            elif step.source in facts and all(n in known for n in step.inputs.values()):
                plan = _plan(step, *facts[step.source], known)
                facts[step.output] = plan.output_shape, plan.dtype
            plans.append(plan)
        for tensor in self.outputs:
            if tensor.name in facts and tensor.dtype is not None:
                found = type_name(facts[tensor.name][1])
                if found != type_name(tensor.dtype):
                    raise ResizeError(
                        f"the model declares output {tensor} and its nodes give {found}"
                    )
        return plans


def _plan(
    step: Step, shape: tuple[int, ...], dtype: np.dtype[Any], arrays: Mapping[str, NDArray[Any]]
) -> Plan:
    assert step.call is not None
    with _naming(step):
        inputs = {role: arrays[name] for role, name in step.inputs.items()}
        return step.call.plan(shape, dtype, inputs)


@contextmanager
def _naming(step: Step) -> Iterator[None]:
    """Say which node refused."""
    try:
        yield
    except ResizeError as error:
        raise ResizeError(f"{step.what}: {error}") from None


def _refuse_other_operators(graph: onnx.GraphProto) -> None:
    allowed = (*OPERATORS, "Constant", "Identity")
    others = Counter(
        printable(f"{node.domain}.{node.op_type}" if node.domain else node.op_type)
        for node in graph.node
        if not is_onnx(node, *allowed)
    )
    if others:
        raise ResizeError(
            f"the model must have no operators but {', '.join(allowed)} to be run, got "
            f"{some_of(list(others))}; run it in onnx.reference.ReferenceEvaluator with "
            "new_ops=ndresize.models.onnx_reference.OPS"
        )


def _initializers(
    graph: onnx.GraphProto, folder: Path | None
) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield the initializers that are used."""
    used = {name for node in graph.node for name in node.input}
    used |= {info.name for info in (*graph.output, *graph.input)}
    for tensor in graph.initializer:
        if tensor.name in used:
            yield tensor.name, tensor_array(tensor, folder)
    for sparse in graph.sparse_initializer:
        if sparse.values.name in used:
            yield sparse.values.name, dense_array(sparse, folder)


def _declared(kind: str, info: onnx.ValueInfoProto) -> Tensor:
    tensor = declared_tensor(info)
    if tensor is None:
        raise ResizeError(
            f"{kind} {info.name!r} must be a tensor, got {info.type.WhichOneof('value')}"
        )
    if info.type.tensor_type.elem_type:
        element_type(info.type.tensor_type.elem_type, f"{kind} {info.name!r}")
    return tensor


def _refuse_repeated(kind: str, tensors: Sequence[Tensor]) -> None:
    names = [tensor.name for tensor in tensors]
    if len(set(names)) < len(names):
        raise ResizeError(
            f"every {kind} must have a name of its own, got {some_of(list(map(repr, names)))}"
        )


def _refuse_unconnected(node: onnx.NodeProto, known: set[str]) -> None:
    what = node_name(node.op_type, node.name, node.output)
    if len(node.output) != 1 or not node.output[0]:
        raise ResizeError(f"{what} must have one output, got {list(node.output)}")
    for name in node.input:
        if name and name not in known:
            raise ResizeError(f"{what} reads {name!r}, which nothing before it gives")
    if node.output[0] in known:
        raise ResizeError(f"{what} gives {node.output[0]!r}, which is given already")


def _step(node: onnx.NodeProto, opset: int) -> Step:
    what = node_name(node.op_type, node.name, node.output)
    if is_onnx(node, "Identity"):
        if len(node.input) != 1 or not node.input[0]:
            raise ResizeError(f"{what} must have one input, got {list(node.input)}")
        return Step(what, None, node.input[0], {}, node.output[0])
    try:
        call = Call.of_node(node, opset)
        call.refuse_inputs(list(map(bool, node.input)))
    except ResizeError as error:
        raise ResizeError(f"{what}: {error}") from None
    inputs = dict(zip(call.input_names, node.input, strict=False))
    source = inputs.pop("X")
    return Step(what, call, source, {r: n for r, n in inputs.items() if n}, node.output[0])
