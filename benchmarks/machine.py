"""What the numbers were measured on."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from pathlib import Path

__all__ = ["machine", "versions"]

_PACKAGES = (
    "ndresize",
    "numpy",
    "torch",
    "onnxruntime",
    "openvino",
    "opencv-python-headless",
    "opencv-python",
    "pillow",
    "cykooz-resizer",
    "pyvips",
    "pyvips-binary",
    "scipy",
    "scikit-image",
    "tensorflow-cpu",
    "jax",
)


def machine() -> dict[str, str]:
    """Return processor, its number of cores, system, Python and our instruction set."""
    from ndresize.engine.native import instruction_set

    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "ndresize kernels": instruction_set(),
    }


def versions() -> dict[str, str]:
    """Return the version of each package that is installed."""
    found = {}
    for name in _PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    facts: dict[str, str] = {}
    for line in lines:
        key, _, value = line.partition(":")
        facts.setdefault(key.strip(), value.strip())
    name = facts.get("model name", "unknown")
    if "family" not in name and "model" in facts:  # a virtual machine may hide the name's number
        name += f", family {facts.get('cpu family')} model {facts['model']}"
    return name
