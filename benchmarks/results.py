"""What was measured: rows, their ratios, and the JSON that keeps them."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.timing import Timing
from benchmarks.workloads import AS, OURS

__all__ = ["Results", "Row", "geometric_mean", "newest", "read", "write"]

FOLDER = Path(__file__).parent / "results"
DIALECTS = FOLDER / "dialects"


@dataclass(frozen=True)
class Row:
    """One workload at one number of threads.

    Parameters
    ----------
    name, threads, headline, tolerance
        As in the workload.
    timings : dict from contestant to Timing
        Of all that ran, right or wrong.
    wrong : dict from contestant to str
        Who computed something else, and what. They are not counted as peers.
    absent : dict from library to str
        Who is not in the row, and why.
    copy : Timing
        Of a plain copy of the output's bytes, in one thread.
    """

    name: str
    threads: int
    headline: bool
    tolerance: float
    timings: dict[str, Timing]
    wrong: dict[str, str]
    absent: dict[str, str]
    copy: Timing

    @property
    def ours(self) -> float:
        """Seconds that a call of the fastest of ours takes."""
        return self.timings[self.fastest_ours or OURS].median

    @property
    def fastest_ours(self) -> str | None:
        """The fastest of our plans that computed the same: in ONNX's words or in a peer's."""
        right = {
            name: timing.median
            for name, timing in self.timings.items()
            if (name == OURS or name.startswith(AS)) and name not in self.wrong
        }
        return min(right, key=right.__getitem__, default=None)

    @property
    def peers(self) -> dict[str, float]:
        """Seconds per call of each peer that computed the same, fastest first."""
        right = {
            name: timing.median
            for name, timing in self.timings.items()
            if not name.startswith(OURS) and name not in self.wrong
        }
        return dict(sorted(right.items(), key=lambda item: item[1]))

    @property
    def fastest_peer(self) -> str | None:
        """The fastest that computed the same."""
        return next(iter(self.peers), None)

    @property
    def ratio(self) -> float | None:
        """Time of the fastest peer over the fastest of ours; None if either is missing."""
        if self.fastest_peer is None or self.fastest_ours is None:
            return None
        return self.peers[self.fastest_peer] / self.ours


@dataclass(frozen=True)
class Results:
    """A run: where, with what, and its rows."""

    machine: dict[str, str]
    versions: dict[str, str]
    rows: list[Row] = field(default_factory=list)

    @property
    def threads(self) -> list[int]:
        """The numbers of threads that were used."""
        return sorted({row.threads for row in self.rows})

    def of(self, threads: int) -> list[Row]:
        """Return the rows at a number of threads."""
        return [row for row in self.rows if row.threads == threads]


def geometric_mean(rows: Iterable[Row]) -> float | None:
    """Return the geometric mean of the rows' ratios."""
    logs = [math.log(row.ratio) for row in rows if row.ratio is not None]
    return math.exp(sum(logs) / len(logs)) if logs else None


def write(results: Results, path: Path) -> None:
    """Write results as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = dataclasses.asdict(results)
    for row, kept in zip(results.rows, data["rows"], strict=True):
        kept |= {"fastest_ours": row.fastest_ours, "ratio": row.ratio}
    data["geometric_mean"] = {str(n): geometric_mean(results.of(n)) for n in results.threads}
    path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


def read(path: Path) -> Results:
    """Read results from JSON."""
    data = json.loads(path.read_text(encoding="utf-8"))
    return Results(data["machine"], data["versions"], [_row(row) for row in data["rows"]])


def newest(folder: Path = FOLDER) -> Path:
    """Return the newest file of a folder of results."""
    files = sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime)
    if not files:
        raise SystemExit(f"no results in {folder}; run python -m benchmarks first")
    return files[-1]


def _row(kept: dict[str, Any]) -> Row:
    """Return the row that was kept, without what follows from its timings."""
    words = {each.name: kept[each.name] for each in dataclasses.fields(Row)}
    words["timings"] = {name: Timing(**timing) for name, timing in kept["timings"].items()}
    words["copy"] = Timing(**kept["copy"])
    return Row(**words)
