"""PyTorch's quirks by name, its defaults and what it refuses, each run against PyTorch itself."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

import ndresize
from counterparts import counterparts, make_data
from ndresize.dialects import torch as ours

torch = pytest.importorskip("torch", reason="torch is not installed")
interpolate = torch.nn.functional.interpolate

CASES = json.loads((Path(__file__).parent / "vectors" / "reports_torch.json").read_text())["cases"]
EXAMPLES = int(os.environ.get("NDRESIZE_EXAMPLES", "0")) or 400
bfloat16 = np.dtype(ml_dtypes.bfloat16)


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_reported_cases(case: Mapping[str, Any]) -> None:
    shape, dtype = case["shape"], case["dtype"]
    plan = ours.interpolate.plan(shape, dtype, **case["args"])
    if case["expected_shape"] is not None:
        assert list(plan.output_shape) == case["expected_shape"]
        return
    values = plan(np.array(case["data"], dtype).reshape(shape)).ravel()
    picked = values if case["pick"] is None else values[slice(*case["pick"])]
    np.testing.assert_allclose(picked, case["expected"], rtol=0, atol=case["tol"])


def noise(*shape: int, dtype: str = "float32", seed: int = 0) -> NDArray[Any]:
    rng = np.random.default_rng(seed)
    if dtype == "uint8":
        return rng.integers(0, 256, shape).astype(dtype)
    return rng.standard_normal(shape).astype(dtype)


def agree(x: NDArray[Any], **arguments: Any) -> NDArray[Any]:
    """Return our answer, which must be PyTorch's within two units in the last place."""
    mine = np.asarray(ours.interpolate(x, **arguments))
    theirs = interpolate(torch.from_numpy(x), **arguments).numpy()
    assert mine.shape == theirs.shape
    assert mine.dtype == theirs.dtype
    if x.dtype == np.uint8 or arguments.get("mode", "nearest").startswith("nearest"):
        np.testing.assert_array_equal(mine, theirs)
    else:
        unit = np.spacing(np.abs(x).max(initial=0))
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=2 * float(unit))
    return mine


# --- quirks ---------------------------------------------------------------------------------------


def test_the_length_is_a_cut_off_product_of_doubles() -> None:
    assert 88 * 1.3636363636363635 < 120
    assert agree(noise(1, 1, 88), scale_factor=1.3636363636363635).shape == (1, 1, 119)
    assert agree(noise(1, 1, 10), scale_factor=0.7).shape == (1, 1, 7)


def test_the_given_scale_sets_the_coordinates() -> None:
    ramp = np.arange(4, dtype=np.float32).reshape(1, 1, 4)
    given = agree(ramp, scale_factor=1.6, mode="linear")
    again = agree(ramp, scale_factor=1.6, mode="linear", recompute_scale_factor=True)
    assert given.shape == again.shape == (1, 1, 6)
    np.testing.assert_allclose(given.ravel()[:3], [0, 0.4375, 1.0625])
    np.testing.assert_allclose(again.ravel()[:3], [0, 0.5, 7 / 6])


def test_nearest_forgets_the_scale_in_small_images_alone() -> None:
    row = np.arange(4, dtype=np.float32)
    small = agree(np.tile(row, (1, 1, 4, 1)), scale_factor=(1.0, 2.1))
    large = agree(np.tile(row, (1, 1, 128, 1)), scale_factor=(1.0, 2.1))
    line = agree(row[None, None], scale_factor=2.1)
    assert small[0, 0, 0].tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert large[0, 0, 0].tolist() == line[0, 0].tolist() == [0, 0, 0, 1, 1, 2, 2, 3]


def test_nearest_is_decided_in_float32() -> None:
    picked = agree(np.arange(2, dtype=np.float32).reshape(1, 1, 2), size=82)[0, 0]
    assert picked[41] == 0  # exactly, 41 * 2 / 82 is 1


def test_equal_lengths_are_a_copy_but_in_bicubic() -> None:
    x = noise(1, 1, 4, 4)
    for arguments in ({"mode": "bilinear"}, {"mode": "bicubic", "antialias": True}):
        np.testing.assert_array_equal(agree(x, scale_factor=1.1, **arguments), x)
    assert (agree(x, scale_factor=1.1, mode="bicubic") != x).any()


def test_a_single_output_sample_lies_in_the_middle() -> None:
    row = np.array([[[[0, 1, 2, 5]]]], np.float32)
    assert agree(row, size=1, mode="bilinear").item() == 1.5
    assert agree(row, size=1, mode="bicubic").item() == 1.3125
    assert agree(row, size=1, mode="bilinear", align_corners=True).item() == 0


