"""Plans: the right sums, whatever the layout, the cut or the number of threads."""

from __future__ import annotations

import itertools
import pickle
from dataclasses import FrozenInstanceError, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import ndresize
from ndresize import Arithmetic, Fill, Pass, Plan, ResizeError
from ndresize.dialects import onnx
from ndresize.engine import native, portable
from ndresize.plan import make_plan
from ndresize.rounding import ROUNDING_RULES
from oracle import Array, apply_dense, axis_calls, ours
from strategies import NUMBERS, arrays, axis_operators, calls, dtype_named, layouts

NUMERIC = [name for name in NUMBERS if name not in ("float16", "bfloat16")]


def plan_of(call: Any, dtype: Any = None) -> Plan:
    words = {"opset": call.opset, **call.attributes}
    return onnx.resize.plan(
        call.x.shape, dtype or call.x.dtype, call.roi, call.scales, call.sizes, **words
    )


@st.composite
def dyadic_plans(draw: st.DrawFn, dtype: Any = np.float64) -> Plan:
    """Return a plan of random operators whose sums of small integers are exact."""
    rank = draw(st.integers(0, 4))
    shape = tuple(draw(st.lists(st.integers(0, 4), min_size=rank, max_size=rank)))
    operators = {a: draw(axis_operators(n)) for a, n in enumerate(shape) if draw(st.booleans())}
    order = draw(st.permutations(sorted(operators)))
    arithmetic = Arithmetic.for_dtype(np.dtype(dtype))
    return make_plan(shape, np.dtype(dtype), operators, arithmetic=arithmetic, order=order)


def small_integers(shape: tuple[int, ...], dtype: Any = np.float64, seed: int = 0) -> Array:
    return np.random.default_rng(seed).integers(-8, 9, shape).astype(dtype)


def noise(shape: tuple[int, ...], dtype: Any, seed: int = 0) -> Array:
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind in "iu":
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, shape, dtype, endpoint=True)
    x = rng.uniform(-8, 8, shape)
    return (x + 1j * rng.uniform(-8, 8, shape) if np.dtype(dtype).kind == "c" else x).astype(dtype)


def dense_of(plan: Plan) -> list[Array | None]:
    return [None if op is None else op.dense() for op in plan.axes]


# --- sums -----------------------------------------------------------------------------------------


@given(st.data(), st.sampled_from([np.float32, np.float64, np.complex64, np.complex128]))
def test_running_is_multiplying_by_the_dense_matrices(data: st.DataObject, dtype: Any) -> None:
    plan = data.draw(dyadic_plans(dtype))
    x = small_integers(plan.input_shape, dtype)
    expected = x
    for axis, matrix in enumerate(dense_of(plan)):
        if matrix is not None:
            expected = apply_dense(expected, matrix, axis)
    y = plan(x)
    assert y.shape == plan.output_shape
    np.testing.assert_array_equal(y, expected.astype(dtype))


@given(dyadic_plans(), st.integers(0, 99))
def test_adjoint_has_the_same_inner_product(plan: Plan, seed: int) -> None:
    x = small_integers(plan.input_shape, seed=seed)
    g = small_integers(plan.output_shape, seed=seed + 1)
    adjoint = plan.adjoint()
    assert (adjoint.input_shape, adjoint.output_shape) == (plan.output_shape, plan.input_shape)
    assert (plan(x) * g).sum() == (x * adjoint(g)).sum()
    for forward, back in zip(dense_of(plan), dense_of(adjoint), strict=True):
        if forward is None or back is None:
            assert forward is back
        else:
            np.testing.assert_array_equal(back, forward.T)
    assert adjoint.adjoint() == plan


@given(calls(dtypes=("float64", "complex128", "float32"), opsets=(19,)))
def test_adjoint_of_real_calls(call: Any) -> None:
    plan = plan_of(call)
    adjoint = plan.adjoint()
    g = noise(plan.output_shape, call.x.dtype)
    x = call.x
    constant = plan.fill.value if plan.fill is not None else 0.0
    # The constant is no part of the linear map.
    y = plan(x) - plan(np.zeros_like(x))
    sides = [np.vdot(y.conj(), g), np.vdot(x.conj(), adjoint(g))]
    scale = 1.0
    for op in plan.axes:
        if op is not None and op.weights.size:
            scale *= max(
                np.abs(op.weights).sum(axis=1).max(),
                np.abs(op.transpose().weights).sum(axis=1).max(),
            )
    largest = 16 * scale * (8 + abs(constant)) * max(x.size, g.size, 1)
    eps = float(np.finfo(call.x.dtype).eps)
    assert abs(sides[0] - sides[1]) <= 64 * eps * largest


