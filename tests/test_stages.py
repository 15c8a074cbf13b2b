"""Plans that no single program runs: several, one after the other, against the portable executor.

Products round one by one here, so nothing but the same bits will do.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ndresize import Arithmetic, AxisOperator, Pass, Plan
from ndresize.engine import native, portable, runnables

Array = np.ndarray[Any, Any]

KINDS = ["uint8", "int8", "uint16", "int16", "int32", "float16", "float32", "float64"]


def operator(rng: np.random.Generator, n_in: int, n_out: int, taps: int) -> AxisOperator:
    """Return weights that are eighths, some zero, whose sums stay small."""
    taps = min(taps, n_in)
    starts = rng.integers(0, n_in - taps + 1, n_out)
    weights = rng.integers(-2, 5, (n_out, taps)) / 8
    return AxisOperator(starts, weights, n_in)


def arithmetic(rng: np.random.Generator, dtype: np.dtype[Any], fixed: bool) -> Arithmetic:
    store: Any = rng.choice(["wide", "wide", "element"])
    if fixed:
        return Arithmetic("fixed", store, bits=3)
    accumulator: Any = rng.choice(["float64"] if dtype == np.float64 else ["float32", "float64"])
    return Arithmetic(accumulator, store, fused=False)


def random_plan(rng: np.random.Generator, dtype: np.dtype[Any]) -> Plan:
    """Return a plan of up to five passes on axes that may come again, in any arithmetic."""
    shape = [int(n) for n in rng.integers(1, 14, int(rng.integers(1, 4)))]
    now: list[int] = list(shape)
    passes: list[Pass] = []
    fixed = dtype.kind in "iu" and bool(rng.random() < 0.3)
    for _ in range(int(rng.integers(1, 6))):
        axis, n_out = int(rng.integers(0, len(shape))), int(rng.integers(1, 14))
        if rng.random() < 0.25:
            starts = rng.integers(0, now[axis], n_out)
            op, how = AxisOperator.select(starts, now[axis]), Arithmetic("element")
        else:
            op = operator(rng, now[axis], n_out, int(rng.integers(1, 6)))
            how = arithmetic(rng, dtype, fixed)
        passes.append(Pass(axis, op, how))
        now[axis] = n_out
    rounding: Any = rng.choice(["half_even", "half_away", "truncate"])
    return Plan(tuple(shape), dtype, tuple(passes), tuple(now), dtype, rounding)


def noise(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    if dtype.kind == "f":
        return rng.standard_normal(shape).astype(dtype)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, shape, dtype, endpoint=True)


@pytest.mark.parametrize("kind", KINDS)
def test_any_passes_run_compiled(kind: str) -> None:
    rng = np.random.default_rng(KINDS.index(kind))
    staged = 0
    for _ in range(150):
        plan = random_plan(rng, np.dtype(kind))
        x = noise(rng, plan.input_shape, plan.input_dtype)
        program = native.compile_plan(plan)
        assert program is not None, repr(plan)
        staged += isinstance(program, runnables.Sequence)
        expected = portable.run(plan, x)
        np.testing.assert_array_equal(plan(x, threads=1), expected, err_msg=repr(plan))
        y = plan(np.asfortranarray(x), threads=2)
        np.testing.assert_array_equal(y, expected, err_msg=repr(plan))
    assert staged > 40


@pytest.mark.parametrize(("kind", "to"), [("uint8", "float32"), ("int16", "float64")])
def test_integers_to_floats(kind: str, to: str) -> None:
    rng = np.random.default_rng(5)
    last: Any = to
    for first in ("float32", "float64"):
        passes = tuple(
            Pass(0, operator(rng, 9, 9, 3), Arithmetic(name, fused=False))  # type: ignore[arg-type]
            for name in (first, last)
        )
        plan = Plan((9, 5), np.dtype(kind), passes, (9, 5), np.dtype(to))
        x = noise(rng, (9, 5), np.dtype(kind))
        assert native.compile_plan(plan) is not None
        np.testing.assert_array_equal(plan(x), portable.run(plan, x))


@pytest.mark.parametrize(
    ("kind", "to", "accumulator"),
    [
        ("int32", "int32", "float32"),
        ("float32", "uint8", "float32"),
        ("float64", "int16", "float64"),
        ("float16", "float16", "float64"),
        ("uint16", "float32", "element"),
    ],
)
def test_types_that_no_kernel_stores(kind: str, to: str, accumulator: Any) -> None:
    rng = np.random.default_rng(9)
    op = operator(rng, 9, 12, 3)
    if accumulator == "element":
        op = AxisOperator.select(op.starts, 9)
    how = Arithmetic(accumulator, fused=accumulator == "element")
    plan = Plan((9, 5), np.dtype(kind), (Pass(0, op, how),), (12, 5), np.dtype(to))
    x = noise(rng, (9, 5), np.dtype(kind))
    if plan.input_dtype.kind == "f":
        x *= 100
    assert isinstance(native.compile_plan(plan), runnables.Sequence)
    np.testing.assert_array_equal(plan(x), portable.run(plan, x))


def test_a_nan_that_no_weight_reads_stays_out_of_integers() -> None:
    op = AxisOperator(np.array([0]), np.array([[1.0, 0.0, 1.0]]), 3)
    step = Pass(0, op, Arithmetic("float32"))
    plan = Plan((3,), np.dtype("float32"), (step,), (1,), np.dtype("uint8"))
    assert plan(np.array([7, np.nan, 3], np.float32)).tolist() == [10]


@pytest.mark.parametrize("dtype", ["complex64", "bfloat16"])
def test_other_types(dtype: str) -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="bfloat16 is a type of ml_dtypes")
    rng = np.random.default_rng(6)
    kind = np.dtype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)
    how = Arithmetic("float32", fused=False)
    passes = tuple(Pass(1, operator(rng, 12, 12, 3), how) for _ in range(3))
    plan = Plan((4, 12), kind, passes, (4, 12), kind)
    x = rng.standard_normal((4, 12)).astype(kind)
    assert native.compile_plan(plan) is not None
    np.testing.assert_array_equal(plan(x), portable.run(plan, x))


def test_a_plan_without_passes_is_a_copy() -> None:
    x = np.arange(6, dtype=np.int16).reshape(2, 3)
    plan = Plan((2, 3), x.dtype, (), (2, 3), x.dtype)
    y = plan(x)
    np.testing.assert_array_equal(y, x)
    assert not np.may_share_memory(x, y)


def test_bits_that_are_cut_off_are_left_to_the_portable_executor() -> None:
    op = AxisOperator(np.arange(4), np.full((4, 1), 0.5), 4)
    how = Arithmetic("fixed", bits=1, cut=(0, 0))
    plan = Plan((4,), np.dtype("int16"), (Pass(0, op, how),), (4,), np.dtype("int16"))
    assert native.compile_plan(plan) is None
    assert plan(np.array([1, 2, 3, -3], np.int16)).tolist() == [0, 1, 1, -2]
