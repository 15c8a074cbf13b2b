"""What the right answer is, and what the ONNX reference and ONNX Runtime answer.

The first part is written from the operator's page alone, in fractions, without a look at the
library's own code: slow, exact, one sample at a time. The last part runs the two systems.
"""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
from onnx.reference import ReferenceEvaluator

Array = np.ndarray[Any, Any]
Row = dict[int, Fraction]
"""Weights of one output sample by input index."""

bfloat16 = np.dtype(ml_dtypes.bfloat16)


@dataclass(frozen=True)
class Call:
    """One Resize (or, with `operator`, Upsample) call, in ONNX's words."""

    x: Array
    roi: Array | None = None
    scales: Array | None = None
    sizes: Array | None = None
    opset: int = 19
    attributes: dict[str, Any] = field(default_factory=dict)
    operator: str = "Resize"

    def get(self, name: str, default: Any = None) -> Any:
        """Return an attribute."""
        return self.attributes.get(name, default)

    def __str__(self) -> str:
        given = {name: getattr(self, name) for name in ("roi", "scales", "sizes")}
        words = [f"{name}={v.tolist()}" for name, v in given.items() if v is not None]
        words += [f"{name}={v!r}" for name, v in self.attributes.items()]
        return (
            f"{self.operator}-{self.opset}({self.x.dtype}{list(self.x.shape)}, {', '.join(words)})"
            f" of {self.x.tolist()}"
        )


# --- one axis, exactly ----------------------------------------------------------------------------


@dataclass(frozen=True)
class AxisCall:
    """What the page needs to know of one axis."""

    n_in: int
    n_out: int
    scale: Fraction
    mode: str = "nearest"
    coordinate_transformation_mode: str = "half_pixel"
    nearest_mode: str = "round_prefer_floor"
    antialias: int = 0
    exclude_outside: int = 0
    cubic_coeff_a: Fraction = Fraction(-3, 4)
    region: tuple[Fraction, Fraction] = (Fraction(0), Fraction(1))


def coordinate(axis: AxisCall, i: int) -> Any:
    """Return x_original of output sample `i`, in the arithmetic of the type of `axis.scale`."""
    rule, half = axis.coordinate_transformation_mode, type(axis.scale)(0.5)
    n_in, n_out, scale = axis.n_in, axis.n_out, axis.scale
    if rule == "half_pixel" or (rule == "pytorch_half_pixel" and n_out > 1):
        return (i + half) / scale - half
    if rule == "half_pixel_symmetric":
        adjustment = n_out / (scale * n_in)
        return n_in * half * (1 - adjustment) + (i + half) / scale - half
    if rule == "align_corners" and n_out > 1:
        return i * (n_in - 1) / (scale * n_in - 1)  # the official vectors do not round the length
    if rule in ("pytorch_half_pixel", "align_corners"):
        return 0 * half
    if rule == "asymmetric":
        return i / scale
    if rule == "tf_half_pixel_for_nn":
        return (i + half) / scale if scale != 1 else i + 0 * half
    assert rule == "tf_crop_and_resize"
    start, end = axis.region
    if n_out == 1:
        return half * (start + end) * (n_in - 1)
    return i * (end - start) * (n_in - 1) / (n_out - 1) + start * (n_in - 1)


def picked(x: Fraction, rule: str) -> int:
    """Return the index that a nearest mode picks, perhaps outside the input."""
    low = math.floor(x)
    if x == low or rule == "floor":
        return low
    if rule == "ceil":
        return low + 1
    rest = x - low
    if rest == Fraction(1, 2):
        return low + (rule == "round_prefer_ceil")
    return low + (rest > Fraction(1, 2))


def keys(distance: Fraction, a: Fraction) -> Fraction:
    """Return equation 4 of Keys 1981."""
    d = abs(distance)
    if d <= 1:
        return (a + 2) * d**3 - (a + 3) * d**2 + 1
    if d < 2:
        return a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a
    return Fraction(0)


