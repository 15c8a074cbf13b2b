"""The command: ``python -m benchmarks --help``."""

from __future__ import annotations

import argparse
import fnmatch
import time
from pathlib import Path

from benchmarks import tables
from benchmarks.machine import machine, versions
from benchmarks.results import FOLDER, Results, write
from benchmarks.run import measure
from benchmarks.workloads import Workload, table

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> None:
    """Run the table and write what came out."""
    given = _parser().parse_args(arguments)
    chosen = [workload for workload in table() if _matches(workload.name, given.only)]
    if given.list:
        for workload in chosen:
            _describe(workload)
        return
    if not chosen:
        raise SystemExit(f"no workload's name has {given.only!r} in it; see --list")
    seconds = 0.02 if given.quick else given.seconds
    results = Results(machine(), versions())
    print(tables.heading(results))
    for threads in given.threads:
        print(f"\nthreads: {threads}\n ratio  ndresize", flush=True)
        for workload in chosen:
            row = measure(workload, threads, seconds)
            results.rows.append(row)
            print(tables.text_row(row), flush=True)
        print(tables.mean_line(results, threads))
    path = given.json or FOLDER / time.strftime("%Y-%m-%d-%H%M%S.json")
    write(results, path)
    print(f"\nwritten: {path}")
    if given.markdown:
        given.markdown.write_text(tables.markdown(results) + "\n", encoding="utf-8")
        print(f"written: {given.markdown}")
    if given.plot:
        from benchmarks.plot import plot

        plot(results, given.plot)
        print(f"written: {given.plot}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m benchmarks",
        description="Time ndresize beside other libraries, in one process and in turns.",
    )
    parser.add_argument("--only", metavar="PATTERN", default="", help="part of the name, or a glob")
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
