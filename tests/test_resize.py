"""`ndresize.resize`: ONNX's words, and filters that ONNX lacks."""

from __future__ import annotations

import doctest
import inspect
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ndresize
from ndresize import resizing
from ndresize.dialects import onnx
from oracle import Call, ours
from strategies import calls

ONNX_MODES = ("nearest", "linear", "cubic")
FILTERS = tuple(mode for mode in ndresize.MODES if mode not in ONNX_MODES)


@given(calls(opsets=(19,)))
def test_says_what_onnx_resize_19_says(call: Call) -> None:
    words = {"axes": None, **call.attributes}
    y = ndresize.resize(call.x, call.roi, call.scales, call.sizes, **words)
    if "extrapolation_value" in words or "cubic_coeff_a" in words:
        # These are float32 in ONNX and the numbers themselves here.
        z = ours(call)
        assert y.shape == z.shape
        kind = np.complex128 if y.dtype.kind == "c" else np.float64
        unit = 1.0 if y.dtype.kind in "iu" else 2.0**-6
        np.testing.assert_allclose(y.astype(kind), z.astype(kind), rtol=1e-2, atol=unit)
        return
    assert y.tobytes() == ours(call).tobytes()


def test_numbers_are_taken_as_they_are() -> None:
    crop = {"mode": "linear", "coordinate_transformation_mode": "tf_crop_and_resize"}
    y = ndresize.resize(np.zeros(2), [0, 2], sizes=[2], extrapolation_value=0.1, **crop)
    assert y[1] == 0.1


def kernels() -> dict[str, tuple[float, Callable[[float], float]]]:
    """Return support and formula of each filter, written with the math module."""

    def sinc(x: float) -> float:
        return 1.0 if x == 0 else math.sin(math.pi * x) / (math.pi * x)

    def mitchell(x: float) -> float:
        x = abs(x)
        if x < 1:
            return (7 * x**3 - 12 * x**2 + 16 / 3) / 6
        return (-7 / 3 * x**3 + 12 * x**2 - 20 * x + 32 / 3) / 6

    def hamming(x: float) -> float:
        return sinc(x) * (0.54 + 0.46 * math.cos(math.pi * x))

    return {
        "lanczos3": (3.0, lambda x: sinc(x) * sinc(x / 3)),
        "box": (0.5, lambda _: 1.0),
        "hamming": (1.0, hamming),
        "mitchell": (2.0, mitchell),
        "gaussian": (1.5, lambda x: math.exp(-2 * x * x)),
    }


