"""What was measured: rows, their ratios, and the JSON that keeps them."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.timing import Timing
from benchmarks.workloads import OURS

__all__ = ["Results", "Row", "geometric_mean", "newest", "read", "write"]

FOLDER = Path(__file__).parent / "results"


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
        """Seconds that a call of our built plan takes."""
        return self.timings[OURS].median

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
        """Time of the fastest peer over ours; None without a peer, or if ours is wrong."""
        if self.fastest_peer is None or OURS in self.wrong:
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
    data["geometric_mean"] = {str(n): geometric_mean(results.of(n)) for n in results.threads}
    path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


def read(path: Path) -> Results:
    """Read results from JSON."""
    data = json.loads(path.read_text(encoding="utf-8"))
    rows = [
        Row(
            **{
                **row,
                "timings": {name: Timing(**timing) for name, timing in row["timings"].items()},
                "copy": Timing(**row["copy"]),
            }
        )
        for row in data["rows"]
    ]
    return Results(data["machine"], data["versions"], rows)


def newest() -> Path:
    """Return the newest file of the results folder."""
    files = sorted(FOLDER.glob("*.json"), key=lambda path: path.stat().st_mtime)
    if not files:
        raise SystemExit(f"no results in {FOLDER}; run python -m benchmarks first")
    return files[-1]
