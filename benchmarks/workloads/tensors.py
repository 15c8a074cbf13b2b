"""Rows of tensors: feature maps, planes of float32, volumes."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.contestant import Builder
from benchmarks.peers import cykooz, numpy, onnxruntime, openvino, ours, pillow, scipy, torch
from benchmarks.task import Task
from benchmarks.workloads._row import (
    GRAPHS,
    LONG_TO_COMPILE,
    PLANES,
    Length,
    Workload,
    row,
    without,
)

__all__ = ["float_images", "tensors", "volumes"]


def tensors(n: Length) -> list[Workload]:
    """Feature maps, as networks resize them."""
    x2 = Task("NCHW", (1, 64, n(56), n(56)), (2 * n(56), 2 * n(56)))
    wide = Task("NCHW", (1, 256, n(64), n(64)), (2 * n(64), 2 * n(64)), mode="nearest")
    corners = Task("NCHW", (1, 21, n(128), n(128)), (4 * n(128), 4 * n(128)), align_corners=True)
    batch = Task("NCHW", (8, 3, n(256), n(256)), (n(224), n(224)))
    half = Task("NCHW", (1, 32, n(128), n(128)), (2 * n(128), 2 * n(128)), "float16")
    return [
        row(
            "float32 64x56x56 x2, linear",
            x2,
            PLANES,
            scipy=scipy.zoom,
            headline=True,
            ours_too={"ndresize out=": ours.out_given, "ndresize call": ours.call},
        ),
        row(
            "float32 64x56x56 x2, nearest",
            replace(x2, mode="nearest"),
            PLANES,
            scipy=scipy.zoom,
            numpy=numpy.repeat,
            ours_too={"ndresize out=": ours.out_given},
        ),
        row("float32 64x56x56 x2, cubic", replace(x2, mode="cubic"), PLANES),
        row(
            "float32 256x64x64 x2, nearest",
            wide,
            PLANES,
            numpy=numpy.repeat,
            headline=True,
            ours_too={"ndresize out=": ours.out_given},
        ),
        row(
            "float32 21x128x128 -> 512x512, linear, align_corners",
            corners,
            GRAPHS,
            scipy=scipy.zoom,
            why={"opencv": "has no align_corners"},
        ),
        row("float32 8x3x256x256 -> 224x224, linear", batch, PLANES, scipy=scipy.zoom),
        row(
            "float16 32x128x128 x2, linear",
            half,
            GRAPHS,
            headline=True,
            why={"opencv": "float16 by nearest alone", "scipy": "does not take float16"},
        ),
    ]


def float_images(n: Length) -> list[Workload]:
    """Planes of float32, as pictures enter and leave a network."""
    small = Task("CHW", (3, n(1080), n(1920)), (n(224), n(224)))
    smooth = replace(small, antialias=True)
    large = Task("CHW", (3, n(540), n(960)), (2 * n(540), 2 * n(960)))
    planes: dict[str, Builder] = {"pillow": pillow.planes, "cykooz-resizer": cykooz.planes}
    no_filter = {"opencv": "has no antialiased filter but area"}
    keys = {
        "pillow": "always antialiases, and its cubic has a = -0.5",
        "cykooz-resizer": "its cubic has a = -0.5",
    }
    return [
        row(
            "float32 3x1080x1920 -> 224x224, linear",
            small,
            PLANES,
            why={"pillow": "always antialiases"},
        ),
        row(
            "float32 3x1080x1920 -> 224x224, linear, antialias",
            smooth,
            GRAPHS | planes,
            why=no_filter,
            headline=True,
        ),
        row(
            "float32 3x1080x1920 -> 224x224, cubic, antialias",
            replace(smooth, mode="cubic", cubic_coeff_a=-0.5),
            without(GRAPHS, "openvino") | planes,
            why={**no_filter, "openvino": LONG_TO_COMPILE},
        ),
        row(
            "float32 3x540x960 x2, linear",
            large,
            PLANES | planes,
            scipy=scipy.zoom,
            headline=True,
            ours_too={"ndresize out=": ours.out_given},
        ),
        row("float32 3x540x960 x2, cubic", replace(large, mode="cubic"), PLANES, why=keys),
    ]


def volumes(n: Length) -> list[Workload]:
    """Three resized axes."""
    features = Task("NCDHW", (1, 16, n(32), n(64), n(64)), (2 * n(32), 2 * n(64), 2 * n(64)))
    cube = Task("DHW", (n(128),) * 3, (2 * n(128),) * 3)
    d, h, w = n(192) // 2, n(256) // 2, n(256) // 2
    scan = Task("DHW", (2 * d, 2 * h, 2 * w), (d, h, w), "uint16", antialias=True)
    d, h, w = n(64), n(512) // 2, n(512) // 2
    labels = Task("DHW", (d, 2 * h, 2 * w), (2 * d, h, w), "uint8", "nearest", floor=True)
    return [
        row("float32 16x32x64x64 x2, trilinear", features, GRAPHS, scipy=scipy.zoom),
        row(
            "float32 128x128x128 x2, trilinear",
            cube,
            GRAPHS,
            scipy=scipy.zoom,
            headline=True,
            ours_too={"ndresize out=": ours.out_given},
        ),
        row(
            "uint16 192x256x256 / 2, trilinear, antialias",
            scan,
            {
                "torch": torch.antialiased_volume,
                "onnxruntime": onnxruntime.through_float32,
                "openvino": openvino.through_float32,
            },
            headline=True,
        ),
        row(
            "uint8 labels 64x512x512 -> 128x256x256, nearest",
            labels,
            GRAPHS,
            numpy=numpy.repeat,
            headline=True,
            why={"scipy": "picks the other sample where two are equally near"},
        ),
    ]
