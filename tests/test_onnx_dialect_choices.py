"""docs/onnx.md: every choice is run on all three, and the page and the tests name the same ones."""

from __future__ import annotations

import doctest
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from oracle import ours, reference, runtime
from test_onnx_dialect_deviations import DEVIATIONS, call_of, check

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "onnx.md"
CHOICES: list[dict[str, Any]] = tomllib.loads(
    (HERE / "deviations" / "onnx_choices.toml").read_text()
)["choice"]


@pytest.mark.parametrize("choice", CHOICES, ids=[choice["id"] for choice in CHOICES])
def test_all_three_say_what_is_written(choice: dict[str, Any]) -> None:
    call = call_of(choice["call"])
    check(ours, call, choice["ours"])
    check(reference, call, choice["reference"])
    check(runtime, call, choice["runtime"])


def test_the_page_lists_exactly_these_choices_and_deviations() -> None:
    text = PAGE.read_text()
    # An id stands first in its table row, in code letters.
    listed = re.findall(r"^\| `([a-z0-9-]+)` \|", text, re.MULTILINE)
    entries = [choice["id"] for choice in CHOICES]
    for system in DEVIATIONS.values():
        entries += list(system)
    assert sorted(listed) == sorted(entries)


def test_the_examples_of_the_page_print_what_it_says() -> None:
    failed, run = doctest.testfile(str(PAGE), module_relative=False)
    assert run > 5
    assert failed == 0
