"""TensorFlow's dialect: refusals, defaults, published answers, quirks by name.

Random calls are held against TensorFlow in tests/test_counterparts.py.
"""

from __future__ import annotations

import json
import operator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from counterparts import Call, counterparts, make_data
from ndresize import ResizeError
from ndresize.dialects import tensorflow

CASES = json.loads((Path(__file__).parent / "vectors" / "reports_tensorflow.json").read_text())[
    "cases"
]
IMAGE = np.arange(24, dtype=np.float32).reshape(1, 4, 6, 1)


def theirs(name: str, data: np.ndarray[Any, Any], **words: Any) -> np.ndarray[Any, Any]:
    pytest.importorskip("tensorflow")
    return counterparts()[f"tensorflow.{name}"].run(data, words)


def row(*values: float, dtype: str = "float32") -> np.ndarray[Any, Any]:
    return np.array(values, dtype).reshape(1, 1, -1, 1)


@pytest.mark.parametrize("case", CASES, ids=operator.itemgetter("id"))
def test_published_answers(case: dict[str, Any]) -> None:
    data = np.array(case["data"], case["dtype"]).reshape(case["shape"])
    function = getattr(tensorflow, case["call"].split(".")[1])
    answer = function(data, **case["args"]).ravel()[slice(*case["pick"])]
    np.testing.assert_allclose(answer, case["expected"], rtol=0, atol=case["tol"])


REFUSED: list[tuple[str, tuple[Any, ...], dict[str, Any], str]] = [
    ("resize", ((4, 4), "float32"), {"size": [2, 2]}, "images must have shape"),
    ("resize", ((4, 4, 0), "float32"), {"size": [2, 2]}, "at least one channel"),
    ("resize", ((4, 4, 1), "bool"), {"size": [2, 2]}, "images must be of type"),
    ("resize", ((4, 4, 1), "uint32"), {"size": [2, 2]}, "images must be of type"),
    ("resize", ((4, 4, 1), "float32"), {"size": [2]}, "size must have 2 entries"),
    ("resize", ((4, 4, 1), "float32"), {"size": 2}, "size must be"),
    ("resize", ((4, 4, 1), "float32"), {"size": [2.0, 3.0]}, "size must be integers"),
    ("resize", ((4, 4, 1), "float32"), {"size": [True, 3]}, "size must be two integers"),
    ("resize", ((4, 4, 1), "float32"), {"size": [0, 3]}, "size must be two lengths"),
    ("resize", ((4, 4, 1), "float32"), {"size": [2, 2**31]}, "size must be two lengths"),
    ("resize", ((4, 4, 1), "float32"), {"size": [2, 2], "method": "BILINEAR"}, "method must be"),
    ("resize", ((4, 4, 1), "float32"), {"size": [2, 2], "method": 0}, "method must be"),
    ("resize", ((4, 4, 1), "float32"), {"size": [2, 2], "antialias": "yes"}, "antialias must"),
    (
        "resize",
        ((1, 100, 1), "float32"),
        {"size": [10, 10], "preserve_aspect_ratio": True},
        "at least 1 with preserve_aspect_ratio",
    ),
    ("resize_v1", ((4, 4, 1), "float32"), {"size": [2, 2], "method": "lanczos3"}, "method must"),
    ("resize_v1", ((4, 4, 1), "float32"), {"size": [2, 2], "method": 4}, "method must be"),
    (
        "resize_v1",
        ((4, 4, 1), "float32"),
        {"size": [2, 2], "align_corners": True, "half_pixel_centers": True},
        "half_pixel_centers must be False",
    ),
    (
        "resize_v1",
        ((4, 4, 1), "float32"),
        {"size": [2, 2], "method": "area", "half_pixel_centers": True},
        "half_pixel_centers must be False with method='area'",
    ),
    (
        "scale_and_translate",
        ((1, 4, 4, 1), "float32"),
        {"size": [2, 2], "scale": [1, 0], "translation": [0, 0]},
        "scale must be finite and greater than 0",
    ),
    (
        "scale_and_translate",
        ((1, 4, 4, 1), "float32"),
        {"size": [2, 2], "scale": [1], "translation": [0, 0]},
        "scale must be 2 numbers",
    ),
    (
        "scale_and_translate",
        ((1, 4, 4, 1), "float32"),
        {"size": [2, 2], "scale": [1, 1], "translation": [0, np.nan]},
        "translation must be finite",
    ),
    (
        "scale_and_translate",
        ((4, 4, 1), "float32"),
        {"size": [2, 2], "scale": [1, 1], "translation": [0, 0]},
        "images must have shape",
    ),
    (
        "crop_and_resize",
        ((1, 4, 4, 1), "bfloat16"),
        {"boxes": [[0, 0, 1, 1]], "box_indices": [0], "crop_size": [2, 2]},
        "image must be of type",
    ),
    (
        "crop_and_resize",
        ((1, 4, 4, 1), "float32"),
        {"boxes": [[0, 0, 1, np.inf]], "box_indices": [0], "crop_size": [2, 2]},
        "boxes must be finite",
    ),
    (
        "crop_and_resize",
        ((1, 4, 4, 1), "float32"),
        {"boxes": [0, 0, 1, 1], "box_indices": [0], "crop_size": [2, 2]},
        "boxes must be n x 4 numbers",
    ),
    (
        "crop_and_resize",
        ((1, 4, 4, 1), "float32"),
        {"boxes": [[0, 0, 1, 1]], "box_indices": [1], "crop_size": [2, 2]},
        "box_indices must lie in",
    ),
    (
        "crop_and_resize",
        ((1, 4, 4, 1), "float32"),
        {"boxes": [[0, 0, 1, 1]] * 2, "box_indices": [0, 0], "crop_size": [2, 2]},
        "boxes must be one box",
    ),
    (
        "tflite_resize",
        ((1, 4, 4, 1), "float32"),
        {"size": [2, 2], "align_corners": True, "half_pixel_centers": True},
        "half_pixel_centers must be False",
    ),
    ("tflite_resize", ((1, 4, 4, 1), "int32"), {"size": [2, 2]}, "images must be of type"),
    ("tflite_resize", ((4, 4, 1), "uint8"), {"size": [2, 2]}, "images must have shape"),
]


