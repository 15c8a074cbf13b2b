"""SciPy's zoom: its words, its quirks by name, and what the table of counterparts leaves out."""

from __future__ import annotations

import doctest
import json
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from counterparts import Call, make_data
from counterparts.scipy import copies, draw, tied_sums
from ndresize import ResizeError
from ndresize.dialects import onnx, scipy
from ndresize.dialects._spline_edges import MODES

ndimage = pytest.importorskip("scipy.ndimage")
REPORTS = json.loads((Path(__file__).parent / "vectors" / "reports_scipy.json").read_text())[
    "cases"
]
CASES = [case for case in REPORTS if case["call"] == "scipy.zoom"]
EXAMPLES = int(os.environ.get("NDRESIZE_EXAMPLES", "0")) or 400


def theirs(x: Any, zoom: Any, **words: Any) -> NDArray[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that other modes go better with grid_mode
        return np.asarray(ndimage.zoom(x, zoom, **words))


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_public_reports(case: dict[str, Any]) -> None:
    data = case["data"]
    x = np.zeros(case["shape"]) if data is None else np.array(data).reshape(case["shape"])
    y = scipy.zoom(x.astype(case["dtype"]), **case["args"])
    assert case["expected_shape"] in (None, list(y.shape))
    if case["expected"] is not None:
        np.testing.assert_allclose(y.ravel(), case["expected"], 0, case["tol"])


# --- what the table of counterparts leaves out ----------------------------------------------------


def test_integers_differ_at_ties_alone() -> None:
    compared = 0
    for seed in range(EXAMPLES):
        call = draw(np.random.default_rng(seed))
        words = dict(call.arguments)
        found = words.get("output", call.dtype)
        if not tied_sums(call) or "64" in call.dtype or "64" in found:
            continue
        data = make_data(call, seed)
        ours, answer = scipy.zoom(data, **words), theirs(data, **words)
        exact = theirs(data.astype(np.float64), **{**words, "output": "float64"})
        near = 1e-9 * max(float(np.abs(data.astype(np.float64)).max()), 1.0)
        tied = np.abs(np.abs(exact - np.trunc(exact)) - 0.5) < near
        assert ours.dtype == answer.dtype
        np.testing.assert_array_equal(ours[~tied], answer[~tied], str((seed, call)))
        assert np.abs(ours.astype(np.float64) - answer).max(initial=0) <= 1
        compared += ours.size
    assert compared > 1000


COEFFICIENTS = (1, 1, 2, 3, 4.8, 7.5)
"""By order, how much larger than a sample a coefficient can be: the sums of absolute weights."""


def condition(call: Call) -> float:
    """Return by how much the prefilters of all axes can enlarge a sample, or a rounding error."""
    return float(COEFFICIENTS[call.arguments.get("order", 3)] ** len(call.shape))


def test_splines_in_double_agree_to_their_condition() -> None:
    for seed in range(EXAMPLES):
        call = draw(np.random.default_rng(seed))
        words = {**call.arguments, "output": None}
        if call.dtype == "bool" or copies(call):
            continue
        data = make_data(call, seed).astype(np.float64)
        scale = max(np.abs(data).max(), abs(words.get("cval", 0))) * condition(call)
        apart = np.abs(scipy.zoom(data, **words) - theirs(data, **words)).max(initial=0)
        assert apart <= 8 * np.spacing(scale), (seed, call)


def test_complex_is_two_real_zooms() -> None:
    for seed in range(EXAMPLES // 2):
        rng = np.random.default_rng(seed)
        call = draw(rng)
        words = {key: value for key, value in call.arguments.items() if key != "output"}
        if "cval" in words:
            words["cval"] += 2j
        data = rng.standard_normal(call.shape) + 1j * rng.standard_normal(call.shape)
        data = data.astype(rng.choice([np.complex64, np.complex128]))
        ours, answer = scipy.zoom(data, **words), theirs(data, **words)
        assert ours.dtype == answer.dtype
        scale = max(np.abs(data).max(), abs(words.get("cval", 0)))
        unit = np.spacing(np.asarray(scale, data.real.dtype)) * condition(call)
        np.testing.assert_allclose(ours, answer, 0, 4 * unit, err_msg=str((seed, words)))


@pytest.mark.parametrize("order", range(6))
@pytest.mark.parametrize("mode", MODES)
def test_long_axes(mode: str, order: int) -> None:
    x = np.random.default_rng(order).standard_normal((2, 700))
    for words in ({}, {"grid_mode": True}, {"prefilter": False}):
        ours = scipy.zoom(x, (1, 0.37), order=order, mode=mode, **words)
        answer = theirs(x, (1, 0.37), order=order, mode=mode, **words)
        np.testing.assert_allclose(ours, answer, 0, 1e-13)


def test_rows_of_a_repeated_axis_stay_short() -> None:
    plan = scipy.zoom.plan((5000,), np.float64, 0.5, mode="grid-wrap")
    assert max(step.operator.taps for step in plan.passes) < 100


def test_the_comparison_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    from ndresize.dialects import _spline_operators as operators

    weights = operators.spline_weights
    monkeypatch.setattr(operators, "spline_weights", lambda x, order: weights(x + 1e-9, order))
    operators.zoomed.cache_clear()
    try:
        with pytest.raises(AssertionError):
            test_splines_in_double_agree_to_their_condition()
    finally:
        operators.zoomed.cache_clear()


# --- quirks, by name ------------------------------------------------------------------------------


def both(x: NDArray[Any], zoom: Any, **words: Any) -> list[Any]:
    """Return our answer, which must be theirs."""
    ours, answer = scipy.zoom(x, zoom, **words), theirs(x, zoom, **words)
    assert ours.dtype == answer.dtype
    np.testing.assert_allclose(ours, answer, 1e-14, 1e-14)
    return list(ours.tolist())


def test_quirk_lengths_are_rounded_half_to_even() -> None:
    assert len(both(np.arange(5.0), 0.5, order=0)) == 2
    assert len(both(np.arange(7.0), 0.5, order=0)) == 4


def test_quirk_a_factor_multiplies_in_its_own_type() -> None:
    assert len(both(np.arange(15.0), np.float32(1.1), order=0)) == 16
    assert len(both(np.arange(15.0), 1.1, order=0)) == 16
    assert len(both(np.arange(25.0), np.float32(0.7), order=0)) == 18
    assert len(both(np.arange(25.0), 0.7, order=0)) == 18


def test_quirk_the_last_sample_falls_outside_by_rounding() -> None:
    # 25 * (7 / 25) is more than 7 in doubles, so "constant" has no sample there.
    assert both(np.ones(8), 26 / 8, order=1)[-1] == 0
    assert both(np.ones(8), 26 / 8, order=0)[-1] == 0
    assert both(np.ones(8), 26 / 8, order=1, mode="nearest")[-1] == 1


def test_quirk_constant_fills_half_a_sample_in_grid_mode() -> None:
    assert both(np.ones(4), 2, order=1, grid_mode=True) == [0, 1, 1, 1, 1, 1, 1, 0]
    words = {"order": 1, "grid_mode": True, "mode": "grid-constant"}
    assert both(np.ones(4), 2, **words)[0] == 0.75


def test_quirk_complex_does_not_know_grid_mode() -> None:
    z = np.array([0, 1j, 3])
    assert both(z, 2, order=1, grid_mode=True) == both(z, 2, order=1)


def test_quirk_a_short_reflected_spline_misses_its_samples() -> None:
    assert both(np.array([0.0, 1.0]), 2, mode="reflect")[0] == pytest.approx(5.0556e-4, rel=1e-4)
    assert both(np.array([0.0, 1.0]), 2, mode="mirror")[0] == pytest.approx(0, abs=1e-15)
    # It shows on an axis that keeps its length, if another one does not.
    assert both(np.array([[0.0, 1.0]]), (2, 1), mode="reflect")[0][0] > 1e-4


def test_quirk_the_padded_constant_is_of_the_input_type() -> None:
    x = np.array([10, 20, 30], np.uint8)
    words = {"mode": "grid-constant", "grid_mode": True, "output": np.float64}
    assert both(x, 2, cval=0.9, **words) == both(x, 2, cval=0, **words)
    assert both(x, 2, cval=0.9, order=1, **words) != both(x, 2, cval=0, order=1, **words)
    assert both(x, 2, cval=257, **words) == both(x, 2, cval=1, **words)
    with pytest.raises(OverflowError):
        theirs(x.astype(np.int8), 2, cval=200, **words)
    with pytest.raises(ResizeError, match="cval must be a number that int8 holds"):
        scipy.zoom(x.astype(np.int8), 2, cval=200, **words)


def test_quirk_all_factors_1_copy_anything() -> None:
    x = np.array([1.0, 2.7], np.float16)
    assert both(x, 1) == x.tolist()
    assert both(x, [1.0], output=np.uint8) == [1, 2]  # cut off, not rounded
    with pytest.raises(RuntimeError, match="not supported"):
        theirs(x, 2)
    with pytest.raises(ResizeError, match="input must be of a type that SciPy's kernel reads"):
        scipy.zoom(x, 2)
    assert both(np.array([1.0, 4.0, 1.0]), 1, order=3, prefilter=False) != [1, 4, 1]


def test_quirk_truth_values_do_not_survive_sums() -> None:
    assert not theirs(np.ones((3, 3), bool), 2).all()
    with pytest.raises(ResizeError, match="all that is True may come out False"):
        scipy.zoom(np.ones((3, 3), bool), 2)
    assert both(np.array([True, False]), 2, order=0) == [True, True, False, False]


def test_integers_saturate_and_round_half_away() -> None:
    assert both(np.array([0, 255, 255, 0], np.uint8), 2.5)[4:6] == [255, 255]
    assert both(np.array([-1, 0], np.int8), [1.5], order=1) == [-1, -1, 0]
    assert both(np.array([0, 1], np.uint8), [1.5], order=1) == [0, 1, 1]
    assert both(np.array([-300.5, 300.5]), 2, order=0, output="int8") == [-128, -128, 127, 127]
    assert both(np.array([1.5, -2.5]), [1.5], order=1, output=np.int16) == [2, -1, -3]


def test_a_nan_spreads_as_far_as_the_prefilter_reaches() -> None:
    x = np.zeros(200)
    x[100] = np.nan
    assert np.isnan(theirs(x, 2)).all()
    assert 100 < np.isnan(scipy.zoom(x, 2)).sum() < 150


# --- the face -------------------------------------------------------------------------------------


def test_defaults() -> None:
    x = np.random.default_rng(0).standard_normal((5, 4))
    words = {"output": None, "order": 3, "mode": "constant", "cval": 0.0, "prefilter": True}
    assert scipy.zoom.plan(x.shape, x.dtype, 2) == scipy.zoom.plan(
        x.shape, x.dtype, 2, **words, grid_mode=False
    )
    np.testing.assert_array_equal(scipy.zoom(x, 2), scipy.zoom.plan(x.shape, x.dtype, 2)(x))


def test_out() -> None:
    x = np.arange(6, dtype=np.float32)
    for words in ({"order": 1}, {"mode": "grid-constant", "cval": 3.0, "grid_mode": True}):
        out = np.empty(12, np.float32)
        assert scipy.zoom(x, 2, out=out, **words) is out
        np.testing.assert_array_equal(out, scipy.zoom(x, 2, **words))
    with pytest.raises(ResizeError, match="out must have shape"):
        scipy.zoom(x, 2, mode="grid-constant", cval=1.0, out=np.empty(5, np.float32))


def test_huge_tables_are_refused() -> None:
    with pytest.raises(ResizeError, match="weights alone"):
        scipy.zoom.plan((10,), np.float32, 1e11)
    with pytest.raises(ResizeError, match="more than 2"):
        scipy.zoom.plan((10**5,) * 4, np.float32, 1.5, order=0)


def test_byte_order_and_strides() -> None:
    x = np.arange(24, dtype=">u2").reshape(4, 6)[::-1, ::2]
    for words in ({"order": 1}, {"mode": "grid-constant", "cval": 3.0, "grid_mode": True}):
        ours, answer = scipy.zoom(x, 2, **words), theirs(x, 2, **words)
        assert ours.dtype == answer.dtype
        np.testing.assert_array_equal(ours, answer)


def test_empty_axes() -> None:
    for shape, zoom in (((0, 3), 2), ((2, 3), 0), ((4, 5), (0, 1.5))):
        assert scipy.zoom(np.ones(shape), zoom).shape == theirs(np.ones(shape), zoom).shape


REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("order must be an integer from 0 to 5, got 6", {"order": 6}),
    ("order must be an integer from 0 to 5, got 1.5", {"order": 1.5}),
    ("mode must be one of reflect, .* got 'edge'", {"mode": "edge"}),
    ("zoom must be a number or have 2 entries, one per axis, got 3", {"zoom": [1, 2, 3]}),
    ("zoom must be finite numbers of at least 0, got -1", {"zoom": -1}),
    ("zoom must be finite numbers of at least 0, got nan", {"zoom": float("nan")}),
    ("zoom must be finite numbers of at least 0, got '2'", {"zoom": "2"}),
    ("cval must be a real number for float64 input, got 'a'", {"cval": "a"}),
    ("cval must be a real number for float64 input, got 1j", {"cval": 1j}),
    ("output must be a numeric type, got 'bool'", {"output": "bool"}),
    ("output must be of a type that SciPy's kernel writes .* got float16", {"output": np.float16}),
    ("output must be of a type that SciPy's kernel writes .* got complex128", {"output": complex}),
]


@pytest.mark.parametrize(("message", "words"), REFUSED)
def test_refused_as_scipy_refuses(message: str, words: dict[str, Any]) -> None:
    words = {"zoom": 2, **words}
    with pytest.raises((RuntimeError, ValueError, TypeError)):
        theirs(np.zeros((3, 3)), **words)
    with pytest.raises(ResizeError, match=message):
        scipy.zoom.plan((3, 3), np.float64, **words)
    with pytest.raises(ResizeError, match=message):
        scipy.zoom(np.zeros((3, 3)), **words)


def test_refused_besides() -> None:
    with pytest.raises(ResizeError, match="at least one dimension, got a scalar"):
        scipy.zoom(np.float64(1), 2)
    with pytest.raises(ResizeError, match="give it as out="):
        scipy.zoom(np.zeros(3), 2, np.zeros(6))
    with pytest.raises(ResizeError, match="output must be a complex type for complex64 input"):
        scipy.zoom(np.zeros(3, np.complex64), 2, "float32")
    with pytest.raises(ResizeError, match="cval must be finite in mode grid-constant"):
        scipy.zoom(np.zeros(3), 2, mode="grid-constant", cval=np.inf, grid_mode=True)
    with pytest.raises(TypeError, match="unexpected keyword"):
        scipy.zoom(np.zeros(3), 2, radius=2)


def test_arrays_of_other_libraries() -> None:
    torch = pytest.importorskip("torch")
    x = np.random.default_rng(0).standard_normal((3, 4))
    for words in ({}, {"mode": "grid-constant", "cval": 2.0, "grid_mode": True}):
        y = scipy.zoom(torch.from_numpy(x), 2, **words)
        np.testing.assert_allclose(y.numpy(), scipy.zoom(x, 2, **words), 0, 1e-14)


# --- the page -------------------------------------------------------------------------------------


def test_page_and_docstring() -> None:
    page = Path(__file__).parents[1] / "docs" / "scipy.md"
    failed, run = doctest.testfile(str(page), module_relative=False)
    assert (failed, run > 3) == (0, True)
    scope = dict(vars(scipy))
    parsed = doctest.DocTestParser().get_doctest(scipy.zoom.__doc__, scope, "zoom", None, 0)
    assert parsed.examples
    assert doctest.DocTestRunner().run(parsed).failed == 0


@pytest.mark.parametrize(("n_in", "n_out"), [(5, 9), (9, 4), (7, 12), (12, 5), (3, 3), (6, 3)])
def test_what_the_page_says_of_onnx(n_in: int, n_out: int) -> None:
    x = np.random.default_rng(n_in).standard_normal(n_in)
    grid: dict[str, Any] = {"grid_mode": True, "mode": "reflect"}
    for order, mode in ((1, "linear"), (0, "nearest")):
        words = {"mode": mode, "sizes": [n_out]}
        if mode == "nearest":
            words["nearest_mode"] = "round_prefer_ceil"
        for line, scipys in (("align_corners", {}), ("half_pixel", grid)):
            ours = scipy.zoom(x, n_out / n_in, order=order, **{"mode": "nearest", **scipys})
            answer = onnx.resize(x, coordinate_transformation_mode=line, **words)
            np.testing.assert_allclose(ours, answer, 0, 1e-14)
