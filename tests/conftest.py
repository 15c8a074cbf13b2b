"""What every test run is told: how many random calls, and whom the library is held against."""

from __future__ import annotations

import importlib.metadata
import os
import platform

from hypothesis import HealthCheck, settings

# The same calls every time, so that a red run is the change's fault. More and other ones:
# NDRESIZE_EXAMPLES=5000 pytest tests/test_onnx_dialect_random.py
_examples = int(os.environ.get("NDRESIZE_EXAMPLES", "0"))
settings.register_profile(
    "ndresize",
    max_examples=_examples or 100,
    derandomize=True,
    database=None,
    deadline=None,  # the machines that run this are shared
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("ndresize")

_PEERS = (
    "numpy",
    "ml_dtypes",
    "onnx",
    "onnxruntime",
    "openvino",
    "torch",
    "jax",
    "array-api-strict",
    "array-api-compat",
    "opencv-python-headless",
    "pillow",
    "scipy",
    "scikit-image",
    "tensorflow-cpu",
    "hypothesis",
)


def pytest_report_header() -> list[str]:
    """Name the versions of all systems, and the compiled engine's instruction set."""
    from ndresize.engine import native

    def version(name: str) -> str:
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            return "missing"

    peers = ", ".join(f"{name} {version(name)}" for name in _PEERS)
    return [f"held against: {peers}", f"on: {platform.machine()}, {native.instruction_set()}"]