@pytest.mark.parametrize(("name", "image", "words", "message"), REFUSED)
def test_refusals(name: str, image: tuple[Any, ...], words: dict[str, Any], message: str) -> None:
    if image[1] == "bfloat16":
        image = (image[0], pytest.importorskip("ml_dtypes").bfloat16)
    with pytest.raises(ResizeError, match=message):
        getattr(tensorflow, name).plan(*image, **words)


@pytest.mark.parametrize("name", ["resize", "resize_v1"])
def test_defaults(name: str) -> None:
    np.testing.assert_allclose(
        getattr(tensorflow, name)(IMAGE, [3, 5]), theirs(name, IMAGE, size=[3, 5]), rtol=1e-6
    )


def test_the_first_version_returns_images_that_have_the_size() -> None:
    image = IMAGE.astype(np.int16)
    for function in ("resize", "resize_v1"):
        ours = getattr(tensorflow, function)(image, [4, 6])
        assert ours.dtype == theirs(function, image, size=[4, 6]).dtype
        np.testing.assert_array_equal(ours, image)
    flags = np.ones((4, 6, 1), bool)
    assert tensorflow.resize_v1(flags, [4, 6]).dtype == bool


def test_bicubic_knows_1024_distances() -> None:
    image = row(0, 0, 1, 0, 0)
    words = {"size": [1, 8], "method": "bicubic"}
    ours = tensorflow.resize(image, **words)
    np.testing.assert_allclose(ours, theirs("resize", image, **words), rtol=0, atol=2e-7)
    weights = tensorflow.resize.plan(image.shape, "float32", **words).axes[2].weights
    steps = np.arange(1025) / 1024
    exact = (1.5 * steps - 2.5) * steps**2 + 1
    inner = weights[3, 1]  # its row lies inside, and is divided by a sum of nearly 1
    assert np.abs(exact - inner).min() < 1e-7