def test_constant_samples_pass_no_gradient() -> None:
    plan = onnx.resize.plan(
        (4,),
        np.float64,
        [0, 1.5],
        sizes=[4],
        mode="linear",
        coordinate_transformation_mode="tf_crop_and_resize",
        extrapolation_value=7.0,
    )
    assert plan(np.zeros(4)).tolist() == [0, 0, 0, 7]
    assert plan.adjoint()(np.array([0, 0, 0, 1.0])).tolist() == [0, 0, 0, 0]
    assert plan.adjoint()(np.array([1.0, 0, 0, 0])).tolist() == [1, 0, 0, 0]


@pytest.mark.parametrize("dtype", ["uint8", "int64", "bool", "U3"])
def test_adjoint_needs_a_float_type(dtype: str) -> None:
    with pytest.raises(ResizeError, match=f"only float and complex plans .*got .*{dtype[-2:]}"):
        onnx.resize.plan((3,), dtype, scales=[2]).adjoint()


@pytest.mark.parametrize("dtype", NUMERIC)
@pytest.mark.parametrize(
    "words",
    [{"mode": "linear"}, {"mode": "cubic"}, {"mode": "linear", "antialias": True}]
    + [{"mode": m, "antialias": True} for m in ndresize.MODES[2:]],
    ids=str,
)
def test_constants_are_kept(dtype: str, words: dict[str, Any]) -> None:
    kind = np.dtype(dtype).kind
    values: list[Any] = [0, 1, 7, 100]
    if kind in "iu":
        info = np.iinfo(dtype)
        values += [info.max, info.max - 1, info.min, info.min + 1]
    for value in values:
        x = np.full((5, 9), value, dtype)
        for sizes in ((3, 4), (11, 20), (5, 1)):
            y = ndresize.resize(x, sizes=sizes, **words)
            if kind in "fc":
                eps = np.finfo(dtype).eps
                np.testing.assert_allclose(y, np.broadcast_to(x[0, 0], sizes), rtol=16 * eps)
            elif np.dtype(dtype).itemsize == 8 and abs(int(value)) > 2**50:
                # Sums of 64-bit integers are float64.
                largest = max(abs(int(v) - int(value)) for v in y.ravel())
                assert largest <= 2**13
            else:
                assert (y == value).all(), (value, sizes, y)


def test_not_a_number_and_infinity_come_only_through_weights_that_are_not_zero() -> None:
    for bad in (np.nan, np.inf, -np.inf):
        for words in (
            {"mode": "linear"},
            {"mode": "cubic"},
            {"mode": "cubic", "antialias": 1},
            {"mode": "nearest"},
        ):
            for n_in, n_out in itertools.product((1, 3, 5, 8), (1, 3, 5, 8, 10)):
                plan = onnx.resize.plan((n_in, 3), np.float32, sizes=[n_out, 3], **words)
                op = plan.axes[0]
                matrix = np.eye(n_in) if op is None else op.dense()
                for at in range(n_in):
                    x = np.ones((n_in, 3), np.float32)
                    x[at, 1] = bad
                    y = plan(x)
                    reached = np.zeros((n_out, 3), bool)
                    reached[:, 1] = matrix[:, at] != 0
                    np.testing.assert_array_equal(~np.isfinite(y), reached)


# --- cuts, layouts, threads -----------------------------------------------------------------------


@settings(max_examples=200)
@given(calls(), st.data())
def test_pieces_pasted_are_the_whole_bit_for_bit(call: Any, data: st.DataObject) -> None:
    plan = plan_of(call)
    whole = plan(call.x)
    pasted = np.empty_like(whole)
    cuts = []
    for n in plan.output_shape:
        inner = data.draw(st.lists(st.integers(0, n), max_size=2))
        ends = sorted({0, *inner, n})
        cuts.append([slice(a, b) for a, b in itertools.pairwise(ends)] or [slice(0, 0)])
    for window in itertools.product(*cuts):
        piece, need = plan.crop(window)
        assert piece.input_shape == call.x[need].shape
        pasted[window] = piece(call.x[need])
    assert pasted.tobytes() == whole.tobytes()


