"""Rows that kernels are seldom written for, and the row of next to no work."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.contestant import Builder
from benchmarks.peers import numpy, onnxruntime, opencv, openvino, ours, scipy, torch
from benchmarks.task import Task
from benchmarks.workloads._row import (
    ARRAYS,
    GRAPHS,
    LONG_TO_COMPILE,
    PLANES,
    Length,
    Workload,
    row,
    without,
)

__all__ = ["odd_shapes", "small_call"]

_SLOW_LANGUAGE = "a loop over the images in Python would be timed, not the library"


def odd_shapes(n: Length, pixels: Length) -> list[Workload]:
    """Shapes and memory that kernels are seldom written for."""
    line = Task("NCHW", (1, 512, 1, n(512)), (1, 2 * n(512)))
    pixel = Task("NCHW", (1, 2048, 1, 1), (7, 7))
    prime = Task("CHW", (3, n(1009), n(1013)), (n(757), n(1511)))
    long = pixels(10_000_000)
    rows = Task("CW", (3, long), (long // 2,))
    columns = Task("HC", (long, 3), (long // 2,))
    feature = Task("NCHW", (1, 64, n(56), n(56)), (2 * n(56), 2 * n(56)))
    photo = Task("CHW", (3, n(540), n(960)), (2 * n(540), 2 * n(960)))
    bands = Task("HWC", (n(512), n(512), 5), (2 * n(512), 2 * n(512)))
    maps = Task("NCHW", (pixels(10_000), 1, 8, 8), (16, 16))
    thumbnail = Task(
        "CHW", (3, n(1080), n(1920)), (n(224), n(224)), antialias=True, memory="channels_last"
    )
    lines: dict[str, Builder] = {
        "torch": torch.per_row,
        "onnxruntime": onnxruntime.session,
        "openvino": openvino.compiled,
        "opencv": opencv.image,
    }
    loop = {"opencv": _SLOW_LANGUAGE}
    return [
        row("float32 512x1x512 -> 512x1x1024, linear", line, GRAPHS, why=loop),
        row("float32 2048x1x1 -> 2048x7x7, linear", pixel, GRAPHS, why=loop),
        row("float32 3x1009x1013 -> 757x1511, linear", prime, PLANES, scipy=scipy.zoom),
        row(
            "float32 3x10000000 -> 3x5000000, linear",
            rows,
            lines,
            scipy=scipy.zoom,
            numpy=numpy.halve,
        ),
        row(
            "float32 10000000x3 -> 5000000x3, linear",
            columns,
            lines,
            scipy=scipy.zoom,
            numpy=numpy.halve,
        ),
        row(
            "float32 64x56x56 x2, linear, every second sample of longer rows",
            replace(feature, memory="strided"),
            PLANES,
        ),
        row(
            "float32 3x540x960 x2, linear, columns stored as rows",
            replace(photo, memory="transposed"),
            PLANES,
        ),
        row(
            "float32 3x1080x1920 -> 224x224, linear, antialias, channels stored last",
            thumbnail,
            without(GRAPHS, "openvino"),
            why={"opencv": "has no antialiased filter but area", "openvino": LONG_TO_COMPILE},
        ),
        row("float32 512x512x5 x2, linear", bands, ARRAYS),
        row("float32 10000 maps 8x8 x2, linear", maps, GRAPHS, why=loop, headline=True),
    ]


def small_call() -> Workload:
    """Next to no work: what a call costs."""
    task = Task("NCHW", (1, 1, 8, 8), (16, 16))
    return row(
        "float32 1x1x8x8 x2, linear: what a call costs",
        task,
        PLANES,
        scipy=scipy.zoom,
        headline=True,
        ours_too={"ndresize call": ours.call},
    )
