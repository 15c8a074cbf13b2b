"""Python in a process of its own, in which another instruction set can be chosen."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path


def run_python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run code that may import the tests beside this file, with variables of its own."""
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
        cwd=Path(__file__).parent,
        timeout=300,
    )


def available_sets() -> list[str]:
    """Return the instruction sets that the processor has, the best one first."""
    code = "from ndresize.engine import native; native.instruction_set()"
    message = run_python(code, NDRESIZE_ISA="none").stderr.strip().splitlines()[-1]
    assert "NDRESIZE_ISA must be one of" in message
    return message.split("one of ")[1].split(" on ")[0].split(", ")
