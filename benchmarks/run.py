"""One workload, from the table to a row of results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from numpy.typing import DTypeLike, NDArray

from benchmarks.agreement import odd_ones_out
from benchmarks.contestant import Contestant
from benchmarks.peers import numpy
from benchmarks.results import Row
from benchmarks.task import Task, make_input
from benchmarks.timing import Timing, time_in_turns
from benchmarks.workloads import OURS, Workload

__all__ = ["COPY", "measure", "prepare", "prepare_all", "time_all"]

COPY = "copy"


def measure(workload: Workload, threads: int, seconds: float) -> Row:
    """Return the row of a workload: build all, check that they agree, time them in turns."""
    x = make_input(workload.task)
    ready, absent, wrong = prepare(workload, x, threads)
    timings = time_all(ready, workload.task.output_shape, x.dtype, seconds)
    copy = timings.pop(COPY)
    return Row(
        workload.name,
        threads,
        workload.headline,
        workload.tolerance,
        timings,
        wrong,
        absent,
        copy,
    )


def prepare(
    workload: Workload, x: NDArray[Any], threads: int
) -> tuple[dict[str, Contestant], dict[str, str], dict[str, str]]:
    """Return the contestants that ran, why others did not, and who computed something else."""
    ready, results, absent = prepare_all(
        {
            name: partial(builder, workload.task, x, threads)
            for name, builder in workload.contestants.items()
        }
    )
    parts = {name: _inner(workload.task, n) for name, n in workload.margins.items()}
    voiceless = [name for name in results if name.startswith(OURS) and name != OURS]
    wrong = odd_ones_out(results, workload.tolerance, parts, voiceless)
    return ready, {**workload.absent, **absent}, wrong


def prepare_all(
    builders: Mapping[str, Callable[[], Contestant]],
) -> tuple[dict[str, Contestant], dict[str, NDArray[Any]], dict[str, str]]:
    """Return the contestants that ran, what they computed, and why others did not run."""
    ready: dict[str, Contestant] = {}
    results: dict[str, NDArray[Any]] = {}
    absent: dict[str, str] = {}
    for name, build in builders.items():
        try:
            contestant = build()
            results[name] = contestant.read(contestant.call())
            ready[name] = contestant
        except ImportError as error:
            absent[name] = f"is not installed ({error.name})"
        except Exception as error:  # whatever its library raises
            if name == OURS:
                raise
            absent[name] = f"failed: {_first_line(error)}"
    return ready, results, absent


def time_all(
    ready: Mapping[str, Contestant], shape: tuple[int, ...], dtype: DTypeLike, seconds: float
) -> dict[str, Timing]:
    """Return the timings of all, and of a copy of as many bytes as the output has."""
    calls = {name: contestant.call for name, contestant in ready.items()}
    return time_in_turns({**calls, COPY: numpy.copy(shape, dtype)}, seconds, aside=COPY)


def _inner(task: Task, margin: int) -> tuple[slice, ...]:
    return tuple(
        slice(margin, -margin) if axis in task.axes else slice(None)
        for axis in range(len(task.shape))
    )


def _first_line(error: Exception) -> str:
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0][:200]
