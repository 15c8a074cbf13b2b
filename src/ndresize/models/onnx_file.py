"""From a file, or bytes beside it, to what is in it; whatever is wrong is told in one line."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndresize.errors import ResizeError
from ndresize.models._onnx_package import onnx

__all__ = ["load_model", "read_external", "refuse_bad_text"]

_LONGEST = 2**31 - 1  # protobuf's limit


def load_model(path: Path) -> onnx.ModelProto:
    """Return the model in a file, without the tensors that it keeps in other files.

    Raises
    ------
    ResizeError
        If the file cannot be read or is not a whole ONNX model.
    """
    try:
        size = path.stat().st_size
        data = path.read_bytes() if size <= _LONGEST else b""
    except OSError as error:
        raise ResizeError(f"{path}: {error.strerror or error}") from None
    except ValueError as error:  # a zero byte in the path
        raise ResizeError(f"{str(path)!r}: {error}") from None
    if size > _LONGEST:
        raise ResizeError(
            f"{path} has {size} bytes and an ONNX model can have {_LONGEST}; its tensors belong "
            "into external data"
        )
    model = onnx.ModelProto()
    try:
        model.ParseFromString(data)
    except Exception as error:  # protobuf's kinds differ between its versions
        raise ResizeError(
            f"{path} is not an ONNX model, or a damaged one: {_line(error)}"
        ) from None
    # protobuf takes an empty file, and one cut between two fields, for a message with less in it.
    missing = [
        what
        for what, there in (
            ("IR version", model.ir_version > 0),
            ("graph", model.HasField("graph")),
            ("opset", model.ir_version in (1, 2) or bool(model.opset_import)),
        )
        if not there
    ]
    if missing:
        raise ResizeError(
            f"{path} is not an ONNX model, or a truncated one: it has no {' and no '.join(missing)}"
        )
    return model


def refuse_bad_text(message: Any) -> None:
    """Refuse a protobuf message with a text in it that is not UTF-8: it would come as bytes.

    Raises
    ------
    ResizeError
        If there is one.
    """
    for kind, value in message.ListFields():
        if kind.type == kind.TYPE_STRING:
            for text in [value] if isinstance(value, str | bytes) else value:
                if isinstance(text, bytes):
                    raise ResizeError(f"the model must have {kind.name}s in UTF-8, got {text!r}")
        elif kind.type == kind.TYPE_MESSAGE:
            for part in [value] if hasattr(value, "ListFields") else value:
                refuse_bad_text(part)


def read_external(
    tensor: onnx.TensorProto, dtype: np.dtype[Any], folder: Path | None
) -> NDArray[Any]:
    """Return a tensor whose bytes are in a file of their own, beside the model.

    Parameters
    ----------
    tensor : onnx.TensorProto
        Says where.
    dtype : numpy.dtype
        Its element type.
    folder : Path or None
        Where the model is. Links and ``..`` must not lead out of it: a model from elsewhere could
        have any file of this machine read.

    Raises
    ------
    ResizeError
        If the place is not in the folder, or does not hold the tensor.
    """
    entries = {entry.key: entry.value for entry in tensor.external_data}
    location = entries.get("location", "")
    told = f"external data {location!r}"
    if folder is None:
        raise ResizeError(f"{told} is beside the model's file; give the path of the model")
    try:
        base = folder.resolve()
        path = (base / location).resolve()
        offset = int(entries.get("offset") or 0)
        need = math.prod(tensor.dims) * dtype.itemsize
        length = int(entries.get("length") or need)
    except (ValueError, OSError, RuntimeError) as error:
        raise ResizeError(f"{told}: {_line(error)}") from None
    if not location or Path(location).is_absolute() or not path.is_relative_to(base):
        raise ResizeError(f"{told} must lie in the model's folder {base}")
    if not path.is_file():
        raise ResizeError(f"{told} must be a file in {base}, and there is none")
    if offset < 0 or length != need:
        raise ResizeError(
            f"{told} must hold {need} bytes for {dtype.name}{list(tensor.dims)}, got offset "
            f"{offset} and length {length}"
        )
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if offset + need > size:
                raise ResizeError(
                    f"{told} must have {offset + need} bytes or more, got {size}: it is truncated"
                )
            file.seek(offset)
            array = np.fromfile(file, dtype.newbyteorder("<"), need // dtype.itemsize)
    except OSError as error:
        raise ResizeError(f"{told}: {error.strerror or error}") from None
    return array.astype(dtype, copy=False).reshape(tuple(tensor.dims))


def _line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
