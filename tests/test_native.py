"""What the compiled engine promises beside the right sums."""

import decimal
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import ndresize
from ndresize.engine import native, portable
from other_process import available_sets, run_python

MODES: list[dict[str, Any]] = [
    {"mode": "linear"},
    {"mode": "cubic"},
    {"mode": "linear", "antialias": True},
    {"mode": "lanczos3", "antialias": True},
    {"mode": "nearest"},
]


def noise(shape: tuple[int, ...], dtype: Any = np.float32, seed: int = 0) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind in "iu":
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, shape, dtype, endpoint=True)
    return rng.standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("options", MODES, ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, np.uint8, np.int32])
@pytest.mark.parametrize(
    ("shape", "sizes"),
    [((37, 61), (90, 45)), ((5, 33, 29, 3), (5, 70, 17, 3)), ((9, 20, 31), (17, 11, 64))],
)
def test_result_depends_neither_on_threads_nor_on_layout(
    options: dict[str, Any], dtype: Any, shape: tuple[int, ...], sizes: tuple[int, ...]
) -> None:
    x = noise(shape, dtype)
    plan = ndresize.resize.plan(shape, dtype, sizes=sizes, **options)
    expected = plan(x, threads=1)
    flat = np.zeros(x.nbytes + 1, np.uint8)[1:].view(dtype).reshape(shape)
    flat[...] = x
    spaced = np.zeros([2 * n for n in shape], dtype)[tuple(slice(None, None, 2) for _ in shape)]
    spaced[...] = x
    layouts = {
        "fortran": np.asfortranarray(x),
        "unaligned": flat,
        "spaced": spaced,
        "backwards": np.ascontiguousarray(x[::-1])[::-1],
        "moved": np.moveaxis(np.ascontiguousarray(np.moveaxis(x, 0, -1)), -1, 0),
    }

    for threads in (2, 3, 8):
        np.testing.assert_array_equal(plan(x, threads=threads), expected)
    for layout, y in layouts.items():
        np.testing.assert_array_equal(plan(y), expected, err_msg=layout)


@pytest.mark.parametrize("options", MODES, ids=str)
def test_agrees_with_the_portable_executor(options: dict[str, Any]) -> None:
    x = noise((6, 41, 57))
    plan = ndresize.resize.plan(x.shape, x.dtype, sizes=(6, 75, 23), **options)
    weights = np.prod([np.abs(op.weights).sum(axis=1).max() for op in plan.axes if op is not None])

    difference = np.abs(plan(x) - portable.run(plan, x)).max()

    # Two passes, each with a rounding per tap, against sums without fused multiply-add.
    taps = sum(op.taps for op in plan.axes if op is not None)
    assert difference <= 2 * taps * np.finfo(np.float32).eps * weights * np.abs(x).max()


@pytest.mark.parametrize("options", MODES[:-1], ids=str)
@pytest.mark.parametrize(
    ("shape", "sizes"),
    [((130, 7, 7), (130, 14, 14)), ((9, 3, 5, 6), (9, 3, 3, 11)), ((17, 4, 6, 5), (17, 9, 3, 8))],
)
def test_little_maps_are_the_same_lane_by_lane_and_row_by_row(
    options: dict[str, Any], shape: tuple[int, ...], sizes: tuple[int, ...]
) -> None:
    """Maps without gaps are a lane each; the rows of maps with gaps are made one by one."""
    for dtype in (np.float32, np.float64, np.float16, np.uint8, np.int16, np.int32, np.int64):
        x = noise(shape, np.int32 if dtype is np.int64 else dtype).astype(dtype)
        plan = ndresize.resize.plan(shape, dtype, sizes=sizes, **options)
        apart = np.zeros((*shape[:-1], shape[-1] + 1), dtype)[..., :-1]
        apart[...] = x
        for threads in (1, 3):
            np.testing.assert_array_equal(plan(x, threads=threads), plan(apart, threads=threads))
        every_other = np.repeat(x, 2, axis=0)[::2]
        np.testing.assert_array_equal(plan(every_other), plan(apart))
        exact = portable.run(plan, x).astype(np.float64)
        unit = np.finfo(dtype).eps if np.dtype(dtype).kind == "f" else np.float64(0.5)
        size = np.abs(x).astype(np.float64).max() if np.dtype(dtype).kind == "f" else 1
        assert np.abs(plan(x) - exact).max() <= 64 * unit * size


