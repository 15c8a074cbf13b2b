"""Results as text on a terminal and as Markdown."""

from __future__ import annotations

from collections.abc import Iterable

from benchmarks.results import Results, Row, geometric_mean
from benchmarks.workloads import OURS

__all__ = ["details", "duration", "heading", "markdown", "mean_line", "text_row"]


def duration(seconds: float) -> str:
    """Return a duration with three digits and a fitting unit."""
    for factor, unit in ((1e6, "µs"), (1e3, "ms")):
        value = seconds * factor
        if value < 999.5:
            return f"{value:.{2 if value < 9.995 else 1 if value < 99.95 else 0}f} {unit}"
    return f"{seconds:.2f} s"


def heading(results: Results) -> str:
    """Return machine and versions in two lines."""
    facts = ", ".join(f"{name} {what}" for name, what in results.machine.items())
    packages = ", ".join(f"{name} {what}" for name, what in results.versions.items())
    return f"{facts}\n{packages}"


def text_row(row: Row) -> str:
    """Return a row for the terminal: a line of times, a line per contestant that was wrong."""
    ratio = "   -  " if row.ratio is None else f"{row.ratio:5.2f}x"
    peers = [f"{name} {_time(row, seconds)}" for name, seconds in row.peers.items()]
    own = [
        f"{name} {duration(timing.median)}"
        for name, timing in row.timings.items()
        if name.startswith(OURS) and name != row.fastest_ours
    ]
    lines = [
        f"{ratio}  {duration(row.ours):>8}  {row.name}{_in_words(row)}",
        f"{'':18}{' · '.join([*peers, *own, f'copy {duration(row.copy.median)}'])}",
    ]
    lines += [
        f"{'':18}NOT THE SAME: {name} ({duration(row.timings[name].median)}) {how}"
        for name, how in row.wrong.items()
    ]
    lines += [
        f"{'':18}{name} {why}" for name, why in row.absent.items() if why.startswith("failed")
    ]
    return "\n".join(lines)


def mean_line(results: Results, threads: int) -> str:
    """Return a sentence with the geometric mean over all rows at a number of threads."""
    rows = [row for row in results.of(threads) if row.ratio is not None]
    mean = geometric_mean(rows)
    if mean is None:
        return f"No row with a peer on {_threads(threads)}."
    behind = sum(row.ratio is not None and row.ratio < 1 for row in rows)
    return (
        f"{_threads(threads).capitalize()}: the fastest peer takes {mean:.2f} times as long as "
        f"ndresize (geometric mean of {len(rows)} rows; it is faster in {behind})."
    )


def markdown(results: Results, *, headlines: bool = False) -> str:
    """Return a table of all rows, or of the headlines, with what it was measured on."""
    columns = ["workload"]
    for threads in results.threads:
        columns += [f"ndresize, {_threads(threads)}", "fastest peer", "times as long"]
    lines = [_line(columns), _line(["---"] + ["--:", "--:", "--:"] * len(results.threads))]
    for name in dict.fromkeys(row.name for row in results.rows):
        rows = [row for row in results.rows if row.name == name]
        if headlines and not any(row.headline for row in rows):
            continue
        cells = [name]
        for threads in results.threads:
            cells += _cells(next((row for row in rows if row.threads == threads), None))
        lines.append(_line(cells))
    means = [mean_line(results, threads) for threads in results.threads]
    machine = heading(results).replace("\n", "; ")
    return "\n".join([*lines, "", *means, "", f"Measured with {machine}."])


def details(results: Results) -> str:
    """Return, as Markdown, every peer's time per row and who computed something else."""
    lines = []
    for threads in results.threads:
        lines += [f"### {_threads(threads).capitalize()}", ""]
        peers = _names(results.of(threads))
        lines += [_line(["workload", *peers, "copy"]), _line(["---"] + ["--:"] * (len(peers) + 1))]
        for row in results.of(threads):
            times = [_detail(row, name) for name in peers]
            lines.append(_line([row.name, *times, duration(row.copy.median)]))
        lines.append("")
    wrong = {
        f"- {row.name}: {name} {how}" for row in results.rows for name, how in row.wrong.items()
    }
    if wrong:
        lines += ["Marked with *, as they computed something else:", "", *sorted(wrong)]
    return "\n".join(lines).rstrip()


def _names(rows: Iterable[Row]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row.timings))


def _detail(row: Row, name: str) -> str:
    if name not in row.timings:
        return ""
    return duration(row.timings[name].median) + ("*" if name in row.wrong else "")


def _cells(row: Row | None) -> list[str]:
    if row is None:
        return ["", "", ""]
    if row.ratio is None or row.fastest_peer is None:
        return [f"{duration(row.ours)}{_in_words(row)}", "none", ""]
    peer = f"{row.fastest_peer} {duration(row.peers[row.fastest_peer])}"
    return [f"{duration(row.ours)}{_in_words(row)}", peer, f"{row.ratio:.2f}"]


def _in_words(row: Row) -> str:
    """Return in whose words the fastest of ours was, where not in its own."""
    name = row.fastest_ours or OURS
    return "" if name == OURS else f" ({name.removeprefix(OURS).strip()})"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _time(row: Row, seconds: float) -> str:
    return f"{duration(seconds)} ({seconds / row.ours:.2f}x)"


def _threads(count: int) -> str:
    return "1 thread" if count == 1 else f"{count} threads"
