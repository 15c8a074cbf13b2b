"""The kernels: against formulas in high precision, and what all of them share."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndresize import filters
from ndresize.coordinates import half_pixel, on_line
from ndresize.filters import Filter, sample_filter
from oracle import keys

mpmath.mp.dps = 40


def sinc(x: mpmath.mpf) -> mpmath.mpf:
    return mpmath.sincpi(x)


def mitchell(x: mpmath.mpf) -> mpmath.mpf:
    # Mitchell and Netravali, equation 8, with B = C = 1/3.
    x, b, c = abs(x), mpmath.mpf(1) / 3, mpmath.mpf(1) / 3
    if x < 1:
        return ((12 - 9 * b - 6 * c) * x**3 + (-18 + 12 * b + 6 * c) * x**2 + 6 - 2 * b) / 6
    if x < 2:
        outer = (-b - 6 * c) * x**3 + (6 * b + 30 * c) * x**2 - (12 * b + 48 * c) * x
        return (outer + 8 * b + 24 * c) / 6
    return mpmath.mpf(0)


FORMULAS: dict[str, tuple[Filter, Callable[[mpmath.mpf], mpmath.mpf]]] = {
    "linear": (filters.linear, lambda x: max(mpmath.mpf(0), 1 - abs(x))),
    "lanczos3": (filters.lanczos(3), lambda x: sinc(x) * sinc(x / 3) if abs(x) < 3 else 0),
    "lanczos2": (filters.lanczos(2), lambda x: sinc(x) * sinc(x / 2) if abs(x) < 2 else 0),
    "hamming": (
        filters.hamming,
        lambda x: (
            sinc(x) * (mpmath.mpf("0.54") + mpmath.mpf("0.46") * mpmath.cospi(x))
            if abs(x) < 1
            else 0
        ),
    ),
    "gaussian": (filters.gaussian, lambda x: mpmath.exp(-2 * x * x) if abs(x) < 1.5 else 0),
    "mitchell": (filters.mitchell, mitchell),
    "box": (filters.box, lambda x: 1 if -0.5 < x <= 0.5 else 0),
}

KERNELS = [kernel for kernel, _ in FORMULAS.values()] + [filters.cubic(-0.75), filters.cubic(-0.5)]


@pytest.mark.parametrize("name", FORMULAS)
@given(x=st.floats(-4, 4))
def test_kernels_are_their_formulas(name: str, x: float) -> None:
    kernel, formula = FORMULAS[name]
    # A few roundings of numbers up to 4 (the arguments of sines and polynomials).
    assert float(kernel(np.array([x]))[0]) == pytest.approx(
        float(formula(mpmath.mpf(x))), abs=4e-15
    )


@given(st.floats(-3, 3), st.sampled_from([-0.75, -0.5, -1.0, 0.0, -0.3, 0.5]))
def test_cubic_is_keys_to_a_few_digits_of_each_weight(x: float, a: float) -> None:
    exact = keys(Fraction(x), Fraction(a))
    got = float(filters.cubic(a)(np.array([x]))[0])
    # Relative near the zeros at 1 and 2; the factor (a + 2) x^2 - x - 1 has another root.
    assert abs(Fraction(got) - exact) <= Fraction(2) ** -50 * min(
        Fraction(2), 16 * abs(abs(Fraction(x)) - 1)
    )


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k.name)
def test_symmetric_and_zero_beyond_the_support(kernel: Filter) -> None:
    x = np.linspace(0.01, 5, 400)
    if kernel.name != "box":  # half open
        np.testing.assert_array_equal(kernel(x), kernel(-x))
    assert not kernel(x[x > kernel.support]).any()
    assert not kernel(-x[x > kernel.support]).any()


def test_area_is_the_overlap_of_cells() -> None:
    rng = np.random.default_rng(0)
    for stretch in (0.25, 1.0, 1.5, 4.0):
        for d in rng.uniform(-4, 4, 200):
            # Cell of the sample: [d - 1/2, d + 1/2]; of the output: [-stretch/2, stretch/2].
            overlap = max(0.0, min(d + 0.5, stretch / 2) - max(d - 0.5, -stretch / 2))
            assert filters.area(np.array([d]), stretch)[0] == pytest.approx(overlap, abs=1e-15)
        assert filters.area.reach(stretch) == (stretch + 1) / 2


@given(st.integers(1, 30), st.integers(1, 30), st.sampled_from(KERNELS))
def test_taps_hold_the_whole_support(n_in: int, n_out: int, kernel: Filter) -> None:
    scale = Fraction(n_out, n_in)
    stretch = float(max(1 / scale, Fraction(1)))
    line = half_pixel(scale)
    first, weights = sample_filter(kernel, on_line(n_out, line), stretch)
    for i in range(n_out):
        x = float(line[0] * i + line[1])
        window = np.arange(int(first[i]) - 4, int(first[i]) + weights.shape[1] + 4)
        around = kernel(window - x, stretch)
        inside = slice(4, 4 + weights.shape[1])
        # x is rounded here and not there: a sample on the border may fall on either side of it.
        off_border = np.abs(np.abs(window - x) / stretch - kernel.support) > 1e-9
        np.testing.assert_allclose(
            weights[i][off_border[inside]], around[inside][off_border[inside]], atol=1e-9
        )
        assert not around[:4][off_border[:4]].any()
        assert not around[-4:][off_border[-4:]].any()


def test_filters_are_equal_by_name_and_support() -> None:
    assert filters.cubic(-0.5) == filters.cubic(-0.5)
    assert hash(filters.cubic(-0.5)) == hash(filters.cubic(-0.5))
    assert filters.cubic(-0.5) != filters.cubic(-0.75)
    assert filters.linear != "linear"
