"""Write the tables of README.md and docs/benchmarks.md: ``python -m benchmarks.readme [JSON]``."""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks import tables
from benchmarks.results import Results, newest, read

__all__ = ["main", "replaced"]

START, END = "<!-- benchmarks -->", "<!-- /benchmarks -->"
_ROOT = Path(__file__).parent.parent


def main(arguments: list[str] | None = None) -> None:
    """Put the headlines into the README and all rows into the page."""
    parser = argparse.ArgumentParser("python -m benchmarks.readme", description=__doc__)
    parser.add_argument("json", type=Path, nargs="?", help="the newest results if not given")
    parser.add_argument("--readme", type=Path, default=_ROOT / "README.md")
    parser.add_argument("--page", type=Path, default=_ROOT / "docs" / "benchmarks.md")
    given = parser.parse_args(arguments)
    results = read(given.json or newest())
    _rewrite(given.readme, tables.markdown(results, headlines=True))
    _rewrite(given.page, _page(results))


def replaced(text: str, table: str) -> str:
    """Return `text` with what lies between the markers replaced."""
    before, found, rest = text.partition(START)
    _, closed, after = rest.partition(END)
    if not found or not closed:
        raise SystemExit(f"there must be a line {START} and, after it, a line {END}")
    return f"{before}{START}\n{table}\n{END}{after}"


def _page(results: Results) -> str:
    return f"{tables.markdown(results)}\n\n{tables.details(results)}"


def _rewrite(path: Path, table: str) -> None:
    text = path.read_text(encoding="utf-8")
    try:
        path.write_text(replaced(text, table), encoding="utf-8")
    except SystemExit as error:
        raise SystemExit(f"{path}: {error}") from None


if __name__ == "__main__":
    main()
