"""scikit-image's resize: its words, its quirks by name, and what the table leaves out."""

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

from counterparts import make_data
from counterparts.scikit_image import draw
from ndresize import ResizeError
from ndresize.dialects import onnx, scikit_image

transform = pytest.importorskip("skimage.transform")
REPORTS = json.loads((Path(__file__).parent / "vectors" / "reports_scipy.json").read_text())[
    "cases"
]
CASES = [case for case in REPORTS if case["call"] == "scikit_image.resize"]
EXAMPLES = int(os.environ.get("NDRESIZE_EXAMPLES", "0")) or 400


def theirs(x: Any, output_shape: Any, **words: Any) -> NDArray[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that an axis is blurred and does not shrink
        return np.asarray(transform.resize(x, output_shape, **words))


def both(x: NDArray[Any], output_shape: Any, **words: Any) -> list[Any]:
    """Return our answer, which must be theirs."""
    ours, answer = scikit_image.resize(x, output_shape, **words), theirs(x, output_shape, **words)
    assert ours.dtype == answer.dtype
    tolerance = 1e-14 if ours.dtype == np.float64 else 2e-7
    np.testing.assert_allclose(ours, answer, tolerance, tolerance)
    return list(ours.tolist())


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_published_answers(case: dict[str, Any]) -> None:
    x = np.array(case["data"], case["dtype"]).reshape(case["shape"])
    y = scikit_image.resize(x, **case["args"])
    assert list(y.shape) == case["expected_shape"]
    tolerance = case["tol"] if y.dtype == np.float64 else 2e-7
    np.testing.assert_allclose(y.ravel(), case["expected"], 0, tolerance)


# --- what the table of counterparts leaves out ----------------------------------------------------

COEFFICIENTS = (1, 1, 2, 3, 4.8, 7.5)
"""By order, how much larger than a sample a spline's coefficient can be."""


def test_doubles_agree_to_their_condition() -> None:
    """Also where integers become fractions, whose last bits the table does not look at."""
    for seed in range(EXAMPLES):
        call = draw(np.random.default_rng(seed))
        words = dict(call.arguments)
        data = make_data(call, seed)
        answer = theirs(data, **words)
        if answer.dtype != np.float64:
            continue
        scaled = data.dtype.kind in "iu" and not words.get("preserve_range", False)
        largest = max(np.abs(data.astype(np.float64)).max(), abs(words.get("cval", 0)))
        scale = max(1.0, abs(words.get("cval", 0))) if scaled else largest
        condition = COEFFICIENTS[words.get("order", 1)] ** answer.ndim
        apart = np.abs(scikit_image.resize(data, **words) - answer).max(initial=0)
        assert apart <= 8 * np.spacing(scale * condition), (seed, call)


def test_the_comparison_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    scale_of = scikit_image.scale_of
    monkeypatch.setattr(scikit_image, "scale_of", lambda dtype: scale_of(dtype) * (1 + 1e-12))
    for seed in range(50):  # what other tests made is kept, so shapes that they do not have
        x = np.full((61, 1 + seed), 250, np.uint8)
        ours = scikit_image.resize(x, (31, 7), clip=False)
        if np.abs(ours - theirs(x, (31, 7), clip=False)).max() > 1e-13:
            return
    pytest.fail("a wrong factor was not seen")


# --- quirks, by name ------------------------------------------------------------------------------


def test_quirk_antialiasing_is_on_by_default() -> None:
    x = np.array([0, 0, 0, 8.0, 0, 0, 0, 0])
    assert both(x, (4,))[0] > 0
    assert both(x, (4,), anti_aliasing=False)[0] == 0
    assert both(x, (16,)) == both(x, (16,), anti_aliasing=False)


def test_quirk_order_0_of_integers_is_blurred_unless_it_is_given() -> None:
    x = np.array([0, 0, 80, 0, 0, 0], np.uint8)
    assert both(x, (3,), order=0) == [0, 0, 0]
    assert both(x, (3,), order=0, anti_aliasing=True) == [8, 8, 0]
    assert both(x.astype(float), (3,), order=0)[0] == pytest.approx(8.516, abs=1e-3)
    assert both(x > 1, (3,)) == [False, False, False]


def test_quirk_blurred_integers_are_cut_off() -> None:
    x = np.array([[7, 7], [7, 254], [7, 7]], np.uint8)
    words = {"order": 0, "anti_aliasing": True, "anti_aliasing_sigma": 0.5}
    ours = scikit_image.resize(x, (2, 2), **words)
    np.testing.assert_array_equal(ours, theirs(x, (2, 2), **words))
    assert ours.dtype == np.uint8


def test_quirk_a_single_sigma_blurs_the_channels() -> None:
    x = np.zeros((4, 4, 3))
    x[..., 0] = 1
    assert np.ptp(np.array(both(x, (2, 2)))[..., 0]) == pytest.approx(0, abs=1e-15)
    mixed = both(x, (2, 2), anti_aliasing=True, anti_aliasing_sigma=1.0)
    assert mixed[0][0][1] > 0.1


def test_quirk_integers_become_fractions() -> None:
    assert both(np.array([0, 255], np.uint8), (2,)) == [0, 1]
    assert both(np.array([-128, -127, 127], np.int8), (3,)) == [-1, -1, 1]
    assert both(np.array([-128, 127], np.int8), (2,), preserve_range=True) == [-128, 127]
    assert both(np.array([0, 255], np.uint8), (4,), order=0) == [0, 0, 255, 255]


def test_quirk_types() -> None:
    for dtype, words, found in (
        ("float16", {}, "float32"),
        ("float16", {"order": 0}, "float32"),
        ("float32", {"order": 3}, "float32"),
        ("uint8", {"preserve_range": True}, "float64"),
        ("uint8", {"order": 0}, "uint8"),
        ("bool", {}, "bool"),
    ):
        x = np.ones(4, dtype)
        both(x, (6,), **words)
        assert scikit_image.resize.plan((4,), dtype, (6,), **words).dtype == np.dtype(found)


def test_quirk_numbers_of_dimensions() -> None:
    x = np.arange(24.0).reshape(4, 6)
    assert scikit_image.resize.plan((4, 6, 3), "uint8", (2, 3)).output_shape == (2, 3, 3)
    assert np.shape(both(x, (2, 3, 2))) == (2, 3, 2)
    assert np.shape(both(x, (2,))) == (2, 6)
    assert scikit_image.resize.plan((4, 6), "uint8", (2, 3, 2)).input_shape == (4, 6, 1)


def test_quirk_the_constant_is_clipped_away() -> None:
    x = np.array([5.0, 6.0])
    assert both(x, (4,), mode="constant")[0] == 5
    assert both(x, (4,), mode="constant", clip=False)[0] == 3.75
    # ... unless some sample of the result is as low as the constant.
    assert min(both(x, (5,), order=3, mode="constant", cval=4.9)) == 4.9


def test_overshoot_is_clipped_to_the_range_of_the_image() -> None:
    x = np.array([0, 1, 1, 0], np.float32)
    assert max(both(x, (9,), order=3)) == 1
    assert max(both(x, (9,), order=3, clip=False)) > 1
    words = {"order": 3, "clip": False}
    plan = scikit_image.resize.plan((4,), "float32", (9,), order=3)
    np.testing.assert_array_equal(plan(x), scikit_image.resize(x, (9,), **words))


def test_flat_images_stay_flat() -> None:
    x = np.full((9, 7), 0.3, np.float32)
    assert set(np.ravel(both(x, (4, 5)))) == {float(np.float32(0.3))}


def test_nan_is_not_the_range() -> None:
    x = np.array([0, 1, 1, 0, np.nan])
    ours = scikit_image.resize(x, (9,), anti_aliasing=False)
    answer = theirs(x, (9,), anti_aliasing=False)
    np.testing.assert_allclose(ours, answer, 1e-14)


# --- the face -------------------------------------------------------------------------------------


def test_an_axis_that_shrinks_much_is_blurred_at_few_places() -> None:
    plan = scikit_image.resize.plan((4000,), np.float32, (100,))
    assert [step.operator.n_out for step in plan.passes] == [200, 100]
    x = np.random.default_rng(0).standard_normal(4000)
    both(x, (100,))


@pytest.mark.parametrize("order", [0, 1, 3])
@pytest.mark.parametrize("mode", ["wrap", "reflect", "constant"])
def test_long_axes(mode: str, order: int) -> None:
    x = np.random.default_rng(0).standard_normal(700)
    for words in ({}, {"anti_aliasing_sigma": 0.0}):
        both(x, (123,), order=order, mode=mode, anti_aliasing=True, **words)
        both((x * 50).astype(np.int16), (123,), order=order, mode=mode, anti_aliasing=True, **words)
    plan = scikit_image.resize.plan((5000,), np.float64, (50,), order=order, mode=mode)
    assert max(step.operator.taps for step in plan.passes) < 450


def test_huge_tables_are_refused() -> None:
    with pytest.raises(ResizeError, match="weights alone"):
        scikit_image.resize.plan((10**9, 2), np.uint8, (10**8, 2))


def test_out() -> None:
    x = np.arange(6, dtype=np.float32)
    for words in ({}, {"order": 3}, {"mode": "constant", "cval": 3.0}):
        out = np.empty(12, np.float32)
        assert scikit_image.resize(x, (12,), out=out, **words) is out
        np.testing.assert_array_equal(out, scikit_image.resize(x, (12,), **words))


REFUSED: list[tuple[str, str, dict[str, Any]]] = [
    ("order must be an integer from 0 to 5, got 6", "float64", {"order": 6}),
    ("order must be 0 for bool images, got 1", "bool", {"order": 1}),
    ("mode must be one of constant, .* got 'mirror'", "float64", {"mode": "mirror"}),
    ("output_shape must have 3 entries", "float64", {"output_shape": (2,)}),
    ("output_shape must be a list of lengths, got 5", "float64", {"output_shape": 5}),
    ("output_shape must be a list of lengths", "float64", {"output_shape": (-2, 2, 2)}),
    ("anti_aliasing must be False for bool images", "bool", {"anti_aliasing": True}),
    (
        "anti_aliasing_sigma must be a number of at least 0",
        "float64",
        {"anti_aliasing_sigma": -1.0},
    ),
    ("anti_aliasing_sigma .* 3 of them", "float64", {"anti_aliasing_sigma": [1.0, 1.0]}),
]


@pytest.mark.parametrize(("message", "dtype", "words"), REFUSED)
def test_refused_as_scikit_image_refuses(message: str, dtype: str, words: dict[str, Any]) -> None:
    words = {"output_shape": (2, 2, 2), **words}
    x = np.zeros((3, 3, 3), dtype)
    with pytest.raises((ValueError, TypeError, RuntimeError)):
        theirs(x, **words)
    with pytest.raises(ResizeError, match=message):
        scikit_image.resize.plan(x.shape, dtype, **words)
    with pytest.raises(ResizeError, match=message):
        scikit_image.resize(x, **words)


def test_refused_besides() -> None:
    with pytest.raises(ResizeError, match="image must be of one of the types"):
        scikit_image.resize(np.zeros(3, complex), (2,))
    with pytest.raises(ResizeError, match="image must not be empty"):
        scikit_image.resize(np.zeros((0, 3)), (2, 2))
    with pytest.raises(ResizeError, match="cval must be a finite number"):
        scikit_image.resize(np.zeros(3), (2,), cval=np.nan)


def test_arrays_of_other_libraries() -> None:
    torch = pytest.importorskip("torch")
    x = np.random.default_rng(0).standard_normal((5, 6))
    for words in ({}, {"order": 3}, {"mode": "constant", "cval": 2.0}):
        y = scikit_image.resize(torch.from_numpy(x), (3, 9), **words)
        np.testing.assert_allclose(y.numpy(), scikit_image.resize(x, (3, 9), **words), 0, 1e-14)
    image = (x * 50).astype(np.int16)
    for words in ({}, {"order": 0, "anti_aliasing": True}):
        y = scikit_image.resize(torch.from_numpy(image), (3, 9), **words)
        np.testing.assert_allclose(y.numpy(), scikit_image.resize(image, (3, 9), **words), 0, 1e-14)


# --- the page -------------------------------------------------------------------------------------


def test_page_and_docstring() -> None:
    page = Path(__file__).parents[1] / "docs" / "scikit_image.md"
    failed, run = doctest.testfile(str(page), module_relative=False)
    assert (failed, run > 3) == (0, True)
    scope = dict(vars(scikit_image))
    text = scikit_image.resize.__doc__
    parsed = doctest.DocTestParser().get_doctest(text, scope, "resize", None, 0)
    assert parsed.examples
    assert doctest.DocTestRunner().run(parsed).failed == 0


def test_what_the_page_says_of_onnx() -> None:
    x = np.random.default_rng(0).standard_normal((5, 6))
    for mode in ("edge", "symmetric"):
        ours = scikit_image.resize(x, (9, 4), mode=mode, anti_aliasing=False)
        np.testing.assert_allclose(ours, onnx.resize(x, sizes=[9, 4], mode="linear"), 0, 1e-14)