@functools.lru_cache(maxsize=4096)
def axis_rows(axis: AxisCall) -> tuple[Row | None, ...]:
    """Return one row per output sample; None where the sample takes the constant."""
    return tuple(_row(axis, coordinate(axis, i)) for i in range(axis.n_out))


def _row(axis: AxisCall, x: Fraction) -> Row | None:
    last = axis.n_in - 1
    if axis.coordinate_transformation_mode == "tf_crop_and_resize" and not 0 <= x <= last:
        return None
    if axis.mode == "nearest":
        index = picked(x, axis.nearest_mode)
        if axis.exclude_outside and not 0 <= index <= last:
            return None
        return {min(max(index, 0), last): Fraction(1)}
    stretch = max(1 / axis.scale, Fraction(1)) if axis.antialias else Fraction(1)
    kernel: Callable[[Fraction], Fraction]
    if axis.mode == "linear":
        reach, kernel = stretch, lambda d: max(Fraction(0), 1 - abs(d))
    else:
        reach, kernel = 2 * stretch, lambda d: keys(d, axis.cubic_coeff_a)
    window = range(math.floor(x - reach), math.ceil(x + reach) + 1)
    taps = {j: w for j in window if (w := kernel((j - x) / stretch))}
    if axis.antialias:
        taps = _divided(taps)
    if axis.exclude_outside:
        return _divided({j: w for j, w in taps.items() if 0 <= j <= last})
    row: Row = {}
    for j, weight in taps.items():
        inside = min(max(j, 0), last)
        row[inside] = row.get(inside, Fraction(0)) + weight
    return {j: w for j, w in row.items() if w}


def _divided(taps: Row) -> Row:
    total = sum(taps.values())
    return {j: w / total for j, w in taps.items()} if total else {}


def dense(rows: Sequence[Row | None], n_in: int) -> Array:
    """Return rows as a matrix of float64; those that take the constant are zero."""
    matrix = np.zeros((len(rows), n_in))
    for i, row in enumerate(rows):
        for j, weight in (row or {}).items():
            matrix[i, j] = float(weight)
    return matrix


def apply_dense(x: Array, matrix: Array, axis: int) -> Array:
    """Return `matrix` applied along `axis` in float64; a weight of zero reads nothing."""
    y = np.moveaxis(x.astype(np.complex128 if x.dtype.kind == "c" else np.float64), axis, 0)
    result = np.zeros((len(matrix), *y.shape[1:]), y.dtype)
    for i, row in enumerate(matrix):
        for j in np.flatnonzero(row):
            result[i] += row[j] * y[j]
    return np.moveaxis(result, 0, axis)


def stored(y: Array, dtype: np.dtype[Any], whole: Callable[[Any], Any] = np.rint) -> Array:
    """Return float64 sums in the element type; integers are made `whole` and saturate."""
    if dtype.kind not in "iu":
        with np.errstate(over="ignore", under="ignore"):
            return np.asarray(y).astype(dtype)
    info = np.iinfo(dtype)
    y = whole(y)
    result = np.clip(y, float(info.min), np.nextafter(float(info.max), 0)).astype(dtype)
    return np.where(y >= float(info.max), info.max, result).astype(dtype)


# --- a whole call, exactly ------------------------------------------------------------------------