@settings(max_examples=200)
@given(calls(), st.data())
def test_any_layout_gives_the_same_bits(call: Any, data: st.DataObject) -> None:
    plan = plan_of(call)
    expected = plan(np.ascontiguousarray(call.x).reshape(call.x.shape))
    x = data.draw(layouts(call.x))
    for y in (plan(x), ours(call), plan(x, threads=1), plan(x, threads=3)):
        assert y.dtype == call.x.dtype
        assert y.tobytes() == expected.tobytes()


@pytest.mark.parametrize("dtype", NUMBERS)
def test_transposed_and_broadcast_input(dtype: str) -> None:
    x = (np.arange(24) % 7).reshape(2, 3, 4).astype(dtype_named(dtype))
    for words in ({"mode": "linear"}, {"mode": "nearest"}):
        for axes in itertools.permutations(range(3)):
            y = onnx.resize(x.transpose(axes), sizes=[5, 6, 7], **words)
            same = onnx.resize(x.transpose(axes).copy(), sizes=[5, 6, 7], **words)
            assert y.tobytes() == same.tobytes()
        wide = np.broadcast_to(x[:1], (3, 3, 4))
        y = onnx.resize(wide, sizes=[5, 6, 7], **words)
        assert y.tobytes() == onnx.resize(wide.copy(), sizes=[5, 6, 7], **words).tobytes()


def test_scalars_lists_and_array_likes() -> None:
    assert ndresize.resize([1.0, 3.0], sizes=[4], mode="linear").tolist() == [1, 1.5, 2.5, 3]
    assert ndresize.resize(np.float32(5)).tolist() == 5
    assert ndresize.resize(7).shape == ()
    with pytest.raises(ResizeError, match="x must be an array, got list"):
        ndresize.resize([[1], [1, 2]], sizes=[2, 2])


# --- out ------------------------------------------------------------------------------------------


@given(calls(), st.data())
def test_out_of_any_layout_is_filled_and_returned(call: Any, data: st.DataObject) -> None:
    plan = plan_of(call)
    expected = plan(call.x)
    out = data.draw(layouts(np.zeros(plan.output_shape, plan.dtype)))
    assume(out.dtype == plan.dtype)
    assert plan(call.x, out=out) is out
    assert out.tobytes() == expected.tobytes()


def test_out_between_other_samples_leaves_them() -> None:
    board = np.full((9, 16), 7.0, np.float32)
    x = noise((3, 5), np.float32)
    y = onnx.resize(x, sizes=[4, 6], mode="linear", out=board[1:9:2, 2:14:2])
    np.testing.assert_array_equal(y, onnx.resize(x, sizes=[4, 6], mode="linear"))
    board[1:9:2, 2:14:2] = 7
    assert (board == 7).all()


def test_out_that_cannot_be_written() -> None:
    plan = onnx.resize.plan((4,), np.float32, sizes=[6], mode="linear")
    x = np.arange(4, dtype=np.float32)
    read_only = np.empty(6, np.float32)
    read_only.setflags(write=False)
    shared = np.arange(10, dtype=np.float32)
    bad: list[tuple[Any, str]] = [
        (np.empty(5, np.float32), r"out must have shape \(6,\) and type float32, got \(5,\)"),
        (np.empty(6, np.float64), "and type float32, got .*float64"),
        (np.empty(6, ">f4"), "and type float32, got .*>f4"),
        ([0.0] * 6, "out must be a NumPy array, got list"),
        (read_only, "out must be writeable"),
        (np.lib.stride_tricks.as_strided(np.empty(1, np.float32), (6,), (0,)), "repeat memory"),
    ]
    for out, message in bad:
        with pytest.raises(ResizeError, match=message):
            plan(x, out=out)
    with pytest.raises(ResizeError, match="out must not overlap the input"):
        plan(shared[:4], out=shared[3:9])
    plan(shared[:4], out=shared[4:])  # side by side is no overlap


def test_even_and_odd_samples_of_one_array_do_not_overlap() -> None:
    both = np.arange(12, dtype=np.float32)
    plan = onnx.resize.plan((6,), np.float32, sizes=[6], scales=None, mode="linear")
    np.testing.assert_array_equal(plan(both[::2], out=both[1::2]), both[::2])


@pytest.mark.parametrize("threads", [0, -1, 1.5, "2"])
def test_threads_are_positive_integers(threads: Any) -> None:
    plan = onnx.resize.plan((4,), np.float32, sizes=[6])
    with pytest.raises(ResizeError, match="threads must be an integer of at least 1, got"):
        plan(np.zeros(4, np.float32), threads=threads)


