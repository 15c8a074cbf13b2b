"""An ONNX backend: the interface `onnx.backend.base`, for models of resize nodes.

As the interface asks, its functions are those of a class and also the module's own: what takes a
backend can be given this module.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ndresize.errors import ResizeError
from ndresize.models._onnx_package import onnx
from ndresize.models.onnx_calls import DOMAINS, OPERATORS, Call
from ndresize.models.onnx_model import OnnxModel, read
from ndresize.models.signature import printable, some_of

# isort: split
# After the package's own modules: they say what to install if onnx is missing.
from onnx.backend.base import Backend, BackendRep, namedtupledict

__all__ = [
    "PreparedModel",
    "ResizeBackend",
    "is_compatible",
    "prepare",
    "run_model",
    "run_node",
    "supports_device",
]


class PreparedModel(BackendRep):
    """A model that can be run many times."""

    def __init__(self, model: OnnxModel) -> None:
        self._program = model.program
        self._names = [info.name for info in model.proto.graph.input]

    def run(self, inputs: Any, **_: Any) -> tuple[Any, ...]:
        """Run the model.

        Parameters
        ----------
        inputs : sequence or mapping of array_like
            In the order of the model's inputs, of which those with a default may be left out, or
            by name. One array alone is the first input.

        Returns
        -------
        namedtuple of ndarray
            In the order of the model's outputs; ``outputs["Y"]`` works as well.

        Raises
        ------
        ResizeError
            As `ndresize.models.onnx_model.OnnxModel.run`.
        """
        given: Mapping[str, Any]
        if isinstance(inputs, Mapping):
            given = inputs
        else:
            listed = [inputs] if isinstance(inputs, np.ndarray) else list(inputs)
            names = [tensor.name for tensor in self._program.required]
            if len(listed) != len(names):  # then those with a default are meant too
                names = self._names
            if len(listed) > len(names):
                raise ResizeError(
                    f"the model has the inputs {some_of(list(map(repr, names)))}; got {len(listed)}"
                )
            given = dict(zip(names, listed, strict=False))
        outputs = self._program.run(given)
        return namedtupledict("Outputs", list(outputs))(*outputs.values())


class ResizeBackend(Backend):
    """Runs models of Resize, Upsample, Constant and Identity nodes on the CPU."""

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Return whether models can run on a device: on "CPU" and no other."""
        return device.partition(":")[0] == "CPU"

    @classmethod
    def is_compatible(cls, model: onnx.ModelProto, device: str = "CPU", **_: Any) -> bool:
        """Return whether a model can be run."""
        try:
            cls.prepare(model, device)
        except ResizeError:
            return False
        return True

    @classmethod
    def prepare(cls, model: onnx.ModelProto, device: str = "CPU", **_: Any) -> PreparedModel:
        """Make a model ready to run.

        Raises
        ------
        ResizeError
            If it cannot be run, as `ndresize.models.onnx_model.OnnxModel.program` says, or not on
            the device.
        """
        cls._refuse_device(device)
        return PreparedModel(read(model))

    @classmethod
    def run_node(
        cls,
        node: onnx.NodeProto,
        inputs: Any,
        device: str = "CPU",
        outputs_info: Any = None,
        **kwargs: Any,
    ) -> tuple[Any, ...]:
        """Run one Resize or Upsample node.

        Parameters
        ----------
        node : onnx.NodeProto
            The node.
        inputs : sequence or mapping of array_like
            In the node's order or by the node's names; inputs that the node leaves out may be
            left out here.
        device : str
            "CPU".
        outputs_info : object
            Not used.
        **kwargs
            ``opset_version``: the opset, the newest that the installed onnx knows by default.

        Returns
        -------
        namedtuple of ndarray
            The output.

        Raises
        ------
        ResizeError
            If it is another operator, or an input or attribute is not what the operator allows.
        """
        del outputs_info
        cls._refuse_device(device)
        if node.op_type not in OPERATORS or node.domain not in DOMAINS:
            raise ResizeError(
                f"the node must be one of {', '.join(OPERATORS)}, got {printable(node.op_type)}"
            )
        opset = kwargs.get("opset_version", onnx.defs.onnx_opset_version())
        call = Call.of_node(node, opset)
        result = call.run([None if v is None else np.asarray(v) for v in _in_order(node, inputs)])
        return namedtupledict("Outputs", list(node.output))(result)

    @classmethod
    def _refuse_device(cls, device: str) -> None:
        if not cls.supports_device(device):
            raise ResizeError(f"device must be CPU, got {device!r}")


def _in_order(node: onnx.NodeProto, inputs: Any) -> Sequence[Any]:
    """Return a node's inputs in its order, with None where its name is empty."""
    names = list(node.input)
    if not isinstance(inputs, Mapping):
        listed = [inputs] if isinstance(inputs, np.ndarray) else list(inputs)
        if len(listed) == len(names):
            return listed
        names_given = [name for name in names if name]
        if len(listed) != len(names_given):
            raise ResizeError(
                f"the node has the inputs {some_of(list(map(repr, names)))}; got {len(listed)}"
            )
        inputs = dict(zip(names_given, listed, strict=True))
    for name in names:
        if name and name not in inputs:
            got = some_of(list(map(repr, inputs))) or "none"
            raise ResizeError(f"input {name!r} of the node is missing; got {got}")
    return [inputs[name] if name else None for name in names]


is_compatible = ResizeBackend.is_compatible
prepare = ResizeBackend.prepare
run_model = ResizeBackend.run_model
run_node = ResizeBackend.run_node
supports_device = ResizeBackend.supports_device