def test_bicubic_is_another_kernel_with_antialias() -> None:
    impulse = np.array([[[[0, 0, 0, 1, 0, 0, 0]]]], np.float32)
    plain = agree(impulse, size=(1, 14), mode="bicubic")
    keys = agree(impulse, size=(1, 14), mode="bicubic", antialias=True)
    np.testing.assert_allclose(plain.min(), -0.10546875)  # a = -0.75
    np.testing.assert_allclose(keys.min(), -0.0703125)  # a = -0.5


def test_antialias_with_aligned_corners_centres_cells_all_the_same() -> None:
    ramp = np.arange(10, dtype=np.float32).reshape(1, 1, 1, 10)
    agree(ramp, size=(1, 4), mode="bilinear", antialias=True, align_corners=True)
    agree(ramp, size=(1, 25), mode="bicubic", antialias=True, align_corners=True)


@pytest.mark.parametrize("mode", ["bilinear", "bicubic", "lanczos"])
def test_a_single_column_repeats_its_first_row(mode: str) -> None:
    column = agree(noise(1, 2, 9, 3), size=(4, 1), mode=mode, antialias=True)
    assert (column == column[:, :, :1]).all()
    for channels, repeats in ((4, False), (5, True)):
        image = noise(1, channels, 9, 3, dtype="uint8")
        column = agree(image, size=(4, 1), mode=mode, antialias=True)
        assert (column == column[:, :, :1]).all() == repeats


def test_bytes_of_three_channels_and_one_sample() -> None:
    # PyTorch runs into an assertion of its own; as soon as the channels are stored last it answers.
    image = noise(1, 3, 7, 5, dtype="uint8")
    with pytest.raises(RuntimeError, match="INTERNAL ASSERT"):
        interpolate(torch.from_numpy(image), size=1, mode="bilinear")
    last = torch.from_numpy(image).contiguous(memory_format=torch.channels_last)
    theirs = interpolate(last, size=1, mode="bilinear").numpy()
    np.testing.assert_array_equal(ours.interpolate(image, size=1, mode="bilinear"), theirs)


def test_area_weighs_every_touched_sample_the_same() -> None:
    ramp = np.arange(4, dtype=np.float32).reshape(1, 1, 4)
    assert agree(ramp, size=3, mode="area").ravel().tolist() == [0.5, 1.5, 2.5]
    assert agree(ramp, scale_factor=0.2, mode="area").shape == (1, 1, 0)


def test_weights_of_half_precision_are_stored_in_it() -> None:
    plan = ours.interpolate.plan((1, 1, 3), np.float16, size=7, mode="linear")
    weights = plan.passes[0].operator.weights
    np.testing.assert_array_equal(weights, weights.astype(np.float16))
    small = ours.interpolate.plan((1, 1, 3, 3), np.float16, size=7, mode="bilinear")
    weights = small.passes[0].operator.weights
    np.testing.assert_array_equal(weights, weights.astype(np.float32))
    assert (weights != weights.astype(np.float16)).any()


@pytest.mark.parametrize("mode", ["bilinear", "bicubic", "lanczos"])
@pytest.mark.parametrize("channels", range(1, 6))
def test_bytes_have_the_same_bits(mode: str, channels: int) -> None:
    rng = np.random.default_rng(channels)
    for antialias in (True, False):
        if mode == "lanczos" and not antialias:
            continue
        for trial in range(6):
            shape = (1, channels, *rng.integers(2, 60, 2))
            words = {"size": rng.integers(2, 90, 2).tolist(), "mode": mode, "antialias": antialias}
            image = noise(*shape, dtype="uint8", seed=trial)
            image[rng.random(shape) < 0.3] = 255  # so that overshoot is clamped between passes
            first = agree(image, **words)
            last = torch.from_numpy(image).contiguous(memory_format=torch.channels_last)
            np.testing.assert_array_equal(first, interpolate(last, **words).numpy())


def test_bytes_have_as_many_bits_as_their_largest_weight_allows() -> None:
    def bits(n: int) -> list[int]:
        words = {"size": (n, n), "mode": "bilinear", "antialias": True}
        plan = ours.interpolate.plan((1, 1, 640, 640), np.uint8, **words)
        assert [step.axis for step in plan.passes] == [3, 2]
        assert {step.arithmetic.store for step in plan.passes} == {"element"}
        return [step.arithmetic.bits for step in plan.passes]

    assert bits(1000) == [14, 14]  # the largest weight is 1: with 15 bits it would be negative
    assert bits(320) == [16, 16]  # 0.43
    assert bits(2) == [22, 22]  # 0.003; there are never more


