"""What an import brings in: NumPy and the standard library, nothing else."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import ndresize

DIALECTS = sorted(
    path.stem
    for path in (Path(ndresize.__file__).parent / "dialects").glob("*.py")
    if not path.stem.startswith("_")
)

CODE = """
    import importlib, sys
    import numpy
    before = set(sys.modules)
    importlib.import_module({module!r})
    names = {{name.partition(".")[0] for name in set(sys.modules) - before}}
    print(*sorted(names - set(sys.stdlib_module_names) - {{"ndresize", "numpy"}}))
"""


def imported_by(module: str) -> str:
    """Return the foreign top-level modules that importing `module` loads."""
    run = subprocess.run(
        # -I: no user site, no PYTHONPATH of whoever runs this. An editable install stays.
        [sys.executable, "-I", "-c", textwrap.dedent(CODE).format(module=module)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


def test_the_public_face() -> None:
    assert imported_by("ndresize") == ""


@pytest.mark.parametrize("name", DIALECTS)
def test_each_dialect(name: str) -> None:
    assert imported_by(f"ndresize.dialects.{name}") == ""


def test_what_this_test_would_see() -> None:
    assert "hypothesis" in imported_by("hypothesis").split()


RUN = """
    import sys

    class Refuse:
        def find_spec(self, name, path=None, target=None):
            if name.partition(".")[0] in {foreign!r}:
                raise ImportError(f"{{name}} is not there")

    sys.meta_path.insert(0, Refuse())
    import numpy as np
    import ndresize
    from ndresize.dialects import onnx
    print(ndresize.resize(np.arange(4.0), sizes=[2], mode="linear").tolist())
    print(onnx.resize(np.arange(4), scales=[0.5]).tolist())
"""


def test_works_where_nothing_else_is_installed() -> None:
    foreign = {"onnx", "onnxruntime", "torch", "jax", "ml_dtypes", "array_api_compat", "cv2", "PIL"}
    foreign |= {"typer", "rich", "scipy", "openvino"}
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(RUN).format(foreign=foreign)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.split("\n")[:2] == ["[0.5, 2.5]", "[0, 2]"]
