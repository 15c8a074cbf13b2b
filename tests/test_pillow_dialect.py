"""Pillow's quirks by name, its defaults and what it refuses, each run against Pillow itself."""

from __future__ import annotations

import json
import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ndresize
from counterparts.pillow import run
from ndresize.dialects import pillow

pytest.importorskip("PIL", reason="pillow is not installed")

CASES = [
    case
    for path in sorted((Path(__file__).parent / "vectors").glob("reports_pillow.json"))
    for case in json.loads(path.read_text())["cases"]
]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_reported_cases(case: Mapping[str, Any]) -> None:
    data = np.array(case["data"], case["dtype"]).reshape(case["shape"])
    result = pillow.resize(data, **case["args"])
    values = result.ravel()
    picked = values if case["pick"] is None else values[slice(*case["pick"])]
    np.testing.assert_allclose(picked, case["expected"], rtol=0, atol=case["tol"])


def agree(image: NDArray[Any], **arguments: Any) -> NDArray[Any]:
    """Return our answer, which must be Pillow's to the bit."""
    ours = pillow.resize(image, **arguments)
    theirs = run(image, arguments)
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours, theirs)
    return np.asarray(ours)


def noise(*shape: int, dtype: str = "uint8", seed: int = 0) -> NDArray[Any]:
    return np.random.default_rng(seed).integers(0, 200, shape).astype(dtype)


# --- quirks ---------------------------------------------------------------------------------------