def test_input_that_the_plan_is_not_for() -> None:
    plan = onnx.resize.plan((4,), np.float32, sizes=[6])
    with pytest.raises(ResizeError, match=r"the plan is for shape \(4,\), got \(5,\)"):
        plan(np.zeros(5, np.float32))
    with pytest.raises(ResizeError, match="the plan is for type float32, got float64"):
        plan(np.zeros(4))


# --- empty arrays and ranks -----------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "uint8", "U2", "object", "complex64", "bool"])
@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 4)])
def test_empty_arrays(dtype: str, shape: tuple[int, ...]) -> None:
    x = np.zeros(shape, dtype)
    modes = ("nearest",) if dtype in ("U2", "object", "bool") else ("nearest", "linear", "cubic")
    for mode in modes:
        doubled = ndresize.resize(x, scales=[2.0] * len(shape), mode=mode)
        assert doubled.shape == tuple(2 * n for n in shape)
        assert doubled.dtype == x.dtype
        sizes = [5 if n else 0 for n in shape]
        assert ndresize.resize(x, sizes=sizes, mode=mode).shape == tuple(sizes)
    full = np.ones([max(n, 1) for n in shape], dtype)
    assert ndresize.resize(full, scales=[0.5] * full.ndim).size in (0, 1, 2)


# --- identity of plans ----------------------------------------------------------------------------


@given(calls())
def test_pickle_hash_and_equality(call: Any) -> None:
    plan, again = plan_of(call), plan_of(call)
    copy = pickle.loads(pickle.dumps(plan))
    assert plan == again == copy
    assert len({plan, again, copy}) == 1
    assert copy(call.x).tobytes() == plan(call.x).tobytes()
    after_use = pickle.loads(pickle.dumps(plan))  # what was compiled is no part of it
    assert after_use == plan


def test_plans_differ_in_whatever_changes_the_result() -> None:
    base = onnx.resize.plan((4, 5), np.float32, sizes=[6, 7], mode="linear")
    others = [
        onnx.resize.plan((4, 5), np.float64, sizes=[6, 7], mode="linear"),
        onnx.resize.plan((4, 5), np.float32, sizes=[6, 8], mode="linear"),
        onnx.resize.plan((4, 6), np.float32, sizes=[6, 7], mode="linear"),
        onnx.resize.plan((4, 5), np.float32, sizes=[6, 7], mode="cubic"),
        onnx.resize.plan((4, 5), np.float32, sizes=[6, 7], mode="nearest"),
    ]
    assert len({base, *others}) == 6
    assert base != "a plan"
    by_scales = onnx.resize.plan((4, 5), np.float32, scales=[1.5, 1.4], mode="linear")
    assert by_scales.output_shape == (6, 6)
    exactly = onnx.resize.plan((4, 5), np.float32, scales=[1.5, 2], mode="linear")
    assert exactly == onnx.resize.plan((4, 5), np.float32, sizes=[6, 10], mode="linear")


def test_fills_compare_by_value() -> None:
    inside = np.array([False, True])
    assert Fill(1.0, (inside, None)) == Fill(1.0, (inside.copy(), None))
    assert hash(Fill(1.0, (inside,))) == hash(Fill(1.0, (inside.copy(),)))
    assert Fill(1.0, (inside,)) != Fill(2.0, (inside,))
    assert Fill(1.0, (inside,)) != Fill(1.0, (~inside,))
    assert Fill(1.0, (inside,)) != 1


def test_nothing_can_be_changed() -> None:
    plan = onnx.resize.plan((4,), np.float32, sizes=[6], mode="linear")
    with pytest.raises(FrozenInstanceError):
        plan.rounding = "truncate"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        plan.passes[0].axis = 1  # type: ignore[misc]


def test_a_person_can_read_it() -> None:
    words = {"mode": "linear", "coordinate_transformation_mode": "tf_crop_and_resize"}
    plan = onnx.resize.plan(
        (4, 5), "u1", [0, 0, 1, 2], sizes=[6, 5], extrapolation_value=3, **words
    )
    assert repr(plan) == (
        "Plan 4x5 -> 6x5, uint8\n"
        "  axis 1: 5 -> 5, picks samples\n"
        "  axis 0: 4 -> 6, 2 taps, float32 sums\n"
        "  rounding: half_even, saturating\n"
        "  outside samples are 3.0"
    )
    assert repr(onnx.resize.plan((), "f4")) == "Plan scalar -> scalar, float32\n  a copy"


