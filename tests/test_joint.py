"""Plans whose passes are one sum: the compiled kernels against the portable executor.

The order of products and sums is fixed and each rounds by itself, so nothing but the same bytes
will do: on every instruction set, for every number of threads, and however arrays lie in memory.
"""

from __future__ import annotations

import pickle
import subprocess
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ndresize import Arithmetic, AxisOperator, Pass, Plan
from ndresize.engine import _ext, native, portable
from ndresize.engine.exact import in_whole_numbers
from other_process import available_sets, run_python
from test_fixed import laid_out, picks

Array = np.ndarray[Any, Any]

JOINT = Arithmetic("float32", fused=False, sums="joint")
TYPES = ("uint8", "int8", "int32", "float32")
ROUNDINGS = ("truncate", "half_added", "half_away", "half_even")


def operator(rng: np.random.Generator, n_in: int, n_out: int) -> AxisOperator:
    """Return rows of two weights that make about 1, some of them one weight or beyond 1."""
    if n_in == 1:
        return AxisOperator(np.zeros(n_out), np.ones((n_out, 1)), 1)
    starts = rng.integers(0, n_in - 1, n_out)
    if rng.random() < 0.7:
        starts = np.minimum(np.arange(n_out) * n_in // n_out, n_in - 2)
    part = rng.choice([0, 1, 0.5, *rng.uniform(-0.3, 1.3, 5)], n_out).astype(np.float32)
    return AxisOperator(starts, np.stack([np.float32(1) - part, part], axis=1), n_in)


def random_plan(rng: np.random.Generator, dtype: str) -> Plan:
    """Return a plan of one to three joint passes, some after picks, in any order of axes."""
    rank = int(rng.integers(1, 5))
    longest = [0, 300, 60, 16, 9][rank]
    shape = [int(n) for n in rng.integers(1, longest, rank, endpoint=True)]
    if rank > 1 and rng.random() < 0.5:
        shape[-1] = int(rng.choice([1, 2, 3, 4, 5, 33, 70]))  # channels
    axes = [int(a) for a in rng.permutation(rank)[: rng.integers(1, min(rank, 3), endpoint=True)]]
    out = list(shape)
    first: list[Pass] = []
    sums: list[Pass] = []
    for axis in axes:
        if rng.random() < 0.5:
            op = picks(rng, shape[axis], int(rng.integers(1, longest, endpoint=True)))
            out[axis] = op.n_out
            first.append(Pass(axis, op, Arithmetic("element")))
        op = operator(rng, out[axis], int(rng.integers(1, longest, endpoint=True)))
        out[axis] = op.n_out
        sums.append(Pass(axis, op, JOINT))
    kind = np.dtype(dtype)
    rounding: Any = str(rng.choice(ROUNDINGS))
    return Plan(tuple(shape), kind, (*first, *sums), tuple(out), kind, rounding)


def samples(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Array:
    if dtype == "float32":
        x = rng.standard_normal(shape).astype(np.float32)
        x[rng.random(shape) < 0.03] = rng.choice([np.nan, np.inf])
        return x
    info = np.iinfo(dtype)
    if rng.random() < 0.5:  # the largest sums there are
        return rng.choice(np.array([info.min, info.max], dtype), shape)
    if rng.random() < 0.5:  # small ones, next to ties
        return rng.integers(max(info.min, -3), 3, shape, dtype)
    return rng.integers(info.min, info.max, shape, dtype, endpoint=True)


@np.errstate(invalid="ignore")
def check_plans(dtype: str, seed: int, count: int) -> None:
    """Hold `count` random plans against the portable executor."""
    rng = np.random.default_rng(seed)
    for k in range(count):
        plan = random_plan(rng, dtype)
        x = laid_out(rng, samples(rng, plan.input_shape, dtype))
        out = None
        if rng.random() < 0.5:
            out = laid_out(rng, np.zeros(plan.output_shape, dtype))
        y = plan(x, out=out, threads=int(rng.integers(1, 4)))
        message = f"{native.instruction_set()}: plan {k} of seed {seed}: {plan!r}"
        kinds = (_ext.Joint,) if in_whole_numbers(plan) is None else (_ext.Joint, _ext.Picture)
        assert all(isinstance(p, kinds) for p in plan._programs.values()), message
        np.testing.assert_array_equal(y, portable.run(plan, x), err_msg=message)


@pytest.mark.parametrize("dtype", TYPES)
def test_random_plans_equal_the_portable_executor(dtype: str) -> None:
    check_plans(dtype, seed=1, count=150)


def run_checks(instruction_set: str, count: int) -> subprocess.CompletedProcess[str]:
    code = f"""
import test_joint
from ndresize.engine import native
print(native.instruction_set())
for seed, dtype in enumerate(test_joint.TYPES):
    test_joint.check_plans(dtype, 100 + seed, {count})
"""
    return run_python(code, NDRESIZE_ISA=instruction_set)


def test_every_instruction_set_equals_the_portable_executor() -> None:
    for name in available_sets():
        run = run_checks(name, 80)
        assert run.returncode == 0, run.stderr
        assert run.stdout.split() == [name]


def halves(n_in: int, n_out: int) -> AxisOperator:
    part = (np.arange(n_out) % 8 / 8).astype(np.float32)
    starts = np.minimum(np.arange(n_out) * (n_in - 1) // n_out, n_in - 2)
    return AxisOperator(starts, np.stack([1 - part, part], axis=1), n_in)


def picture(dtype: str = "uint8", rounding: Any = "truncate") -> Plan:
    passes = (Pass(1, halves(50, 70), JOINT), Pass(0, halves(40, 90), JOINT))
    kind = np.dtype(dtype)
    return Plan((40, 50, 3), kind, passes, (90, 70, 3), kind, rounding)


def test_one_weight_in_the_last_place_is_seen() -> None:
    """The comparison above can fail: the products of neighbouring float32 weights are others."""
    first, second = np.float32(0.3), np.float32(0.7)
    for weight, expected in ((second, 100), (np.nextafter(second, np.float32(0)), 99)):
        op = AxisOperator([0], [[first, weight]], 2)
        kind = np.dtype("uint8")
        plan = Plan((2,), kind, (Pass(0, op, JOINT),), (1,), kind, "truncate")
        x = np.full(2, 100, np.uint8)
        assert plan(x).tolist() == portable.run(plan, x).tolist() == [expected]


def test_products_are_made_of_weights_first() -> None:
    """One after the other the passes would round otherwise."""
    rng = np.random.default_rng(5)
    third = np.float32(1) / np.float32(3)
    op = AxisOperator(np.zeros(200), np.stack([rng.random(200), np.full(200, third)], axis=1), 2)
    passes = tuple(Pass(axis, op, JOINT) for axis in (1, 0))
    plan = Plan((2, 2), np.dtype("float32"), passes, (200, 200), np.dtype("float32"))
    x = rng.standard_normal((2, 2)).astype(np.float32)
    weight = op.weights.astype(np.float32)
    expected = np.zeros((200, 200), np.float32)
    for row in (0, 1):
        for column in (0, 1):
            expected += (weight[:, column] * weight[:, row, None]) * x[row, column]
    np.testing.assert_array_equal(plan(x), expected)
    apart = tuple(replace(step, arithmetic=replace(JOINT, sums="chain")) for step in passes)
    assert (replace(plan, passes=apart)(x) != expected).any()


def test_a_half_is_added_in_the_precision_of_the_sums() -> None:
    below = np.float32(0.5) - np.float32(2.0**-25)
    for rounding, expected in (("half_added", 1), ("half_away", 0)):
        op = AxisOperator([0], [[below]], 1)
        kind = np.dtype("uint8")
        plan = Plan((1,), kind, (Pass(0, op, JOINT),), (1,), kind, rounding)  # type: ignore[arg-type]
        x = np.ones(1, np.uint8)
        assert plan(x).tolist() == portable.run(plan, x).tolist() == [expected]


def test_windows_pickles_and_copies_are_the_same_plan() -> None:
    plan = picture()
    x = np.random.default_rng(1).integers(0, 256, plan.input_shape, np.uint8)
    y = plan(x)
    window = (slice(20, 61), slice(3, 4), slice(1, 3))
    cropped, need = plan.crop(window)
    np.testing.assert_array_equal(cropped(x[need]), y[window])
    copy = pickle.loads(pickle.dumps(plan))
    assert copy == plan
    assert hash(copy) == hash(plan)
    np.testing.assert_array_equal(copy(x), y)
    chain = tuple(replace(s, arithmetic=replace(JOINT, sums="chain")) for s in plan.passes)
    assert plan != replace(plan, passes=chain)
    assert "over all axes at once" in repr(plan)


def test_the_adjoint_is_the_transpose() -> None:
    plan = picture("float32", "half_even")
    rng = np.random.default_rng(2)
    x = rng.standard_normal(plan.input_shape).astype(np.float32)
    g = rng.standard_normal(plan.output_shape).astype(np.float32)
    one = np.vdot(plan(x).astype(np.float64), g)
    other = np.vdot(x.astype(np.float64), plan.adjoint()(g))
    np.testing.assert_allclose(one, other, rtol=1e-5)


def test_arrays_of_other_namespaces_are_summed_alike() -> None:
    torch = pytest.importorskip("torch")
    plan = picture()
    x = np.random.default_rng(3).integers(0, 256, plan.input_shape, np.uint8)
    np.testing.assert_array_equal(plan(torch.from_numpy(x)).numpy(), plan(x))


def test_what_the_kernels_do_not_take_runs_in_the_portable_executor() -> None:
    plan = picture("uint16")
    assert native.compile_plan(plan) is None
    x = np.full(plan.input_shape, 1000, np.uint16)
    assert (plan(x) >= 999).all()


def test_a_large_picture_is_the_same_for_any_number_of_threads() -> None:
    rng = np.random.default_rng(4)
    passes = (Pass(2, operator(rng, 300, 5000), JOINT), Pass(1, operator(rng, 200, 500), JOINT))
    kind = np.dtype("uint8")
    plan = Plan((2, 200, 300), kind, passes, (2, 500, 5000), kind, "truncate")
    x = rng.integers(0, 256, plan.input_shape, np.uint8)
    expected = portable.run(plan, x)
    for threads in (1, 2, 3, None):
        np.testing.assert_array_equal(plan(x, threads=threads), expected)