def difference_of_bfloat16(seed: int) -> tuple[Any, float]:
    """Return a random call on bfloat16 and our distance from PyTorch, in units of the last place.

    The unit is that of the largest sample.
    """
    entry = counterparts()["torch.interpolate"]
    rng = np.random.default_rng(seed)
    call = entry.draw(rng)
    while call.arguments["mode"].startswith("nearest") or call.arguments.get("antialias"):
        call = entry.draw(rng)
    data = make_data(call, seed).astype(np.float32).astype(bfloat16)
    mine = ours.interpolate(data, **call.arguments).astype(np.float64)
    theirs = entry.run(data, call.arguments).astype(np.float64)
    assert mine.shape == theirs.shape
    largest = np.abs(data.astype(np.float32)).max(initial=0).astype(bfloat16)
    return call, float(np.abs(mine - theirs).max(initial=0) / float(np.spacing(largest) or 1))


@pytest.mark.parametrize("part", range(2))
def test_bfloat16_agrees(part: int) -> None:
    for seed in range(part, EXAMPLES, 8):
        call, units = difference_of_bfloat16(seed)
        assert units <= 2, f"seed {seed}, {call}"


# --- tensors and gradients ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        {"size": (7, 12), "mode": "bilinear"},
        {"size": (3, 12), "mode": "bicubic", "antialias": True},
        {"scale_factor": 1.7, "mode": "bicubic"},
        {"scale_factor": 0.6, "mode": "nearest-exact"},
        {"size": 3, "mode": "area"},
    ],
)
def test_gradients_through_a_tensor_are_its_own(words: Mapping[str, Any]) -> None:
    x = torch.from_numpy(noise(1, 2, 5, 8, dtype="float64"))
    gradients = []
    for function in (ours.interpolate, interpolate):
        leaf = x.clone().requires_grad_()
        y = function(leaf, **words)
        assert isinstance(y, torch.Tensor)
        (y * torch.arange(y.numel()).reshape(y.shape)).sum().backward()
        gradients.append(leaf.grad.numpy())
    np.testing.assert_allclose(gradients[0], gradients[1], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "uint8"])
def test_a_tensor_gives_what_an_array_gives(dtype: str) -> None:
    x = torch.from_numpy(noise(1, 3, 6, 9) * 50 + 100).to(getattr(torch, dtype))
    y = ours.interpolate(x, size=(11, 4), mode="bilinear")
    assert y.dtype == x.dtype
    theirs = interpolate(x, size=(11, 4), mode="bilinear")
    tolerance = {"float32": 1e-4, "float16": 0.25, "bfloat16": 2, "uint8": 0}[dtype]
    assert (y.float() - theirs.float()).abs().max() <= tolerance


def test_an_empty_batch_stays_one() -> None:
    assert agree(noise(0, 3, 4, 5), size=3, mode="bilinear").shape == (0, 3, 3, 3)
    assert agree(noise(0, 3, 4, 5), size=3, mode="bicubic", antialias=True).shape == (0, 3, 3, 3)
    assert agree(noise(1, 0, 4), size=3, mode="area").shape == (1, 0, 3)


# --- defaults and refusals ------------------------------------------------------------------------


def test_defaults() -> None:
    x = noise(1, 2, 5, 7)
    np.testing.assert_array_equal(agree(x, size=9), agree(x, size=(9, 9), mode="nearest"))
    plain = agree(x, size=9, mode="bilinear")
    full = agree(
        x,
        size=9,
        scale_factor=None,
        mode="bilinear",
        align_corners=False,
        recompute_scale_factor=False,
        antialias=False,
    )
    np.testing.assert_array_equal(plain, full)
    np.testing.assert_array_equal(plain, ours.interpolate(x, 9, None, "bilinear", None, None, 0))