def two_passes_on_one_axis() -> tuple[Plan, Plan, Plan]:
    shrink = ndresize.resize.plan((12,), np.float64, sizes=[6], mode="box", antialias=True)
    grow = ndresize.resize.plan((6,), np.float64, sizes=[9], mode="linear")
    both = Plan((12,), np.dtype("f8"), shrink.passes + grow.passes, (9,), np.dtype("f8"))
    return shrink, grow, both


def test_several_passes_on_one_axis_compose() -> None:
    shrink, grow, both = two_passes_on_one_axis()
    x = noise((12,), np.float64)
    expected = portable.run(grow, portable.run(shrink, x))
    np.testing.assert_array_equal(portable.run(both, x), expected)
    (effect,) = both.axes
    assert effect is not None
    np.testing.assert_allclose(effect.dense() @ x, expected, rtol=1e-14)
    piece, (need,) = both.crop((slice(2, 5),))
    np.testing.assert_array_equal(portable.run(piece, x[need]), expected[2:5])


def test_several_passes_on_one_axis() -> None:
    shrink, grow, both = two_passes_on_one_axis()
    x = noise((12,), np.float64)
    np.testing.assert_array_equal(both(x), grow(shrink(x)))


def test_crop_takes_slices_as_indexing_does() -> None:
    plan = onnx.resize.plan((4, 5), np.float32, sizes=[6, 7], mode="linear")
    x = noise((4, 5), np.float32)
    for window in ((slice(-2, None),), slice(1, 3), (slice(None), slice(5, 2)), ()):
        piece, need = plan.crop(window)  # type: ignore[arg-type]
        np.testing.assert_array_equal(piece(x[need]), plan(x)[window])
    for bad in ((slice(None, None, 2),), (slice(None, None, -1),), (1,)):
        with pytest.raises(ResizeError, match="slices must be slices with step 1, got"):
            plan.crop(bad)  # type: ignore[arg-type]
    with pytest.raises(ResizeError, match="slices must be at most 2, one per axis, got 3"):
        plan.crop((slice(1),) * 3)


def test_passes_are_named_tuples_of_axis_operator_and_arithmetic() -> None:
    plan = onnx.resize.plan((4, 5), np.uint8, sizes=[6, 5], mode="linear")
    (step,) = plan.passes
    assert isinstance(step, Pass)
    assert step.axis == 0
    assert step.arithmetic == Arithmetic("float32", "wide")
    assert plan.axes == (step.operator, None)


@given(calls(opsets=(19,)))
def test_axes_are_the_rows_of_the_page(call: Any) -> None:
    plan = plan_of(call)
    for n, op, axis in zip(plan.output_shape, plan.axes, axis_calls(call), strict=True):
        assert n == (axis.n_out if axis else op.n_out if op else n)
        if op is not None:
            assert op.n_out == n


@given(st.data(), st.sampled_from(["float32", "int16", "complex64"]))
def test_rank_up_to_8(data: st.DataObject, name: str) -> None:
    rank = data.draw(st.integers(0, 8))
    shape = tuple(data.draw(st.lists(st.integers(1, 3), min_size=rank, max_size=rank)))
    sizes = data.draw(st.lists(st.integers(1, 3), min_size=rank, max_size=rank))
    x = data.draw(arrays(shape, np.dtype(name)))
    y = ndresize.resize(x, sizes=sizes, mode="linear")
    assert y.shape == tuple(sizes)
    # Axis after axis is the same but for rounding between: here sums stay small and near.
    step = x.astype(np.complex128)
    for axis, op in enumerate(ndresize.resize.plan(shape, "f8", sizes=sizes, mode="linear").axes):
        if op is not None:
            step = apply_dense(step, op.dense(), axis)
    near = 1.0 if x.dtype.kind == "i" else 1e-4
    np.testing.assert_allclose(y, step if name == "complex64" else step.real, atol=near, rtol=1e-4)


# --- parts of the engine -------------------------------------------------------------------------


def random_operator(
    rng: np.random.Generator, n_in: int, n_out: int, most: int = 12
) -> ndresize.AxisOperator:
    taps = int(rng.integers(1, min(n_in, most) + 1))
    starts = np.sort(rng.integers(0, n_in - taps + 1, n_out))
    weights = rng.standard_normal((n_out, taps))
    weights[rng.random(weights.shape) < 0.15] = 0
    weights /= np.abs(weights).sum(axis=1, keepdims=True) + 1e-9
    return ndresize.AxisOperator(starts, weights, n_in)


