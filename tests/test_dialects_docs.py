"""docs/dialects.md says what the table of counterparts says."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from counterparts import __main__ as command
from counterparts import counterparts, tables

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "dialects.md"


def test_page_is_what_the_table_gives() -> None:
    text = PAGE.read_text("utf-8")
    assert text == tables.page(text), "run: python -m counterparts docs/dialects.md"


def test_every_function_has_a_row_and_a_pinned_version() -> None:
    text = PAGE.read_text("utf-8")
    for entry in counterparts().values():
        row = next(line for line in text.splitlines() if line.startswith(f"| [`{entry.name}`]"))
        assert f"`{entry.theirs}`" in row
        assert f"{entry.package} {tables.pinned()[entry.package]}" in row


def test_every_deviation_is_listed_under_a_function_of_the_table() -> None:
    text = PAGE.read_text("utf-8")
    for path in (ROOT / "tests" / "deviations" / "dialects").glob("*.toml"):
        for entry in tomllib.loads(path.read_text("utf-8"))["deviation"]:
            assert entry["function"] in counterparts(), f"{path.name}: {entry['id']}"
            section = text.partition(f"\n### {entry['function']}\n")[2].partition("\n### ")[0]
            assert f"- `{entry['id']}` ({entry['version']}): {entry['reason']}" in section


def test_command_rewrites_a_page_between_its_markers(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    names = ("counterparts", "deviations")
    filled = [f"<!-- {name} -->\nwhat was there\n<!-- /{name} -->\n" for name in names]
    path.write_text(f"before\n{''.join(filled)}after\n", "utf-8")
    command.main([str(path)])
    written = path.read_text("utf-8")
    assert written.startswith("before\n<!-- counterparts -->\n| ours |")
    assert written.endswith("<!-- /deviations -->\nafter\n")
    assert "what was there" not in written
    command.main([str(path)])
    assert path.read_text("utf-8") == written


def test_a_page_without_markers_is_refused() -> None:
    with pytest.raises(SystemExit, match="<!-- counterparts -->"):
        tables.page("no markers")
