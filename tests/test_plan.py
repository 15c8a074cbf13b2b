"""Plans: the right sums, whatever the layout, the cut or the number of threads."""

from __future__ import annotations

import itertools
import pickle
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import ndresize
from ndresize import Arithmetic, Fill, Pass, Plan, ResizeError
from ndresize.dialects import onnx
from ndresize.engine import portable
from ndresize.plan import make_plan
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
