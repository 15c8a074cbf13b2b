"""The functions of `ndresize.dialects.tensorflow` and what they stand for."""

from __future__ import annotations

import functools
import os
import warnings
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterparts.counterpart import Call, Counterpart

_PACKAGE = "tensorflow-cpu"
_TYPES = (
    "float32",
    "uint8",
    "float64",
    "float16",
    "uint16",
    "int8",
    "int16",
    "int32",
    "int64",
    "bfloat16",
)
_WORDS = {0: "bilinear", 1: "nearest", 2: "bicubic", 3: "area"}  # of tf.compat.v1


@functools.cache
def _tensorflow() -> ModuleType:
    """Import TensorFlow without its greetings, on one thread."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
    import tensorflow

    try:
        tensorflow.config.threading.set_intra_op_parallelism_threads(1)
        tensorflow.config.threading.set_inter_op_parallelism_threads(1)
    except RuntimeError:  # it already runs
        pass
    module: ModuleType = tensorflow
    return module


def _resize(images: NDArray[Any], arguments: Mapping[str, Any]) -> NDArray[Any]:
    result: NDArray[Any] = _tensorflow().image.resize(images, **arguments).numpy()
    return result


def _resize_v1(images: NDArray[Any], arguments: Mapping[str, Any]) -> NDArray[Any]:
    tensorflow = _tensorflow()
    words = dict(arguments)
    result: NDArray[Any]
    if not words.pop("half_pixel_centers", False):
        result = tensorflow.compat.v1.image.resize(images, **words).numpy()
        return result
    # The function does not hand the flag on to its operators: call them as it does.
    operator = {
        "bilinear": tensorflow.raw_ops.ResizeBilinear,
        "nearest": tensorflow.raw_ops.ResizeNearestNeighbor,
        "bicubic": tensorflow.raw_ops.ResizeBicubic,
    }[_WORDS.get(words.get("method", 0), words.get("method", 0))]
    size = list(words["size"])
    if size == list(images.shape[-3:-1]):
        return images
    batch = images if images.ndim == 4 else images[None]
    result = operator(images=batch, size=size, half_pixel_centers=True).numpy()
    return result if images.ndim == 4 else result[0]


def _crop_and_resize(image: NDArray[Any], arguments: Mapping[str, Any]) -> NDArray[Any]:
    result: NDArray[Any] = _tensorflow().image.crop_and_resize(image, **arguments).numpy()
    return result


def _scale_and_translate(images: NDArray[Any], arguments: Mapping[str, Any]) -> NDArray[Any]:
    operator = _tensorflow().raw_ops.ScaleAndTranslate
    result: NDArray[Any] = operator(images=images, **arguments).numpy()
    return result


@functools.cache
def _lite_interpreter(dtype: str, method: str, align_corners: bool, half_pixel: bool) -> Any:
    """Return an interpreter of a model of one operator, whose images and size are both inputs.

    Given as an input the size is unknown when the model is loaded, so no delegate takes over.
    """
    tensorflow = _tensorflow()
    import flatbuffers
    from tensorflow.lite.python import schema_py_generated as schema

    bilinear = method == "bilinear"
    word = "RESIZE_BILINEAR" if bilinear else "RESIZE_NEAREST_NEIGHBOR"
    name = "ResizeBilinearOptions" if bilinear else "ResizeNearestNeighborOptions"
    code = schema.OperatorCodeT()
    code.builtinCode = code.deprecatedBuiltinCode = getattr(schema.BuiltinOperator, word)
    code.version = 4

    def tensor(label: str, kind: str, shape: list[int]) -> Any:
        made = schema.TensorT()
        made.name, made.type, made.shape = label, getattr(schema.TensorType, kind), shape
        if kind in ("UINT8", "INT8", "INT16"):
            made.quantization = schema.QuantizationParametersT()
            made.quantization.scale, made.quantization.zeroPoint = [1.0], [0]
        return made

    node = schema.OperatorT()
    node.inputs, node.outputs = [0, 1], [2]
    node.builtinOptionsType = getattr(schema.BuiltinOptions, name)
    node.builtinOptions = getattr(schema, f"{name}T")()
    node.builtinOptions.alignCorners = align_corners
    node.builtinOptions.halfPixelCenters = half_pixel
    graph = schema.SubGraphT()
    graph.tensors = [
        tensor("images", dtype.upper(), [1, 1, 1, 1]),
        tensor("size", "INT32", [2]),
        tensor("result", dtype.upper(), [1, 1, 1, 1]),
    ]
    graph.inputs, graph.outputs, graph.operators = [0, 1], [2], [node]
    model = schema.ModelT()
    model.version, model.operatorCodes, model.subgraphs = 3, [code], [graph]
    model.buffers = [schema.BufferT()]
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    with warnings.catch_warnings():  # "is deprecated and is scheduled for deletion"
        warnings.simplefilter("ignore")
        return tensorflow.lite.Interpreter(model_content=bytes(builder.Output()), num_threads=1)


def _tflite_resize(images: NDArray[Any], arguments: Mapping[str, Any]) -> NDArray[Any]:
    words = {"method": "bilinear", "align_corners": False, "half_pixel_centers": False}
    size, words = arguments["size"], {**words, **arguments}
    interpreter = _lite_interpreter(
        images.dtype.name, words["method"], words["align_corners"], words["half_pixel_centers"]
    )
    first, second = (entry["index"] for entry in interpreter.get_input_details())
    interpreter.resize_tensor_input(first, images.shape)
    interpreter.allocate_tensors()
    interpreter.set_tensor(first, np.ascontiguousarray(images))
    interpreter.set_tensor(second, np.array(size, np.int32))
    interpreter.invoke()
    result: NDArray[Any] = interpreter.get_tensor(interpreter.get_output_details()[0]["index"])
    return result


def _length(rng: np.random.Generator) -> int:
    """Return a length: mostly small, now and then up to 200."""
    return int(rng.integers(1, 201 if rng.random() < 0.15 else 20))


def _image(rng: np.random.Generator, ranks: tuple[int, ...] = (3, 4)) -> tuple[int, ...]:
    channels = int(rng.choice([1, 2, 3, 4, 5]))
    shape = (_length(rng), _length(rng), channels)
    if rng.choice(ranks) == 3:
        return shape
    return (int(rng.integers(1, 4)), *shape)


def _size(rng: np.random.Generator, shape: tuple[int, ...]) -> list[int]:
    """Return a height and a width, some of them kept, doubled or halved."""
    size = []
    for n in shape[-3:-1]:
        other = [n, 2 * n, max(n // 2, 1), 4 * n, max(n // 3, 1)][int(rng.integers(5))]
        size.append(other if rng.random() < 0.3 else _length(rng))
    return size


def _type(rng: np.random.Generator) -> str:
    if rng.random() < 0.4:
        return "float32"
    return str(rng.choice(_TYPES))


def _draw_resize(rng: np.random.Generator) -> Call:
    shape = _image(rng)
    methods = (
        "bilinear",
        "nearest",
        "bicubic",
        "area",
        "lanczos3",
        "lanczos5",
        "gaussian",
        "mitchellcubic",
    )
    size = _size(rng, shape)
    words: dict[str, Any] = {"size": size}
    if rng.random() < 0.9:
        words["method"] = str(rng.choice(methods))
    if rng.random() < 0.5:
        words["antialias"] = bool(rng.random() < 0.7)
    ratio = min(size[0] / shape[-3], size[1] / shape[-2]) * min(shape[-3:-1])
    if rng.random() < 0.2 and ratio > 0.6:  # else a length may be rounded to zero
        words["preserve_aspect_ratio"] = True
    return Call(shape, _type(rng), words)


def _draw_resize_v1(rng: np.random.Generator) -> Call:
    shape = _image(rng)
    size = _size(rng, shape)
    words: dict[str, Any] = {"size": size}
    method = "bilinear"
    if rng.random() < 0.9:
        method = str(rng.choice(list(_WORDS.values())))
        words["method"] = method
        if rng.random() < 0.2:
            words["method"] = next(number for number, word in _WORDS.items() if word == method)
    flag = rng.random()
    if flag < 0.4:
        words["align_corners"] = True
    elif flag < 0.6 and method != "area":
        words["half_pixel_centers"] = True
    ratio = min(size[0] / shape[-3], size[1] / shape[-2]) * min(shape[-3:-1])
    if "half_pixel_centers" not in words and rng.random() < 0.2 and ratio > 0.6:
        words["preserve_aspect_ratio"] = True
    return Call(shape, _type(rng), words)


def _draw_crop(rng: np.random.Generator) -> Call:
    shape = _image(rng, (4,))
    kind = rng.random()
    if kind < 0.3:
        box = rng.random(4)
    elif kind < 0.6:
        box = rng.uniform(-0.5, 1.5, 4)
    elif kind < 0.9:
        box = rng.integers(-2, 7, 4) / 4
    else:
        box = np.array([0.0, 0.0, 1.0, 1.0])
    words: dict[str, Any] = {
        "boxes": [np.float32(box).tolist()],
        "box_indices": [int(rng.integers(shape[0]))],
        "crop_size": [_length(rng), _length(rng)],
    }
    if rng.random() < 0.6:
        words["method"] = str(rng.choice(["bilinear", "nearest"]))
    if rng.random() < 0.5:
        words["extrapolation_value"] = float(rng.choice([0.0, -1.5, 0.1, 300.0]))
    dtype = _type(rng)
    return Call(shape, "float32" if dtype == "bfloat16" else dtype, words)


def _draw_scale_and_translate(rng: np.random.Generator) -> Call:
    shape = _image(rng, (4,))
    size = _size(rng, shape)
    scale, translation = [], []
    for n_in, n_out in zip(shape[1:3], size, strict=True):
        if rng.random() < 0.3:
            scale.append(n_out / n_in)
        else:
            scale.append(float(rng.choice([0.25, 0.5, 1, 1.5, 2, 3, rng.uniform(0.1, 4)])))
        translation.append(
            float(rng.choice([0, 0.5, -1, 2, rng.uniform(-1, 1) * n_out, 10 * n_out]))
        )
    words: dict[str, Any] = {"size": size, "scale": scale, "translation": translation}
    kernels = ("lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle")
    if rng.random() < 0.9:
        words["kernel_type"] = str(rng.choice([*kernels, "keyscubic", "mitchellcubic"]))
    if rng.random() < 0.5:
        words["antialias"] = bool(rng.random() < 0.3)
    return Call(shape, _type(rng), words)


def _draw_tflite(rng: np.random.Generator) -> Call:
    shape = _image(rng, (4,))
    if rng.random() < 0.2:
        shape = (*shape[:3], int(rng.choice([8, 16])))
    words: dict[str, Any] = {"size": _size(rng, shape)}
    if rng.random() < 0.1:
        words["size"] = [8 * n for n in shape[1:3]]
    if rng.random() < 0.9:
        words["method"] = str(rng.choice(["bilinear", "nearest"], p=[0.7, 0.3]))
    flags = int(rng.integers(4))
    if flags == 3 and words.get("method") != "nearest":
        flags = 0
    if flags & 1:
        words["align_corners"] = True
    if flags & 2:
        words["half_pixel_centers"] = True
    return Call(shape, str(rng.choice(["float32", "uint8", "int8", "int16"])), words)


def _method(call: Call) -> str:
    word = call.arguments.get("method", "bilinear")
    return _WORDS.get(word, word)


def _flag(call: Call, word: str) -> bool:
    return bool(call.arguments.get(word, False))


def _lengths(call: Call) -> list[tuple[int, int]]:
    """Return the length of each axis in the input and as it was asked for."""
    return list(zip(call.shape[-3:-1], call.arguments["size"], strict=True))


def _fixed_overruns(call: Call) -> bool:
    """Tell whether the rounded step of the integer kernel leads beyond the last sample."""
    from ndresize.dialects._tensorflow_lite import overruns

    flags = _flag(call, "align_corners"), _flag(call, "half_pixel_centers")
    whole = _method(call) == "bilinear" and call.dtype in ("int8", "int16")
    return whole and any(overruns(n_in, n_out, *flags) for n_in, n_out in _lengths(call))


_PHOTOGRAPH = (1, 1080, 1920, 3)

COUNTERPARTS = (
    Counterpart(
        name="tensorflow.resize",
        theirs="tensorflow.image.resize",
        package=_PACKAGE,
        run=_resize,
        draw=_draw_resize,
        ulps=0,
        speed={
            "bilinear 1080p to 224, uint8": Call(_PHOTOGRAPH, "uint8", {"size": [224, 224]}),
            "bilinear antialias 1080p to 224": Call(
                _PHOTOGRAPH, "float32", {"size": [224, 224], "antialias": True}
            ),
            "bicubic 270p to 1080p": Call(
                (1, 270, 480, 3), "float32", {"size": [1080, 1920], "method": "bicubic"}
            ),
            "area 1080p to 224": Call(
                _PHOTOGRAPH, "float32", {"size": [224, 224], "method": "area"}
            ),
        },
    ),
    Counterpart(
        name="tensorflow.resize_v1",
        theirs="tensorflow.compat.v1.image.resize",
        package=_PACKAGE,
        run=_resize_v1,
        draw=_draw_resize_v1,
        ulps=0,
        speed={
            "align_corners 1080p to 224": Call(
                _PHOTOGRAPH, "float32", {"size": [224, 224], "align_corners": True}
            )
        },
    ),
    Counterpart(
        name="tensorflow.crop_and_resize",
        theirs="tensorflow.image.crop_and_resize",
        package=_PACKAGE,
        run=_crop_and_resize,
        draw=_draw_crop,
        ulps=0,
        speed={
            "a face of a 1080p picture to 224": Call(
                _PHOTOGRAPH,
                "float32",
                {"boxes": [[0.2, 0.3, 0.5, 0.5]], "box_indices": [0], "crop_size": [224, 224]},
            )
        },
    ),
    Counterpart(
        name="tensorflow.scale_and_translate",
        theirs="tensorflow.raw_ops.ScaleAndTranslate",
        package=_PACKAGE,
        run=_scale_and_translate,
        draw=_draw_scale_and_translate,
        ulps=0,
        speed={
            "lanczos3 1080p to 224": Call(
                _PHOTOGRAPH,
                "float32",
                {"size": [224, 224], "scale": [224 / 1080, 224 / 1920], "translation": [0, 0]},
            )
        },
    ),
    Counterpart(
        name="tensorflow.tflite_resize",
        theirs="tensorflow.lite.Interpreter",
        package=_PACKAGE,
        run=_tflite_resize,
        draw=_draw_tflite,
        ulps=0,
        deviations={
            "tflite-fixed-overrun": _fixed_overruns,
        },
        speed={
            "bilinear 1080p to 224, int8": Call(
                _PHOTOGRAPH, "int8", {"size": [224, 224], "half_pixel_centers": True}
            ),
            "bilinear 1080p to 224, uint8": Call(
                _PHOTOGRAPH, "uint8", {"size": [224, 224], "half_pixel_centers": True}
            ),
        },
    ),
)
