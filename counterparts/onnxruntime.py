"""`ndresize.dialects.onnxruntime` and ONNX Runtime on the CPU."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterparts.counterpart import Call, Counterpart

_TYPES = ("float32", "uint8", "int8", "int32", "float16")
_COORDINATES = (
    "half_pixel",
    "pytorch_half_pixel",
    "align_corners",
    "asymmetric",
    "tf_crop_and_resize",
    "half_pixel_symmetric",
    "tf_half_pixel_for_nn",
)
_NEAREST = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")


def runner(
    operator: str, default_opset: int
) -> Callable[[NDArray[Any], Mapping[str, Any]], NDArray[Any]]:
    """Return what runs a model of one node."""

    def run(x: NDArray[Any], arguments: Mapping[str, Any]) -> NDArray[Any]:
        import onnx
        import onnxruntime

        given = dict(arguments)
        opset = given.pop("opset", default_opset)
        inputs = {
            name: np.asarray(given.pop(name), np.int64 if name == "sizes" else np.float32)
            for name in ("roi", "scales", "sizes")
            if given.get(name) is not None
        }
        if opset == 7:
            given["scales"] = inputs.pop("scales").tolist()
        names = ["scales"] if opset < 11 else ["roi", "scales", "sizes"]
        if opset == 11:
            for name in ("roi", "scales"):
                inputs.setdefault(name, np.zeros(0, np.float32))
        listed = [name if name in inputs else "" for name in names]
        while listed and not listed[-1]:
            listed.pop()
        element = onnx.helper.np_dtype_to_tensor_dtype(x.dtype)
        graph = onnx.helper.make_graph(
            [onnx.helper.make_node(operator, ["X", *listed], ["Y"], **given)],
            "one_node",
            [onnx.helper.make_tensor_value_info("X", element, x.shape)],
            [onnx.helper.make_tensor_value_info("Y", element, [None] * x.ndim)],
            [onnx.numpy_helper.from_array(value, name) for name, value in inputs.items()],
        )
        model = onnx.helper.make_model(
            graph, opset_imports=[onnx.helper.make_opsetid("", opset)], ir_version=8
        )
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        (y,) = session.run(None, {"X": x})
        return np.asarray(y)

    return run


def _lengths(rng: np.random.Generator, rank: int) -> list[int]:
    most = int(rng.choice([3, 8, 40, 200] if rank <= 2 else [3, 6, 16]))
    return [int(n) for n in rng.integers(1, most, rank, endpoint=True)]


def _layout(rng: np.random.Generator, mode: str, antialias: bool) -> tuple[int, list[int]]:
    """Return a rank and the axes that may change."""
    if mode == "nearest":
        rank = int(rng.integers(1, 6))
        return rank, [a for a in range(rank) if rng.random() < 0.7] or [rank - 1]
    layouts = [(2, [0, 1]), (4, [2, 3]), (4, [1, 2])]
    if mode == "linear":
        layouts += [(3, [0, 1, 2]), (5, [2, 3, 4])]
    elif not antialias:
        layouts.pop()
    return layouts[rng.integers(len(layouts))]


def draw(rng: np.random.Generator) -> Call:
    """Return a random Resize call that ONNX Runtime answers."""
    opset = int(rng.choice([10, 11, 13, 18, 19, 19, 19]))
    mode = str(rng.choice(["nearest", "linear", "cubic"]))
    antialias = mode != "nearest" and opset >= 18 and rng.random() < 0.5
    dtype = str(rng.choice(_TYPES))
    if mode == "cubic" and not antialias:
        dtype = str(rng.choice(["float32", "float16"]))
    rank, free = _layout(rng, mode, antialias)
    shape = _lengths(rng, rank)
    words: dict[str, Any] = {"opset": opset, "mode": mode}
    pairs = zip(shape, _lengths(rng, rank), strict=True)
    target = [n if a not in free else m for a, (n, m) in enumerate(pairs)]
    listed = list(range(rank))
    if opset >= 18 and rng.random() < 0.4:
        listed = [int(a) for a in rng.permutation(free)]
        words["axes"] = [a - rank if rng.random() < 0.3 else a for a in listed]
    if opset > 10 and rng.random() < 0.6:
        words["sizes"] = [target[a] for a in listed]
        if opset >= 18 and rng.random() < 0.3 and ("axes" in words or mode == "nearest"):
            words["keep_aspect_ratio_policy"] = str(rng.choice(["not_larger", "not_smaller"]))
    else:
        scales = [target[a] / shape[a] for a in listed]
        if rng.random() < 0.5:
            scales = [
                s if s == 1 or a not in free else s * rng.uniform(0.9, 1.2)
                for a, s in zip(listed, scales, strict=True)
            ]
        if rng.random() < 0.1:
            scales = [1.0 if a not in free else float(rng.choice([0.5, 2.0, 3.0])) for a in listed]
        words["scales"] = [float(np.float32(s)) for s in scales]
    if opset > 10:
        if rng.random() < 0.8:
            words["coordinate_transformation_mode"] = str(rng.choice(_COORDINATES))
        if mode == "nearest" and rng.random() < 0.8:
            words["nearest_mode"] = str(rng.choice(_NEAREST))
        if words.get("coordinate_transformation_mode") == "tf_crop_and_resize":
            if opset == 11 or rng.random() < 0.9:
                starts = rng.choice([0.0, 0.25, -0.2, 0.6, 0.1], len(listed))
                ends = rng.choice([1.0, 0.75, 1.3, 0.2, 0.6], len(listed))
                words["roi"] = [float(np.float32(v)) for v in (*starts, *ends)]
            if rng.random() < 0.7:
                words["extrapolation_value"] = float(rng.choice([1.0, 7.75, -3.5, 300.0, -1e4]))
        if (mode == "cubic" or antialias) and rng.random() < 0.4:
            words["exclude_outside"] = 1
        if mode == "cubic" and rng.random() < 0.5:
            words["cubic_coeff_a"] = float(rng.choice([-0.5, -0.75, -1.0]))
    if antialias:
        words["antialias"] = 1
    return Call(tuple(shape), dtype, words)


def draw_upsample(rng: np.random.Generator) -> Call:
    """Return a random Upsample call that ONNX Runtime answers."""
    mode = str(rng.choice(["nearest", "linear"]))
    rank, free = _layout(rng, mode, antialias=False)
    dtype = str(rng.choice(_TYPES))
    if dtype == "int32" and mode == "linear":
        dtype = "int8"
    scales = [
        float(np.float32(rng.choice([1.0, 2.0, 3.0, 1.5, rng.uniform(1, 4)]))) if a in free else 1.0
        for a in range(rank)
    ]
    words = {"opset": int(rng.choice([7, 9])), "mode": mode, "scales": scales}
    return Call(tuple(n // 2 + 1 for n in _lengths(rng, rank)), dtype, words)


def _fills_in_another_layout(call: Call) -> bool:
    words = call.arguments
    crops = words.get("coordinate_transformation_mode") == "tf_crop_and_resize"
    if not (crops and words.get("antialias") and len(call.shape) == 4):
        return False
    listed = [axis % 4 for axis in words.get("axes", range(4))]
    given = words.get("sizes") or words["scales"]
    kept = call.shape[1] if "sizes" in words else 1.0
    return 1 in listed and given[listed.index(1)] != kept


def _overflows(call: Call) -> bool:
    return call.dtype == "int32" and call.arguments["mode"] != "nearest"


def _speed(shape: tuple[int, ...], dtype: str, sizes: list[int], **words: Any) -> Call:
    return Call(shape, dtype, {"sizes": sizes, "mode": "linear", **words})


COUNTERPARTS: tuple[Counterpart, ...] = (
    Counterpart(
        name="onnxruntime.resize",
        theirs="onnxruntime.InferenceSession (Resize)",
        package="onnxruntime",
        run=runner("Resize", 19),
        draw=draw,
        deviations={
            "antialias-fills-in-another-layout": _fills_in_another_layout,
            "int32-overflow": _overflows,
        },
        speed={
            "1080p float32 to 224, linear": _speed((1, 3, 1080, 1920), "float32", [1, 3, 224, 224]),
            "1080p float32 to 224, linear, antialias": _speed(
                (1, 3, 1080, 1920), "float32", [1, 3, 224, 224], antialias=1
            ),
            "1080p uint8 to 224, linear, antialias": _speed(
                (1, 3, 1080, 1920), "uint8", [1, 3, 224, 224], antialias=1
            ),
            "1080p int8 to 224, linear, antialias": _speed(
                (1, 3, 1080, 1920), "int8", [1, 3, 224, 224], antialias=1
            ),
            "224 int8 to 448, linear, channels last": _speed(
                (1, 224, 224, 3), "int8", [1, 448, 448, 3]
            ),
            "1080p uint8 to 224, linear": _speed((1, 3, 1080, 1920), "uint8", [1, 3, 224, 224]),
            "540p uint8 to 1080p, linear": _speed((1, 3, 540, 960), "uint8", [1, 3, 1080, 1920]),
            "maps of 28 int8 to 56, linear": _speed((1, 256, 28, 28), "int8", [1, 256, 56, 56]),
            "volume of 64 float32 to 128, linear": _speed(
                (1, 1, 64, 64, 64), "float32", [1, 1, 128, 128, 128]
            ),
        },
    ),
    Counterpart(
        name="onnxruntime.upsample",
        theirs="onnxruntime.InferenceSession (Upsample)",
        package="onnxruntime",
        run=runner("Upsample", 9),
        draw=draw_upsample,
        speed={
            "256 to 512 float32, nearest": Call(
                (1, 64, 256, 256), "float32", {"scales": [1.0, 1.0, 2.0, 2.0]}
            ),
        },
    ),
)
