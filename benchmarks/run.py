"""One workload, from the table to a row of results."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from benchmarks.agreement import odd_ones_out
from benchmarks.contestant import Builder, Contestant
from benchmarks.peers import numpy
from benchmarks.results import Row
from benchmarks.task import Task, make_input
from benchmarks.timing import time_in_turns
from benchmarks.workloads import OURS, Workload

__all__ = ["measure", "prepare"]

_COPY = "copy"


def measure(workload: Workload, threads: int, seconds: float) -> Row:
    """Return the row of a workload: build all, check that they agree, time them in turns."""
    x = make_input(workload.task)
    ready, absent, wrong = prepare(workload, x, threads)
    calls = {name: contestant.call for name, contestant in ready.items()}
    calls[_COPY] = numpy.copy(workload.task, x, threads).call
    timings = time_in_turns(calls, seconds)
    copy = timings.pop(_COPY)
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
    absent = dict(workload.absent)
    ready: dict[str, Contestant] = {}
    results: dict[str, NDArray[Any]] = {}
    for name, builder in workload.contestants.items():
        try:
            ready[name], results[name] = _try(builder, workload.task, x, threads)
        except ImportError as error:
            absent[name] = f"is not installed ({error.name})"
        except Exception as error:  # whatever its library raises
            if name == OURS:
                raise
            absent[name] = f"failed: {_first_line(error)}"
    parts = {name: _inner(workload.task, n) for name, n in workload.margins.items()}
    return ready, absent, odd_ones_out(results, workload.tolerance, parts)


def _try(
    builder: Builder, task: Task, x: NDArray[Any], threads: int
) -> tuple[Contestant, NDArray[Any]]:
    contestant = builder(task, x, threads)
    return contestant, contestant.read(contestant.call())


def _inner(task: Task, margin: int) -> tuple[slice, ...]:
    return tuple(
        slice(margin, -margin) if axis in task.axes else slice(None)
        for axis in range(len(task.shape))
    )


def _first_line(error: Exception) -> str:
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0][:200]