def axis_calls(call: Call) -> list[AxisCall | None]:
    """Return what the page says of each axis; None for axes that the call does not name."""
    words: dict[str, Any] = dict(call.attributes)
    shape, rank = call.x.shape, call.x.ndim
    axes = [a % rank for a in words.pop("axes", range(rank))]
    policy = words.pop("keep_aspect_ratio_policy", "stretch")
    words.pop("extrapolation_value", None)
    if "cubic_coeff_a" in words:  # attributes are float32
        words["cubic_coeff_a"] = Fraction(float(np.float32(words["cubic_coeff_a"])))
    old = call.operator == "Upsample" or call.opset == 10
    if old:
        words["coordinate_transformation_mode"] = "asymmetric"
    given = call.scales is not None and len(call.scales) > 0
    ratios = []
    if not given and call.sizes is not None:
        ratios = [Fraction(int(n), max(shape[a], 1)) for a, n in zip(axes, call.sizes, strict=True)]
    result: list[AxisCall | None] = [None] * rank
    for k, a in enumerate(axes):
        if given:
            scale = Fraction(float(np.float32(call.scales[k])))  # type: ignore[index]
            n_out = math.floor(shape[a] * scale)
        elif policy == "stretch":
            scale, n_out = ratios[k], int(call.sizes[k])  # type: ignore[index]
        else:
            scale = min(ratios) if policy == "not_larger" else max(ratios)
            n_out = math.floor(scale * shape[a] + Fraction(1, 2))
        if old:
            words["nearest_mode"] = "ceil" if scale < 1 else "floor"
        region = (Fraction(0), Fraction(1))
        if words.get("coordinate_transformation_mode") == "tf_crop_and_resize":
            assert call.roi is not None
            region = Fraction(float(call.roi[k])), Fraction(float(call.roi[len(axes) + k]))
        result[a] = AxisCall(shape[a], n_out, scale, region=region, **words)
    return result


@dataclass(frozen=True)
class Answer:
    """The exact result of a call in float64, and how large the sums on the way can be."""

    values: Array
    bound: float  # no sum of weighted samples is larger
    taps: tuple[int, ...]  # the longest row of each axis that is computed


def answer(call: Call) -> Answer:
    """Return what the page says: sums in float64, or samples in their own type for "nearest"."""
    y = call.x
    growth, taps = 1.0, []
    constant: Array = np.zeros((), bool)
    picks = call.get("mode", "nearest") == "nearest"
    if not picks:
        y = y.astype(np.complex128 if y.dtype.kind == "c" else np.float64)
    for a, axis in enumerate(axis_calls(call)):
        if axis is None:
            continue
        rows = axis_rows(axis)
        shape = [len(rows) if b == a else 1 for b in range(y.ndim)]
        constant = constant | np.array([row is None for row in rows], bool).reshape(shape)
        if picks:
            y = np.take(y, [next(iter(row), 0) if row else 0 for row in rows], a)
            continue
        y = apply_dense(y, dense(rows, axis.n_in), a)
        growth *= max((float(sum(map(abs, row.values()))) for row in rows if row), default=1.0)
        taps.append(max((len(row) for row in rows if row), default=1))
    value = 0.0
    if call.get("coordinate_transformation_mode") == "tf_crop_and_resize":
        value = float(np.float32(call.get("extrapolation_value", 0.0)))
    if constant.any():
        fill = stored(np.array(value), y.dtype) if y.dtype.kind in "iuf" else value
        y = np.where(constant, np.asarray(fill).astype(y.dtype), y)
    if picks or not call.x.size:
        return Answer(y, 0.0, tuple(taps))
    largest = float(np.abs(call.x.astype(y.dtype)).max())
    if constant.any():
        largest = max(largest, abs(value))
    return Answer(y, growth * largest, tuple(taps))


def unit_roundoff(dtype: np.dtype[Any]) -> float:
    """Return the relative error of one operation of the accumulator that `dtype` is summed in."""
    wide = dtype.kind in "iu" and dtype.itemsize >= 4
    return 2.0**-53 if wide or dtype in (np.float64, np.complex128) else 2.0**-24


def tolerance(call: Call, right: Answer) -> float:
    """Return how far correct sums may be from the exact ones.

    A sum of n products in precision u is off by at most (n + 1) u times the sum of magnitudes, one
    u of it for the rounded weights; the weights themselves come from some ten operations in
    float64. One more u for storing.
    """
    u = unit_roundoff(call.x.dtype)
    return (sum((n + 1) * u + 10 * 2.0**-53 for n in right.taps) + u) * right.bound


