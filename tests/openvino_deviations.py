"""Which calls OpenVINO answers otherwise than `ndresize.dialects.openvino`.

One predicate for each entry of ``deviations/openvino.toml`` that a random call can meet; the random
test leaves such calls out.
"""

from __future__ import annotations

from collections.abc import Callable

from ndresize import ResizeError
from ndresize.dialects import openvino as dialect
from openvino_runner import Call

__all__ = ["PREDICATES", "deviates"]

Predicate = Callable[[Call, tuple[int, ...], tuple[int, ...]], bool]
PREDICATES: dict[str, Predicate] = {}
"""By id: whether the deviation can show in a call, given its padded and its output shape."""


def deviates(call: Call) -> str | None:
    """Return the id of the first deviation that can show in `call`, or None."""
    rank = len(call.shape)
    pads = [
        [*call.attributes.get(name, ())[:rank], *[0] * rank] for name in ("pads_begin", "pads_end")
    ]
    padded = tuple(n + b + a for n, b, a in zip(call.shape, *pads, strict=False))
    try:
        output = dialect.interpolate.plan(
            call.shape,
            "float32",
            call.sizes,
            call.scales,
            call.axes,
            version=call.version,
            device=call.device,
            **call.attributes,
        ).output_shape
    except ResizeError:
        return None
    return next((name for name, test in PREDICATES.items() if test(call, padded, output)), None)


def deviation(name: str) -> Callable[[Predicate], Predicate]:
    """Enter a predicate under the id of its deviation."""

    def enter(predicate: Predicate) -> Predicate:
        PREDICATES[name] = predicate
        return predicate

    return enter


@deviation("linear-onnx-keeps-depth")
def _(call: Call, padded: tuple[int, ...], output: tuple[int, ...]) -> bool:
    if call.device != "reference" or call.attributes["mode"] != "linear_onnx":
        return False
    if len(padded) == 5:
        return padded[1:3] == output[1:3]
    return len(padded) == 3 and (1, padded[0]) == output[1:]


@deviation("linear-onnx-keeps-batch")
def _(call: Call, padded: tuple[int, ...], output: tuple[int, ...]) -> bool:
    if call.device != "reference" or call.attributes["mode"] != "linear_onnx":
        return False
    return len(padded) > 3 and padded[0] != output[0]


@deviation("empty-pillow")
def _(call: Call, padded: tuple[int, ...], output: tuple[int, ...]) -> bool:
    return call.attributes["mode"].endswith("_pillow") and 0 in output and bool(padded)


@deviation("empty-channels-last")
def _(call: Call, padded: tuple[int, ...], output: tuple[int, ...]) -> bool:
    return call.device == "CPU" and 0 in output and bool(padded)