def test_bicubic_has_another_kernel_in_the_first_version() -> None:
    image = row(0, 1, 0, 0)
    for function in ("resize", "resize_v1"):
        words = {"size": [1, 8], "method": "bicubic"}
        ours = getattr(tensorflow, function)(image, **words)
        np.testing.assert_allclose(ours, theirs(function, image, **words), atol=2e-7)


def test_a_single_sample_ignores_align_corners() -> None:
    """The scale of older sources would be 0 / (n - 1), and area 0 / 0."""
    image = row(3.0)
    words = {"size": [1, 4], "method": "area", "align_corners": True}
    np.testing.assert_allclose(tensorflow.resize_v1(image, **words), 3.0, rtol=1e-6)
    np.testing.assert_allclose(theirs("resize_v1", image, **words), 3.0, rtol=1e-6)


def test_nearest_is_decided_in_float32() -> None:
    different = 0
    for n_in in range(1, 50):
        image = np.arange(n_in, dtype=np.int32).reshape(1, 1, n_in, 1)
        for n_out in (37, 49, 98):
            words = {"size": [1, n_out], "method": "nearest"}
            ours = tensorflow.resize(image, **words)
            np.testing.assert_array_equal(ours, theirs("resize", image, **words))
            exact = (2 * np.arange(n_out) + 1) * n_in // (2 * n_out)
            different += (ours.ravel() != exact).any()
    assert different > 0


def test_rows_whose_centre_is_outside_are_zero() -> None:
    image = row(5, 6)
    words = {"size": [1, 4], "scale": [1, 1], "translation": [0, 1], "kernel_type": "triangle"}
    ours = tensorflow.scale_and_translate(image, **words)
    assert ours.ravel().tolist() == [0, 5, 6, 0]
    np.testing.assert_array_equal(ours, theirs("scale_and_translate", image, **words))


def test_many_boxes() -> None:
    rng = np.random.default_rng(0)
    image = rng.standard_normal((3, 7, 9, 2)).astype(np.float32)
    words = {
        "boxes": rng.uniform(-0.2, 1.2, (10, 4)).astype(np.float32),
        "box_indices": rng.integers(0, 3, 10),
        "crop_size": [4, 5],
        "extrapolation_value": -1.0,
    }
    ours = tensorflow.crop_and_resize(image, **words)
    np.testing.assert_allclose(ours, theirs("crop_and_resize", image, **words), rtol=0, atol=1e-6)
    out = np.empty_like(ours)
    assert tensorflow.crop_and_resize(image, out=out, threads=1, **words) is out
    np.testing.assert_array_equal(out, ours)
    for position, (box, index) in enumerate(zip(words["boxes"], words["box_indices"], strict=True)):
        one = {**words, "boxes": [box.tolist()], "box_indices": [int(index)]}
        plan = tensorflow.crop_and_resize.plan(image.shape, image.dtype, **one)
        np.testing.assert_array_equal(plan(image)[0], ours[position])


def test_no_boxes_and_boxes_outside() -> None:
    words = {"box_indices": [], "crop_size": [4, 5]}
    assert tensorflow.crop_and_resize(IMAGE, np.zeros((0, 4)), **words).shape == (0, 4, 5, 1)
    far = tensorflow.crop_and_resize(IMAGE, [[2, 2, 3, 3]], [0], [2, 2], extrapolation_value=7)
    assert (far == 7).all()


