"""Patches: windows of a plan's output that are made in another arithmetic than the rest."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ndresize import Arithmetic, AxisOperator, Fill, Pass, Patch, Plan
from ndresize.engine import native, portable
from oracle import Array

TYPES = ("uint8", "int16", "float32", "float64")


def random_pass(rng: np.random.Generator, axis: int, n_in: int, n_out: int, kind: Any) -> Pass:
    """Return a pass of weights that are eighths, some zero, in any arithmetic."""
    if rng.random() < 0.2:
        picked = AxisOperator.select(rng.integers(0, n_in, n_out), n_in)
        return Pass(axis, picked, Arithmetic("element"))
    taps = int(rng.integers(1, min(n_in, 5) + 1))
    weights = rng.integers(-2, 5, (n_out, taps)) / 8
    operator = AxisOperator(rng.integers(0, n_in - taps + 1, n_out), weights, n_in)
    return Pass(axis, operator, Arithmetic("float64" if kind == "float64" else "float32"))


def random_plan(rng: np.random.Generator, shape: tuple[int, ...], out: Any, kind: Any) -> Plan:
    """Return a plan of one pass or two per axis, with none where nothing changes, perhaps."""
    passes = []
    for axis in rng.permutation(len(shape)).tolist():
        n_in, n_out = shape[axis], out[axis]
        if n_in == n_out and rng.random() < 0.5:
            continue
        if rng.random() < 0.2:
            between = int(rng.integers(1, 9))
            passes.append(random_pass(rng, axis, n_in, between, kind))
            n_in = between
        passes.append(random_pass(rng, axis, n_in, n_out, kind))
    unfused = [
        step
        if step.arithmetic.accumulator == "element"
        else replace(step, arithmetic=replace(step.arithmetic, fused=False))
        for step in passes
    ]
    rounding: Any = rng.choice(["half_even", "half_up", "truncate"])
    return Plan(tuple(shape), np.dtype(kind), tuple(unfused), tuple(out), np.dtype(kind), rounding)


def random_window(rng: np.random.Generator, shape: tuple[int, ...]) -> tuple[slice, ...]:
    ends = [np.sort(rng.integers(0, n + 1, 2)).tolist() for n in shape]
    return tuple(slice(a, b) for a, b in ends)


class Case:
    """A plan with patches, what it is made of, and an input."""

    def __init__(self, seed: int) -> None:
        rng = self.rng = np.random.default_rng(seed)
        rank = int(rng.integers(1, 4))
        shape = tuple(rng.integers(1, 9, rank).tolist())
        out = [n if rng.random() < 0.3 else int(rng.integers(1, 9)) for n in shape]
        kind = str(rng.choice(TYPES))
        self.base = random_plan(rng, shape, out, kind)
        self.others = [
            (random_plan(rng, shape, out, kind), random_window(rng, self.base.output_shape))
            for _ in range(int(rng.integers(1, 4)))
        ]
        patches = [other.as_patch(window) for other, window in self.others]
        self.plan = replace(self.base, patches=tuple(patches))
        if rng.random() < 0.3:
            outside = [rng.random(n) < 0.3 if rng.random() < 0.5 else None for n in out]
            self.plan = replace(self.plan, fill=Fill(3.0, tuple(outside)))
        if kind[0] == "f":
            self.x = rng.standard_normal(shape).astype(kind)
        else:
            info = np.iinfo(kind)
            self.x = rng.integers(info.min, info.max, shape, kind, endpoint=True)

    def expected(self) -> Array:
        y: Array = portable.run(self.base, self.x).copy()
        for other, window in self.others:
            y[window] = portable.run(other, self.x)[window]
        if self.plan.fill is not None:
            for axis, outside in enumerate(self.plan.fill.outside):
                if outside is not None:
                    y[(slice(None),) * axis + (outside,)] = 3
        return y


seeds = st.integers(0, 2**32)


@settings(max_examples=300)
@given(seeds)
def test_windows_are_overwritten_in_order(seed: int) -> None:
    case = Case(seed)
    expected = case.expected()
    assert native.compile_plan(case.plan) is not None
    np.testing.assert_array_equal(portable.run(case.plan, case.x), expected)
    for threads in (1, 3):
        np.testing.assert_array_equal(case.plan(case.x, threads=threads), expected)
    np.testing.assert_array_equal(case.plan(np.asfortranarray(case.x)), expected)


@settings(max_examples=300)
@given(seeds)
def test_a_crop_has_its_part_of_the_patches(seed: int) -> None:
    case = Case(seed)
    window = random_window(case.rng, case.plan.output_shape)
    part, need = case.plan.crop(window)
    assert part.input_shape == case.x[need].shape
    expected = case.expected()[window]
    np.testing.assert_array_equal(part(case.x[need]), expected)
    np.testing.assert_array_equal(portable.run(part, case.x[need]), expected)
    again, inner = part.crop(tuple(slice(n // 3, None) for n in part.output_shape))
    rest = expected[tuple(slice(n // 3, None) for n in expected.shape)]
    np.testing.assert_array_equal(again(case.x[need][inner]), rest)
    assert all(0 not in again.plan_of(patch).output_shape for patch in again.patches)


@given(seeds)
def test_axes_in_another_order(seed: int) -> None:
    case = Case(seed)
    order = case.rng.permutation(case.x.ndim).tolist()
    turned = case.plan.transposed(order)
    expected = case.expected().transpose(order)
    np.testing.assert_array_equal(turned(case.x.transpose(order)), expected)
    assert turned.transposed(np.argsort(order).tolist()) == case.plan


@given(seeds)
def test_patches_are_part_of_what_a_plan_is(seed: int) -> None:
    case = Case(seed)
    copy = pickle.loads(pickle.dumps(case.plan))
    assert copy == case.plan
    assert hash(copy) == hash(case.plan)
    np.testing.assert_array_equal(copy(case.x), case.expected())
    assert replace(case.plan, patches=()) != case.plan
    assert len(repr(case.plan).split("\n")) == len(
        repr(replace(case.plan, patches=())).split("\n")
    ) + len(case.plan.patches)


def test_the_adjoint_is_that_of_the_passes() -> None:
    half = AxisOperator([0, 1, 2], np.full((3, 2), 0.5), 4)
    kind = np.dtype("float32")
    fused = Plan((4,), kind, (Pass(0, half, Arithmetic("float32")),), (3,), kind)
    rounded = replace(fused, passes=(Pass(0, half, Arithmetic("float32", fused=False)),))
    patched = replace(fused, patches=(rounded.as_patch((slice(1, 2),)),))
    assert patched.adjoint() == fused.adjoint()
    assert patched.axes == fused.axes


def test_a_person_can_read_them() -> None:
    kind = np.dtype("uint8")
    half = AxisOperator([0, 1, 2], np.full((3, 2), 0.5), 4)
    plan = Plan((4,), kind, (Pass(0, half, Arithmetic("fixed", bits=1)),), (3,), kind, "half_up")
    even = Plan((4,), kind, (Pass(0, half, Arithmetic("float32")),), (3,), kind)
    plan = replace(plan, patches=(even.as_patch((slice(2, 3),)),))
    assert plan(np.array([0, 1, 0, 1], np.uint8)).tolist() == [1, 1, 0]
    assert plan.patches == (
        Patch(((2, 3),), ((2, 4),), (Pass(0, AxisOperator([0], [[0.5, 0.5]], 2), Arithmetic()),)),
    )
    assert repr(plan) == (
        "Plan 4 -> 3, uint8\n"
        "  axis 0: 4 -> 3, 2 taps, fixed point of 1 bits\n"
        "  rounding: half_up, saturating\n"
        "  [2:3], float32 sums, half_even"
    )


def test_picks_with_a_patch_of_sums_are_no_selection() -> None:
    kind = np.dtype("int64")
    picks = Plan(
        (2,), kind, (Pass(0, AxisOperator.select([1], 2), Arithmetic("element")),), (1,), kind
    )
    sums = Pass(0, AxisOperator([0], [[1.0, 1.0]], 2), Arithmetic("float64"))
    plan = replace(picks, patches=(replace(picks, passes=(sums,)).as_patch(()),))
    assert picks.is_selection
    assert not plan.is_selection
    assert plan(np.array([2, 3])).tolist() == [5]


@pytest.mark.parametrize("namespace", ["torch", "jax.numpy", "array_api_strict"])
def test_arrays_of_other_namespaces(namespace: str) -> None:
    xp = pytest.importorskip(namespace)
    for seed in range(20):
        case = Case(seed)
        if case.x.dtype != np.float32:
            continue
        y = case.plan(xp.asarray(case.x))
        np.testing.assert_allclose(np.asarray(y), case.expected(), rtol=1e-6)
