"""Element types, shapes and constants of an OpenVINO model."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndresize.element_types import bfloat16
from ndresize.errors import ResizeError
from ndresize.models._openvino_xml import Layer
from ndresize.models.signature import Tensor

__all__ = [
    "converted",
    "element_type",
    "port_tensor",
    "precision_name",
    "read_constant",
    "value_name",
]

_PRECISIONS = {"FP16": "f16", "FP32": "f32", "FP64": "f64", "BF16": "bf16", "BOOL": "boolean"}
_TYPES = {"f16": "float16", "f32": "float32", "f64": "float64", "boolean": "bool"}
_TYPES |= {f"i{n}": f"int{n}" for n in (8, 16, 32, 64)}
_TYPES |= {f"u{n}": f"uint{n}" for n in (8, 16, 32, 64)}


def precision_name(precision: str) -> str:
    """Return the element type that a port calls by its older name."""
    return _PRECISIONS.get(precision, precision.lower())


def value_name(layer: Layer, port: int) -> str:
    """Return the name of what a port gives."""
    return layer.names.get(port, "").split(",")[0] or layer.name


def element_type(name: str, what: str) -> np.dtype[Any]:
    """Return the NumPy type of an element type such as "f32", or refuse it."""
    if name == "bf16":
        return bfloat16()
    if name not in _TYPES:
        raise ResizeError(f"{what}: the element type must be one that NumPy has, got {name!r}")
    return np.dtype(_TYPES[name])


def port_tensor(layer: Layer, port: int) -> Tensor:
    """Return what a layer tells of the value at a port."""
    precision, dims = layer.tensors.get(port, ("", []))
    name = precision_name(precision)
    kind = element_type(name, layer.what) if name in _TYPES or name == "bf16" else None
    return Tensor(value_name(layer, port), kind, tuple(n if n >= 0 else None for n in dims))


def read_constant(layer: Layer, path: Path) -> NDArray[Any]:
    """Return the value of a Const layer.

    Raises
    ------
    ResizeError
        If it is not in the file of weights, or of another size than its shape.
    """
    data = layer.data
    dtype = element_type(data.get("element_type", ""), layer.what)
    try:
        shape = tuple(int(n) for n in data.get("shape", "").split(",") if n.strip())
        offset, size = int(data["offset"]), int(data["size"])
    except (KeyError, ValueError) as error:
        raise ResizeError(f"{layer.what} has no whole numbers for its place: {error}") from None
    need = math.prod(shape) * dtype.itemsize
    if min((*shape, offset), default=0) < 0 or size != need:
        raise ResizeError(
            f"{layer.what} must take {need} bytes for {dtype}{list(shape)}, got size {size} and "
            f"offset {offset}"
        )
    try:
        with path.open("rb") as file:
            there = os.fstat(file.fileno()).st_size
            if offset + size > there:
                raise ResizeError(
                    f"{path} must have {offset + size} bytes or more for {layer.what}, got "
                    f"{there}: it is truncated, or of another model"
                )
            file.seek(offset)
            raw = file.read(size)
    except OSError as error:
        raise ResizeError(f"{path}: {error.strerror or error}") from None
    found: NDArray[Any] = np.frombuffer(raw, dtype.newbyteorder("<")).reshape(shape)
    return found.astype(dtype)


def converted(x: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return what a Convert layer gives: integers cut fractions off and saturate."""
    if dtype.kind in "iu" and x.dtype.kind not in "iub":
        limits = np.iinfo(dtype)
        wide = np.nan_to_num(np.trunc(x.astype(np.float64)), nan=0.0)
        whole = np.clip(wide, float(limits.min), float(limits.max))
        made = np.where(whole >= float(limits.max), 0, whole).astype(dtype)
        return np.where(whole >= float(limits.max), limits.max, made).astype(dtype)
    return x.astype(dtype)