def agrees(
    y: Array, right: Answer, dtype: np.dtype[Any], slack: float, whole: Any = np.rint
) -> bool:
    """Return whether each sample is the storing of a number within `slack` of the exact one.

    One rule for all types: an integer may differ by 1 where the exact value is within `slack` of
    a tie, a float16 by its last bit.
    """
    exact = right.values
    if y.shape != exact.shape or y.dtype != dtype:
        return False
    if dtype.kind not in "iufc" and dtype != bfloat16:
        return bool(np.array_equal(y, exact))
    if exact.dtype == dtype and slack == 0:
        return bool(np.array_equal(y, exact, equal_nan=dtype.kind in "fc"))
    if dtype.kind == "c":
        y, exact = np.stack([y.real, y.imag]), np.stack([exact.real, exact.imag])
        dtype = y.dtype
    low, high = stored(exact - slack, dtype, whole), stored(exact + slack, dtype, whole)
    return bool(np.all((low <= y) & (y <= high) | (np.isnan(low) & np.isnan(y))))


# --- the systems ----------------------------------------------------------------------------------


def ours(call: Call, **options: Any) -> Any:
    """Return what the library answers."""
    from ndresize.dialects import onnx as dialect

    words = {"opset": call.opset, **call.attributes, **options}
    if call.operator == "Upsample":
        return dialect.upsample(call.x, call.scales, **words)
    return dialect.resize(call.x, call.roi, call.scales, call.sizes, **words)


def model(call: Call) -> onnx.ModelProto:
    """Return the call as a model of one node whose inputs other than X are constants."""
    given: dict[str, Array | None] = {"roi": call.roi, "scales": call.scales, "sizes": call.sizes}
    attributes = dict(call.attributes)
    if call.operator == "Upsample" or call.opset == 10:
        del given["roi"], given["sizes"]
    if call.operator == "Upsample" and call.opset == 7:
        attributes["scales"] = given.pop("scales")
    if call.operator == "Resize" and call.opset == 11:  # both mandatory, empty where not used
        for name in ("roi", "scales"):
            given[name] = np.zeros(0, np.float32) if given[name] is None else given[name]
    names = [name if value is not None else "" for name, value in given.items()]
    while names and not names[-1]:
        names.pop()
    axes = attributes.pop("axes", None)
    node = onnx.helper.make_node(call.operator, ["X", *names], ["Y"], **attributes)
    if axes is not None:  # the type of an empty list has to be said
        kind = onnx.AttributeProto.INTS
        node.attribute.append(onnx.helper.make_attribute("axes", axes, attr_type=kind))
    element = onnx.helper.np_dtype_to_tensor_dtype(call.x.dtype)
    graph = onnx.helper.make_graph(
        [node],
        "one_node",
        [onnx.helper.make_tensor_value_info("X", element, call.x.shape)],
        [onnx.helper.make_tensor_value_info("Y", element, [None] * call.x.ndim)],
        [onnx.numpy_helper.from_array(v, name) for name, v in given.items() if v is not None],
    )
    # IR version 8 came with opset 18, and both systems read it with the others too.
    return onnx.helper.make_model(
        graph, opset_imports=[onnx.helper.make_opsetid("", call.opset)], ir_version=8
    )


def reference(call: Call) -> Array:
    """Return what onnx.reference answers."""
    with warnings.catch_warnings():
        # It divides 0 by 0 for empty axes and casts what does not fit; its results are compared.
        warnings.simplefilter("ignore", RuntimeWarning)
        (y,) = ReferenceEvaluator(model(call)).run(None, {"X": call.x})
    return np.asarray(y)


_options = onnxruntime.SessionOptions()
_options.log_severity_level = 4  # what it refuses is raised; it need not be printed as well
_options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
_options.intra_op_num_threads = 1  # a pool for a session of one call costs more than the call
_options.inter_op_num_threads = 1


def runtime(call: Call) -> Array:
    """Return what ONNX Runtime answers on the CPU."""
    session = onnxruntime.InferenceSession(
        model(call).SerializeToString(), _options, providers=["CPUExecutionProvider"]
    )
    (y,) = session.run(None, {"X": call.x})
    return np.asarray(y)