@pytest.mark.parametrize("options", MODES[:4], ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
@pytest.mark.parametrize(
    ("n_in", "n_out"), [(40, 80), (300, 600), (90, 61), (300, 50), (1500, 3000)]
)
def test_nan_and_infinity_enter_nowhere_through_a_weight_of_zero(
    options: dict[str, Any], dtype: Any, n_in: int, n_out: int
) -> None:
    plan = ndresize.resize.plan((3, n_in), dtype, sizes=(n_out,), axes=(1,), **options)
    finite = noise((3, n_in), dtype)
    expected = plan(finite)
    (_, operator) = plan.axes
    assert operator is not None
    weights = operator.dense().astype(np.float32)
    rng = np.random.default_rng(0)
    for value in (np.nan, np.inf, -np.inf):
        for share in (0.3, 0.1, 0.03):
            x = finite.copy()
            infected = rng.random(n_in) < share
            x[1, infected] = value
            y = plan(x)
            reads = np.zeros(y.shape, bool)
            reads[1] = (weights[:, infected] != 0).any(axis=1)
            np.testing.assert_array_equal(np.isfinite(y), ~reads)
            np.testing.assert_array_equal(y[~reads], expected[~reads])


def test_nan_in_a_little_map_stays_where_its_weight_is_not_zero() -> None:
    x = noise((20, 8, 8))
    x[3, 2, 5] = np.nan
    x[19, 7, 7] = np.inf
    plan = ndresize.resize.plan(
        x.shape,
        x.dtype,
        sizes=(20, 15, 15),
        mode="linear",
        coordinate_transformation_mode="align_corners",
    )
    apart = np.zeros((20, 8, 9), np.float32)[..., :-1]
    apart[...] = x
    y = plan(x)
    np.testing.assert_array_equal(y, plan(apart))
    assert np.isnan(y[3]).sum() == 9
    assert np.isnan(np.delete(y, [3, 19], axis=0)).sum() == 0


def test_a_row_longer_than_a_tile_is_the_same_row() -> None:
    x = noise((2, 150_000))
    for options in MODES:
        plan = ndresize.resize.plan(x.shape, x.dtype, sizes=(3, 100_001), **options)
        y = plan(x)
        for start in (0, 32_000, 99_990):
            piece, need = plan.crop((slice(None), slice(start, start + 500)))
            np.testing.assert_array_equal(piece(x[need]), y[:, start : start + 500])


HASHES = """
    import hashlib, numpy as np, ndresize
    from ndresize.engine import native
    rng = np.random.default_rng(3)
    digest = hashlib.sha256()
    for dtype in ("f4", "f8", "f2", "u1", "i2", "i4", "u8"):
        x = (rng.standard_normal((3, 37, 45)) * 50 + 100).astype(dtype)
        for mode in ("linear", "cubic", "lanczos3", "nearest"):
            for sizes in ((3, 80, 91), (3, 20, 17), (5, 37, 45)):
                y = ndresize.resize(x, sizes=sizes, mode=mode, antialias=mode != "nearest")
                digest.update(y.tobytes())
    print(native.instruction_set(), digest.hexdigest())
"""


def test_instruction_sets_with_fused_multiply_add_agree_to_the_bit() -> None:
    sets = available_sets()
    assert sets[-1] == "baseline"
    results = {}
    for name in sets:
        run = run_python(HASHES, NDRESIZE_ISA=name)
        assert run.returncode == 0, run.stderr
        chosen, results[name] = run.stdout.split()
        assert chosen == name
    fused = [results[name] for name in sets if name != "baseline"]
    assert len(set(fused)) <= 1


def test_baseline_agrees_where_sums_are_exact() -> None:
    code = """
        import numpy as np, ndresize, sys
        x = (np.arange(3 * 20 * 24) * 37 % 251).reshape(3, 20, 24)
        for dtype in ("f4", "f8", "f2", "u1", "i2", "i4", "u8"):
            y = ndresize.resize(x.astype(dtype), sizes=(3, 40, 48), mode="linear")
            sys.stdout.write(y.tobytes().hex())
    """
    outputs = {name: run_python(code, NDRESIZE_ISA=name).stdout for name in available_sets()}
    assert len(next(iter(outputs.values()))) > 1000
    assert len(set(outputs.values())) == 1


def test_many_python_threads_at_once() -> None:
    x = noise((8, 60, 80))
    plan = ndresize.resize.plan(x.shape, x.dtype, sizes=(8, 200, 300), mode="cubic")
    expected = plan(x)

    with ThreadPoolExecutor(8) as pool:
        for y in pool.map(lambda _: plan(x, threads=3), range(40)):
            np.testing.assert_array_equal(y, expected)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_works_on_both_sides_of_a_fork() -> None:
    # In a process of its own: other libraries in this one have threads that forking would upset.
    code = """
        import numpy as np, ndresize, os
        x = np.random.default_rng(0).standard_normal((8, 60, 80)).astype(np.float32)
        plan = ndresize.resize.plan(x.shape, x.dtype, sizes=(8, 200, 300), mode="cubic")
        expected = plan(x, threads=2)  # the pool has its threads
        child = os.fork()
        good = np.array_equal(plan(x, threads=2), expected)
        if child == 0:
            os._exit(0 if good else 1)
        print(os.waitpid(child, 0)[1], good)
    """
    run = run_python(code)
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == ["0", "True"]


def test_interrupt_is_answered_within_a_second() -> None:
    code = """
        import numpy as np, ndresize, signal, threading, time, os
        x = np.zeros((512, 1024, 256), np.float32)
        plan = ndresize.resize.plan(x.shape, x.dtype, sizes=(500, 1000, 250), mode="lanczos3")
        out = np.empty(plan.output_shape, np.float32)
        plan.crop((slice(1), slice(1), slice(1)))
        def later():
            time.sleep(0.5)
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)
        sent = []
        threading.Thread(target=later).start()
        try:
            for _ in range(1000):
                plan(x, out=out)
        except KeyboardInterrupt:
            print(time.monotonic() - sent[0])
    """
    run = run_python(code)
    assert run.returncode == 0, run.stderr
    assert float(run.stdout) < 1


def test_scratch_is_a_few_rows_and_planes() -> None:
    code = """
        import numpy as np, ndresize, resource
        peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        small = np.ones((8, 8, 8), np.float32)
        ndresize.resize(small, sizes=(16, 16, 16), mode="linear", threads=2)
        x = np.ones((256, 512, 512), np.float32)  # 256 MB
        out = np.empty((300, 400, 600), np.float32)
        out[...] = 0
        before = peak()
        plan = ndresize.resize.plan(x.shape, x.dtype, sizes=out.shape, mode="linear")
        plan(x, out=out, threads=2)
        print(peak() - before)
    """
    run = run_python(code)
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) < 64 * 2**20