def random_plan(rng: np.random.Generator, dtype: Any, how: Arithmetic) -> Plan:
    """Return a plan of one pass or two over one to three axes."""
    rank = int(rng.integers(1, 4))
    most = {1: 200, 2: 60, 3: 20}[rank]
    out = [int(n) for n in rng.integers(1, most, rank)]
    shape = tuple(out)
    passes = []
    for axis in rng.permutation(rank)[: rng.integers(1, 3)].tolist():
        out[axis] = int(rng.integers(1, most))
        passes.append(Pass(axis, random_operator(rng, shape[axis], out[axis]), how))
    kind = np.dtype(dtype)
    # Of sums of one axis after the other the compiled engine has no rule that adds a half first.
    rounding: Any = str(rng.choice([rule for rule in ROUNDING_RULES if rule != "half_added"]))
    return Plan(shape, kind, tuple(passes), tuple(out), kind, rounding)


def compiled(plan: Plan) -> bool:
    return any(program is not None for program in plan._programs.values())


@pytest.mark.parametrize("store", ["wide", "element"])
@pytest.mark.parametrize("accumulator", ["float32", "float64"])
@pytest.mark.parametrize("dtype", ["uint8", "int8", "uint16", "int16", "float32", "float64"])
def test_products_that_round_one_by_one_are_numpys(
    dtype: str, accumulator: Any, store: Any
) -> None:
    if (dtype, accumulator) == ("float64", "float32"):
        return
    rng = np.random.default_rng(11)
    how = Arithmetic(accumulator, store, fused=False)
    for _ in range(40):
        plan = random_plan(rng, dtype, how)
        x = noise(plan.input_shape, dtype, int(rng.integers(99)))
        y = plan(x, threads=int(rng.integers(1, 4)))
        assert compiled(plan)
        np.testing.assert_array_equal(y, portable.run(plan, x), err_msg=repr(plan))


@pytest.mark.parametrize("accumulator", ["float32", "float64"])
def test_two_passes_along_one_axis_round_one_by_one_too(accumulator: Any) -> None:
    rng = np.random.default_rng(12)
    how = Arithmetic(accumulator, fused=False)
    for axis in (0, 1):
        shape, out = [30, 30], [30, 30]
        out[axis] = 17
        passes = (
            Pass(axis, random_operator(rng, 30, 23), how),
            Pass(axis, random_operator(rng, 23, 17), how),
        )
        plan = Plan(tuple(shape), np.dtype("float32"), passes, tuple(out), np.dtype("float32"))
        x = noise(tuple(shape), "float32")
        np.testing.assert_array_equal(plan(x), portable.run(plan, x))


def test_fused_products_are_others_where_the_processor_has_them() -> None:
    """That is, the comparison above can fail."""
    if native.instruction_set() == "baseline":
        pytest.skip("the kernels of this processor never fuse")
    rng = np.random.default_rng(11)
    plans = [random_plan(rng, "float32", Arithmetic("float32")) for _ in range(20)]
    inputs = [noise(plan.input_shape, "float32") for plan in plans]
    assert any((p(x) != portable.run(p, x)).any() for p, x in zip(plans, inputs, strict=True))


def memory_layouts(x: Array) -> list[Array]:
    """Return the samples of `x` in all orders of the axes, reversed, and as a repeated array."""
    found = []
    for order in itertools.permutations(range(x.ndim)):
        back = np.argsort(order)
        y = np.ascontiguousarray(x.transpose(order)).transpose(back)
        found += [y, np.ascontiguousarray(y[..., ::-1])[..., ::-1]]
    return [*found, np.asfortranarray(x)]


@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32", "float64", "complex64", "int64"])
def test_new_arrays_lie_in_memory_as_the_input_does(dtype: str, mode: str) -> None:
    x = noise((5, 9, 3), dtype)
    plan = ndresize.resize.plan(x.shape, dtype, sizes=(7, 13, 3), mode=mode)
    expected = plan(x)
    assert expected.flags.c_contiguous
    for y in memory_layouts(x):
        result = plan(y)
        numpys = np.empty_like(y, shape=result.shape)  # order "K" of a reversed axis is forwards
        assert result.strides == numpys.strides
        assert result.tobytes() == expected.tobytes()
    repeated = np.broadcast_to(x[:1], x.shape)
    assert plan(repeated).flags.c_contiguous
    assert plan(repeated).tobytes() == plan(repeated.copy()).tobytes()


def test_axes_of_length_one_stay_where_they_are() -> None:
    x = np.moveaxis(noise((1, 6, 7, 3), "float32"), -1, 1)  # (1, 3, 6, 7), channels last in memory
    plan = ndresize.resize.plan(x.shape, x.dtype, sizes=(1, 3, 12, 5), mode="linear")
    y = plan(x)
    assert np.moveaxis(y, 1, -1).flags.c_contiguous
    assert y.tobytes() == plan(x.copy("C")).tobytes()


