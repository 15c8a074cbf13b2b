"""Write the tables of README.md and docs/benchmarks.md: ``python -m benchmarks.readme [JSON]``."""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks import tables
from benchmarks.results import DIALECTS, Results, newest, read
from counterparts import tables as markers

__all__ = ["main"]

_ROOT = Path(__file__).parent.parent


def main(arguments: list[str] | None = None) -> None:
    """Put the headlines into the README, all rows and those of the dialects into the page."""
    parser = argparse.ArgumentParser("python -m benchmarks.readme", description=__doc__)
    parser.add_argument("json", type=Path, nargs="?", help="the newest results if not given")
    parser.add_argument("--readme", type=Path, default=_ROOT / "README.md")
    parser.add_argument("--page", type=Path, default=_ROOT / "docs" / "benchmarks.md")
    parser.add_argument(
        "--dialects", type=Path, metavar="JSON", help="the newest if not given; none: not written"
    )
    given = parser.parse_args(arguments)
    results = read(given.json or newest())
    _rewrite(given.readme, tables.markdown(results, headlines=True))
    _rewrite(given.page, _page(results))
    if given.dialects or any(DIALECTS.glob("*.json")):
        compared = read(given.dialects or newest(DIALECTS))
        _rewrite(given.page, tables.markdown(compared), "dialects")


def _page(results: Results) -> str:
    return f"{tables.markdown(results)}\n\n{tables.details(results)}"


def _rewrite(path: Path, table: str, name: str = "benchmarks") -> None:
    text = path.read_text(encoding="utf-8")
    try:
        path.write_text(markers.replaced(text, name, table), encoding="utf-8")
    except SystemExit as error:
        raise SystemExit(f"{path}: {error}") from None


if __name__ == "__main__":
    main()
