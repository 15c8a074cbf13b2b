"""The command: ``python -m benchmarks --help``."""

from __future__ import annotations

import argparse
import fnmatch
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks import tables
from benchmarks.machine import machine, versions
from benchmarks.results import DIALECTS, FOLDER, Results, Row, read, write
from benchmarks.run import measure
from benchmarks.workloads import Workload, table

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> None:
    """Run the table and write what came out."""
    given = _parser().parse_args(arguments)
    if given.list and not given.dialects:
        for workload in table():
            if _matches(workload.name, given.only):
                _describe(workload)
        return
    rows = _dialects(given.only) if given.dialects else _table(given.only)
    if not rows:
        raise SystemExit(f"no workload's name has {given.only!r} in it; see --list")
    if given.list:
        print(*rows, sep="\n")
        return
    if given.dialects and len(given.threads) > 1:
        results = _in_processes(given)
    else:
        results = _run(rows, given.threads, 0.02 if given.quick else given.seconds)
    folder = DIALECTS if given.dialects else FOLDER
    path = given.json or folder / time.strftime("%Y-%m-%d-%H%M%S.json")
    write(results, path)
    print(f"\nwritten: {path}")
    if given.markdown:
        given.markdown.write_text(tables.markdown(results) + "\n", encoding="utf-8")
        print(f"written: {given.markdown}")
    if given.plot:
        from benchmarks.plot import plot

        plot(results, given.plot)
        print(f"written: {given.plot}")


Measure = Callable[[int, float], Row]
"""From a number of threads, and the seconds for each contestant, to a row."""


def _table(pattern: str) -> dict[str, Measure]:
    chosen = [workload for workload in table() if _matches(workload.name, pattern)]
    return {workload.name: partial(measure, workload) for workload in chosen}


def _dialects(pattern: str) -> dict[str, Measure]:
    from benchmarks import dialects

    chosen = [each for each in dialects.comparisons() if _matches(each.name, pattern)]
    return {each.name: partial(dialects.measure, each) for each in chosen}


def _run(rows: dict[str, Measure], counts: list[int], seconds: float) -> Results:
    results = Results(machine(), versions())
    print(tables.heading(results))
    for threads in counts:
        print(f"\nthreads: {threads}\n ratio  ndresize", flush=True)
        for measured in rows.values():
            row = measured(threads, seconds)
            results.rows.append(row)
            print(tables.text_row(row), flush=True)
        print(tables.mean_line(results, threads), flush=True)
    return results


def _in_processes(given: argparse.Namespace) -> Results:
    """Run each number of threads in a process of its own: some set theirs when they start."""
    results = Results(machine(), versions())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.json"
        for threads in given.threads:
            words = ["--only", given.only, "--threads", str(threads), "--json", str(path)]
            words += ["--quick"] if given.quick else ["--seconds", str(given.seconds)]
            command = [sys.executable, "-m", "benchmarks", "--dialects", *words]
            subprocess.run(command, check=True)
            results.rows.extend(read(path).rows)
    return results


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m benchmarks",
        description="Time ndresize beside other libraries, in one process and in turns.",
    )
    parser.add_argument("--only", metavar="PATTERN", default="", help="part of the name, or a glob")
    parser.add_argument(
        "--dialects", action="store_true", help="each dialect beside its system, not the table"
    )
    parser.add_argument("--list", action="store_true", help="the table; nothing is run")
    parser.add_argument("--quick", action="store_true", help="few samples: does it run at all")
    parser.add_argument(
        "--threads", type=_threads, default=[1, 2], help="such as 1,2 (the default)"
    )
    parser.add_argument(
        "--seconds", type=float, default=0.1, help="for each contestant of each row, 0.1 by default"
    )
    parser.add_argument("--json", type=Path, metavar="PATH", help="in place of benchmarks/results/")
    parser.add_argument("--markdown", type=Path, metavar="PATH", help="a table besides")
    parser.add_argument("--plot", type=Path, metavar="PATH", help="a picture besides (matplotlib)")
    return parser


def _threads(text: str) -> list[int]:
    counts = [int(part) for part in text.split(",")]
    if min(counts) < 1:
        raise argparse.ArgumentTypeError(f"threads must be at least 1, got {text}")
    return counts


def _matches(name: str, pattern: str) -> bool:
    return pattern.lower() in name.lower() or fnmatch.fnmatch(name.lower(), pattern.lower())


def _describe(workload: Workload) -> None:
    print(workload.name)
    print(f"    {', '.join(workload.contestants)}; within {workload.tolerance:.2g}")
    for library, why in workload.absent.items():
        print(f"    without {library}: {why}")


if __name__ == "__main__":
    main()
