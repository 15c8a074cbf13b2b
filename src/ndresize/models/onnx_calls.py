"""A Resize or Upsample node as a call of the dialect `onnx`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ndresize.dialects import onnx as dialect
from ndresize.errors import ResizeError
from ndresize.models._onnx_package import onnx
from ndresize.models.signature import some_of
from ndresize.plan import Plan

__all__ = ["DOMAINS", "OPERATORS", "Call", "attribute_values"]

DOMAINS = ("", "ai.onnx")
"""The two names of ONNX's own domain."""

OPERATORS = {"Resize": dialect.OPSETS, "Upsample": dialect.UPSAMPLE_OPSETS}
"""The operators, each with the opsets that changed it."""

_INPUTS = {
    ("Upsample", 7): ("X",),
    ("Upsample", 9): ("X", "scales"),
    ("Resize", 10): ("X", "scales"),
}
_INPUT_TYPES: dict[str, tuple[type[Any], ...]] = {
    "roi": (np.float16, np.float32, np.float64),
    "scales": (np.float32,),
    "sizes": (np.int64,),
}


@dataclass(frozen=True)
class Call:
    """An operator in one of its versions, with its attributes.

    Parameters
    ----------
    operator : {"Resize", "Upsample"}
        Which.
    version : int
        The opset that last changed it, not above the opset that is used.
    attributes : mapping from str to object
        Those given.
    """

    operator: str
    version: int
    attributes: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def at_opset(cls, operator: str, opset: int, attributes: Mapping[str, Any]) -> Call:
        """Return the call that a node means in a model of an opset.

        Raises
        ------
        ResizeError
            If the opset does not have the operator, or the operator not such an attribute.
        """
        try:
            schema = onnx.defs.get_schema(operator, opset, "")
        except onnx.defs.SchemaError:
            raise ResizeError(
                f"{operator} came with opset {OPERATORS[operator][0]}; the opset is {opset}"
            ) from None
        if schema.deprecated:
            raise ResizeError(
                f"{operator} was removed with opset {schema.since_version}, whose Resize does the "
                f"same; the opset is {opset}"
            )
        version = schema.since_version
        if version not in OPERATORS[operator]:
            known = ", ".join(map(str, OPERATORS[operator]))
            raise ResizeError(
                f"{operator}-{version} is not among the known versions {known}; the opset is "
                f"{opset}"
            )
        for name in attributes:
            if name not in schema.attributes:
                _refuse_attribute(name, schema, opset)
        return cls(operator, version, attributes)

    @classmethod
    def of_node(cls, node: onnx.NodeProto, opset: int) -> Call:
        """Return the call of a node, its attributes checked against the operator's schema.

        Raises
        ------
        ResizeError
            As in `at_opset`, and if an attribute has no value or one of another type.
        """
        call = cls.at_opset(node.op_type, opset, attribute_values(node))
        known = onnx.defs.get_schema(node.op_type, opset, "").attributes
        if len(call.attributes) < len(node.attribute):
            names = some_of([repr(a.name) for a in node.attribute])
            raise ResizeError(f"every attribute must be given once, got {names}")
        for attribute in node.attribute:
            if attribute.ref_attr_name:
                raise ResizeError(
                    f"attribute {attribute.name} must have a value, got a reference to "
                    f"{attribute.ref_attr_name!r} of a function"
                )
            wanted = str(known[attribute.name].type).rpartition(".")[2]
            got = onnx.AttributeProto.AttributeType.Name(attribute.type)
            if got != wanted:
                raise ResizeError(f"attribute {attribute.name} must be of type {wanted}, got {got}")
        return call

    @property
    def input_names(self) -> tuple[str, ...]:
        """The operator's own names for its inputs, in order."""
        return _INPUTS.get((self.operator, self.version), ("X", "roi", "scales", "sizes"))

    def plan(
        self,
        shape: tuple[int, ...],
        dtype: np.dtype[Any],
        inputs: Mapping[str, NDArray[Any] | None],
    ) -> Plan:
        """Return the plan for an `X` of a shape and type and the values of the other inputs.

        Raises
        ------
        ResizeError
            If an input or an attribute is not what the operator allows.
        """
        arguments = dict(self.attributes)
        for name, value in inputs.items():
            if value is None:
                continue
            if value.dtype not in _INPUT_TYPES[name]:
                allowed = " or ".join(np.dtype(t).name for t in _INPUT_TYPES[name])
                raise ResizeError(f"{name} must be {allowed}, got {value.dtype.name}")
            if value.ndim != 1:
                raise ResizeError(
                    f"{name} must have one dimension, got an array of shape {list(value.shape)}"
                )
            arguments[name] = value
        if self.operator == "Resize":
            return dialect.resize.plan(shape, dtype, opset=self.version, **arguments)
        scales = arguments.pop("scales", None)
        return dialect.upsample.plan(shape, dtype, scales, opset=self.version, **arguments)

    def refuse_inputs(self, given: Sequence[bool]) -> None:
        """Refuse inputs, told by whether each is given, without an `X` or with too many."""
        if not any(given[:1]) or len(given) > len(self.input_names):
            names = ", ".join(self.input_names)
            raise ResizeError(
                f"{self} must have the inputs {names}, got "
                + (", ".join("one" if there else "none" for there in given) or "none")
            )

    def run(
        self, inputs: Sequence[NDArray[Any] | None], threads: int | None = None
    ) -> NDArray[Any]:
        """Return the result for inputs in the operator's order; None for one left out.

        Raises
        ------
        ResizeError
            As in `plan`, and if there are more inputs than the operator has, or no `X`.
        """
        self.refuse_inputs([value is not None for value in inputs])
        names = self.input_names
        x = np.asarray(inputs[0])
        plan = self.plan(x.shape, x.dtype, dict(zip(names[1:], inputs[1:], strict=False)))
        result: NDArray[Any] = plan(x, threads=threads)
        return result

    def __str__(self) -> str:
        return f"{self.operator}-{self.version}"


def attribute_values(node: onnx.NodeProto) -> dict[str, Any]:
    """Return a node's attributes as Python values; None for one without a value."""
    values = {
        a.name: None if a.ref_attr_name else onnx.helper.get_attribute_value(a)
        for a in node.attribute
    }
    return {
        name: value.decode(errors="replace") if isinstance(value, bytes) else value
        for name, value in values.items()
    }


def _refuse_attribute(name: str, schema: onnx.defs.OpSchema, opset: int) -> NoReturn:
    operator = schema.name
    for version in OPERATORS[operator]:
        if version > opset and name in onnx.defs.get_schema(operator, version, "").attributes:
            raise ResizeError(f"{name} came with opset {version}; the opset is {opset}")
    known = ", ".join(sorted(schema.attributes))
    raise ResizeError(f"unknown attribute {name!r}; {operator}-{schema.since_version} has: {known}")
