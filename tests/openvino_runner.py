"""Run Interpolate in the installed OpenVINO, in a process of its own that may die.

Some calls make OpenVINO read past the end of its arrays. So the tests hand each call to a child
process; if it dies the call's answer is "crash", and the next call gets a new child.

Run as a script this file is that child: it reads pickled calls from its standard input and writes
pickled answers to its standard output.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import struct
import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import IO, Any

import numpy as np

__all__ = ["Call", "OpenVino"]


_PATIENCE = 20.0  # seconds; some calls never end


@dataclass(frozen=True)
class Call:
    """One Interpolate and where to run it ("reference", "CPU" or "shape")."""

    device: str
    version: int
    shape: tuple[int, ...]
    dtype: str
    sizes: tuple[int, ...] | None = None
    scales: tuple[float, ...] | None = None
    axes: tuple[int, ...] | None = None
    attributes: dict[str, Any] = field(default_factory=dict)


class OpenVino:
    """OpenVINO in child processes."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None

    def __call__(self, call: Call, data: np.ndarray[Any, Any] | None = None) -> Any:
        """Return the result, or a string that tells why there is none."""
        if self._child is None:
            self._child = subprocess.Popen(
                [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        child = self._child
        assert child.stdin is not None
        assert child.stdout is not None
        bits = None if data is None else np.ascontiguousarray(data).tobytes()
        try:
            _write(child.stdin, (call.__dict__, bits))
            if not _answers(child):
                told = "crash" if child.poll() is not None else "no answer"
                self.close()
                return told
            kind, value, shape = _read(child.stdout)
        except (EOFError, BrokenPipeError):
            self.close()
            return "crash"
        if kind == "error":
            return value
        if kind == "shape":
            return shape
        return np.frombuffer(value, _numpy_type(call.dtype)).reshape(shape)

    def close(self) -> None:
        """End the child."""
        child, self._child = self._child, None
        if child is None:
            return
        child.kill()
        # Not communicate(): openvino starts processes of its own, which keep the pipes open.
        child.wait()
        for stream in (child.stdin, child.stdout):
            assert stream is not None
            with contextlib.suppress(BrokenPipeError):
                stream.close()


def _answers(child: subprocess.Popen[bytes]) -> bool:
    """Wait until the child has something to say; return False if it has died or takes too long."""
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        dead = child.poll() is not None  # asked first: it may have answered and then died
        if select.select([child.stdout], [], [], 0.0 if dead else 0.1)[0]:
            return True
        if dead:
            return False
    return False


def _numpy_type(name: str) -> Any:
    if name == "bfloat16":
        import ml_dtypes

        return ml_dtypes.bfloat16
    return np.dtype(name)


def _write(stream: IO[bytes], value: Any) -> None:
    frame = pickle.dumps(value)
    stream.write(struct.pack("<Q", len(frame)) + frame)
    stream.flush()


def _read(stream: IO[bytes]) -> Any:
    head = stream.read(8)
    if len(head) < 8:
        raise EOFError
    (size,) = struct.unpack("<Q", head)
    frame = stream.read(size)
    if len(frame) < size:
        raise EOFError
    return pickle.loads(frame)


def _model(ov: Any, call: Call, kind: Any) -> Any:
    """Return a model of one Interpolate, its data a parameter and the rest constants."""
    from openvino import opset8
    from openvino.utils.node_factory import NodeFactory

    data = opset8.parameter(list(call.shape), kind)
    given = dict(call.attributes)
    inputs = [data.output(0)]
    if call.version != 1:
        sizes = None if call.sizes is None else np.array(call.sizes, np.int64)
        scales = None if call.scales is None else np.array(call.scales, np.float32)
        if call.version == 4:
            # Both inputs are obligatory; the one that is not asked for is not looked at.
            count = len(sizes if sizes is not None else scales)
            others = [
                np.ones(count, np.int64) if sizes is None else sizes,
                np.ones(count, np.float32) if scales is None else scales,
            ]
        else:
            others = [sizes if given["shape_calculation_mode"] == "sizes" else scales]
        if call.axes is not None:
            others.append(np.array(call.axes, np.int64))
        given = {
            "pads_begin": [0],
            "pads_end": [0],
            "coordinate_transformation_mode": "half_pixel",
            "nearest_mode": "round_prefer_floor",
            "antialias": False,
            "cube_coeff": -0.75,
        } | given
        given["cube_coeff"] = float(given["cube_coeff"])
    else:
        others = [np.array(call.sizes, np.int64)]
        given["axes"] = np.array(call.axes)
    for name in ("pads_begin", "pads_end"):
        if name in given:
            given[name] = np.array(given[name], np.int64)
    inputs += [opset8.constant(v).output(0) for v in others]
    node = NodeFactory(f"opset{call.version}").create("Interpolate", inputs, given)
    return ov.Model([node], [data])


def _answer(ov: Any, core: Any, call: Call, bits: bytes) -> tuple[str, Any, Any]:
    names = {"float16": "f16", "float32": "f32", "float64": "f64", "bfloat16": "bf16"}
    name = names.get(call.dtype, call.dtype.replace("uint", "u").replace("int", "i"))
    kind = getattr(ov.Type, name)
    model = _model(ov, call, kind)
    shape = list(model.output(0).shape)
    if call.device == "shape":
        return "shape", None, tuple(shape)
    carrier = np.uint16 if call.dtype == "bfloat16" else np.dtype(call.dtype)
    x = np.frombuffer(bits, carrier).reshape(call.shape)
    tensor = ov.Tensor(x.copy(), list(call.shape), kind)
    if call.device == "reference":
        y = np.zeros(shape, carrier)
        result = ov.Tensor(y, shape, kind)
        if not model.evaluate([result], [tensor]):
            return "error", "evaluate has no kernel", None
        return "value", bytes(result.data.tobytes()), tuple(shape)
    compiled = core.compile_model(
        model, call.device, {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}
    )
    request = compiled.create_infer_request()
    request.set_input_tensor(tensor)
    request.infer()
    out = request.get_output_tensor()
    y = np.array(out.data)
    if call.dtype == "bfloat16":
        y = y.view(np.uint16)
    if y.itemsize != np.dtype(carrier).itemsize:
        return "error", f"the output has type {out.element_type}", None
    return "value", y.tobytes(), tuple(y.shape)


def _serve() -> None:
    import openvino as ov

    core = ov.Core()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever OpenVINO prints must not get between the answers
    while True:
        try:
            fields, bits = _read(sys.stdin.buffer)
        except EOFError:
            return
        try:
            answer = _answer(ov, core, Call(**fields), bits)
        except Exception as error:
            answer = ("error", " ".join(str(error).split()) or type(error).__name__, None)
        _write(answers, answer)


if __name__ == "__main__":
    _serve()
