"""ONNX's tensors, types and constants as NumPy's."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndresize.errors import ResizeError
from ndresize.memory import machine_memory
from ndresize.models._onnx_package import ml_dtypes, onnx
from ndresize.models.onnx_file import read_external
from ndresize.models.signature import Length, Tensor

__all__ = ["constant_array", "declared_tensor", "dense_array", "stored_tensor", "tensor_array"]

_TYPES: dict[int, np.dtype[Any]] = {
    onnx.TensorProto.FLOAT: np.dtype(np.float32),
    onnx.TensorProto.UINT8: np.dtype(np.uint8),
    onnx.TensorProto.INT8: np.dtype(np.int8),
    onnx.TensorProto.UINT16: np.dtype(np.uint16),
    onnx.TensorProto.INT16: np.dtype(np.int16),
    onnx.TensorProto.INT32: np.dtype(np.int32),
    onnx.TensorProto.INT64: np.dtype(np.int64),
    onnx.TensorProto.STRING: np.dtype(object),
    onnx.TensorProto.BOOL: np.dtype(np.bool_),
    onnx.TensorProto.FLOAT16: np.dtype(np.float16),
    onnx.TensorProto.DOUBLE: np.dtype(np.float64),
    onnx.TensorProto.UINT32: np.dtype(np.uint32),
    onnx.TensorProto.UINT64: np.dtype(np.uint64),
    onnx.TensorProto.COMPLEX64: np.dtype(np.complex64),
    onnx.TensorProto.COMPLEX128: np.dtype(np.complex128),
    onnx.TensorProto.BFLOAT16: np.dtype(ml_dtypes.bfloat16),
}
"""The element types that Resize takes, which are all that come to it."""


def element_type(number: int, what: str) -> np.dtype[Any]:
    """Return the NumPy type of an ONNX element type."""
    dtype = _TYPES.get(number)
    if dtype is None:
        names = {v: k for k, v in onnx.TensorProto.DataType.items()}
        raise ResizeError(
            f"{what} must have an element type that Resize takes, got "
            f"{names.get(number, f'number {number}')}"
        )
    return dtype


def tensor_array(
    tensor: onnx.TensorProto, folder: Path | None, *, what: str | None = None
) -> NDArray[Any]:
    """Return the array in a tensor.

    Parameters
    ----------
    tensor : onnx.TensorProto
        With its bytes, or with the place where they are.
    folder : Path or None
        Where its model is.
    what : str, optional
        What it is called in messages; its name if not given.

    Raises
    ------
    ResizeError
        If it is damaged, or of a type that Resize does not take.
    """
    what = what or f"initializer {tensor.name!r}"
    dtype = element_type(tensor.data_type, what)
    try:
        if any(n < 0 for n in tensor.dims):
            raise ResizeError(f"its shape must not be negative, got {list(tensor.dims)}")
        if tensor.data_location == onnx.TensorProto.EXTERNAL and dtype.kind != "O":
            return read_external(tensor, dtype, folder)
        if dtype.kind == "O":
            texts = [item.decode() for item in tensor.string_data]
            return np.array(texts, dtype=object).reshape(tuple(tensor.dims))
        return np.asarray(onnx.numpy_helper.to_array(tensor))
    except (TypeError, ValueError) as error:  # ResizeError is one
        raise ResizeError(f"{what}: {' '.join(str(error).split())}") from None


def dense_array(
    sparse: onnx.SparseTensorProto, folder: Path | None, *, what: str | None = None
) -> NDArray[Any]:
    """Return the array that a sparse tensor stands for.

    Raises
    ------
    ResizeError
        As in `tensor_array`, and if an index lies outside.
    """
    what = what or f"initializer {sparse.values.name!r}"
    values = tensor_array(sparse.values, folder, what=what)
    indices = tensor_array(sparse.indices, folder, what=what)
    shape = tuple(sparse.dims)
    size = math.prod(shape)
    if indices.dtype != np.int64:
        raise ResizeError(f"{what}: the indices must be int64, got {indices.dtype.name}")
    if any(n < 0 for n in shape) or size * values.itemsize > machine_memory():
        raise ResizeError(f"{what}: an array of shape {list(shape)} does not fit into memory")
    if indices.ndim == 2 and indices.shape[1:] == (len(shape),):
        inside = bool(np.all((indices >= 0) & (indices < shape)))
        flat = np.ravel_multi_index(tuple(indices.T), shape) if inside and size else indices[:0]
    else:
        flat = indices
        inside = bool(np.all((indices >= 0) & (indices < size)))
    if not inside or values.ndim != 1 or len(indices) != len(values) or indices.ndim > 2:
        raise ResizeError(
            f"{what}: a sparse tensor of shape {list(shape)} needs as many indices in it as "
            f"values, got indices of shape {list(indices.shape)} and values of shape "
            f"{list(values.shape)}"
        )
    dense = np.zeros(size, values.dtype) if values.dtype.kind != "O" else np.full(size, "", object)
    dense[flat] = values
    return dense.reshape(shape)


def constant_array(node: onnx.NodeProto, folder: Path | None) -> NDArray[Any]:
    """Return the array that a Constant node gives, in whichever attribute it has it.

    Raises
    ------
    ResizeError
        If it has not exactly one value, or one of an unknown form.
    """
    what = f"the Constant that gives {', '.join(map(repr, node.output))}"
    if len(node.attribute) != 1:
        names = ", ".join(repr(a.name) for a in node.attribute) or "none"
        raise ResizeError(f"{what} must have exactly one value attribute, got {names}")
    attribute = node.attribute[0]
    if attribute.ref_attr_name:
        name = attribute.ref_attr_name
        raise ResizeError(f"{what} must have a value, got a reference to {name!r} of a function")
    value = onnx.helper.get_attribute_value(attribute)
    kinds = onnx.AttributeProto
    match attribute.name, attribute.type:
        case "value", kinds.TENSOR:
            return tensor_array(value, folder, what=what)
        case "sparse_value", kinds.SPARSE_TENSOR:
            return dense_array(value, folder, what=what)
        case ("value_float", kinds.FLOAT) | ("value_floats", kinds.FLOATS):
            return np.array(value, np.float32)
        case ("value_int", kinds.INT) | ("value_ints", kinds.INTS):
            return np.array(value, np.int64)
        case "value_string", kinds.STRING:
            return np.array(value.decode(errors="replace"), object)
        case "value_strings", kinds.STRINGS:
            return np.array([text.decode(errors="replace") for text in value], object)
    raise ResizeError(
        f"{what} must have value, value_float(s), value_int(s), value_string(s) or sparse_value, "
        f"got {attribute.name!r} of type {kinds.AttributeType.Name(attribute.type)}"
    )


def declared_tensor(info: onnx.ValueInfoProto) -> Tensor | None:
    """Return a tensor as a graph declares it, or None if it declares something else."""
    kind = info.type.WhichOneof("value")
    if kind is None:
        return Tensor(info.name)
    if kind != "tensor_type":
        return None
    tensor = info.type.tensor_type
    shape = tuple(map(_length, tensor.shape.dim)) if tensor.HasField("shape") else None
    return Tensor(info.name, _TYPES.get(tensor.elem_type), shape)


def stored_tensor(tensor: onnx.TensorProto) -> Tensor:
    """Return type and shape of a tensor, whose data need not be there."""
    return Tensor(tensor.name, _TYPES.get(tensor.data_type), tuple(tensor.dims))


def _length(dim: Any) -> Length:
    if dim.HasField("dim_value"):
        return int(dim.dim_value) if dim.dim_value >= 0 else None  # -1 as some exporters write it
    return dim.dim_param or None
