"""The examples of docs/openvino.md, docs/tpu_mlir.md and of the docstrings run as written."""

from __future__ import annotations

import doctest
from pathlib import Path
from types import ModuleType

import pytest

from ndresize.dialects import openvino, tpu_mlir

DOCS = Path(__file__).parents[1] / "docs"


@pytest.mark.parametrize("name", ["openvino.md", "tpu_mlir.md"])
def test_pages(name: str) -> None:
    failed, run = doctest.testfile(str(DOCS / name), module_relative=False)
    assert run > 3
    assert failed == 0


@pytest.mark.parametrize(("module", "function"), [(openvino, "interpolate"), (tpu_mlir, "resize")])
def test_docstrings(module: ModuleType, function: str) -> None:
    text = getattr(module, function).__doc__
    scope = dict(vars(module))
    parsed = doctest.DocTestParser().get_doctest(text, scope, function, None, 0)
    assert parsed.examples
    assert doctest.DocTestRunner().run(parsed).failed == 0
