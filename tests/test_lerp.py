"""Sums of two samples as ``a + (b - a) * w``."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ndresize.axis import AxisOperator
from ndresize.engine import native, portable
from ndresize.plan import Arithmetic, Plan, make_plan

TYPES = ["float32", "float64", "float16", "uint8", "int16", "uint16", "int32", "complex64"]
LONGEST = (1500, 90, 30, 12)  # by rank


def between(n_in: int, at: np.ndarray[Any, Any]) -> AxisOperator:
    """Return the operator of the two samples around each place, at the end the last one alone."""
    at = np.clip(at, 0, n_in - 1)
    below = np.floor(at).astype(np.int64)
    w = (at - below).astype(np.float32).astype(np.float64)
    return AxisOperator(below, np.stack([1 - w, w], axis=1), n_in)


def random_operator(rng: np.random.Generator, n_in: int, n_out: int) -> AxisOperator:
    at = rng.uniform(-1, n_in, n_out)
    if rng.random() < 0.7:
        at.sort()
    if rng.random() < 0.5:
        at[rng.integers(n_out)] = rng.integers(n_in)
    return between(n_in, at)


def random_plan(rng: np.random.Generator, dtype: str, *, fused: bool = False) -> Plan:
    rank = int(rng.integers(1, 5))
    shape = tuple(int(n) for n in rng.integers(1, LONGEST[rank - 1], rank))
    if rank > 1 and rng.random() < 0.4:
        shape = (*shape[:-1], int(rng.integers(1, 5)))
    axes = [int(axis) for axis in rng.permutation(rank)[: rng.integers(1, 4)]]
    wide = dtype in ("float64", "int32")
    how = Arithmetic("float64" if wide else "float32", fused=fused, sums="lerp")
    output = np.dtype(dtype)
    if rng.random() < 0.2:
        how = replace(how, store="element")
    elif output.kind == "u":
        output = np.dtype(np.float32)
    operators = {
        axis: random_operator(rng, shape[axis], int(rng.integers(1, LONGEST[rank - 1])))
        for axis in axes
    }
    return make_plan(
        shape, np.dtype(dtype), operators, arithmetic=how, order=axes, output_dtype=output
    )


def random_input(rng: np.random.Generator, plan: Plan) -> np.ndarray[Any, Any]:
    x = rng.standard_normal(plan.input_shape) * 100
    if plan.input_dtype.kind in "iu":
        info = np.iinfo(plan.input_dtype)
        x = np.clip(x * 400, info.min, info.max)
    elif plan.input_dtype.kind == "f" and rng.random() < 0.4:
        x.ravel()[rng.integers(x.size, size=3)] = np.nan, np.inf, -np.inf
    return np.asarray(x.astype(plan.input_dtype), order="F" if rng.random() < 0.3 else "C")


@pytest.mark.parametrize("dtype", TYPES)
def test_executors_agree_to_the_bit(dtype: str) -> None:
    rng = np.random.default_rng(5)
    for _ in range(80):
        plan = random_plan(rng, dtype)
        x = random_input(rng, plan)
        assert native.compile_plan(plan) is not None or not plan.passes
        with np.errstate(invalid="ignore"):
            expected = portable.run(plan, x)
        y = plan(x, threads=int(rng.integers(1, 4)))
        np.testing.assert_array_equal(y, expected, err_msg=repr(plan))


def test_two_taps_of_two_rows_at_once() -> None:
    """Rows of one channel, of which no output row reads one that another reads."""
    rng = np.random.default_rng(5)
    how = Arithmetic("float32", fused=False, sums="lerp")
    for n in (20, 33, 200):
        rows = between(3 * n, 3 * np.arange(n) + rng.uniform(0.1, 0.9, n))
        columns = between(4 * n, rng.uniform(0.1, 4 * n, n))
        x = rng.standard_normal((3 * n, 4 * n)).astype(np.float32)
        plan = make_plan(x.shape, x.dtype, {0: rows, 1: columns}, arithmetic=how, order=(1, 0))
        np.testing.assert_array_equal(plan(x), portable.run(plan, x))
        x[n // 2, n // 3] = np.inf
        with np.errstate(invalid="ignore"):
            np.testing.assert_array_equal(plan(x), portable.run(plan, x))


def test_fused_ones_are_others_where_the_processor_has_them() -> None:
    if native.instruction_set() == "baseline":
        pytest.skip("the kernels of this processor never fuse")
    rng = np.random.default_rng(5)
    plans = [random_plan(rng, "float32", fused=True) for _ in range(20)]
    inputs = [rng.standard_normal(plan.input_shape).astype(np.float32) for plan in plans]
    pairs = [(p(x), portable.run(p, x)) for p, x in zip(plans, inputs, strict=True)]
    assert any((y != expected).any() for y, expected in pairs)
    for y, expected in pairs:
        np.testing.assert_allclose(y, expected, atol=2e-6)


def test_every_instruction_set_makes_the_same_bits() -> None:
    code = """
        import hashlib, sys
        import numpy as np
        sys.path.insert(0, "tests")
        from test_lerp import TYPES, random_input, random_plan
        rng, digest = np.random.default_rng(8), hashlib.sha256()
        for dtype in TYPES:
            for _ in range(20):
                plan = random_plan(rng, dtype)
                with np.errstate(invalid="ignore"):
                    digest.update((plan(random_input(rng, plan)) + 0).tobytes())
        print(digest.hexdigest())
    """
    digests = set()
    for name in {native.instruction_set(), "baseline"}:
        run = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code)],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "NDRESIZE_ISA": name},
        )
        assert run.returncode == 0, run.stderr
        digests.add(run.stdout)
    assert len(digests) == 1


@pytest.mark.parametrize("axis", [0, 1])
def test_the_difference_is_weighed(axis: int) -> None:
    """Not ``a * (1 - w) + b * w``, which has other last digits."""
    rng = np.random.default_rng(2)
    x = rng.standard_normal((40, 40)).astype(np.float32)
    at = rng.uniform(0, 39, 50)
    operators = {axis: between(40, at)}
    how = Arithmetic("float32", fused=False, sums="lerp")
    plan = make_plan(x.shape, x.dtype, operators, arithmetic=how)
    below = np.floor(at).astype(int)
    w = np.expand_dims((at - below).astype(np.float32), 1 - axis)
    a, b = x.take(below, axis), x.take(below + 1, axis)
    np.testing.assert_array_equal(plan(x), a + (b - a) * w)
    chain = make_plan(x.shape, x.dtype, operators, arithmetic=Arithmetic("float32", fused=False))
    assert (chain(x) != plan(x)).any()
    assert chain != plan
    assert "float32 sums of a + (b - a) * w, products rounded" in repr(plan)


@pytest.mark.parametrize("rows", [2, 6, 7, 30])
def test_far_apart_in_both_directions(rows: int) -> None:
    """No row is read twice, and columns are gathered in pairs."""
    rng = np.random.default_rng(8)
    x = rng.standard_normal((100, 94)).astype(np.float32)
    down, across = (np.arange(n) * (length / n) + 0.3 for n, length in ((rows, 100), (13, 94)))
    operators = {1: between(94, across), 0: between(100, down)}
    how = Arithmetic("float32", fused=False, sums="lerp")
    plan = make_plan(x.shape, x.dtype, operators, arithmetic=how, order=[1, 0])
    assert native.compile_plan(plan) is not None
    np.testing.assert_array_equal(plan(x), portable.run(plan, x))


@pytest.mark.parametrize("shape", [(3,), (3, 40), (40, 3, 2)])
def test_a_sample_that_is_read_alone_is_taken_as_it_is(shape: tuple[int, ...]) -> None:
    axis = shape.index(3)
    operator = between(3, np.array([0, 0.5, 1, 2]))
    how = Arithmetic("float32", sums="lerp")
    plan = make_plan(shape, np.dtype(np.float32), {axis: operator}, arithmetic=how)
    x = np.full(shape, 7, np.float32)
    first, last = (
        tuple(k if a == axis else slice(None) for a in range(len(shape))) for k in (0, 2)
    )
    x[first], x[last] = np.inf, np.nan
    y = np.moveaxis(plan(x), axis, 0)
    assert (y[0] == np.inf).all()
    assert np.isnan(y[1]).all()  # inf + (7 - inf) / 2
    assert (y[2] == 7).all()
    assert np.isnan(y[3]).all()


def test_weights_that_the_type_of_the_sums_does_not_have() -> None:
    weights = np.array([[2.0**-40, 1 - 2.0**-40], [1 - 2.0**-140, 2.0**-140], [0.25, 0]])
    operator = AxisOperator([0, 0, 1], weights, 2)
    how = Arithmetic("float32", fused=False, sums="lerp")
    plan = make_plan((2, 5), np.dtype(np.float32), {0: operator}, arithmetic=how)
    x = np.random.default_rng(0).standard_normal((2, 5)).astype(np.float32)
    np.testing.assert_array_equal(plan(x), portable.run(plan, x))
    np.testing.assert_array_equal(plan(x)[2], x[1] / 4)


def test_the_adjoint_adds_products() -> None:
    rng = np.random.default_rng(4)
    how = Arithmetic("float64", sums="lerp")
    operators = {0: between(9, rng.uniform(0, 8, 5)), 1: between(5, rng.uniform(0, 4, 11))}
    plan = make_plan((9, 5), np.dtype(np.float64), operators, arithmetic=how)
    x, g = rng.standard_normal((9, 5)), rng.standard_normal((5, 11))
    adjoint = plan.adjoint()
    assert (plan(x) * g).sum() == pytest.approx((x * adjoint(g)).sum(), rel=1e-12)
    assert {step.arithmetic.sums for step in adjoint.passes} == {"chain"}


def test_two_on_one_axis_are_not_made_one() -> None:
    rng = np.random.default_rng(6)
    how = Arithmetic("float32", fused=False, sums="lerp")
    one = make_plan((30,), np.dtype("f4"), {0: random_operator(rng, 30, 20)}, arithmetic=how)
    two = make_plan((20,), np.dtype("f4"), {0: random_operator(rng, 20, 40)}, arithmetic=how)
    both = Plan((30,), np.dtype("f4"), one.passes + two.passes, (40,), np.dtype("f4"))
    x = rng.standard_normal(30).astype(np.float32)
    np.testing.assert_array_equal(both(x), two(one(x)))
