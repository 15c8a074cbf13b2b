"""Write the table and the deviations into a page: ``python -m counterparts docs/dialects.md``."""

from __future__ import annotations

import argparse
from pathlib import Path

from counterparts import tables

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> None:
    """Rewrite what lies between a page's markers."""
    parser = argparse.ArgumentParser("python -m counterparts", description=__doc__)
    parser.add_argument("page", type=Path, help="Markdown with the markers")
    path = parser.parse_args(arguments).page
    path.write_text(tables.page(path.read_text("utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