@pytest.mark.parametrize(
    ("dtype", "mode", "shape", "sizes"),
    [
        ("float32", "linear", (30, 700), (2100, 2053)),
        ("float32", "linear", (700, 30, 3), (2100, 700, 3)),
        ("float32", "cubic", (60, 2500), (1700, 2500)),  # sums of whole rows
        ("float64", "linear", (40, 90), (1100, 2001)),
        ("float32", "nearest", (90, 300), (2100, 2053)),
        ("uint8", "nearest", (900, 300), (4100, 4099)),
        ("uint8", "nearest", (20, 90, 300), (73, 500, 640)),  # planes that repeat
        ("float32", "nearest", (5, 12, 30, 40), (11, 31, 99, 201)),
        ("uint8", "linear", (900, 300), (4100, 4099)),
    ],
)
def test_outputs_that_go_past_the_caches(
    dtype: str, mode: str, shape: tuple[int, ...], sizes: tuple[int, ...]
) -> None:
    x = noise(shape, dtype)
    plan = ndresize.resize.plan(shape, dtype, sizes=sizes, mode=mode)
    few = min(500, sizes[0] // 8)
    assert np.prod(sizes) * x.itemsize >= 16 << 20
    # Windows of less than 8 MB are never streamed.
    expected = np.concatenate(
        [
            piece(x[need])
            for row in range(0, sizes[0], few)
            for piece, need in [plan.crop((slice(row, row + few),))]
        ]
    )
    for lead, threads in itertools.product((0, 1, x.itemsize, 36), (1, 2)):
        board = np.full(expected.nbytes + 128, 7, np.uint8)
        window = board[lead : lead + expected.nbytes]
        out = window.view(dtype).reshape(sizes)
        plan(x, out=out, threads=threads)
        assert out.tobytes() == expected.tobytes(), (lead, threads)
        assert (board[:lead] == 7).all()
        assert (board[lead + expected.nbytes :] == 7).all()


@pytest.mark.parametrize("dtype", ["uint8", "float16", "float32", "int32"])
@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
@pytest.mark.parametrize(("n", "size"), [(60_000, 120_000), (120_000, 40_000), (90_000, 60_000)])
def test_long_rows_whose_tables_repeat(dtype: str, mode: str, n: int, size: int) -> None:
    x = noise((2, n), dtype)
    plan = ndresize.resize.plan(x.shape, dtype, sizes=(2, size), mode=mode)
    y = plan(x)
    assert y.tobytes() == plan(np.asfortranarray(x)).tobytes()
    for start in (0, size // 2 - 3, size - 400):  # windows are short: their tables are their own
        piece, need = plan.crop((slice(None), slice(start, start + 400)))
        np.testing.assert_array_equal(piece(x[need]), y[:, start : start + 400])


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float16", "int8"])
@pytest.mark.parametrize("channels", [1, 2, 3, 5])
def test_rows_of_which_little_is_read(dtype: str, channels: int) -> None:
    """A plan that reads a few samples of each row, against one of those samples alone."""
    rng = np.random.default_rng(2)
    x = noise((9, 400, channels), dtype)
    used = np.sort(rng.choice(400, 20, replace=False))
    used[10:] = np.arange(300, 310)  # some of them neighbours
    weights = rng.random((12, 2))
    starts = np.r_[used[:6], 300:306]
    far = ndresize.AxisOperator(starts, weights / weights.sum(axis=1, keepdims=True), 400)
    sums = Arithmetic("float32")
    down = random_operator(rng, 9, 15, 3)
    kind = np.dtype(dtype)

    def plan_with(n: int, op: ndresize.AxisOperator) -> Plan:
        passes = (Pass(1, op, sums), Pass(0, down, sums))
        return Plan((9, n, channels), kind, passes, (15, 12, channels), kind)

    read = np.unique(np.r_[starts, starts + 1])
    near = ndresize.AxisOperator(np.searchsorted(read, starts), far.weights, len(read))
    expected = plan_with(len(read), near)(np.ascontiguousarray(x[:, read]))
    for y in (x, np.asfortranarray(x), np.ascontiguousarray(x[:, ::-1])[:, ::-1]):
        np.testing.assert_array_equal(plan_with(400, far)(y), expected)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32", "float64", "complex128", "S3"])
@pytest.mark.parametrize("far", [1, 2, 3, 5, 9, 14, 17, 40])
def test_picks_from_windows_of_every_width(dtype: str, far: int) -> None:
    rng = np.random.default_rng(far)
    x = rng.integers(0, 250, (7, 301, 16 if dtype == "uint8" else 2)).astype(dtype)
    for channels in (1, 2, x.shape[2]):
        part = np.ascontiguousarray(x[..., :channels])
        for n_out in (1, 5, 33, 250):
            starts = np.minimum(np.sort(rng.integers(0, far * n_out, n_out)), 300)
            op = ndresize.AxisOperator(starts, np.ones((n_out, 1)), 301)
            rows = ndresize.AxisOperator(rng.integers(0, 7, 9), np.ones((9, 1)), 7)
            pick = Arithmetic("element")
            for passes in ([Pass(1, op, pick)], [Pass(0, rows, pick), Pass(1, op, pick)]):
                out = (9 if len(passes) == 2 else 7, n_out, channels)
                plan = Plan(part.shape, part.dtype, tuple(passes), out, part.dtype)
                expected = part[rows.starts] if len(passes) == 2 else part
                np.testing.assert_array_equal(plan(part), expected[:, starts])


@pytest.mark.parametrize("mode", ["nearest", "linear"])
@pytest.mark.parametrize("size", [(3, 5), (7, 7), (14, 9), (33, 64)])
def test_many_little_maps_are_each_itself(mode: str, size: tuple[int, int]) -> None:
    for dtype in ("float32", "uint8", "float64"):
        x = noise((40, 11, 7, 7), dtype)
        plan = ndresize.resize.plan(x.shape, dtype, sizes=(40, 11, *size), mode=mode)
        alone = ndresize.resize.plan((7, 7), dtype, sizes=size, mode=mode)
        y = plan(x)
        for b, c in ((0, 0), (0, 10), (17, 4), (39, 10)):
            np.testing.assert_array_equal(y[b, c], alone(x[b, c]))
        for other in (x[::-1], x[:, ::-1], x[..., ::-1], np.asfortranarray(x)):
            np.testing.assert_array_equal(plan(other), plan(other.copy("C")))
        out = np.zeros((40, 11, *(2 * n for n in size)), dtype)[..., ::2, ::2]
        np.testing.assert_array_equal(plan(x, out=out), y)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "uint16", "int16", "float16"])
