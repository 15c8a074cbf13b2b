"""How much memory a resize takes, and arrays of more samples than 32 bits can count."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import ml_dtypes
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


def large_result(value: float) -> np.ndarray:
    """Return more than 16 MB of one value."""
    x = np.full((1025, 2048), value, np.float32)
    return ndresize.resize(x, sizes=(2050, 2048), mode="linear")


def test_memory_of_a_large_result_serves_the_next() -> None:
    first = large_result(1.0)
    place = first.ctypes.data
    del first
    assert large_result(2.0).ctypes.data == place


def test_large_results_that_are_kept_have_memory_of_their_own() -> None:
    kept = [large_result(float(value)) for value in range(8)]
    del kept[::2]
    kept += [large_result(float(value)) for value in (10, 11, 12)]
    assert [float(y[0, 0]) for y in kept] == [1, 3, 5, 7, 10, 11, 12]
    assert all((y == y[0, 0]).all() for y in kept)


def test_a_part_of_a_large_result_keeps_its_memory() -> None:
    part = large_result(3.0)[-1, -5:]
    for value in (4.0, 5.0):
        large_result(value)
    assert part.tolist() == [3.0] * 5


def test_no_more_than_128_mb_are_kept() -> None:
    printed = run_python("""
        def resident():
            with open("/proc/self/statm") as statm:
                return int(statm.read().split()[1]) * 4096
        def results(count, samples):
            x = np.ones((samples >> 11, 1024), np.float32)
            return [ndresize.resize(x, sizes=(samples >> 11, 2048), mode="linear")
                    for _ in range(count)]
        results(1, 1 << 12)
        before = resident()
        results(3, 1 << 26)
        after_large = resident() - before
        results(12, 1 << 23)
        print(after_large, resident() - before)
    """)
    after_large, after_many = map(int, printed.split())
    assert after_large < 48 << 20  # one of 256 MB is not kept
    assert 64 << 20 < after_many < 160 << 20


def test_large_results_from_many_threads() -> None:
    def check(value: int) -> bool:
        y = large_result(float(value))
        again = large_result(float(value + 100))
        return bool((y == value).all() and (again == value + 100).all())

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(check, range(24)))


@pytest.mark.parametrize("kind", ["complex64", "float16", "uint8", "bfloat16"])
def test_large_results_of_every_type(kind: str) -> None:
    dtype = np.dtype(ml_dtypes.bfloat16 if kind == "bfloat16" else kind)
    rows = (17 << 20) // dtype.itemsize // 2048
    x = (np.arange(rows * 1024) % 50).reshape(rows, 1024).astype(dtype)
    y = ndresize.resize(x, sizes=(rows, 2048), mode="linear")
    assert y.dtype == dtype
    for part in (slice(0, 3), slice(rows - 3, rows)):
        little = ndresize.resize(x[part].copy(), sizes=(3, 2048), mode="linear")
        assert y[part].tobytes() == little.tobytes()
    channels_last = np.moveaxis(np.ones((2, 2 << 20, 3), dtype), 2, 0)
    z = ndresize.resize(channels_last, sizes=(3, 4, 2 << 20), mode="nearest")
    assert z.strides[0] == dtype.itemsize
    assert (z == 1).all()
