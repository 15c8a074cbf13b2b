"""The axis operator: its one form, and what can be done with it."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndresize import AxisOperator
from strategies import axis_operators


def same(a: AxisOperator, b: AxisOperator) -> bool:
    return a == b and hash(a) == hash(b) and a.dense().tobytes() == b.dense().tobytes()


@given(axis_operators())
def test_one_form_of_one_matrix(op: AxisOperator) -> None:
    matrix = op.dense()
    assert matrix.shape == (op.n_out, op.n_in)
    # Written with all zeros, shifted or as a dense matrix, it is the same object.
    from_dense = AxisOperator(np.zeros(op.n_out), matrix.reshape(op.n_out, op.n_in), op.n_in)
    assert same(op, from_dense)
    counts = op.counts
    assert (counts <= op.taps).all()
    assert op.taps == max(int(counts.max(initial=0)), 1)
    for i, count in enumerate(counts):
        if count:
            assert op.weights[i, 0] != 0
            assert op.weights[i, count - 1] != 0
        else:
            assert op.starts[i] == 0


@given(axis_operators())
def test_transpose_is_the_transposed_matrix(op: AxisOperator) -> None:
    np.testing.assert_array_equal(op.transpose().dense(), op.dense().T)
    assert same(op.transpose().transpose(), op)


@given(axis_operators(), st.data())
def test_crop_is_the_rows_and_the_columns_that_they_read(
    op: AxisOperator, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, op.n_out))
    stop = data.draw(st.integers(start, op.n_out))

    piece, first, last = op.crop(start, stop)

    assert piece.n_in == last - first
    np.testing.assert_array_equal(piece.dense(), op.dense()[start:stop, first:last])
    outside = np.delete(op.dense()[start:stop], np.s_[first:last], axis=1)
    assert not outside.any()


@given(st.data())
def test_compose_is_the_product(data: st.DataObject) -> None:
    before = data.draw(axis_operators())
    after = data.draw(axis_operators(before.n_out))

    both = after.compose(before)

    assert both.n_in == before.n_in
    assert both.n_out == after.n_out
    # Dyadic weights: the product is exact in any order.
    np.testing.assert_array_equal(both.dense(), after.dense() @ before.dense())


def test_compose_refuses_what_does_not_meet() -> None:
    with pytest.raises(ValueError, match="does not end where"):
        AxisOperator.identity(3).compose(AxisOperator.identity(4))


@given(axis_operators())
def test_pickle_gives_an_equal_one(op: AxisOperator) -> None:
    assert same(pickle.loads(pickle.dumps(op)), op)


@given(axis_operators(), axis_operators())
def test_equal_if_and_only_if_the_matrices_are(a: AxisOperator, b: AxisOperator) -> None:
    matrices = a.dense().shape == b.dense().shape and bool(np.array_equal(a.dense(), b.dense()))
    assert (a == b) == matrices
    assert a != "an operator"


def test_negative_zero_is_zero() -> None:
    a = AxisOperator([0], [[-0.0, 1.0, -0.0]], 3)
    assert same(a, AxisOperator([1], [[1.0]], 3))
    assert not np.signbit(a.weights[a.weights == 0]).any()


def test_nothing_can_be_changed() -> None:
    op = AxisOperator.identity(3)
    for name in ("n_in", "starts", "weights", "other"):
        with pytest.raises(AttributeError, match=f"an AxisOperator is immutable; .*{name}"):
            setattr(op, name, 1)
    for array in (op.starts, op.weights):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 2


def test_the_arrays_given_are_neither_kept_nor_changed() -> None:
    starts, weights = np.array([0, 1]), np.array([[0.0, 1.0], [1.0, 0.0]])
    op = AxisOperator(starts, weights, 3)
    assert starts.tolist() == [0, 1]
    assert weights.tolist() == [[0, 1], [1, 0]]
    starts[:], weights[:] = 0, 5
    assert op.dense().tolist() == [[0, 1, 0], [0, 1, 0]]


def test_kinds() -> None:
    assert AxisOperator.identity(4).is_identity
    assert AxisOperator.identity(0).is_identity
    assert not AxisOperator.select([0, 1, 1], 3).is_identity
    assert AxisOperator.select([2, 0], 3).is_selection
    assert not AxisOperator([0], [[0.5]], 1).is_selection
    assert not AxisOperator([0], [[0.0]], 1).is_selection
    assert not AxisOperator.select([0, 1], 3).is_identity


def test_a_person_can_read_it() -> None:
    assert repr(AxisOperator.identity(3)) == "AxisOperator(3 -> 3, selection)"
    assert repr(AxisOperator([0, 1], [[0.5, 0.5], [1, 0]], 3)) == "AxisOperator(3 -> 2, 2 taps)"


@pytest.mark.parametrize(
    ("starts", "weights", "n_in", "message"),
    [
        ([0], [1.0], 3, r"starts must be \(n_out,\) and weights \(n_out, taps\), got \(1,\)"),
        ([[0]], [[1.0]], 3, r"got \(1, 1\) and \(1, 1\)"),
        ([0, 1], [[1.0]], 3, r"got \(2,\) and \(1, 1\)"),
        ([3], [[1.0]], 3, r"weights must lie on input samples 0\.\.2"),
        ([-1], [[1.0]], 3, r"weights must lie on input samples 0\.\.2"),
        ([2], [[1.0, 1.0]], 3, r"weights must lie on input samples 0\.\.2"),
    ],
)
def test_shapes_and_places_that_do_not_belong_together(
    starts: list[int], weights: list[float], n_in: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        AxisOperator(starts, weights, n_in)


def test_zeros_may_lie_outside() -> None:
    assert AxisOperator([-2, 2], [[0, 0, 1.0], [1.0, 0, 0]], 3).dense().tolist() == [
        [1, 0, 0],
        [0, 0, 1],
    ]
