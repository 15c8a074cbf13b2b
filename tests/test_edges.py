"""Edge rules: taps outside are replicated, or left out and the rest divided by its sum."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndresize import AxisOperator
from ndresize.dialects import onnx
from ndresize.edges import EdgeRule, apply_edges, normalise
from oracle import AxisCall, axis_rows, dense


@st.composite
def sampled(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, int]:  # type: ignore[type-arg]
    n_in = draw(st.integers(1, 7))
    n_out = draw(st.integers(0, 6))
    taps = draw(st.integers(1, 9))
    first = draw(st.lists(st.integers(-12, 12), min_size=n_out, max_size=n_out))
    weight = st.sampled_from([0.0, 0.25, 0.5, 1.0, -0.25])
    rows = draw(
        st.lists(st.lists(weight, min_size=taps, max_size=taps), min_size=n_out, max_size=n_out)
    )
    return np.array(first, np.int64), np.array(rows).reshape(n_out, taps), n_in


@given(sampled())
def test_replicate_adds_outside_taps_to_the_edge_sample(case: tuple) -> None:  # type: ignore[type-arg]
    first, weights, n_in = case
    expected = np.zeros((len(first), n_in))
    for i, t in itertools.product(range(len(first)), range(weights.shape[1])):
        expected[i, min(max(first[i] + t, 0), n_in - 1)] += weights[i, t]
    np.testing.assert_array_equal(apply_edges(*case, "replicate").dense(), expected)


@given(sampled())
def test_exclude_divides_what_is_left(case: tuple) -> None:  # type: ignore[type-arg]
    first, weights, n_in = case
    got = apply_edges(*case, "exclude").dense()
    for i in range(len(first)):
        taps = {first[i] + t: weights[i, t] for t in range(weights.shape[1])}
        kept = {j: w for j, w in taps.items() if 0 <= j < n_in}
        total = sum(kept.values()) if len(kept) < len(taps) else 1.0
        expected = [kept.get(j, 0.0) / total if total else 0.0 for j in range(n_in)]
        np.testing.assert_allclose(got[i], expected, rtol=1e-15)


def test_normalise_leaves_rows_of_sum_zero_empty() -> None:
    rows = normalise(np.array([[1.0, 3.0], [1.0, -1.0], [0.0, 0.0]]))
    assert rows.tolist() == [[0.25, 0.75], [0, 0], [0, 0]]


FIRST_OF_ONE = ("align_corners", "pytorch_half_pixel")
MIRRORED = ("half_pixel", "half_pixel_symmetric", "tf_crop_and_resize")
"""Rules whose line maps the middle to the middle, so that linear and cubic mirror."""


@pytest.mark.parametrize("rule", [*MIRRORED, *FIRST_OF_ONE, "asymmetric"])
@pytest.mark.parametrize(
    "kernel",
    [
        {"mode": "linear"},
        {"mode": "cubic"},
        {"mode": "cubic", "cubic_coeff_a": -0.5},
        {"mode": "linear", "antialias": 1},
        {"mode": "cubic", "antialias": 1},
    ],
    ids=str,
)
@pytest.mark.parametrize("edge", ["replicate", "exclude"])
def test_every_row_sums_to_one_and_is_the_exact_row(
    rule: str, kernel: dict[str, object], edge: EdgeRule
) -> None:
    for n_in, n_out in itertools.product((1, 2, 3, 5, 8, 13, 40), (1, 2, 3, 4, 7, 12, 39)):
        words = {
            **kernel,
            "exclude_outside": int(edge == "exclude"),
            "coordinate_transformation_mode": rule,
        }
        roi = [0, 1] if rule == "tf_crop_and_resize" else None
        plan = onnx.resize.plan((n_in,), np.float64, roi, sizes=[n_out], **words)
        op = plan.axes[0] or AxisOperator.identity(n_in)
        np.testing.assert_allclose(op.weights.sum(axis=1), 1, rtol=0, atol=2e-15)
        exact = dict(words, cubic_coeff_a=Fraction(words.get("cubic_coeff_a", -0.75)))  # type: ignore[arg-type]
        rows = axis_rows(AxisCall(n_in, n_out, Fraction(n_out, n_in), **exact))  # type: ignore[arg-type]
        np.testing.assert_allclose(op.dense(), dense(rows, n_in), rtol=0, atol=4e-15)
        mirrors = rule in MIRRORED or (rule == "pytorch_half_pixel" and n_out > 1)
        if mirrors:
            np.testing.assert_allclose(op.dense(), op.dense()[::-1, ::-1], rtol=0, atol=4e-15)


def test_asymmetric_and_half_rules_do_not_mirror() -> None:
    def picks(**words: object) -> list[int]:
        x = np.arange(4)
        return list(onnx.resize(x, sizes=[2], **words).tolist())

    assert picks(nearest_mode="round_prefer_floor") == [0, 2]
    assert picks(nearest_mode="round_prefer_ceil") == [1, 3]  # its mirror image
    op = onnx.resize.plan(
        (4,), "f4", sizes=[6], mode="linear", coordinate_transformation_mode="asymmetric"
    )
    dense_rows = op.axes[0].dense()  # type: ignore[union-attr]
    assert not np.allclose(dense_rows, dense_rows[::-1, ::-1])