def test_threads_of_the_pool_do_not_hold_up_the_end_of_the_process() -> None:
    code = """
        import numpy as np, ndresize
        x = np.ones((64, 100, 100), np.float32)
        print(ndresize.resize(x, sizes=(64, 200, 200), mode="linear", threads=4).sum())
    """
    start = time.monotonic()
    assert run_python(code).returncode == 0
    assert time.monotonic() - start < 60


def test_unknown_instruction_set_is_refused_by_name() -> None:
    run = run_python(
        "from ndresize.engine import native; native.instruction_set()", NDRESIZE_ISA="x"
    )
    assert run.returncode == 1
    assert run.stderr.strip().endswith("got x")


def test_gil_is_released() -> None:
    x = noise((64, 300, 300))
    plan = ndresize.resize.plan(x.shape, x.dtype, sizes=(64, 600, 600), mode="cubic")
    out = np.empty(plan.output_shape, np.float32)
    steps = 0
    done = threading.Event()

    def resize() -> None:
        plan(x, out=out, threads=1)
        done.set()

    thread = threading.Thread(target=resize)
    thread.start()
    while not done.is_set():
        steps += 1
        time.sleep(0)
    thread.join()
    assert steps > 10


def test_an_accumulator_that_the_kernels_do_not_have_is_honoured() -> None:
    """Integers that float32 cannot hold, summed in it: what comes out is rounded to 24 bits."""
    x = np.array([2**24 + 1, 2**24 + 1], np.int32)
    plan = ndresize.resize.plan(x.shape, x.dtype, sizes=[4], mode="linear")
    narrow = tuple(replace(s, arithmetic=ndresize.Arithmetic("float32")) for s in plan.passes)

    assert plan(x).tolist() == [2**24 + 1] * 4
    assert replace(plan, passes=narrow)(x).tolist() == [2**24] * 4


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.uint16, np.int16])
@pytest.mark.parametrize("store", ["wide", "element"])
def test_small_integers_can_be_summed_in_float64(dtype: Any, store: Any) -> None:
    x = noise((3, 37, 41), dtype)
    plan = ndresize.resize.plan(x.shape, dtype, sizes=(3, 20, 90), mode="cubic")
    how = ndresize.Arithmetic("float64", store)
    wide = replace(plan, passes=tuple(replace(s, arithmetic=how) for s in plan.passes))

    assert native.compile_plan(wide) is not None
    np.testing.assert_array_equal(wide(x), portable.run(wide, x))


