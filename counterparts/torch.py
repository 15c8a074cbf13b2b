"""The functions of PyTorch that `ndresize.dialects.torch` stands for."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterparts.counterpart import Call, Counterpart
from ndresize.dialects.torch import interpolate
from ndresize.plan import Plan

with suppress(ImportError):
    import ml_dtypes  # noqa: F401  # from here on NumPy knows the name "bfloat16"

_MODES = {
    3: ("nearest", "nearest-exact", "linear", "area"),
    4: ("nearest", "nearest-exact", "bilinear", "bicubic", "lanczos", "area"),
    5: ("nearest", "nearest-exact", "trilinear", "area"),
}
_FLOATS = ("float32", "float64", "float16")


def _plan(call: Call) -> Plan:
    return interpolate.plan(call.shape, call.dtype, **call.arguments)


def _picks_by_layout(call: Call) -> bool:
    """Whether channels that are stored last make PyTorch take the other nearest kernel."""
    output = _plan(call).output_shape[2:]
    small = len(output) == 2 and sum(output) <= 128
    return (
        call.arguments["mode"].startswith("nearest")
        and call.memory == "channels_last"
        and call.shape[1] > 3
        and not small
    )


def _has_right_column(call: Call) -> bool:
    """Whether the separable kernel meets a single column whose channels are stored last."""
    mode, antialias = call.arguments["mode"], call.arguments.get("antialias", False)
    bytes_ = call.dtype == "uint8" and call.shape[1] > 4
    separable = mode in _MODES[4][2:5] and (bytes_ or (antialias and call.dtype != "uint8"))
    return (
        separable
        and call.memory == "channels_last"
        and call.shape[1] > 1
        and _plan(call).output_shape[3] == 1
    )


def _repeats_the_only_sample(call: Call) -> bool:
    """Whether every axis that is resized has one sample, to which several weights are given."""
    plan = _plan(call)
    return (
        not call.arguments["mode"].startswith("nearest")
        and call.dtype in ("float32", "float64")
        and plan.is_selection
        and any(n < m for n, m in zip(plan.input_shape, plan.output_shape, strict=True))
    )


def _run(x: NDArray[Any], arguments: Mapping[str, Any]) -> NDArray[Any]:
    import torch

    torch.set_num_threads(1)
    words = dict(arguments)
    if x.dtype.name == "bfloat16":
        tensor = torch.from_numpy(x.view(np.int16)).view(torch.bfloat16)
        y = torch.nn.functional.interpolate(tensor, **words)
        return y.contiguous().view(torch.int16).numpy().view(x.dtype)
    y = torch.nn.functional.interpolate(torch.from_numpy(x), **words)
    found: NDArray[Any] = y.numpy()
    return found


def _draw(rng: np.random.Generator) -> Call:
    rank = int(rng.choice([3, 4, 5], p=[0.2, 0.6, 0.2]))
    mode = str(rng.choice(_MODES[rank]))
    antialias = mode == "lanczos" or (mode in ("bilinear", "bicubic") and rng.random() < 0.5)
    dtypes = _FLOATS[:2] if antialias else _FLOATS
    if mode.startswith("nearest") and "ml_dtypes" in sys.modules:
        # Sums of bfloat16 are compared in tests/test_torch_dialect.py.
        dtypes = (*dtypes, "bfloat16")
    if mode.startswith("nearest") or (rank == 4 and mode != "area"):
        dtypes = (*dtypes, *("uint8",) * len(dtypes))
    longest = int(rng.choice([8, 40, 200 if rank < 5 else 20]))
    shape = (
        int(rng.integers(0, 3) or 1),
        int(rng.integers(1, 7)),
        *(int(n) for n in rng.integers(1, longest + 1, rank - 2)),
    )
    arguments: dict[str, Any] = {"mode": mode}
    if antialias:
        arguments["antialias"] = True
    if mode in ("linear", "bilinear", "bicubic", "trilinear") and rng.random() < 0.6:
        arguments["align_corners"] = bool(rng.random() < 0.5)
    if rng.random() < 0.5:
        lengths = [int(n) for n in rng.integers(1, longest + 1, rank - 2)]
        for position, n in enumerate(shape[2:]):
            if rng.random() < 0.15:  # the special cases: equal, doubled and halved lengths
                lengths[position] = int(rng.choice([n, 2 * n, max(n // 2, 1)]))
        arguments["size"] = lengths if rng.random() < 0.8 else lengths[0]
    else:
        arguments["scale_factor"] = _scales(rng, shape[2:], longest)
        if rng.random() < 0.5:
            arguments["recompute_scale_factor"] = bool(rng.random() < 0.5)
    memory = "channels_last" if rng.random() < 0.3 else "contiguous"
    call = Call(shape, str(rng.choice(dtypes)), arguments, memory)
    if call.dtype == "uint8" and shape[1] == 3 and _plan(call).output_shape[2:] == (1, 1):
        # PyTorch runs into an assertion of its own where the channels are stored first.
        call = replace(call, memory="channels_last")
    return call


def _scales(
    rng: np.random.Generator, lengths: tuple[int, ...], longest: int
) -> float | list[float]:
    """Return a scale per axis, or one for all, that leaves no axis empty."""
    kind = rng.integers(3)
    scales = []
    for n in lengths:
        wanted = int(rng.integers(1, longest + 1))
        if kind == 0:
            scale = (wanted + float(rng.random())) / n
        elif kind == 1:
            scale = max(round(wanted / n, 1), 0.1)
        else:
            scale = wanted / n
        scales.append(scale if int(n * scale) >= 1 else 1.0 + float(rng.random()) / (2 * n))
    if rng.random() < 0.2 and all(1 <= int(n * scales[0]) <= 200 for n in lengths):
        return scales[0]
    return scales


COUNTERPARTS: tuple[Counterpart, ...] = (
    Counterpart(
        name="torch.interpolate",
        theirs="torch.nn.functional.interpolate",
        package="torch",
        run=_run,
        draw=_draw,
        deviations={
            "nearest-channels-last": _picks_by_layout,
            "single-column-channels-last": _has_right_column,
            "only-sample": _repeats_the_only_sample,
        },
        speed={
            "1080p to 224, bilinear, float32": Call(
                (1, 3, 1080, 1920), "float32", {"size": [224, 224], "mode": "bilinear"}
            ),
            "1080p to 224, antialias, uint8": Call(
                (1, 3, 1080, 1920),
                "uint8",
                {"size": [224, 224], "mode": "bilinear", "antialias": True},
            ),
            "features of 64 channels doubled, bicubic, float32": Call(
                (1, 64, 56, 56), "float32", {"scale_factor": 2.0, "mode": "bicubic"}
            ),
        },
    ),
)
