"""Rows that are made twice as long: sums whose weights repeat after two outputs."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import ndresize
from ndresize import Arithmetic, Plan
from ndresize.dialects import opencv
from ndresize.engine import portable
from other_process import available_sets, run_python

# Lengths at which vectors of 4, 8 and 16 lanes begin to fit, and one that is cut into pieces.
LENGTHS = [*range(2, 44), 64, 86, *range(127, 138), 3001]
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("linear", {}),
    ("cubic", {}),
    ("cubic", {"cubic_coeff_a": -0.5, "coordinate_transformation_mode": "asymmetric"}),
    ("linear", {"coordinate_transformation_mode": "pytorch_half_pixel"}),
]


def plans(n: int, channels: int, dtype: str) -> list[Plan]:
    """Return plans that double rows of so many pixels: of chains, of lerps and of products."""
    kind = np.dtype(dtype)
    shape = (3, n, channels)
    made = [
        ndresize.resize.plan(shape, kind, sizes=(2 * n,), axes=(1,), mode=mode, **words)
        for mode, words in CALLS
    ]
    lerps = [
        replace(made[0], passes=tuple(replace(step, arithmetic=how) for step in made[0].passes))
        for how in (Arithmetic("float32", sums="lerp", fused=fused) for fused in (True, False))
    ]
    return (
        made
        + lerps
        + [
            opencv.resize.plan(shape, kind, (2 * n, height), interpolation=interpolation)
            for interpolation in (1, 2)  # linear, cubic
            for height in (3, 6)
        ]
    )


def doubled_rows_are_the_portable_ones(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for n, channels, dtype in itertools.product(LENGTHS, range(1, 6), ("float32", "uint8")):
        for plan in plans(n, channels, dtype):
            x = rng.integers(0, 256, plan.input_shape).astype(dtype)
            if dtype == "float32" and rng.random() < 0.3:
                x.flat[rng.integers(0, x.size, 3)] = [np.nan, np.inf, -np.inf]
            expected = portable.run(plan, x)
            np.testing.assert_array_equal(plan(x), expected, err_msg=f"{plan!r} {x.dtype} {n}")


@pytest.mark.parametrize("instruction_set", available_sets())
def test_doubled_rows_are_the_portable_ones(instruction_set: str) -> None:
    code = "from test_phases import doubled_rows_are_the_portable_ones as check; check(11)"
    run = run_python(code, NDRESIZE_ISA=instruction_set)
    assert run.returncode == 0, run.stderr