REFUSED: list[tuple[tuple[int, ...], str, dict[str, Any], str]] = [
    ((1, 1, 4), "float32", {}, "size or scale_factor"),
    ((1, 1, 4), "float32", {"size": 3, "scale_factor": 2.0}, "not both"),
    ((1, 1, 4), "float32", {"size": 3, "recompute_scale_factor": True}, "recompute_scale_factor"),
    ((1, 1, 4), "float32", {"size": 3.0}, "size must be integers"),
    ((1, 1, 4), "float32", {"size": True}, "size must be integers"),
    ((1, 1, 4), "float32", {"size": (3, 3)}, "one per axis"),
    ((1, 1, 4, 4), "float32", {"size": np.array([3, 3])}, "size must be integers"),
    ((1, 1, 4), "float32", {"size": 0}, "greater than 0"),
    ((1, 1, 4), "float32", {"size": -1, "mode": "area"}, "not be negative"),
    ((1, 1, 4), "float32", {"scale_factor": 0.2}, "greater than 0"),
    ((1, 1, 4), "float32", {"scale_factor": float("nan")}, "finite"),
    ((1, 1, 4), "float32", {"scale_factor": float("inf")}, "finite"),
    ((1, 1, 4), "float32", {"scale_factor": "2"}, "numbers"),
    ((1, 1, 4, 4), "float32", {"scale_factor": np.array([2.0, 2.0])}, "numbers"),
    ((1, 1, 4, 4), "float32", {"scale_factor": [2.0]}, "one per axis"),
    ((1, 1, 4), "float32", {"size": 3, "mode": "Linear"}, "did you mean 'linear'"),
    ((1, 1, 4), "float32", {"size": 3, "mode": "bilinear"}, "it is 'linear'"),
    ((1, 1, 4, 4), "float32", {"size": 3, "mode": "trilinear"}, "it is 'bilinear'"),
    ((1, 1, 4), "float32", {"size": 3, "mode": "bicubic"}, "4 dimensions"),
    ((4, 4), "float32", {"size": 3}, "3, 4 or 5 dimensions"),
    ((1, 1, 1, 1, 1, 4), "float32", {"size": 3}, "3, 4 or 5 dimensions"),
    ((1, 1, 4), "float32", {"size": 3, "align_corners": False}, "align_corners"),
    ((1, 1, 4), "float32", {"size": 3, "mode": "area", "align_corners": True}, "align_corners"),
    ((1, 1, 4), "float32", {"size": 3, "mode": "linear", "align_corners": 1}, "True or False"),
    ((1, 1, 4), "float32", {"size": 3, "mode": "linear", "antialias": True}, "antialias"),
    ((1, 1, 4, 4), "float32", {"size": 3, "antialias": True}, "antialias"),
    ((1, 1, 4, 4), "float32", {"size": 3, "mode": "lanczos"}, "antialias=True"),
    (
        (1, 1, 4, 4),
        "float32",
        {"size": 3, "mode": "lanczos", "antialias": True, "align_corners": True},
        "align_corners=False",
    ),
    ((1, 1, 4), "int32", {"size": 3}, "input must be"),
    ((1, 1, 4), "uint8", {"size": 3, "mode": "linear"}, "input must be"),
    ((1, 1, 4), "uint8", {"size": 3, "mode": "area"}, "input must be"),
    ((1, 1, 4, 4), "float16", {"size": 3, "mode": "bilinear", "antialias": True}, "antialias"),
    ((1, 1, 4), "complex64", {"size": 3}, "input must be"),
    ((1, 1, 0), "float32", {"size": 3}, "empty"),
    ((1, 0, 4), "float32", {"size": 3}, "empty"),
    ((1, 0, 1, 1, 4), "float32", {"size": 3, "mode": "area"}, "empty"),
    ((1, 1, 4), "float32", {"size": 2**62}, "9223372036854775808|bytes"),
]


@pytest.mark.parametrize(("shape", "dtype", "arguments", "message"), REFUSED)
def test_refusals(
    shape: tuple[int, ...], dtype: str, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(ndresize.ResizeError, match=message):
        ours.interpolate.plan(shape, dtype, **arguments)
    x = torch.zeros(shape, dtype=getattr(torch, dtype))
    with pytest.raises((ValueError, TypeError, RuntimeError, NotImplementedError)):
        interpolate(x, **arguments)


@pytest.mark.parametrize("name", ["antialias", "recompute_scale_factor"])
def test_flags_are_not_guessed(name: str) -> None:
    """PyTorch takes any object for true; a word is refused here."""
    words = {"scale_factor": 2.0, "mode": "bilinear", name: "no"}
    with pytest.raises(ndresize.ResizeError, match=name):
        ours.interpolate(noise(1, 1, 4, 4), **words)
    interpolate(torch.zeros(1, 1, 4, 4), **words)


def test_unknown_words_are_refused() -> None:
    with pytest.raises(TypeError, match="unexpected keyword"):
        ours.interpolate(noise(1, 1, 4), size=3, interpolation="linear")