def test_nearest_is_a_running_sum() -> None:
    # 17 / 6 is added 6 times: sample 33 of 4 -> 33 would be a tie in exact arithmetic.
    line = np.arange(128, dtype=np.uint8)[None]
    running = agree(line, size=[160, 1], resample="NEAREST")
    exact = line[:, (2 * np.arange(160) + 1) * 128 // 320]
    assert (running != exact).any()


def test_nearest_of_16_bits_is_not_a_running_sum() -> None:
    line = np.arange(128, dtype=np.uint16)[None]
    agree(line, size=[160, 1], resample="NEAREST")
    narrow = pillow.resize(line.astype(np.uint8), [160, 1], "NEAREST")
    assert (pillow.resize(line, [160, 1], "NEAREST") != narrow).any()


def test_rows_first_where_the_height_shrinks_by_far_more() -> None:
    image = noise(40, 20)
    rows_first = agree(image, size=[18, 4])
    assert pillow.resize.plan((40, 20), "uint8", [18, 4]).passes[0].axis == 0
    assert pillow.resize.plan((40, 20), "uint8", [2, 4]).passes[0].axis == 1
    older = pillow.resize.plan((40, 20), "uint8", [18, 4], version="12")
    assert older.passes[0].axis == 1
    assert (older(image) != rows_first).any()


@pytest.mark.parametrize("channels", [2, 4])
def test_colours_are_premultiplied(channels: int) -> None:
    image = noise(9, 7, channels)
    straight = agree(image, size=[4, 4])
    mode = {2: "La", 4: "RGBa"}[channels]
    assert (agree(image, size=[4, 4], mode=mode) != straight).any()


@pytest.mark.parametrize("channels", [2, 4])
def test_every_colour_with_every_alpha(channels: int) -> None:
    colour, alpha = np.meshgrid(np.arange(256, dtype=np.uint8), np.arange(256, dtype=np.uint8))
    image = np.stack([*[colour] * (channels - 1), alpha], axis=-1)
    agree(image, size=[512, 256], resample="BOX")  # there, each sample twice, and back


def test_nearest_keeps_colours_of_transparent_samples() -> None:
    image = noise(5, 5, 4)
    image[..., 3] = 0
    assert agree(image, size=[3, 3], resample="NEAREST")[..., :3].any()


def test_same_size_copies_whatever_alpha_would_lose() -> None:
    image = noise(6, 6, 4)
    np.testing.assert_array_equal(agree(image, size=[6, 6]), image)
    np.testing.assert_array_equal(agree(image, size=[6, 6], box=(0, 0, 6, 6)), image)
    larger = noise(6, 9, 4)
    assert (agree(larger, size=[6, 6], box=(0, 0, 6, 6)) != larger[:, :6]).any()


def test_a_box_of_whole_samples_is_cropped() -> None:
    image = noise(8, 8, dtype="float32")
    result = agree(image, size=[4, 3], box=(2, 1, 6, 4))
    np.testing.assert_array_equal(result, image[1:4, 2:6])


def test_a_mean_of_three_bytes_is_rounded_down() -> None:
    # (2 + 1) * floor(2**24 / 3) is just below 2**24.
    image = np.array([[1, 1, 0]], np.uint8)
    assert agree(image, size=[1, 1], resample="BOX", reducing_gap=1.0).tolist() == [[0]]
    assert agree(image, size=[1, 1], resample="BOX").tolist() == [[1]]


@pytest.mark.parametrize("dtype", ["uint8", "int32", "float32", "int16"])
@pytest.mark.parametrize("factors", [(2, 2), (3, 5), (1, 4), (7, 1)])
def test_reducing_gap(dtype: str, factors: tuple[int, int]) -> None:
    image = noise(23, 31, dtype=dtype)
    size = [31 // factors[0] - 1, 23 // factors[1] - 1]
    agree(image, size=size, reducing_gap=1.0, resample="BILINEAR")


@pytest.mark.parametrize(
    ("dtype", "result"),
    [
        ("int8", "int32"),
        ("int16", "int32"),
        ("uint32", "int32"),
        ("float64", "float32"),
        ("bool", "bool"),
    ],
)
def test_types_that_an_image_has_not(dtype: str, result: str) -> None:
    data = np.random.default_rng(1).integers(-100, 100, (7, 9)).astype(dtype)
    plan = pillow.resize.plan((7, 9), dtype, [4, 5])
    assert plan.dtype == result
    assert agree(data, size=[4, 5], resample="BILINEAR").dtype == result


def test_modes_1_and_p_take_nearest() -> None:
    assert agree(noise(5, 5) > 100, size=[3, 3], resample="LANCZOS").dtype == bool
    agree(noise(5, 5), size=[3, 3], resample="LANCZOS", mode="P")


def test_hamming_is_computed_with_float_constants() -> None:
    agree(noise(1, 200, dtype="float32"), size=[73, 1], resample="HAMMING")


# --- plans with stages ----------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [{}, {"reducing_gap": 1.0}])
@pytest.mark.parametrize("channels", [(), (3,), (4,)])
def test_cropped_plans(arguments: Mapping[str, Any], channels: tuple[int, ...]) -> None:
    image = noise(41, 37, *channels)
    plan = pillow.resize.plan(image.shape, "uint8", [11, 9], **arguments)
    window, source = plan.crop((slice(2, 7), slice(8, 11)))
    np.testing.assert_array_equal(window(image[source]), plan(image)[2:7, 8:11])


def test_channels_with_alpha_cannot_be_cropped() -> None:
    plan = pillow.resize.plan((9, 9, 4), "uint8", [4, 4])
    with pytest.raises(ndresize.ResizeError, match="channels of an image with alpha"):
        plan.crop((slice(0, 2), slice(0, 2), slice(0, 3)))


def test_staged_plans_are_values() -> None:
    plan = pillow.resize.plan((40, 40, 4), "uint8", [5, 5], reducing_gap=1.0)
    assert pickle.loads(pickle.dumps(plan)) == plan
    assert plan != pillow.resize.plan((40, 40, 4), "uint8", [5, 5], reducing_gap=1.0, mode="RGBX")
    assert "alpha" in repr(plan)
    image = noise(40, 40, 4)
    out = np.empty((5, 5, 4), np.uint8)
    assert plan(image, out=out) is out
    np.testing.assert_array_equal(out, plan(image, threads=1))
    with pytest.raises(ndresize.ResizeError, match="shape"):
        plan(image[1:])
    with pytest.raises(ndresize.ResizeError, match="type"):
        plan(image.astype(np.int8))


@pytest.mark.parametrize("arguments", [{}, {"reducing_gap": 1.0}])
@pytest.mark.parametrize("dtype", ["uint8", "float32", "int16"])
def test_other_arrays(dtype: str, arguments: Mapping[str, Any]) -> None:
    torch = pytest.importorskip("torch")
    image = noise(30, 21, 4) if dtype == "uint8" else noise(30, 21, dtype=dtype)
    ours = pillow.resize(torch.from_numpy(image), [7, 8], **arguments)
    np.testing.assert_array_equal(ours.numpy(), pillow.resize(image, [7, 8], **arguments))


# --- refusals -------------------------------------------------------------------------------------


REFUSED: list[tuple[tuple[int, ...], str, dict[str, Any], str]] = [
    ((4, 4), "int64", {"size": [2, 2]}, "fromarray"),
    ((4, 4, 1), "uint8", {"size": [2, 2]}, "fromarray"),
    ((4, 4, 3), "float32", {"size": [2, 2]}, "fromarray"),
    ((4, 4), "uint8", {"size": [0, 2]}, "size must be at least 1"),
    ((4, 4), "uint8", {"size": [2.0, 2]}, "size must be integers"),
    ((4, 4), "uint8", {"size": [2, 2, 2]}, "size must have 2 entries"),
    ((4, 4), "uint8", {"size": 5}, "size"),
    ((4, 4), "uint8", {"size": [2, 2], "resample": 8}, "resample must be one of"),
    ((4, 4), "uint8", {"size": [2, 2], "resample": 1.0}, "resample must be one of"),
    ((4, 4), "uint8", {"size": [2, 2], "box": (0, 0, 4.5, 4)}, "within the image"),
    ((4, 4), "uint8", {"size": [2, 2], "box": (-1, 0, 4, 4)}, "outside the image"),
    ((4, 4), "uint8", {"size": [2, 2], "box": (3, 0, 2, 4)}, "end before it begins"),
    ((4, 4), "uint8", {"size": [2, 2], "box": (0, 0, 4)}, "four finite numbers"),
    ((4, 4), "uint8", {"size": [2, 2], "reducing_gap": 0.5}, "1.0 or greater"),
    ((4, 4), "uint8", {"size": [1, 1], "box": (2, 0, 2, 4), "reducing_gap": 1.0}, "empty"),
    ((9, 9), "uint16", {"size": [2, 2], "reducing_gap": 1.0}, "uint16"),
    ((4, 4, 3), "uint8", {"size": [2, 2], "mode": "RGBA"}, "mode must be one of"),
]


@pytest.mark.parametrize(("shape", "dtype", "arguments", "words"), REFUSED)
def test_what_pillow_refuses(
    shape: tuple[int, ...], dtype: str, arguments: dict[str, Any], words: str
) -> None:
    with pytest.raises(ndresize.ResizeError, match=words):
        pillow.resize.plan(shape, dtype, **arguments)
    with pytest.raises((ValueError, TypeError)):
        run(np.zeros(shape, dtype), arguments)


@pytest.mark.parametrize(
    ("shape", "arguments", "words"),
    [
        ((4,), {"size": [2, 2]}, "one dimension as a column"),
        ((0, 4), {"size": [2, 2]}, "must not be empty"),
        ((4, 4), {"size": [2, 2], "box": (0, 0, np.nan, 4)}, "four finite numbers"),
        ((4, 4), {"size": [2, 2], "resample": "CUBIC"}, "BICUBIC"),
        ((4, 4), {"size": [2, 2], "version": "11"}, "version must be one of"),
        ((4, 4), {"size": [2, 2], "version": "12", "resample": "MKS2021"}, "came with Pillow 13"),
        ((4, 4), {"size": [2**31, 2]}, "32 bits"),
    ],
)
def test_what_is_refused_besides(
    shape: tuple[int, ...], arguments: dict[str, Any], words: str
) -> None:
    with pytest.raises(ndresize.ResizeError, match=words):
        pillow.resize.plan(shape, "uint8", **arguments)


def test_version_12_and_16_bits() -> None:
    with pytest.raises(ndresize.ResizeError, match="low byte"):
        pillow.resize.plan((4, 4), "uint16", [2, 2], version="12")
