"""An OpenVINO model (.xml and .bin): its Interpolate layers, and the model run if it has no others.

IR versions 10 and 11; Interpolate of opsets 1, 4 and 11. Nothing here needs the package
``openvino``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from ndresize.dialects._planned import checked_shape
from ndresize.dialects.openvino import interpolate
from ndresize.errors import ResizeError
from ndresize.models._openvino_tensors import (
    converted,
    element_type,
    port_tensor,
    precision_name,
    read_constant,
    value_name,
)
from ndresize.models._openvino_xml import Layer, Parser, Port, read_text
from ndresize.models.signature import Length, Tensor, checked_inputs, some_of
from ndresize.plan import Plan

__all__ = ["InterpolateNode", "IrModel", "read", "read_layer"]

_RUNS = ("Parameter", "Const", "Convert", "Interpolate", "Result")
_INPUTS = {1: ("data", "sizes"), 4: ("data", "sizes", "scales", "axes")}


@dataclass(frozen=True)
class InterpolateNode:
    """An Interpolate layer; the fields are those of `ndresize.models.onnx_nodes.ResizeNode`.

    Parameters
    ----------
    name : str
        As in the model.
    where : str
        Empty: layers inside other layers are not looked for.
    operator : str
        "Interpolate".
    opset, version : int
        1, 4 or 11.
    inputs : mapping from str to str
        Names of values by the operator's own names for its inputs.
    output : str
        Name of the result.
    attributes : mapping from str to object
        Those given in the model.
    tensors : mapping from str to Tensor
        What is known of the inputs' types and shapes.
    constants : mapping from str to ndarray
        Values of those inputs that do not depend on the model's inputs.
    plan : Plan or None
        What the layer does, if enough is known without running the model.
    reason : str
        Why there is no plan; empty if there is one.
    """

    name: str
    where: str
    operator: str
    opset: int
    version: int
    inputs: Mapping[str, str]
    output: str
    attributes: Mapping[str, Any]
    tensors: Mapping[str, Tensor]
    constants: Mapping[str, NDArray[Any]]
    plan: Plan | None
    reason: str


class IrModel:
    """A model that was read.

    Parameters
    ----------
    layers : sequence of Layer
        Its layers.
    edges : mapping from Port to Port
        By the port that reads, the port that gives.
    weights : Path
        Where the constants are.
    shapes : mapping from str to sequence of int, optional
        As in `read`.
    device : str
        As in `ndresize.dialects.openvino.interpolate`.
    """

    def __init__(
        self,
        layers: Sequence[Layer],
        edges: Mapping[Port, Port],
        weights: Path,
        shapes: Mapping[str, Sequence[int]] | None = None,
        device: str = "reference",
    ) -> None:
        self._layers = {layer.id: layer for layer in layers}
        if len(self._layers) != len(layers):
            raise ResizeError("the model's layers must have different ids, got one twice")
        self._edges = dict(edges)
        self._weights = weights
        self._device = device
        self._constants: dict[Port, NDArray[Any]] = {}
        self._order = _sorted(self._layers, self._edges)
        parameters = [layer for layer in layers if layer.type == "Parameter"]
        self._parameters = {value_name(layer, layer.outputs[0]): layer for layer in parameters}
        self._shapes = {name: checked_shape(shape) for name, shape in (shapes or {}).items()}
        declared = {name: _parameter(name, layer) for name, layer in self._parameters.items()}
        for name, shape in self._shapes.items():
            if name not in declared:
                raise ResizeError(
                    f"shapes: the model's inputs are {some_of(list(declared))}, got {name}"
                )
            if not declared[name].takes(shape):
                raise ResizeError(f"input {declared[name]} does not take the shape {list(shape)}")
        self.inputs: tuple[Tensor, ...] = tuple(declared.values())
        """What must be given to run it."""
        self.accepted: tuple[Tensor, ...] = self.inputs
        """What may be given."""
        self.outputs: tuple[Tensor, ...] = tuple(
            self._output(layer) for layer in layers if layer.type == "Result"
        )
        """What a run gives, as the model declares it."""
        self.nodes: tuple[InterpolateNode, ...] = tuple(self._nodes())
        """Its Interpolate layers, each after those that it reads."""

    def run(
        self, inputs: Mapping[str, Any], *, threads: int | None = None
    ) -> dict[str, NDArray[Any]]:
        """Run the model.

        Every Interpolate does what `ndresize.dialects.openvino` does; a Convert to integers cuts
        fractions off and saturates.

        Parameters
        ----------
        inputs : mapping from str to array_like
            By the names of the model's inputs.
        threads : int, optional
            How many threads at most; the result does not depend on it.

        Returns
        -------
        dict from str to ndarray
            By the names of the model's outputs, in their order.

        Raises
        ------
        ResizeError
            If a layer is none of Parameter, Const, Convert, Interpolate and Result, an input is not
            what the model declares, or a layer cannot resize it.
        """
        others = dict.fromkeys(v.type for v in self._layers.values() if v.type not in _RUNS)
        if others:
            raise ResizeError(
                f"the model must have no layers but {', '.join(_RUNS)} to be run, got "
                f"{some_of(list(others))}; openvino runs it"
            )
        given = checked_inputs(inputs, self.inputs)
        values: dict[Port, NDArray[Any]] = {}
        results = {}
        for layer in self._order:
            if layer.type == "Parameter":
                name = value_name(layer, layer.outputs[0])
                values[layer.id, layer.outputs[0]] = given[name]
            elif layer.type == "Const":
                values[layer.id, layer.outputs[0]] = self._constant(layer)
            elif layer.type == "Result":
                results[layer.id] = values[self._source(layer, 0)].copy()
            else:
                taken = [values[self._source(layer, k)] for k in range(len(layer.inputs))]
                made = self._computed(layer, taken, threads)
                values[layer.id, layer.outputs[0]] = made
        ordered = [v for v in self._layers.values() if v.type == "Result"]
        return {t.name: results[v.id] for t, v in zip(self.outputs, ordered, strict=True)}

    def _computed(
        self, layer: Layer, taken: list[NDArray[Any]], threads: int | None
    ) -> NDArray[Any]:
        if layer.type == "Convert":
            return converted(
                taken[0], element_type(layer.data.get("destination_type", ""), layer.what)
            )
        roles = _roles(layer)
        rest = dict(zip(roles[1:], taken[1:], strict=False))
        plan = self._plan(layer, taken[0].shape, taken[0].dtype, rest)
        result: NDArray[Any] = plan(taken[0], threads=threads)
        return result

    def _plan(
        self, layer: Layer, shape: tuple[int, ...], dtype: Any, values: Mapping[str, Any]
    ) -> Plan:
        try:
            return interpolate.plan(
                shape,
                dtype,
                version=_version(layer),
                device=self._device,
                **_attributes(layer),
                **{name: value.tolist() for name, value in values.items()},
            )
        except ResizeError as error:
            raise ResizeError(f"{layer.what}: {error}") from None

    def _source(self, layer: Layer, position: int) -> Port:
        return self._edges[layer.id, layer.inputs[position]]

    def _output(self, layer: Layer) -> Tensor:
        source, port = self._source(layer, 0)
        giver = self._layers[source]
        name = layer.output_names.split(",")[0] or giver.names.get(port, "").split(",")[0]
        precision, dims = giver.tensors.get(port, ("", []))
        kind = precision and element_type(precision_name(precision), giver.what)
        return Tensor(name or layer.name, kind or None, tuple(n if n >= 0 else None for n in dims))

    def _nodes(self) -> list[InterpolateNode]:
        """Return the layers with what can be known of each without running the model."""
        facts: dict[Port, Tensor] = {}
        nodes = []
        for layer in self._order:
            for port in layer.outputs:
                facts[layer.id, port] = port_tensor(layer, port)
            if layer.type == "Parameter":
                name = value_name(layer, layer.outputs[0])
                declared = _parameter(name, layer)
                shape = self._shapes.get(name, declared.shape)
                facts[layer.id, layer.outputs[0]] = Tensor(name, declared.dtype, shape)
            elif layer.type == "Convert":
                source = facts[self._source(layer, 0)]
                known = facts[layer.id, layer.outputs[0]]
                facts[layer.id, layer.outputs[0]] = Tensor(known.name, known.dtype, source.shape)
            elif layer.type == "Interpolate":
                node = self._node(layer, facts)
                nodes.append(node)
                if node.plan is not None:
                    result = Tensor(node.output, node.plan.dtype, node.plan.output_shape)
                    facts[layer.id, layer.outputs[0]] = result
        return nodes

    def _node(self, layer: Layer, facts: Mapping[Port, Tensor]) -> InterpolateNode:
        version, roles = _version(layer), _roles(layer)
        sources = {r: self._source(layer, k) for k, r in enumerate(roles[: len(layer.inputs)])}
        constants = {}
        plan, reason = None, ""
        x = facts[sources["data"]]
        try:
            for role, source in sources.items():
                value = self._known(source) if role != "data" else None
                if value is not None:
                    constants[role] = value
            if x.dtype is None or x.static_shape is None:
                raise ResizeError(f"type and shape of data must be known, got {x}")
            missing = [role for role in sources if role != "data" and role not in constants]
            if missing:
                raise ResizeError(f"{missing[0]} is computed while the model runs")
            plan = self._plan(layer, x.static_shape, x.dtype, constants)
        except ResizeError as error:
            reason = str(error)
        return InterpolateNode(
            name=layer.name,
            where="",
            operator="Interpolate",
            opset=version,
            version=version,
            inputs={role: facts[source].name for role, source in sources.items()},
            output=value_name(layer, layer.outputs[0]),
            attributes=_attributes(layer),
            tensors={role: facts[source] for role, source in sources.items()},
            constants=constants,
            plan=plan,
            reason=reason,
        )

    def _known(self, port: Port) -> NDArray[Any] | None:
        """Return the value of a port that depends on no input, or None."""
        layer = self._layers[port[0]]
        if layer.type == "Const":
            return self._constant(layer)
        if layer.type == "Convert":  # constants are often stored as float16
            value = self._known(self._source(layer, 0))
            kind = element_type(layer.data.get("destination_type", ""), layer.what)
            return None if value is None else converted(value, kind)
        return None

    def _constant(self, layer: Layer) -> NDArray[Any]:
        port = layer.id, layer.outputs[0]
        if port not in self._constants:
            self._constants[port] = read_constant(layer, self._weights)
        return self._constants[port]


def read(
    source: str | os.PathLike[str],
    shapes: Mapping[str, Sequence[int]] | None = None,
    *,
    device: str = "reference",
) -> IrModel:
    """Read an OpenVINO model and find its Interpolate layers.

    Parameters
    ----------
    source : str or path
        The .xml file; the .bin is looked for beside it, under the same name.
    shapes : mapping from str to sequence of int, optional
        Shapes of inputs whose lengths the model leaves open, so that its layers can be planned.
    device : {"reference", "CPU", "document"}
        As in `ndresize.dialects.openvino.interpolate`.

    Returns
    -------
    IrModel
        With `nodes` and `run`.

    Raises
    ------
    ResizeError
        If the file cannot be read, is not a whole model of IR version 10 or 11, or declares a
        document type or entities, which no model has; or a shape does not fit.
    """
    path = Path(source)
    parsed = Parser(str(path)).parse(read_text(path))
    if parsed.version not in ("10", "11"):
        raise ResizeError(f"{path} must be IR of version 10 or 11, got {parsed.version or 'none'}")
    return IrModel(parsed.layers, parsed.edges, path.with_suffix(".bin"), shapes, device)


def read_layer(
    text: str,
    *,
    sizes: Sequence[int] | None = None,
    scales: Sequence[float] | None = None,
    axes: Sequence[int] | None = None,
    device: str = "reference",
) -> Plan:
    """Return the plan of one ``<layer>`` alone, as the operator's page shows one.

    Parameters
    ----------
    text : str
        The element. Dots that stand for attributes left out are overlooked.
    sizes, scales, axes : sequence, optional
        The values of those inputs, which a model keeps elsewhere.
    device : str
        As in `ndresize.dialects.openvino.interpolate`.

    Raises
    ------
    ResizeError
        If it is not an Interpolate layer with a whole shape, or a value is not allowed.
    """
    parsed = Parser("the layer").parse(text.replace("...", "").encode())
    if len(parsed.layers) != 1 or parsed.layers[0].type != "Interpolate":
        raise ResizeError("the text must be one layer of type Interpolate")
    layer = parsed.layers[0]
    if not layer.version:  # told by the inputs: data and sizes; sizes and scales; one of them
        layer.version = {2: "opset1", 4: "opset4"}.get(len(layer.inputs), "opset11")
    x = port_tensor(layer, layer.inputs[0])
    kind = x.dtype or port_tensor(layer, layer.outputs[0]).dtype  # the page leaves out the first
    if kind is None or x.static_shape is None:
        raise ResizeError(f"the layer must tell type and shape of its data, got {x}")
    given = {"sizes": sizes, "scales": scales, "axes": axes}
    values = {name: value for name, value in given.items() if value is not None}
    return interpolate.plan(
        x.static_shape,
        kind,
        version=_version(layer),
        device=device,
        **(_attributes(layer) | values),
    )


def _sorted(layers: Mapping[int, Layer], edges: Mapping[Port, Port]) -> list[Layer]:
    """Return the layers, each after those that it reads."""
    state: dict[int, int] = {}  # 1: begun, 2: done
    order: list[Layer] = []
    for start in layers:
        pending = [start]
        while pending:
            number = pending[-1]
            layer = layers[number]
            if state.get(number) == 2:
                pending.pop()
                continue
            sources = [_giver(layer, port, layers, edges) for port in layer.inputs]
            waiting = [s for s in sources if state.get(s) != 2]
            if waiting and state.get(number) == 1 and any(state.get(s) == 1 for s in waiting):
                raise ResizeError(f"{layer.what} must not read what it gives itself")
            state[number] = 1
            if waiting:
                pending.extend(waiting)
            else:
                state[number] = 2
                order.append(layer)
                pending.pop()
    return order


def _giver(layer: Layer, port: int, layers: Mapping[int, Layer], edges: Mapping[Port, Port]) -> int:
    source = edges.get((layer.id, port))
    if source is None or source[0] not in layers or source[1] not in layers[source[0]].outputs:
        raise ResizeError(f"{layer.what} reads by port {port} what no layer gives")
    return source[0]


def _version(layer: Layer) -> int:
    versions = {"opset1": 1, "opset4": 4, "opset11": 11}
    if layer.version not in versions:
        raise ResizeError(
            f"{layer.what} must be of {', '.join(versions)}, got {layer.version or 'none'}"
        )
    return versions[layer.version]


def _roles(layer: Layer) -> tuple[str, ...]:
    version = _version(layer)
    if version == 11:
        return "data", layer.data.get("shape_calculation_mode", "sizes"), "axes"
    return _INPUTS[version]


def _attributes(layer: Layer) -> dict[str, Any]:
    """Return the attributes as values."""
    lists: Callable[[str], Any] = lambda text: [int(n) for n in text.split(",") if n.strip()]  # noqa: E731
    flags = {"true": True, "1": True, "false": False, "0": False}
    kinds: dict[str, Callable[[str], Any]] = {
        "axes": lists,
        "pads_begin": lists,
        "pads_end": lists,
        "cube_coeff": float,
        "antialias": lambda text: flags[text.strip().lower()],
        "align_corners": lambda text: flags[text.strip().lower()],
    }
    found = {}
    for name, text in layer.data.items():
        try:
            found[name] = kinds.get(name, str)(text)
        except (ValueError, KeyError):
            raise ResizeError(f"{layer.what}: {name} must not be {text!r}") from None
    unknown = set(found) - {*kinds, "mode", "nearest_mode", "shape_calculation_mode",
                            "coordinate_transformation_mode"}  # fmt: skip
    if unknown:
        raise ResizeError(f"{layer.what} has an unknown attribute {min(unknown)}")
    return found


def _parameter(name: str, layer: Layer) -> Tensor:
    """Return an input as its layer declares it."""
    kind = element_type(layer.data.get("element_type", ""), layer.what)
    text = layer.data.get("shape", "")
    if "..." in text:  # any rank
        return Tensor(name, kind, None)
    shape: list[Length] = [
        int(n) if n.strip().isdigit() else None for n in text.split(",") if n.strip()
    ]
    return Tensor(name, kind, tuple(shape))
