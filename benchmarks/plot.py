"""Results as a picture: a bar per workload."""

from __future__ import annotations

from pathlib import Path

from benchmarks.results import Results

__all__ = ["plot"]

_COLOURS = ("#3b6ea8", "#e08e45", "#6a9f58", "#a05195")


def plot(results: Results, path: Path) -> None:
    """Write a picture of the rows' ratios, on a logarithmic scale; needs matplotlib."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import LogLocator, NullFormatter

    names = list(dict.fromkeys(row.name for row in results.rows))[::-1]
    figure = Figure(figsize=(11, 1.2 + 0.3 * len(names)), layout="constrained")
    axes = figure.add_subplot()
    thick = 0.8 / max(len(results.threads), 1)
    for number, threads in enumerate(results.threads):
        rows = [row for row in results.of(threads) if row.ratio is not None]
        # Top to bottom in the order of the threads, and around the workload's own height.
        middle = (len(results.threads) - 1) / 2
        heights = [names.index(row.name) + (middle - number) * thick for row in rows]
        # Bars begin at 1, so that their length is the distance from equal.
        bars = axes.barh(
            heights,
            [(row.ratio or 1) - 1 for row in rows],
            thick,
            left=1,
            color=_COLOURS[number % len(_COLOURS)],
            label="1 thread" if threads == 1 else f"{threads} threads",
        )
        labels = [f"{row.ratio:.2f} {row.fastest_peer}" for row in rows]
        axes.bar_label(bars, labels, padding=3, fontsize=6)
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_yticks(range(len(names)), names, fontsize=7)
    axes.set_ylim(-0.6, len(names) - 0.4)
    axes.set_xlabel("time of the fastest peer / time of ndresize (right of 1: ndresize is faster)")
    axes.margins(x=0.15)
    axes.legend(loc="lower right")
    figure.savefig(path, dpi=130)
