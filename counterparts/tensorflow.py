"""The functions of `ndresize.dialects.tensorflow` and what they stand for."""

from __future__ import annotations

import functools
import os
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


_PHOTOGRAPH = (1, 1080, 1920, 3)

COUNTERPARTS = (
    Counterpart(
        name="tensorflow.resize",
        theirs="tensorflow.image.resize",
        package=_PACKAGE,
        run=_resize,
        draw=_draw_resize,
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
        speed={
            "lanczos3 1080p to 224": Call(
                _PHOTOGRAPH,
                "float32",
                {"size": [224, 224], "scale": [224 / 1080, 224 / 1920], "translation": [0, 0]},
            )
        },
    ),
)
