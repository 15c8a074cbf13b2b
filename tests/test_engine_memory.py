"""How much memory a resize takes, and arrays of more samples than 32 bits can count."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import ndresize

PEAK = """
import numpy as np, ndresize
def peak():
    with open("/proc/self/status") as status:
        (line,) = (line for line in status if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024
"""


def need_memory(size: int) -> None:
    """Skip the test where this machine has not so many bytes to spare."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        pytest.skip("this system does not tell how much memory is free")
    free = next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable")) * 1024
    if free < size:
        pytest.skip(f"needs {size >> 30} GB of free memory, this machine has {free / 2**30:.1f}")


def run_python(code: str) -> str:
    run = subprocess.run(
        [sys.executable, "-c", PEAK + textwrap.dedent(code)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_a_volume_of_2_gb_needs_input_output_and_64_mb() -> None:
    need_memory(8 << 30)
    printed = run_python("""
        x = np.empty((512, 1024, 1024), np.float32)
        x.reshape(-1)[::1024] = 1  # every page is there
        sizes = (256, 512, 512)
        before = peak()
        y = ndresize.resize(x, sizes=sizes, mode="linear", antialias=True)
        print(before - x.nbytes, peak() - before - y.nbytes)
    """)
    python, scratch = map(int, printed.split())
    assert python < 256 << 20  # the input has been counted
    assert scratch < 64 << 20


def test_fixed_point_takes_a_few_rows() -> None:
    printed = run_python("""
        x = np.full((9000, 9000, 3), 255, np.uint8)
        from ndresize.dialects import pillow
        before = peak()
        y = pillow.resize(x, (4500, 4500))
        print(peak() - before - y.nbytes)
    """)
    assert int(printed) < 64 << 20


def test_a_copy_of_the_input_would_be_seen() -> None:
    printed = run_python("""
        x = np.ones((64, 1024, 1024), np.float32)
        before = peak()
        y = ndresize.resize(x.copy(), sizes=(32, 512, 512), mode="linear")
        print(peak() - before - y.nbytes)
    """)
    assert int(printed) > 64 << 20


@pytest.mark.parametrize("mode", ["nearest", "linear"])
def test_more_samples_than_32_bits_count(mode: str) -> None:
    shape, sizes = (3, 28_000, 28_000), (3, 280, 280)
    need_memory(4 << 30)
    x = np.empty(shape, np.uint8)
    assert x.size > 2**31
    x[...] = np.arange(28_000, dtype=np.int64).astype(np.uint8)[:, None]
    x[2, :, 14_000:] = 7  # beyond 2**31 samples
    plan = ndresize.resize.plan(shape, np.uint8, sizes=sizes, mode=mode)

    y = plan(x)

    for channel, row, column in [
        (0, 0, 0),
        (1, 77, 100),
        (2, 279, 3),
        (2, 250, 200),
        (2, 279, 279),
    ]:
        (window, need) = plan.crop(
            (slice(channel, channel + 1), slice(row, row + 1), slice(column, column + 1))
        )
        assert y[channel, row, column] == window(x[need].copy()).item()
    # Linear reads samples 100 * i + 49 and 50 and nearest 100 * i + 49, of a ramp that wraps.
    first = (100 * np.arange(280) + 49) % 256
    second = (first + 1) % 256
    means = first if mode == "nearest" else np.rint((first + second) / 2)
    np.testing.assert_array_equal(y[0], np.broadcast_to(means[:, None], (280, 280)))
    np.testing.assert_array_equal(y[2, :, :139], np.broadcast_to(means[:, None], (280, 139)))
    assert (y[2, :, 141:] == 7).all()


@pytest.mark.parametrize("mode", ["nearest", "linear"])
def test_an_axis_longer_than_32_bits_count(mode: str) -> None:
    n = 2**31 + 1024
    need_memory(4 << 30)
    x = np.zeros(n, np.uint8)
    x[-1024:] = 200
    x[-1] = 100
    y = ndresize.resize(x, sizes=[n // 512], mode=mode)
    assert y[-3:].tolist() == [0, 200, 200]
    assert y[:100].tolist() == [0] * 100
