"""The callables of the table `counterparts`, each ready to be called with one array.

Arrays become the library's own, models are built, and what can be compiled is, before a call is
timed: JAX by ``jax.jit``, TensorFlow by ``tensorflow.function``.
"""

from __future__ import annotations

import os
import pkgutil
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.contestant import Contestant
from benchmarks.peers import onnxruntime
from counterparts import Call, Counterpart

__all__ = ["ready"]


def ready(entry: Counterpart, call: Call, x: NDArray[Any], threads: int) -> Contestant:
    """Return calls of what a row of the table stands for, on that many threads at most."""
    builder = _BUILDERS.get(entry.name) or _BUILDERS.get(entry.system, _plain)
    return builder(entry, call, x, threads)


def _plain(entry: Counterpart, call: Call, x: NDArray[Any], threads: int) -> Contestant:
    """Return calls of a function of NumPy arrays that has one thread."""
    del threads
    function = pkgutil.resolve_name(entry.theirs)
    return Contestant(lambda: function(x, **call.arguments))


def _torch(entry: Counterpart, call: Call, x: NDArray[Any], threads: int) -> Contestant:
    import torch

    torch.set_num_threads(threads)
    function, tensor = pkgutil.resolve_name(entry.theirs), torch.from_numpy(x)
    return Contestant(lambda: function(tensor, **call.arguments), lambda y: y.numpy())


def _opencv(entry: Counterpart, call: Call, x: NDArray[Any], threads: int) -> Contestant:
    import cv2

    cv2.setNumThreads(threads)
    function = pkgutil.resolve_name(entry.theirs)
    words = dict(call.arguments)
    words["interpolation"] = getattr(cv2, words["interpolation"])
    return Contestant(lambda: function(x, **words))


def _pillow(entry: Counterpart, call: Call, x: NDArray[Any], threads: int) -> Contestant:
    del entry, threads  # one thread
    from PIL import Image

    words = dict(call.arguments)
    image = Image.fromarray(x, mode=words.pop("mode", None))
    words["resample"] = Image.Resampling[words["resample"]]
    return Contestant(lambda: image.resize(**words))


def _session(operator: str) -> Callable[..., Contestant]:
    def build(entry: Counterpart, call: Call, x: NDArray[Any], threads: int) -> Contestant:
        del entry
        run = onnxruntime.node(operator, x, call.arguments, threads)
        return Contestant(lambda: run(None, {"x": x})[0])

    return build


def _jax(entry: Counterpart, call: Call, x: NDArray[Any], threads: int) -> Contestant:
    jax = _started_jax(threads)
    words = {
        name: np.array(value, np.float32) if name in ("scale", "translation") else value
        for name, value in call.arguments.items()
    }
    function = pkgutil.resolve_name(entry.theirs)
    compiled = jax.jit(lambda image: function(image, **words))
    image = jax.numpy.asarray(x)
    return Contestant(lambda: compiled(image).block_until_ready())


def _tensorflow(entry: Counterpart, call: Call, x: NDArray[Any], threads: int) -> Contestant:
    tensorflow = _started_tensorflow(threads)
    function = pkgutil.resolve_name(entry.theirs)
    name = "image" if entry.name.endswith("crop_and_resize") else "images"
    compiled = tensorflow.function(lambda images: function(**{name: images}, **call.arguments))
    images = tensorflow.constant(x)
    return Contestant(lambda: compiled(images), lambda y: y.numpy())


def _tflite(entry: Counterpart, call: Call, x: NDArray[Any], threads: int) -> Contestant:
    """Return runs of an interpreter that has its input; its output is copied, so it can be kept.

    The interpreter is that of the differential tests, which has one thread.
    """
    _started_tensorflow(threads)
    from counterparts.tensorflow import _lite_interpreter

    entry.run(x, call.arguments)  # gives the interpreter, which is kept, its input
    words = {"method": "bilinear", "align_corners": False, "half_pixel_centers": False}
    words |= {name: value for name, value in call.arguments.items() if name in words}
    interpreter = _lite_interpreter(x.dtype.name, *words.values())
    output = interpreter.get_output_details()[0]["index"]

    def run() -> NDArray[Any]:
        interpreter.invoke()
        result: NDArray[Any] = interpreter.get_tensor(output)
        return result

    return Contestant(run)


def _only_once(system: str, threads: int) -> None:
    """Refuse a second number of threads: some set theirs when they start."""
    before = _STARTED.setdefault(system, threads)
    if before != threads:
        raise RuntimeError(f"runs on {before} threads since it was started, not on {threads}")


_STARTED: dict[str, int] = {}


def _started_jax(threads: int) -> Any:
    """Return JAX, which takes as many threads as its process has cores when it starts."""
    _only_once("jax", threads)
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    import jax

    if not hasattr(os, "sched_setaffinity"):
        jax.devices()
        return jax
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(cores)[:threads])
    try:
        jax.devices()
    finally:
        os.sched_setaffinity(0, cores)
    return jax


def _started_tensorflow(threads: int) -> Any:
    """Return TensorFlow, whose threads cannot be changed once it has started."""
    _only_once("tensorflow", threads)
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
    import tensorflow

    tensorflow.config.threading.set_intra_op_parallelism_threads(threads)
    tensorflow.config.threading.set_inter_op_parallelism_threads(threads)
    tensorflow.config.list_logical_devices()  # starts it
    return tensorflow


_BUILDERS: dict[str, Callable[..., Contestant]] = {
    "torch": _torch,
    "opencv": _opencv,
    "pillow": _pillow,
    "onnxruntime.resize": _session("Resize"),
    "onnxruntime.upsample": _session("Upsample"),
    "jax": _jax,
    "tensorflow": _tensorflow,
    "tensorflow.tflite_resize": _tflite,
}
