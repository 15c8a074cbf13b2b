"""What a row of the table is, and what all rows share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from benchmarks.contestant import Builder
from benchmarks.peers import onnxruntime, opencv, openvino, ours, pillow, torch
from benchmarks.task import Task

__all__ = [
    "ARRAYS",
    "AS",
    "GRAPHS",
    "LIBRARIES",
    "LONG_TO_COMPILE",
    "OURS",
    "PLANES",
    "Length",
    "Workload",
    "in_their_words",
    "row",
    "without",
]

OURS = "ndresize"
AS = f"{OURS} as "

LIBRARIES = (
    "torch",
    "onnxruntime",
    "openvino",
    "opencv",
    "pillow",
    "cykooz-resizer",
    "pyvips",
    "scipy",
    "numpy",
)

Length = Callable[[int], int]
"""From the length in the row's name to the length in its task."""

GRAPHS: dict[str, Builder] = {
    "torch": torch.interpolate,
    "onnxruntime": onnxruntime.session,
    "openvino": openvino.compiled,
}
PLANES = {**GRAPHS, "opencv": opencv.planes}
ARRAYS = {**GRAPHS, "opencv": opencv.image}

_SPEAKERS: dict[Builder, Builder] = {
    torch.interpolate: ours.as_torch,
    opencv.image: ours.as_opencv,
    opencv.planes: ours.as_opencv_planes,
    pillow.image: ours.as_pillow,
    pillow.planes: ours.as_pillow_planes,
}
"""By a peer's builder: ours that says the task in that peer's words, and gives its very bytes."""

LONG_TO_COMPILE = (
    "takes seconds to compile this model; it is in the rows of linear to 224x224 on three channels"
)
_WHY_NOT = {
    "opencv": "resizes images, not volumes",
    "pillow": "resizes images of up to 4 channels",
    "cykooz-resizer": "resizes images of up to 4 channels",
    "pyvips": "resizes images whose channels are last",
    "scipy": "has no antialiased filter; its cubic is a spline; channels are an axis like others",
    "numpy": "repeats and skips samples, no more",
}


@dataclass(frozen=True)
class Workload:
    """One row.

    Parameters
    ----------
    name : str
        As printed.
    task : Task
        What is computed.
    contestants : mapping from name to builder
        Those whose name begins with "ndresize" are ours; "ndresize" itself is a built plan, and
        "ndresize as torch" the plan of that dialect.
    absent : mapping from library to str
        Why each other library is not there.
    tolerance : float
        By how much a sample of two contestants may differ.
    headline : bool
        Whether the row is in the README.
    margins : mapping from contestant to int
        Of whom the outermost samples are not compared, and how many: their edge rule is another.
    """

    name: str
    task: Task
    contestants: Mapping[str, Builder]
    absent: Mapping[str, str]
    tolerance: float
    headline: bool = False
    margins: Mapping[str, int] = field(default_factory=dict)


def row(
    name: str,
    task: Task,
    peers: Mapping[str, Builder],
    *,
    ours_too: Mapping[str, Builder] | None = None,
    why: Mapping[str, str] | None = None,
    headline: bool = False,
    speakers: Mapping[str, Builder] | None = None,
    **more: Builder,
) -> Workload:
    all_peers = {**peers, **more}
    if task.dtype == "uint8" and speakers is None:
        found = {peer: _SPEAKERS.get(builder) for peer, builder in all_peers.items()}
        speakers = {peer: builder for peer, builder in found.items() if builder is not None}
    as_they_do = {f"{AS}{peer}": builder for peer, builder in (speakers or {}).items()}
    reasons = {**_WHY_NOT, **(why or {})}
    return Workload(
        name,
        task,
        {OURS: ours.plan, **as_they_do, **(ours_too or {}), **all_peers},
        {library: reasons[library] for library in LIBRARIES if library not in all_peers},
        _tolerance(task),
        headline,
        # It repeats the edge under an antialiased filter, the others leave out what is outside.
        {"pyvips": 3} if task.antialias else {},
    )


def in_their_words(workload: Workload) -> list[Workload]:
    """Return a row for each dialect in a row: that dialect and its system alone, bit for bit."""
    rows = []
    for name, builder in workload.contestants.items():
        if name.startswith(AS):
            peer = name.removeprefix(AS)
            rows.append(
                Workload(
                    f"{workload.name}, as {peer}",
                    workload.task,
                    {OURS: builder, peer: workload.contestants[peer]},
                    {other: f"has other bytes than {peer}" for other in LIBRARIES if other != peer},
                    tolerance=0.0,
                )
            )
    return rows


def without(peers: Mapping[str, Builder], *names: str) -> dict[str, Builder]:
    """Return the peers but for some."""
    return {name: builder for name, builder in peers.items() if name not in names}


def _tolerance(task: Task) -> float:
    """Return by how much two right answers can differ.

    Picked samples not at all. uint8 by 2: some round once, some between their passes too, some
    truncate. Floats by the coordinate: the peers keep it in float32, whose spacing at the end of
    a long axis is a part of a sample; past one part in a thousand that is an error like another.
    """
    if task.mode == "nearest":
        return 0.0
    if task.dtype in ("uint8", "uint16"):
        return 2.0
    if task.dtype == "float16":
        return 2.0**-9
    return min(max(1e-5, max(task.lengths) * 2.0**-22), 1e-3)
