"""Picks whose rows go to memory past the caches, to all places that equal them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ndresize import Arithmetic, AxisOperator, Pass, Plan
from other_process import available_sets, run_python

# Each output has 8 MB and more, from which on it is streamed. Rows of the first are whole lines of
# the cache, and its planes repeat.
VOLUMES: list[tuple[str, tuple[int, ...], tuple[int, ...]]] = [
    ("uint8", (9, 256, 512), (129, 256, 256)),
    ("uint8", (40, 70, 200), (40, 500, 448)),
    ("uint8", (3, 700, 401), (9, 1001, 997)),  # rows that end within a line
    ("float32", (16, 65, 64), (32, 512, 128)),
    ("float64", (2, 3, 70, 50), (4, 9, 256, 128)),
    ("uint16", (5, 600, 700), (5, 1000, 900)),
    ("uint16", (600, 33, 256), (900, 33, 256)),  # the rows stay
    ("uint8", (900, 3000), (2700, 3200)),
]


def large_picks_are_those_of_numpy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for dtype, shape, out in VOLUMES:
        kind = np.dtype(dtype)
        x = rng.integers(0, 255, shape).astype(kind)
        expected: np.ndarray[Any, Any] = x
        passes = []
        for axis in reversed(range(len(shape))):
            n_in, n_out = shape[axis], out[axis]
            if n_in == n_out:
                continue
            index = np.arange(n_out) * n_in // n_out
            passes.append(Pass.of(axis, AxisOperator.select(index, n_in), Arithmetic("float32")))
            expected = expected.take(index, axis)
        assert expected.nbytes >= 8 << 20
        plan = Plan(shape, kind, tuple(passes), out, kind)
        assert plan.is_selection
        for lead in (0, 16, 64 - kind.itemsize):
            memory = np.zeros(expected.nbytes + 192, np.uint8)
            begin = -memory.ctypes.data % 64 + lead
            end = begin + expected.nbytes
            y = memory[begin:end].view(dtype).reshape(out)
            plan(x, out=y, threads=1 + lead % 3)
            np.testing.assert_array_equal(y, expected, err_msg=f"{dtype} {shape} {out} {lead}")
            assert not memory[:begin].any()
            assert not memory[end:].any()


@pytest.mark.parametrize("instruction_set", available_sets())
def test_large_picks_are_those_of_numpy(instruction_set: str) -> None:
    code = "from test_picks import large_picks_are_those_of_numpy as check; check(7)"
    run = run_python(code, NDRESIZE_ISA=instruction_set)
    assert run.returncode == 0, run.stderr
