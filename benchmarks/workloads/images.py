"""Rows of pictures of uint8."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from benchmarks.contestant import Builder, Contestant
from benchmarks.peers import cykooz, numpy, opencv, ours, pillow, pyvips, scipy
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

__all__ = ["images"]

_PICTURES: dict[str, Builder] = {
    **GRAPHS,
    "pillow": pillow.image,
    "cykooz-resizer": cykooz.image,
    "pyvips": pyvips.image,
}


def images(n: Length) -> list[Workload]:
    """Pictures of uint8, channels last, grey, or in planes."""
    hd = Task("HWC", (n(1080), n(1920), 3), (n(224), n(224)), "uint8")
    thumbnail = replace(hd, antialias=True)
    to_720 = replace(hd, sizes=(n(720), n(1280)))
    to_4k = replace(hd, sizes=(2 * n(1080), 2 * n(1920)))
    halved = replace(hd, shape=(2 * n(540), 2 * n(960), 3), sizes=(n(540), n(960)), mode="area")
    grey: dict[str, Any] = {"layout": "HW", "shape": (n(1080), n(1920))}
    rgba = {"shape": (n(1080), n(1920), 4)}
    planar = {"layout": "CHW", "shape": (3, n(1080), n(1920))}
    no_filter = {"opencv": "has no antialiased filter but area"}
    left_out = {**no_filter, "openvino": LONG_TO_COMPILE}
    no_lanczos = dict.fromkeys(("onnxruntime", "openvino"), "has no Lanczos filter")
    always = {"pillow": "always antialiases", "pyvips": "always antialiases"}
    keys = dict.fromkeys(("pillow", "cykooz-resizer", "pyvips"), "its cubic has a = -0.5")
    smooth = without(_PICTURES, "openvino")
    sharp: dict[str, Builder] = {**ARRAYS, "cykooz-resizer": cykooz.image}
    mean: dict[str, Builder] = {
        **{name: _as_linear(builder) for name, builder in GRAPHS.items()},
        "opencv": opencv.image,
        "pillow": pillow.image,
        "cykooz-resizer": cykooz.image,
    }
    as_mean: dict[str, Builder] = {
        "torch": _as_linear(ours.as_torch),
        "opencv": ours.as_opencv,
        "pillow": ours.as_pillow,
    }
    by_plane: dict[str, Builder] = {
        **without(GRAPHS, "openvino"),
        "pillow": pillow.planes,
        "cykooz-resizer": cykooz.planes,
    }
    return [
        row(
            "uint8 1080x1920x3 -> 224x224, linear, antialias",
            thumbnail,
            _PICTURES,
            why=no_filter,
            headline=True,
        ),
        row(
            "uint8 1080x1920x3 -> 224x224, cubic, antialias",
            replace(thumbnail, mode="cubic", cubic_coeff_a=-0.5),
            smooth,
            why=left_out,
        ),
        row(
            "uint8 1080x1920x3 -> 224x224, Lanczos, antialias",
            replace(thumbnail, mode="lanczos3"),
            without(smooth, "onnxruntime"),
            why=left_out | no_lanczos,
            headline=True,
        ),
        row(
            "uint8 1080x1920x3 -> 720x1280, linear",
            to_720,
            sharp,
            why=always,
            headline=True,
        ),
        row(
            "uint8 1080x1920x3 -> 2160x3840, linear",
            to_4k,
            sharp | {"pillow": pillow.image},
            why={"pyvips": "places its upsampling a quarter of a pixel off"},
        ),
        row(
            "uint8 1080x1920x3 -> 2160x3840, cubic",
            replace(to_4k, mode="cubic"),
            ARRAYS,
            why=keys,
            headline=True,
        ),
        row(
            "uint8 1080x1920x3 -> 2160x3840, nearest",
            replace(to_4k, mode="nearest"),
            ARRAYS | _PICTURES,
            numpy=numpy.repeat,
        ),
        row("uint8 1080x1920x3 -> 540x960, area", halved, mean, speakers=as_mean),
        row(
            "uint8 RGBA 1080x1920x4 -> 224x224, linear, antialias",
            replace(thumbnail, **rgba),
            smooth,
            why=left_out,
        ),
        row(
            "uint8 RGBA 1080x1920x4 -> 720x1280, linear",
            replace(to_720, **rgba),
            sharp,
            why=always,
        ),
        row(
            "uint8 grey 1080x1920 -> 224x224, linear, antialias",
            replace(thumbnail, **grey),
            smooth,
            why=left_out,
        ),
        row(
            "uint8 grey 1080x1920 -> 720x1280, linear",
            replace(to_720, **grey),
            sharp,
            why=always,
            scipy=scipy.zoom,
        ),
        row(
            "uint8 planar 3x1080x1920 -> 224x224, linear, antialias",
            replace(thumbnail, **planar),
            by_plane,
            why=left_out,
        ),
        row(
            "uint8 planar 3x1080x1920 -> 720x1280, linear",
            replace(to_720, **planar),
            PLANES | {"cykooz-resizer": cykooz.planes},
            why=always,
        ),
    ]


def _as_linear(builder: Builder) -> Builder:
    """Return a builder that says "area" as "linear": at half the size both are the mean."""

    def build(task: Task, x: NDArray[Any], threads: int) -> Contestant:
        return builder(replace(task, mode="linear"), x, threads)

    return build