@pytest.mark.parametrize(
    ("rule", "rounding"),
    [
        ("half_even", decimal.ROUND_HALF_EVEN),
        ("half_away", decimal.ROUND_HALF_UP),  # decimal's "up" is away from zero
        ("truncate", decimal.ROUND_DOWN),
        ("float32_half_even", decimal.ROUND_HALF_EVEN),
    ],
)
@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64])
def test_rounding_rules_of_both_executors(rule: Any, rounding: str, dtype: Any) -> None:
    # All quarters from -25 to 25, ties and both signs among them; exact in every accumulator.
    x = np.arange(-25, 26).astype(dtype)
    sums = [decimal.Decimal(k) / 4 for k in range(-100, 101)]
    plan = ndresize.resize.plan(
        x.shape, dtype, sizes=[201], mode="linear", coordinate_transformation_mode="align_corners"
    )
    plan = replace(plan, rounding=rule)
    expected = [int(value.quantize(decimal.Decimal(1), rounding)) for value in sums]

    assert plan(x).tolist() == expected
    assert portable.run(plan, x).tolist() == expected


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64])
def test_half_up_is_toward_plus_infinity(dtype: Any) -> None:
    x = np.arange(-25, 26).astype(dtype)
    plan = ndresize.resize.plan(
        x.shape, dtype, sizes=[201], mode="linear", coordinate_transformation_mode="align_corners"
    )
    plan = replace(plan, rounding="half_up")
    expected = [(k + 2) // 4 for k in range(-100, 101)]

    assert plan(x).tolist() == expected
    assert portable.run(plan, x).tolist() == expected


@pytest.mark.parametrize("rule", ["half_up", "half_even", "half_away"])
@pytest.mark.parametrize("accumulator", ["float32", "float64"])
def test_what_is_just_below_a_half_is_not_one(rule: Any, accumulator: Any) -> None:
    below = np.nextafter(np.dtype(accumulator).type(0.5), 0)
    operator = ndresize.AxisOperator(np.zeros(9), np.full((9, 1), float(below)), 1)
    step = ndresize.Pass(0, operator, ndresize.Arithmetic(accumulator))
    kind = np.dtype(np.int16)
    plan = ndresize.Plan((1,), kind, (step,), (9,), kind, rule)

    for sign in (1, -1):
        x = np.array([sign], np.int16)
        assert not plan(x).any()
        assert not portable.run(plan, x).any()


@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.int64])
def test_sums_are_float32_before_they_are_rounded(dtype: Any) -> None:
    """One half and a little more is a tie in float32, and goes to the even neighbour."""
    kind = np.dtype(dtype)
    operator = ndresize.AxisOperator(np.zeros(9), np.full((9, 1), 0.5 + 2.0**-40), 1)
    step = ndresize.Pass(0, operator, ndresize.Arithmetic("float64"))
    plan = ndresize.Plan((1,), kind, (step,), (9,), kind, "float32_half_even")
    exact = replace(plan, rounding="half_even")
    x = np.array([1], dtype)

    for run in (plan, lambda x: portable.run(plan, x)):
        np.testing.assert_array_equal(run(x), 0)
    for run in (exact, lambda x: portable.run(exact, x)):
        np.testing.assert_array_equal(run(x), 1)
