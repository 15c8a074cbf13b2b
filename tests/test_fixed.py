"""Plans of 8-bit samples in fixed point: the compiled kernels against the portable executor.

Sums of integers are exact, so nothing but the same bytes will do: on every instruction set, for
every number of threads, and however the arrays lie in memory.
"""

from __future__ import annotations

import subprocess
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ndresize import Arithmetic, AxisOperator, Pass, Plan
from ndresize.engine import _ext, fixed, native, portable, runnables
from other_process import available_sets, run_python

Array = np.ndarray[Any, Any]

U1 = np.dtype("uint8")
# What vectors of 16, 32 and 64 bytes end with, beside all others.
EDGES = [1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65]
KINDS = {
    "bytes between": [Arithmetic("fixed", "element", bits=8)] * 2,
    "bytes between, 14 bits": [Arithmetic("fixed", "element", bits=14)] * 2,
    "bytes between, 22 bits": [Arithmetic("fixed", "element", bits=22)] * 2,
    "bytes between, 7 bits": [Arithmetic("fixed", "element", bits=7)] * 2,
    "words between": [Arithmetic("fixed", bits=6)] * 2,
    "words between, all sums words": [Arithmetic("fixed", bits=3)] * 2,
    "sums between": [Arithmetic("fixed", bits=11)] * 2,
    "cut": [Arithmetic("fixed", bits=11), Arithmetic("fixed", bits=11, cut=(7, 2))],
    "cut, rows picked first": [
        Arithmetic("element"),
        Arithmetic("fixed", bits=11),
        Arithmetic("fixed", bits=11, cut=(7, 2)),
    ],
    "words, then a product": [Arithmetic("fixed", bits=6)] * 2,
    "sums, then a product": [Arithmetic("fixed", bits=11)] * 2,
}


def length(rng: np.random.Generator) -> int:
    return int(rng.choice(EDGES)) if rng.random() < 0.5 else int(rng.integers(1, 91))


