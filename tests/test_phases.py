"""Rows that are made twice as long: sums whose weights repeat after two outputs."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import ndresize
from ndresize import Arithmetic, Pass, Plan
from ndresize.dialects import opencv
from ndresize.engine import portable
from ndresize.products import TREES, Products
from other_process import available_sets, run_python

# Lengths at which vectors of 4, 8 and 16 lanes begin to fit, and one that is cut into pieces.
LENGTHS = [2, 3, 5, 8, 17, 24, 31, 32, 33, 43, 64, 86, 128, 129, 130, 131, 3001]
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


def plan_of_products(rng: np.random.Generator, n: int, channels: int) -> Plan:
    """Return a plan that doubles rows by four products, added in an order of their own."""
    output = np.arange(2 * n)[:, None]
    index = np.clip(output // 2 + output % 2 + np.arange(-2, 2), 0, n - 1)
    weights = np.tile(rng.uniform(-0.5, 1, (2, 4)), (n, 1)).astype(np.float32)
    products = Products(index, weights, int(rng.integers(len(TREES))), n)
    kind = np.dtype("uint8")
    step = Pass.of_products(1, products)
    return Plan((3, n, channels), kind, (step,), (3, 2 * n, channels), kind)


def doubled_rows_are_the_portable_ones(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for n, channels, dtype in itertools.product(LENGTHS, range(1, 6), ("float32", "uint8")):
        made = plans(n, channels, dtype)
        if dtype == "uint8":
            made.append(plan_of_products(rng, n, channels))
        for plan in made:
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
