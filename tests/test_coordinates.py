"""Coordinates are exact: against Python's fractions, near ties and far out."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndresize import coordinates
from ndresize.coordinates import Line, on_line

rationals = st.one_of(
    st.fractions(-100, 100, max_denominator=60),
    # Sums of floats have denominators that leave int64.
    st.builds(Fraction, st.floats(-1000, 1000, allow_subnormal=True)),
)


def exact(line: Line, i: int) -> Fraction:
    return line[0] * i + line[1]


@given(st.integers(0, 40), rationals, rationals)
def test_whole_fraction_and_half_are_those_of_the_rational(
    n: int, slope: Fraction, offset: Fraction
) -> None:
    at = on_line(n, (slope, offset))
    for i in range(n):
        x = exact((slope, offset), i)
        rest = x - math.floor(x)
        assert at.whole[i] == math.floor(x)
        assert at.fraction[i] == float(rest)  # correctly rounded, perhaps up to 1
        assert at.half[i] == (rest > Fraction(1, 2)) - (rest < Fraction(1, 2))


@given(st.integers(1, 12), st.integers(0, 20), rationals, rationals)
def test_outside_is_decided_exactly(n_in: int, n: int, slope: Fraction, offset: Fraction) -> None:
    outside = on_line(n, (slope, offset)).outside(n_in)
    expected = [not 0 <= exact((slope, offset), i) <= n_in - 1 for i in range(n)]
    assert outside.tolist() == expected


def test_far_away_does_not_overflow() -> None:
    at = on_line(3, (Fraction(2**80), Fraction(-(2**80))))
    assert (np.abs(at.whole) <= 2**41).all()
    assert at.outside(5).tolist() == [True, False, True]


def test_the_corner_is_inside_and_the_next_number_is_not() -> None:
    eps = Fraction(1, 2**200)  # a difference that no float64 shows
    assert on_line(1, (Fraction(0), Fraction(3))).outside(4).tolist() == [False]
    assert on_line(1, (Fraction(0), 3 + eps)).outside(4).tolist() == [True]
    assert on_line(1, (Fraction(0), -eps)).outside(4).tolist() == [True]


def ends(line: Line, n_out: int) -> tuple[Fraction, Fraction]:
    return exact(line, 0), exact(line, n_out - 1)


@given(st.integers(1, 50), st.integers(1, 50))
def test_rules_say_what_they_are_named_for(n_in: int, n_out: int) -> None:
    scale = Fraction(n_out, n_in)
    half = Fraction(1, 2)
    # Edges meet: half a sample out from the first and last centres.
    slope, offset = coordinates.half_pixel(scale)
    assert slope * (0 - half) + offset == -half
    assert slope * (n_out - half) + offset == n_in - half
    assert coordinates.half_pixel_symmetric(scale, n_in, n_out) == (slope, offset)
    assert coordinates.asymmetric(scale) == (slope, 0)
    assert coordinates.half_pixel_for_nearest(scale) == (slope, offset + half)
    if n_out > 1:
        assert ends(coordinates.align_corners(n_in, Fraction(n_out)), n_out) == (0, n_in - 1)
        assert coordinates.crop(n_in, n_out, Fraction(0), Fraction(1)) == coordinates.align_corners(
            n_in, Fraction(n_out)
        )


@given(
    st.integers(1, 50), st.integers(1, 50), st.fractions(Fraction(1, 10), 10, max_denominator=50)
)
def test_symmetric_lines_map_the_middle_to_the_middle(
    n_in: int, n_out: int, scale: Fraction
) -> None:
    first, last = ends(coordinates.half_pixel_symmetric(scale, n_in, n_out), n_out)
    assert first + last == n_in - 1


@given(st.integers(1, 20), st.integers(1, 20), rationals, rationals)
def test_crop_lays_its_ends_on_the_region(
    n_in: int, n_out: int, start: Fraction, end: Fraction
) -> None:
    first, last = ends(coordinates.crop(n_in, n_out, start, end), n_out)
    if n_out == 1:
        assert first == (start + end) / 2 * (n_in - 1)
    else:
        assert (first, last) == (start * (n_in - 1), end * (n_in - 1))


@pytest.mark.parametrize(("n_in", "n_out"), [(14, 17), (20, 6), (7, 9), (26, 64), (1001, 333)])
def test_ties_that_floats_miss(n_in: int, n_out: int) -> None:
    line = coordinates.half_pixel(Fraction(n_out, n_in))
    at = on_line(n_out, line)
    rests = [exact(line, i) % 1 for i in range(n_out)]
    assert (at.half == 0).tolist() == [r == Fraction(1, 2) for r in rests]
    assert (at.fraction == 0).tolist() == [r == 0 for r in rests]