def operator(
    rng: np.random.Generator, n_in: int, n_out: int, bits: int, negative: bool
) -> AxisOperator:
    """Return rows of whole units of ``2**-bits`` whose sum is 1, or whose magnitudes' sum is."""
    most = int(rng.choice([1, 2, 4, 8, 20, 40]))
    taps = int(rng.integers(1, min(n_in, most) + 1))
    if rng.random() < 0.6:  # as resizes are: neighbours read from a short piece of the row
        starts = np.minimum(np.arange(n_out) * n_in // n_out, n_in - taps)
    else:
        starts = np.sort(rng.integers(0, n_in - taps + 1, n_out))
    weights = rng.random((n_out, taps)) - (0.2 if negative else 0)
    weights[rng.random(weights.shape) < 0.1] = 0
    weights[:, 0] += 0.01
    weights /= np.abs(weights).sum(axis=1, keepdims=True)
    units = np.rint(weights * 2**bits)
    units[:, 0] += units[:, 0] == 0  # a row begins where it says: starts stay in order
    return AxisOperator(starts, units / 2**bits, n_in)


def picks(rng: np.random.Generator, n_in: int, n_out: int) -> AxisOperator:
    return AxisOperator(np.sort(rng.integers(0, n_in, n_out)), np.ones((n_out, 1)), n_in)


def random_plan(rng: np.random.Generator, kind: str) -> Plan:
    """Return a plan of a picture, channels last or planes first, of one pass or two."""
    channels = int(rng.choice([1, 1, 2, 3, 3, 4, 5, 7]))
    height, width, out_height, out_width = (length(rng) for _ in range(4))
    if rng.random() < 0.6:
        shape, rows, columns = [height, width, channels], 0, 1
    else:
        shape, rows, columns = [int(rng.integers(1, 4)), height, width], 1, 2
    how = KINDS[kind]
    cut = any(step.cut is not None for step in how)
    picked_first = how[0].accumulator == "element"
    axes = [(columns, out_width), (rows, out_height)]
    if picked_first:
        axes.insert(0, (rows, length(rng)))
    elif cut:
        if rng.random() < 0.2:
            axes, how = axes[1:], how[1:]
    else:
        if rng.random() < 0.3:
            axes.reverse()
        if rng.random() < 0.3:
            axes = axes[:1]
    out = list(shape)
    passes = []
    negative = not cut and rng.random() < 0.5
    for (axis, n_out), step in zip(axes, how, strict=False):
        if step.accumulator == "element":
            op = picks(rng, out[axis], n_out)
        else:
            op = operator(rng, out[axis], n_out, step.bits, negative)
        passes.append(Pass(axis, op, step))
        out[axis] = n_out
    rounding: Any = rng.choice(["half_away", "half_even", "truncate", "half_up"])
    if kind.endswith("product"):
        passes.append(product(rng, int(rng.integers(len(out))), out))
        rounding = "half_even"
    return Plan(tuple(shape), U1, tuple(passes), tuple(out), U1, str(rounding))  # type: ignore[arg-type]


def product(rng: np.random.Generator, axis: int, shape: list[int]) -> Pass:
    """Return a pass that multiplies all sums by one float32 factor, mostly one that makes ties."""
    n = shape[axis]
    factor = rng.choice([0.5, 2.0, 1.75, float(np.float32(rng.uniform(0.1, 3)))])
    diagonal = AxisOperator(np.arange(n), np.full((n, 1), factor), n)
    return Pass(axis, diagonal, Arithmetic("float32"))


def samples(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    if rng.random() < 0.5:  # the largest sums there are
        return rng.choice(np.array([0, 255], np.uint8), shape)
    return rng.integers(0, 256, shape, np.uint8)


def laid_out(rng: np.random.Generator, x: Array) -> Array:
    """Return the same samples, transposed, reversed, with gaps, or as they were."""
    order = tuple(rng.permutation(x.ndim)) if rng.random() < 0.5 else tuple(range(x.ndim))
    back = tuple(np.argsort(order))
    steps = [int(rng.choice([1, 1, 1, -1, 2, -3])) for _ in order]
    window = tuple(slice(None, None, step) for step in steps)
    lengths = [x.shape[a] * abs(s) - (abs(s) - 1) for a, s in zip(order, steps, strict=True)]
    y = np.zeros(lengths, x.dtype)[window].transpose(back)
    y[...] = x
    return y


def ran_compiled(plan: Plan) -> bool:
    kinds = (_ext.Picture, runnables.Sequence)
    return any(isinstance(program, kinds) for program in plan._programs.values())


def with_sign(rng: np.random.Generator, plan: Plan) -> Plan:
    """Return the same plan of int8, whose rounded sums may be clamped to 0..255 and wrap."""
    passes = plan.passes
    if rng.random() < 0.5 and all(step.arithmetic.store == "element" for step in passes):
        how = [replace(step.arithmetic, limits=(0, 255)) for step in passes]
        passes = tuple(replace(s, arithmetic=a) for s, a in zip(passes, how, strict=True))
    kind = np.dtype("int8")
    return replace(plan, input_dtype=kind, dtype=kind, passes=passes)


def check_plans(kind: str, seed: int, count: int, *, signed: bool = False) -> int:
    """Hold `count` random plans against the portable executor; return how many ran compiled."""
    rng = np.random.default_rng(seed)
    compiled = 0
    for k in range(count):
        plan = random_plan(rng, kind)
        if signed:
            plan = with_sign(rng, plan)
        x = laid_out(rng, samples(rng, plan.input_shape).view(plan.dtype))
        expected = portable.run(plan, x)
        out = None
        if rng.random() < 0.5:
            out = laid_out(rng, np.zeros(plan.output_shape, plan.dtype))
        y = plan(x, out=out, threads=int(rng.integers(1, 4)))
        compiled += ran_compiled(plan)
        message = f"{native.instruction_set()}: {kind}, plan {k} of seed {seed}: {plan!r}"
        np.testing.assert_array_equal(y, expected, err_msg=message)
    return compiled


@pytest.mark.parametrize("kind", KINDS)
def test_random_plans_equal_the_portable_executor(kind: str) -> None:
    compiled = check_plans(kind, seed=1, count=150)
    # A few have several passes that the kernels cannot order, and run in the portable executor.
    assert compiled > 100


SIGNED = ["bytes between", "bytes between, 22 bits", "words between", "sums between"]


@pytest.mark.parametrize("kind", SIGNED)
def test_random_plans_of_bytes_with_a_sign_equal_the_portable_executor(kind: str) -> None:
    """Whatever their weights make, but where ties go to even."""
    assert check_plans(kind, seed=2, count=200, signed=True) > 80


def test_rows_that_read_nothing_are_made_where_the_others_are() -> None:
    starts, weights = np.repeat(np.arange(40), 2), np.full((80, 2), 0.5)
    weights[[0, 1, 30, 78, 79]] = 0
    op = AxisOperator(starts.clip(max=38), weights, 40)
    steps = tuple(Pass(axis, op, Arithmetic("fixed", "element", bits=8)) for axis in (1, 0))
    plan = Plan((40, 40, 3), U1, steps, (80, 80, 3), U1, "half_away")
    x = np.random.default_rng(1).integers(0, 256, plan.input_shape, np.uint8)
    assert isinstance(native.compile_plan(plan), _ext.Picture)
    np.testing.assert_array_equal(plan(x), portable.run(plan, x))


def test_three_passes_with_bytes_between_are_two_pictures() -> None:
    rng = np.random.default_rng(2)
    how = Arithmetic("fixed", "element", bits=22)
    steps = tuple(Pass(axis, operator(rng, 20, 33, 22, True), how) for axis in (2, 1, 0))
    plan = Plan((20, 20, 20), U1, steps, (33, 33, 33), U1, "half_away")
    program = native.compile_plan(plan)
    assert isinstance(program, runnables.Sequence)
    assert [len(part.passes) for part, _ in program.stages] == [2, 1]
    assert all(isinstance(part, _ext.Picture) for _, part in program.stages)
    x = rng.integers(0, 256, plan.input_shape, np.uint8)
    np.testing.assert_array_equal(plan(x), portable.run(plan, x))


def halves(n_in: int) -> AxisOperator:
    """Return means of two neighbours."""
    n_out = n_in // 2
    return AxisOperator(2 * np.arange(n_out), np.full((n_out, 2), 0.5), n_in)


def check_means_of_two_by_two(longest: int) -> None:
    """Hold plans of 2x2 means, for which there is a kernel, against the portable executor."""
    rng = np.random.default_rng(7)
    how = Arithmetic("fixed", bits=1)
    for width in range(2, longest):
        for channels in (1, 2, 3, 4, 5):
            shape = (int(rng.integers(2, 7)), width, channels)
            passes = tuple(Pass(axis, halves(shape[axis]), how) for axis in (1, 0))
            out = (shape[0] // 2, width // 2, channels)
            for rounding in ("half_away", "half_even"):
                plan = Plan(shape, U1, passes, out, U1, rounding)  # type: ignore[arg-type]
                x = laid_out(rng, samples(rng, shape))
                np.testing.assert_array_equal(plan(x), portable.run(plan, x), err_msg=f"{shape}")


def test_means_of_two_by_two() -> None:
    check_means_of_two_by_two(300)


# Of three channels a row ends anywhere in a line of 64 bytes; 8 MB and more go past the caches.
@pytest.mark.parametrize(
    "kind",
    [
        "bytes between, 22 bits",
        "words between, all sums words",
        "sums between",
        "cut",
        "across alone",
    ],
)
@pytest.mark.parametrize("begin", [0, 1, 33, 63])
def test_bytes_that_go_past_the_caches(kind: str, begin: int) -> None:
    rng = np.random.default_rng(begin)
    shape, out_shape = (40, 4001, 3), (1500, 4003, 3)
    if kind == "across alone":
        out_shape = (1500, *shape[1:])
        steps = [(0, Arithmetic("fixed", bits=11))]
    else:
        steps = list(zip((1, 0), KINDS[kind], strict=True))
    passes = tuple(
        Pass(axis, operator(rng, shape[axis], out_shape[axis], how.bits, False), how)
        for axis, how in steps
    )
    plan = Plan(shape, U1, passes, out_shape, U1, "half_away")
    x = samples(rng, shape)
    memory = np.full(np.prod(out_shape) + 128, 77, np.uint8)
    begin += -memory.ctypes.data % 64
    out = memory[begin : begin + np.prod(out_shape)].reshape(out_shape)

    plan(x, out=out)

    window, need = plan.crop((slice(700, 760), slice(0, None), slice(0, None)))
    np.testing.assert_array_equal(out[700:760], portable.run(window, x[need]))
    fresh = np.zeros(out_shape, np.uint8)
    plan._programs[None].run(x, fresh, False, 0)  # through the caches
    np.testing.assert_array_equal(out, fresh)
    outside = np.concatenate([memory[:begin], memory[begin + out.size :]])
    assert (outside == 77).all()


def run_checks(instruction_set: str, count: int) -> subprocess.CompletedProcess[str]:
    code = f"""
import test_fixed
from ndresize.engine import native
print(native.instruction_set())
for seed, kind in enumerate(test_fixed.KINDS):
    test_fixed.check_plans(kind, 100 + seed, {count})
for seed, kind in enumerate(test_fixed.SIGNED):
    test_fixed.check_plans(kind, 200 + seed, {count}, signed=True)
test_fixed.check_means_of_two_by_two({count})
"""
    return run_python(code, NDRESIZE_ISA=instruction_set)


def test_every_instruction_set_equals_the_portable_executor() -> None:
    for name in available_sets():
        run = run_checks(name, 80)
        assert run.returncode == 0, run.stderr
        assert run.stdout.split() == [name]


def test_a_wrong_weight_is_seen() -> None:
    """The comparison above can fail: one unit of one weight is enough."""
    x = np.full((8, 16), 255, np.uint8)
    ones = np.full((16, 2), 0.5)
    op = AxisOperator(np.arange(16).clip(max=14), ones, 16)
    how = Arithmetic("fixed", bits=8)
    plan = Plan(x.shape, U1, (Pass(1, op, how),), x.shape, U1)
    weights = ones.copy()
    weights[11, 1] -= 1 / 256
    other = replace(plan, passes=(Pass(1, AxisOperator(op.starts, weights, 16), how),))
    assert np.argwhere(plan(x) != portable.run(other, x))[:, 1].tolist() == [11] * 8


SIMPLE: dict[str, list[tuple[int, Arithmetic]]] = {
    "along": [(1, Arithmetic("fixed", bits=11))],
    "across": [(0, Arithmetic("fixed", bits=11))],
    "along, across, bytes between": [(a, Arithmetic("fixed", "element", bits=22)) for a in (1, 0)],
    "across, along, bytes between": [(a, Arithmetic("fixed", "element", bits=14)) for a in (0, 1)],
    "along, across": [(a, Arithmetic("fixed", bits=11)) for a in (1, 0)],
    "across, along": [(a, Arithmetic("fixed", bits=11)) for a in (0, 1)],
    "cut": [
        (1, Arithmetic("fixed", bits=11)),
        (0, Arithmetic("fixed", bits=11, cut=(7, 2))),
    ],
    "cut, rows picked first": [
        (0, Arithmetic("element")),
        (1, Arithmetic("fixed", bits=11)),
        (0, Arithmetic("fixed", bits=11, cut=(7, 2))),
    ],
}


@pytest.mark.parametrize("kind", SIMPLE)
@pytest.mark.parametrize("channels", range(1, 8))
def test_plans_that_dialects_make_run_compiled(kind: str, channels: int) -> None:
    rng = np.random.default_rng(channels)
    shape = [33, 65, channels]
    out, passes = list(shape), []
    for axis, how in SIMPLE[kind]:
        if how.accumulator == "element":
            op = picks(rng, out[axis], 40)
        else:
            op = operator(rng, out[axis], 31, how.bits, False)
        passes.append(Pass(axis, op, how))
        out[axis] = op.n_out
    plan = Plan(tuple(shape), U1, tuple(passes), tuple(out), U1, "half_away")
    x = rng.integers(0, 256, shape, np.uint8)

    assert isinstance(fixed.compile_picture(plan), _ext.Picture)
    np.testing.assert_array_equal(plan(x), portable.run(plan, x))
    assert ran_compiled(plan)


def test_sums_that_32_bits_cannot_hold_are_those_of_float64() -> None:
    for bits, picture in ((18, True), (21, False)):
        op = AxisOperator(np.zeros(4, np.int64), np.full((4, 8), 1 - 2.0**-bits), 8)
        plan = Plan((8,), U1, (Pass(0, op, Arithmetic("fixed", bits=bits)),), (4,), U1)
        assert (fixed.compile_picture(plan) is not None) == picture
        assert native.compile_plan(plan) is not None
        assert plan(np.full(8, 255, np.uint8)).tolist() == [255] * 4
        assert plan(np.full(8, 3, np.uint8)).tolist() == [24] * 4


@pytest.mark.parametrize(("gain", "compiled"), [(0.99, True), (1.9, False)])
def test_cut_products_whose_sum_16_bits_just_hold(gain: float, compiled: bool) -> None:
    """Cut products are summed in words of 16 bits: sums near 2**15 still are, larger ones not."""
    along = AxisOperator(np.zeros(64, np.int64), np.ones((64, 1)), 1)
    across = AxisOperator(np.zeros(8, np.int64), np.rint(np.full((8, 4), gain) * 2**14) / 2**14, 4)
    passes = (
        Pass(1, along, Arithmetic("fixed", bits=7)),
        Pass(0, across, Arithmetic("fixed", bits=14, cut=(7, 5))),
    )
    plan = Plan((4, 1), U1, passes, (8, 64), U1, "half_away")
    assert (native.compile_plan(plan) is not None) == compiled
    for value in (255, 254, 64, 1):
        x = np.full((4, 1), value, np.uint8)
        np.testing.assert_array_equal(plan(x), portable.run(plan, x))


def test_pictures_shared_by_many_threads() -> None:
    rng = np.random.default_rng(3)
    op = operator(rng, 300, 700, 11, True)
    how = Arithmetic("fixed", bits=11)
    passes = (Pass(2, op, how), Pass(1, operator(rng, 300, 500, 11, True), how))
    plan = Plan((2, 300, 300), U1, passes, (2, 500, 700), U1)
    x = rng.integers(0, 256, plan.input_shape, np.uint8)
    expected = portable.run(plan, x)
    for threads in (1, 2, 3, 8, None):
        np.testing.assert_array_equal(plan(x, threads=threads), expected)


@pytest.mark.parametrize("rounding", ["half_up", "half_even", "half_away"])
def test_halves_of_bytes_with_a_sign(rounding: Any) -> None:
    x = np.stack([np.arange(-128, 128), np.arange(-128, 128)[::-1] // 3]).astype(np.int8)
    half = Pass(0, AxisOperator([0], [[0.5, 0.5]], 2), Arithmetic("fixed", bits=1))
    plan = Plan((2, 256), x.dtype, (half,), (1, 256), x.dtype, rounding)

    total = x.astype(int).sum(axis=0)
    below, odd = total >> 1, total & 1
    up = {"half_up": odd, "half_even": odd & below, "half_away": odd * (total > 0)}[rounding]
    np.testing.assert_array_equal(plan(x)[0], below + up)
    np.testing.assert_array_equal(portable.run(plan, x)[0], below + up)
    assert ran_compiled(plan)