@pytest.mark.parametrize("accumulator", ["float32", "float64"])
def test_outputs_of_the_type_of_the_sums(dtype: str, accumulator: Any) -> None:
    rng = np.random.default_rng(8)
    how = Arithmetic(accumulator, fused=False)
    to = np.dtype(accumulator)
    for _ in range(25):
        narrow = random_plan(rng, dtype, how)
        plan = replace(narrow, dtype=to)
        x = noise(plan.input_shape, dtype)
        first = plan(x, threads=2)
        np.testing.assert_array_equal(first, portable.run(plan, x))
        np.testing.assert_array_equal(plan(np.asfortranarray(x)), first)


def test_float64_that_narrows_to_float32() -> None:
    rng = np.random.default_rng(9)
    for _ in range(10):
        wide = random_plan(rng, "float64", Arithmetic("float64", fused=False))
        plan = replace(wide, dtype=np.dtype("float32"))
        x = noise(plan.input_shape, "float64")
        np.testing.assert_array_equal(plan(x), wide(x).astype("float32"))


@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64", "complex64"])
def test_picks_before_sums_along_the_same_axis(dtype: str) -> None:
    rng = np.random.default_rng(10)
    wide = Arithmetic.for_dtype(np.dtype(dtype))
    sums = Arithmetic(wide.accumulator, fused=False)
    for axis in (0, 1):
        picked = rng.integers(0, 20, 31)
        pick = ndresize.AxisOperator(picked, np.ones((31, 1)), 20)
        passes = (
            Pass(axis, pick, Arithmetic("element")),
            Pass(1 - axis, random_operator(rng, 20, 12), sums),
            Pass(axis, random_operator(rng, 31, 25), sums),
        )
        out = (25, 12) if axis == 0 else (12, 25)
        plan = Plan((20, 20), np.dtype(dtype), passes, out, np.dtype(dtype))
        x = noise((20, 20), dtype)
        expected = portable.run(plan, x)
        y = plan(x)
        assert compiled(plan)
        np.testing.assert_allclose(y, expected, rtol=0, atol=1e-5 if dtype != "uint8" else 0)