def test_boxes_of_arrays_of_other_libraries() -> None:
    strict = pytest.importorskip("array_api_strict")
    words = {"boxes": [[0, 0, 1, 1], [0.5, 0, 1, 2]], "box_indices": [0, 0], "crop_size": [3, 3]}
    ours = tensorflow.crop_and_resize(strict.asarray(IMAGE), **words)
    np.testing.assert_allclose(
        np.from_dlpack(ours), tensorflow.crop_and_resize(IMAGE, **words), rtol=1e-6
    )


def test_lite_counts_nearest_of_uint8_in_16_bits() -> None:
    """The eighth of 194 samples each: float32 falls below a border that 2**-16 steps reach."""
    for dtype, index in (("uint8", 4), ("int8", 3)):
        image = row(*range(8), dtype=dtype)
        words = {"size": [1, 194], "method": "nearest"}
        ours = tensorflow.tflite_resize(image, **words)
        np.testing.assert_array_equal(ours, theirs("tflite_resize", image, **words))
        assert ours[0, 0, 97, 0] == index


def test_lite_rounds_whole_numbers_away_from_zero() -> None:
    image = row(-3, 0, 3, dtype="int8")
    words = {"size": [1, 6], "method": "bilinear"}
    ours = tensorflow.tflite_resize(image, **words)
    assert ours.ravel().tolist() == [-3, -2, 0, 2, 3, 3]
    np.testing.assert_array_equal(ours, theirs("tflite_resize", image, **words))


def test_lite_uint8_differs_at_near_ties_alone() -> None:
    rng = np.random.default_rng(1)
    wrong = total = 0
    for _ in range(60):
        shape = (1, *rng.integers(1, 20, 2).tolist(), 3)
        image = rng.integers(0, 256, shape).astype(np.uint8)
        words = {"size": rng.integers(1, 30, 2).tolist(), "half_pixel_centers": True}
        ours = tensorflow.tflite_resize(image, **words).astype(int)
        apart = ours != theirs("tflite_resize", image, **words)
        assert (np.abs(ours - theirs("tflite_resize", image, **words)) <= 1).all()
        exact = image.astype(np.float64)
        plan = tensorflow.tflite_resize.plan(image.shape, "uint8", **words)
        for axis, op in enumerate(plan.axes):
            if op is not None:
                exact = np.moveaxis(np.tensordot(op.dense(), exact, (1, axis)), 0, axis)
        assert (np.abs(exact - np.floor(exact) - 0.5)[apart] < 1e-4).all()
        wrong += apart.sum()
        total += apart.size
    assert wrong < 0.01 * total


@pytest.mark.parametrize("name", ["resize", "resize_v1", "scale_and_translate"])
def test_sums_are_as_exact_as_theirs(name: str) -> None:
    """Against float64 sums of the same weights: what the tolerance of the table comes from."""
    entry = counterparts()[f"tensorflow.{name}"]
    worst_ours = worst_theirs = 0.0
    for seed in range(150):
        call = entry.draw(np.random.default_rng(seed))
        plan = entry.ours.plan(call.shape, "float32", **call.arguments)
        if plan.is_selection or entry.deviates(call):
            continue
        data = make_data(Call(call.shape, "uint16", call.arguments), seed).astype(np.float32)
        exact = data.astype(np.float64)
        for axis, op in enumerate(plan.axes):
            if op is not None:
                weights = op.weights.astype(np.float32).astype(np.float64)
                dense = type(op)(op.starts, weights, op.n_in).dense()
                exact = np.moveaxis(np.tensordot(dense, exact, (1, axis)), 0, axis)
        unit = float(np.spacing(np.float32(max(np.abs(exact).max(), 65535))))
        worst_ours = max(worst_ours, float(np.abs(plan(data) - exact).max() / unit))
        other = theirs(name, data, **call.arguments)
        worst_theirs = max(worst_theirs, float(np.abs(other - exact).max() / unit))
    assert worst_ours < 6
    assert worst_theirs < 8