@pytest.mark.parametrize("antialias", [False, True])
@pytest.mark.parametrize("mode", kernels())
def test_filters_are_their_formulas(mode: str, antialias: bool) -> None:
    support, formula = kernels()[mode]
    for n_in, n_out in ((7, 12), (12, 7), (9, 4), (5, 1), (1, 5), (20, 3)):
        stretch = max(n_in / n_out, 1.0) if antialias else 1.0
        expected = np.zeros((n_out, n_in))
        for i in range(n_out):
            x = Fraction(2 * i + 1, 2) * Fraction(n_in, n_out) - Fraction(1, 2)
            row: dict[int, float] = {}
            for j in range(math.floor(x) - 30, math.floor(x) + 30):
                d = float(j - x) / stretch
                inside = -support < d <= support if mode == "box" else abs(d) < support
                if inside:
                    row[j] = formula(d)
            for j, w in row.items():
                expected[i, min(max(j, 0), n_in - 1)] += w / sum(row.values())
        plan = ndresize.resize.plan((n_in,), "f8", sizes=[n_out], mode=mode, antialias=antialias)
        (op,) = plan.axes
        assert op is not None
        np.testing.assert_allclose(op.dense(), expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize(("n_in", "n_out"), [(12, 4), (7, 3), (3, 7), (5, 5), (9, 2), (1, 4)])
def test_area_is_the_mean_of_what_a_sample_covers(n_in: int, n_out: int) -> None:
    x = np.random.default_rng(0).uniform(0, 1, n_in)
    y = ndresize.resize(x, sizes=[n_out], mode="area")
    edges = np.linspace(0, n_in, n_out + 1)
    integral = np.concatenate([[0], np.cumsum(x)])
    expected = np.diff(np.interp(edges, np.arange(n_in + 1), integral)) * n_out / n_in
    np.testing.assert_allclose(y, expected, rtol=1e-13)


@pytest.mark.parametrize("mode", ndresize.MODES)
@given(n_in=st.integers(1, 40), n_out=st.integers(1, 40))
def test_rows_sum_to_one_and_mirror(mode: str, n_in: int, n_out: int) -> None:
    for antialias in (False, True) if mode != "nearest" else (False,):
        plan = ndresize.resize.plan((n_in,), "f8", sizes=[n_out], mode=mode, antialias=antialias)
        (op,) = plan.axes
        matrix = np.eye(n_in) if op is None else op.dense()
        np.testing.assert_allclose(matrix.sum(axis=1), 1, rtol=0, atol=4e-15)
        if mode not in ("nearest", "box"):  # ties go one way in these two
            np.testing.assert_allclose(matrix, matrix[::-1, ::-1], rtol=0, atol=2e-14)


@pytest.mark.parametrize("mode", ndresize.MODES)
def test_the_same_size_is_a_copy(mode: str) -> None:
    x = np.random.default_rng(1).uniform(0, 1, (5, 6)).astype(np.float32)
    y = ndresize.resize(x, sizes=[5, 6], mode=mode)
    if mode in ("mitchell", "gaussian"):  # these blur
        assert not np.array_equal(y, x)
    else:
        np.testing.assert_allclose(y, x, rtol=1e-6, atol=1e-7)
    assert y is not x
    assert not np.shares_memory(x, y)


def test_plan_is_the_twin() -> None:
    x = np.random.default_rng(2).uniform(0, 1, (5, 6))
    for mode in ndresize.MODES:
        plan = ndresize.resize.plan(x.shape, x.dtype, sizes=[3, 9], mode=mode)
        np.testing.assert_array_equal(plan(x), ndresize.resize(x, sizes=[3, 9], mode=mode))
    assert ndresize.resize.plan(x.shape, x.dtype, sizes=[3, 9]) is ndresize.resize.plan(
        list(x.shape), "float64", sizes=[3, 9]
    )


def test_arguments_that_only_look_alike_give_their_own_plans() -> None:
    plan = onnx.resize.plan
    assert plan((2,), "f4", scales=[2]) == plan((2,), "f4", scales=[2.0])
    with pytest.raises(ndresize.ResizeError, match=r"sizes must be integers, got 2\.0"):
        plan((2,), "f4", sizes=[2.0])
    assert plan((2,), "f4", sizes=[2]).output_shape == (2,)
    a = np.array([1.0, 2.0], np.float32)
    first = plan((2, 2), "f4", scales=a)
    a[:] = [2.0, 1.0]  # the array is not kept
    assert first.output_shape == (2, 4)
    assert plan((2, 2), "f4", scales=a).output_shape == (4, 2)


def test_signature_and_docstring_are_for_people() -> None:
    names = list(inspect.signature(ndresize.resize).parameters)
    assert names[:4] == ["x", "roi", "scales", "sizes"]
    assert {"mode", "antialias", "axes", "out", "threads"} <= set(names)
    assert ndresize.resize.__name__ == "resize"
    assert "Parameters" in (ndresize.resize.__doc__ or "")


@pytest.mark.parametrize("module", [resizing, onnx], ids=lambda m: m.__name__)
def test_examples_in_docstrings(module: Any) -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    names = {"resize": module.resize, "np": np}
    found = finder.find(module.resize, "resize", globs=names, module=False)  # type: ignore[arg-type]
    assert sum(len(test.examples) for test in found) >= 2
    for test in found:
        assert doctest.DocTestRunner().run(test).failed == 0
