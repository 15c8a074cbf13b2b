"""An ONNX model: its resize nodes, and the model run if it has no others."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from ndresize.dialects._planned import checked_shape
from ndresize.errors import ResizeError
from ndresize.models._onnx_package import onnx
from ndresize.models.onnx_calls import DOMAINS
from ndresize.models.onnx_file import load_model, refuse_bad_text
from ndresize.models.onnx_nodes import ResizeNode, find_nodes, with_inferred_shapes
from ndresize.models.onnx_program import Program
from ndresize.models.onnx_tensors import declared_tensor
from ndresize.models.signature import Tensor, some_of

__all__ = ["OnnxModel", "read"]


class OnnxModel:
    """A model that was read.

    Parameters
    ----------
    proto : onnx.ModelProto
        The model.
    folder : Path or None
        Where it was read from, and where its tensors in other files must be.
    shapes : mapping from str to sequence of int, optional
        As in `read`.

    Raises
    ------
    ResizeError
        If a shape does not fit the model, or the model has several opsets or texts that are none.
    """

    def __init__(
        self,
        proto: onnx.ModelProto,
        folder: Path | None = None,
        shapes: Mapping[str, Sequence[int]] | None = None,
    ) -> None:
        refuse_bad_text(proto)
        self.proto = _with_functions_written_out(proto) if proto.functions else proto
        self.opset = _opset(proto)
        self._folder = folder
        self._shapes = {name: checked_shape(shape) for name, shape in (shapes or {}).items()}
        _refuse_unfit(self._shapes, proto.graph)

    @cached_property
    def nodes(self) -> tuple[ResizeNode, ...]:
        """Its Resize and Upsample nodes in order, those of graphs inside other nodes too."""
        inferred = with_inferred_shapes(self.proto, self._shapes)
        return tuple(find_nodes(inferred.graph, self.opset, self._folder))

    @cached_property
    def program(self) -> Program:
        """The model made ready to run.

        Raises
        ------
        ResizeError
            If it has other operators than Resize, Upsample, Constant and Identity, or is not as
            ONNX defines a model.
        """
        return Program(self.proto.graph, self.opset, self._folder)

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """What must be given to run it."""
        return self.program.required

    @property
    def accepted(self) -> tuple[Tensor, ...]:
        """What may be given: `inputs`, and those that have a default."""
        return (*self.program.required, *self.program.optional)

    @property
    def outputs(self) -> tuple[Tensor, ...]:
        """What a run gives, as the model declares it."""
        return self.program.outputs

    def run(
        self, inputs: Mapping[str, Any], *, threads: int | None = None
    ) -> dict[str, NDArray[Any]]:
        """Run the model.

        Every node does what `ndresize.dialects.onnx` does at the model's opset.

        Parameters
        ----------
        inputs : mapping from str to array_like
            By the names of the model's inputs. Types, ranks and known lengths must be those that
            the model declares; a name in place of a length stands for any length.
        threads : int, optional
            How many threads at most; the result does not depend on it.

        Returns
        -------
        dict from str to ndarray
            By the names of the model's outputs, in their order. The shapes are those that the
            nodes give, whatever shapes the model declares for its outputs.

        Raises
        ------
        ResizeError
            If the model cannot be run (see `program`), an input is not what it declares, or a node
            cannot resize it.
        """
        return self.program.run(inputs, threads)


def read(
    source: str | os.PathLike[str] | onnx.ModelProto,
    shapes: Mapping[str, Sequence[int]] | None = None,
) -> OnnxModel:
    """Read an ONNX model and find its resize nodes.

    Parameters
    ----------
    source : str, path or onnx.ModelProto
        A file, or a model in memory. Of tensors in files beside it, those that are needed are
        read; they must lie in its folder.
    shapes : mapping from str to sequence of int, optional
        Shapes of inputs whose lengths the model leaves open, so that its nodes can be planned.

    Returns
    -------
    OnnxModel
        With `nodes` and `run`.

    Raises
    ------
    ResizeError
        If the file cannot be read or is not a whole ONNX model, or a shape does not fit.

    Examples
    --------
    >>> import onnx
    >>> text = '''<ir_version: 9, opset_import: ["": 19]>
    ... g (float[n, 3, h, w] image) => (float[n, 3, y, x] half)
    ... <float[4] s = {1.0, 1.0, 0.5, 0.5}> {
    ...     half = Resize<mode = "linear", antialias = 1>(image, , s)
    ... }'''
    >>> model = read(onnx.parser.parse_model(text), shapes={"image": (1, 3, 480, 640)})
    >>> [node.plan.output_shape for node in model.nodes]
    [(1, 3, 240, 320)]
    """
    if isinstance(source, onnx.ModelProto):
        return OnnxModel(source, None, shapes)
    path = Path(source)
    return OnnxModel(load_model(path), path.parent, shapes)


def _with_functions_written_out(proto: onnx.ModelProto) -> onnx.ModelProto:
    try:
        return onnx.inliner.inline_local_functions(proto)
    except Exception as error:  # the inliner is C++ and raises many kinds
        raise ResizeError(
            f"the model's local functions cannot be written out: {' '.join(str(error).split())}"
        ) from None


def _opset(proto: onnx.ModelProto) -> int:
    versions = {entry.version for entry in proto.opset_import if entry.domain in DOMAINS}
    if len(versions) > 1:
        raise ResizeError(f"the model must have one opset, got {sorted(versions)}")
    if not proto.opset_import and proto.ir_version < 3:
        return 1  # models had no opset yet
    return versions.pop() if versions else 0


def _refuse_unfit(shapes: Mapping[str, tuple[int, ...]], graph: onnx.GraphProto) -> None:
    declared = [tensor for info in graph.input if (tensor := declared_tensor(info)) is not None]
    known = {tensor.name: tensor for tensor in declared}
    for name, shape in shapes.items():
        if name not in known:
            raise ResizeError(f"shapes: the model's inputs are {some_of(list(known))}, got {name}")
        if not known[name].takes(shape):
            raise ResizeError(f"input {known[name]} does not take the shape {list(shape)}")
