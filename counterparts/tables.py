"""The table as Markdown: who stands for whom, how close, and every deviation."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from counterparts import Counterpart, counterparts

__all__ = ["deviations", "page", "pinned", "replaced"]

_ROOT = Path(__file__).parent.parent
_REQUIREMENTS = ("tests/requirements.txt", "benchmarks/requirements.txt")
_COLUMNS = ("ours", "theirs", "package", "floats", "deviations")


def page(text: str) -> str:
    """Return the text of a page with its table and its list written anew."""
    return replaced(replaced(text, "counterparts", _table()), "deviations", _listed())


def replaced(text: str, name: str, table: str) -> str:
    """Return `text` with what lies between the markers called `name` replaced."""
    start, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    before, found, rest = text.partition(start)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise SystemExit(f"there must be a line {start} and, after it, a line {end}")
    return f"{before}{start}\n{table}\n{end}{after}"


def deviations(entry: Counterpart) -> list[dict[str, Any]]:
    """Return the entries of ``tests/deviations/dialects`` that are of a function."""
    return [each for each in _entries(entry.system) if each["function"] == entry.name]


@cache
def pinned() -> dict[str, str]:
    """Return the version of each package that the tests are run with."""
    lines = [
        line for name in _REQUIREMENTS for line in (_ROOT / name).read_text("utf-8").splitlines()
    ]
    found = (re.match(r"([\w-]+)==([\w.]+)", line) for line in lines)
    return {match[1]: match[2] for match in found if match}


@cache
def _entries(system: str) -> list[dict[str, Any]]:
    path = _ROOT / "tests" / "deviations" / "dialects" / f"{system}.toml"
    if not path.exists():
        return []
    entries: list[dict[str, Any]] = tomllib.loads(path.read_text("utf-8")).get("deviation", [])
    return entries


def _table() -> str:
    lines = [_line(_COLUMNS), _line(["---", "---", "---", "---", "--:"])]
    for entry in counterparts().values():
        count = len(deviations(entry))
        lines.append(
            _line(
                [
                    f"[`{entry.name}`]({entry.system}.md)",
                    f"`{entry.theirs}`",
                    f"{entry.package} {pinned()[entry.package]}",
                    _closeness(entry),
                    f"[{count}](#{_anchor(entry)})" if count else "none",
                ]
            )
        )
    return "\n".join(lines)


def _listed() -> str:
    lines = []
    for entry in counterparts().values():
        if found := deviations(entry):
            lines += [f"### {entry.name}", ""]
            lines += [f"- `{each['id']}` ({each['version']}): {each['reason']}" for each in found]
            lines.append("")
    return "\n".join(lines).rstrip()


def _closeness(entry: Counterpart) -> str:
    if entry.ulps == 0:
        return "same bits"
    return f"{entry.ulps:g} ulp"


def _anchor(entry: Counterpart) -> str:
    """Return the name that GitHub gives to a heading."""
    return entry.name.replace(".", "").lower()


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
