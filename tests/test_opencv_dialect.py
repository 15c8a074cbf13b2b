"""OpenCV's quirks by name, its defaults and what it refuses, each run against OpenCV itself."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from counterparts import Call, counterparts, make_data
from ndresize import ResizeError
from ndresize.dialects import opencv as ours
from ndresize.engine import native
from ndresize.plan import Plan

cv2 = pytest.importorskip("cv2", reason="OpenCV is not installed")

CASES = json.loads((Path(__file__).parent / "vectors" / "reports_opencv.json").read_text())["cases"]
NAMES = list(ours.INTERPOLATIONS)


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_reported_cases(case: Mapping[str, Any]) -> None:
    shape, dtype = case["shape"], case["dtype"]
    plan = ours.resize.plan(shape, dtype, **case["args"])
    if case["expected_shape"] is not None:
        assert list(plan.output_shape) == case["expected_shape"]
        return
    values = plan(np.array(case["data"], dtype).reshape(shape)).ravel()
    picked = values if case["pick"] is None else values[slice(*case["pick"])]
    np.testing.assert_allclose(picked, case["expected"], rtol=0, atol=case["tol"])


def noise(*shape: int, dtype: str = "uint8", seed: int = 0) -> NDArray[Any]:
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind in "iu":
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, shape, dtype, endpoint=True)
    return rng.standard_normal(shape).astype(dtype)


def agree(x: NDArray[Any], dsize: Any, *args: Any, interpolation: str) -> NDArray[Any]:
    """Return our answer, which must be OpenCV's: the same integers, floats within 2 ulp."""
    mine = ours.resize(x, dsize, *args, interpolation=interpolation)
    words = dict(zip(("fx", "fy"), args, strict=False))
    theirs = cv2.resize(x, dsize, interpolation=ours.INTERPOLATIONS[interpolation], **words)
    assert mine.dtype == theirs.dtype
    if theirs.dtype.kind == "f":
        unit = np.spacing(np.abs(x).max()) if x.size else 0
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=2 * float(unit))
    else:
        np.testing.assert_array_equal(mine, theirs)
    return mine


def row(*samples: int, dtype: str = "uint8") -> NDArray[Any]:
    return np.array([samples], dtype)


def test_defaults_are_opencvs() -> None:
    x = noise(9, 11)
    np.testing.assert_array_equal(ours.resize(x, (20, 5)), cv2.resize(x, (20, 5)))


@pytest.mark.parametrize("name", NAMES)
def test_names_and_numbers_are_the_same_plan(name: str) -> None:
    plan = ours.resize.plan((8, 9), np.uint8, (5, 4), interpolation=name)
    assert ours.INTERPOLATIONS[name] == getattr(cv2, name)
    for word in (name.removeprefix("INTER_"), ours.INTERPOLATIONS[name]):
        assert ours.resize.plan((8, 9), np.uint8, (5, 4), interpolation=word) == plan


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32", "float64"])
def test_large_images(name: str, dtype: str) -> None:
    """Nothing is computed otherwise because an image is large, but for listed deviations."""
    shape, dsize = (700, 1024, 3), (1536, 160)
    call = Call(shape, dtype, {"dsize": list(dsize), "interpolation": name})
    if counterparts()["opencv.resize"].deviates(call) is None:
        agree(noise(*shape, dtype=dtype), dsize, interpolation=name)


# Quirks.


@pytest.mark.parametrize(
    ("length", "factor", "expected"), [(10, 1.25, 12), (10, 0.45, 4), (1, 2.5, 2), (1, 3.5, 4)]
)
def test_lengths_round_halves_to_even(length: int, factor: float, expected: int) -> None:
    assert ours.resize.plan((1, length), np.uint8, None, factor, 1).output_shape == (1, expected)
    assert cv2.resize(np.zeros((1, length)), None, fx=factor, fy=1).shape == (1, expected)


def test_a_given_factor_is_the_scale_of_the_coordinates() -> None:
    x = noise(1, 10)
    given = agree(x, None, 0.45, 1, interpolation="INTER_LINEAR")
    fitted = agree(x, (4, 1), interpolation="INTER_LINEAR")
    assert given.shape == fitted.shape
    assert (given != fitted).any()


def test_factors_are_not_looked_at_beside_a_size() -> None:
    x = noise(5, 5)
    np.testing.assert_array_equal(ours.resize(x, (3, 4), -1, np.nan), ours.resize(x, (3, 4)))
    assert ours.resize(x, (3, 0), 2, 2).shape == cv2.resize(x, (3, 0), fx=2, fy=2).shape


def test_nearest_cuts_off_a_rounded_product() -> None:
    """6 to 49 picks by floor(i * (1 / (49 / 6))), not by floor(i * 6 / 49)."""
    for n_in in range(1, 40):
        for n_out in range(1, 60):
            x = np.arange(n_in, dtype=np.int32)[None]
            agree(x, (n_out, 1), interpolation="INTER_NEAREST")


def test_nearest_exact_is_a_running_sum() -> None:
    """It is not floor((i + 0.5) * n_in / n_out) everywhere: the sum strays from it."""
    strays = 0
    for n_in in range(1, 40):
        for n_out in range(1, 60):
            x = np.arange(n_in, dtype=np.int32)[None]
            picked = agree(x, (n_out, 1), interpolation="INTER_NEAREST_EXACT")[0]
            strays += int((picked != (2 * np.arange(n_out) + 1) * n_in // (2 * n_out)).any())
    assert strays > 100


def test_nearest_exact_looks_at_no_factor() -> None:
    x = np.arange(10, dtype=np.int32)[None]
    picked = agree(x, None, 0.45, 1, interpolation="INTER_NEAREST_EXACT")
    np.testing.assert_array_equal(picked, ours.resize(x, (4, 1), interpolation="NEAREST_EXACT"))


@pytest.mark.parametrize("channels", [1, 2, 3, 4, 5])
def test_linear_is_area_at_one_half(channels: int) -> None:
    x = noise(8, 12, channels)
    halved = agree(x, (6, 4), interpolation="INTER_LINEAR")
    np.testing.assert_array_equal(halved, ours.resize(x, (6, 4), interpolation="AREA"))


def test_linear_exact_is_area_at_one_half_but_for_two_channels() -> None:
    with pytest.raises(ResizeError, match="INTER_AREA, got int8"):
        ours.resize(noise(4, 4, dtype="int8"), (2, 2), interpolation="LINEAR_EXACT")
    with pytest.raises(cv2.error):
        cv2.resize(noise(4, 4, dtype="int8"), (2, 2), interpolation=cv2.INTER_LINEAR_EXACT)
    agree(noise(4, 4, 2, dtype="int8"), (2, 2), interpolation="INTER_LINEAR_EXACT")


def test_means_of_four_round_up_and_with_two_channels_to_even() -> None:
    x = np.array([[0, 1], [1, 0]], np.uint8)
    assert agree(x, (1, 1), interpolation="INTER_AREA").item() == 1
    both = np.stack([x, x], axis=2)
    assert agree(both, (1, 1), interpolation="INTER_AREA").ravel().tolist() == [0, 0]


def test_a_mean_is_a_sum_times_a_float32() -> None:
    for total in range(7):  # of six samples: halves are ties, or next to them
        x = np.zeros((2, 3), np.uint8)
        x.ravel()[:total] = 1
        agree(x, (1, 1), interpolation="INTER_AREA")


@pytest.mark.parametrize(
    ("shape", "factor"),
    [
        ((10, 2), 1 / 3),
        ((7, 7), 0.5),
        ((7, 8), 0.5),
        ((32, 31), 0.5),
        ((255, 100), 0.5),
        ((11, 8), 1 / 3),
    ],
)
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int16"])
def test_a_cell_that_is_not_full_is_divided_by_what_it_has(
    shape: tuple[int, int], factor: float, dtype: str
) -> None:
    for channels in (1, 2, 3):
        x = noise(*shape, channels, dtype=dtype)
        agree(x, None, factor, factor, interpolation="INTER_AREA")
        agree(x & 3, None, factor, factor, interpolation="INTER_AREA")  # every second is a half
        plan = ours.resize.plan(x.shape, dtype, None, factor, factor, "INTER_AREA")
        assert is_compiled(plan)


def test_area_drops_thin_parts_of_samples() -> None:
    """Cells of 1.0007 samples take nothing of the first sample's last 0.0007."""
    x = noise(1, 1430, dtype="float32")
    plan = ours.resize.plan(x.shape, x.dtype, (1429, 1), interpolation="AREA")
    assert plan.axes[1] is not None
    assert plan.axes[1].counts[0] == 1
    agree(x, (1429, 1), interpolation="INTER_AREA")


def test_area_that_grows_reads_two_samples() -> None:
    x = row(0, 4, 8, 12, dtype="float32")
    grown = agree(x, (6, 1), interpolation="INTER_AREA")
    np.testing.assert_allclose(grown, [[0, 2, 4, 8, 10, 12]], atol=1e-5)


def test_linear_of_bytes_loses_bits_where_rows_are_summed() -> None:
    """Rows are cut to 7 fractional bits and products to 2: a third of 265 becomes 89."""
    x = noise(60, 60)
    got = agree(x, (97, 83), interpolation="INTER_LINEAR")
    exact = ours.resize(x.astype(np.float64), (97, 83))
    assert np.abs(got - exact).max() > 0.5


def test_linear_exact_of_bytes_has_eight_bits() -> None:
    x = row(100, 80)
    agree(x, (7, 1), interpolation="INTER_LINEAR_EXACT")
    weights = ours.resize.plan((1, 2), np.uint8, (7, 1), interpolation="LINEAR_EXACT").axes[1]
    assert weights is not None
    np.testing.assert_array_equal(weights.weights * 256, np.rint(weights.weights * 256))


def test_linear_exact_rounds_negative_halves_up() -> None:
    x = row(-1, -2, dtype="int8")
    assert agree(x, (4, 1), interpolation="INTER_LINEAR_EXACT").tolist() == [[-1, -1, -2, -2]]
    x = row(-3, 0, dtype="int8")
    doubled = agree(np.repeat(x, 2, axis=0), (3, 3), interpolation="INTER_LINEAR_EXACT")
    assert doubled[0].tolist() == [-3, -1, 0]


def test_linear_exact_of_int32() -> None:
    agree(noise(9, 7, dtype="int32"), (20, 31), interpolation="INTER_LINEAR_EXACT")
    agree(row(-3, 0, 7, dtype="int32"), (6, 2), interpolation="INTER_LINEAR_EXACT")


def test_linear_exact_of_int64_is_refused() -> None:
    """OpenCV wraps it to int32 first; a plan would have to do both."""
    with pytest.raises(ResizeError, match=r"INTER_LINEAR_EXACT, got int64; convert it first"):
        ours.resize(row(1, 2, dtype="int64"), (4, 1), interpolation="LINEAR_EXACT")


def test_cubic_of_bytes_is_summed_in_float32() -> None:
    x = noise(40, 40, 3)
    for factor in (2, 3, 5):
        agree(x, (40 * factor, 40 * factor), interpolation="INTER_CUBIC")


def test_a_copy_takes_any_type_and_interpolation() -> None:
    x = noise(3, 4).astype(bool)
    for name in NAMES:
        got = agree(x, (4, 3), interpolation=name)
        assert got is not x


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_integers_of_64_bits_become_int32(dtype: str) -> None:
    x = np.arange(-3 if dtype == "int64" else 0, 6).astype(dtype)[None]
    got = agree(x, (4, 2), interpolation="INTER_NEAREST")
    assert got.dtype == np.int32
    assert ours.resize.plan(x.shape, dtype, (4, 2), interpolation=0).dtype == np.int32


@pytest.mark.parametrize("shape", [(7, 9, 1), (7, 1, 1), (7,), ()])
def test_arrays_that_opencv_makes_images_of(shape: tuple[int, ...]) -> None:
    x = noise(*shape) if shape else np.array(7, np.uint8)
    got = agree(x, (5, 4), interpolation="INTER_LINEAR")
    assert got.shape == (4, 5)
    assert ours.resize.plan(shape, np.uint8, (5, 4)).output_shape == (4, 5)


def test_any_strides() -> None:
    x = noise(20, 30, 3)[::-2, ::3, ::-1]
    np.testing.assert_array_equal(ours.resize(x, (7, 8)), ours.resize(x.copy(), (7, 8)))


# What is compiled.

LARGER, HALF, SMALLER = (48, 40), (15, 12), (17, 13)  # of 30x24

COMPILED = {
    "uint8": "LINEAR LINEAR_EXACT AREA LANCZOS4",
    "uint16": "LINEAR LINEAR_EXACT AREA LANCZOS4 CUBIC",
    "int16": "LINEAR LINEAR_EXACT AREA LANCZOS4 CUBIC",
    "float32": "LINEAR LINEAR_EXACT AREA LANCZOS4 CUBIC",
    "float64": "LINEAR LINEAR_EXACT AREA LANCZOS4 CUBIC",
}


def is_compiled(plan: Plan) -> bool:
    return native.compile_plan(plan) is not None


@pytest.mark.parametrize("dtype", COMPILED)
@pytest.mark.parametrize("shape", [(24, 30), (24, 30, 2), (24, 30, 3), (24, 30, 4)])
def test_most_plans_are_compiled(dtype: str, shape: tuple[int, ...]) -> None:
    for interpolation in COMPILED[dtype].split():
        for dsize in (LARGER, HALF, SMALLER):
            plan = ours.resize.plan(shape, dtype, dsize, interpolation=interpolation)
            assert is_compiled(plan), (interpolation, dsize)


@pytest.mark.parametrize("dtype", ["int8", "int32"])
@pytest.mark.parametrize("dsize", [LARGER, SMALLER])
def test_linear_exact_of_other_types_is_compiled(dtype: str, dsize: tuple[int, int]) -> None:
    plan = ours.resize.plan((24, 30, 3), dtype, dsize, interpolation="LINEAR_EXACT")
    assert is_compiled(plan)


def test_lanczos4_of_bytes_is_compiled_where_its_sums_need_more_than_32_bits() -> None:
    x = noise(127, 33, 4)
    x[40:80] = np.where(x[40:80] < 128, 0, 255)
    assert is_compiled(ours.resize.plan(x.shape, x.dtype, (31, 64), interpolation="LANCZOS4"))
    agree(x, (31, 64), interpolation="INTER_LANCZOS4")


@pytest.mark.parametrize("channels", [1, 3, 4])
@pytest.mark.parametrize("dtype", ["uint16", "int16", "float64"])
def test_linear_with_factors_beyond_the_edges(dtype: str, channels: int) -> None:
    """Where columns lie elsewhere in float64, and 16-bit integers are made of the last two rows."""
    x = noise(5, 3001, channels, dtype=dtype).squeeze()
    patched = 0
    for factors in ((1.377, 5.31), (2.713, 7.77), (3.877, 3.1)):
        agree(x, None, *factors, interpolation="INTER_LINEAR")
        plan = ours.resize.plan(x.shape, dtype, None, *factors, "INTER_LINEAR")
        assert is_compiled(plan)
        patched += int((plan(x) != replace(plan, patches=())(x)).sum())
    assert patched > 0


@pytest.mark.parametrize("channels", [1, 3, 4])
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int16"])
def test_cubic_with_factors_has_a_block_within(dtype: str, channels: int) -> None:
    """Whose bounds are those of whole coordinates too, whose size has a threshold."""
    for factor in (3, 1.5, 1.25, 0.75, 2 / 3, 0.66):
        for n in (*range(13, 18), *range(26, 29), *range(47, 54)):
            x = noise(n, 70, channels, dtype=dtype)
            agree(x, None, 2.313, factor, interpolation="INTER_CUBIC")
            agree(x.swapaxes(0, 1).copy(), None, factor, 2.313, interpolation="INTER_CUBIC")
    sizes = [
        len(ours.resize.plan((n, 70, channels), dtype, None, 2.313, 1.7, "INTER_CUBIC").patches)
        for n in (22, 25)
    ]
    assert sizes[0] < sizes[1]


@pytest.mark.parametrize("channels", [2, 5, 7])
@pytest.mark.parametrize(
    ("dtype", "name"), [("uint8", "CUBIC"), ("int16", "CUBIC"), ("int16", "LANCZOS4")]
)
def test_what_is_left_over_of_rows(dtype: str, name: str, channels: int) -> None:
    """Vectors of eight samples may end within a pixel."""
    x = np.repeat(noise(300, 1, channels, dtype=dtype), 13, axis=1)
    height = 600 if dtype == "uint8" else 700  # with weights that make halves, and any weights
    patched = 0
    for width in range(1, 30):
        agree(x, (width, height), interpolation=f"INTER_{name}")
        plan = ours.resize.plan(x.shape, dtype, (width, height), interpolation=name)
        without = replace(plan, patches=())
        left_over = (width * channels) % 8 if width * channels > 8 else 0
        differs = (plan(x) != without(x)).any(axis=0).ravel()
        assert not differs[: len(differs) - left_over].any()
        patched += int(differs.sum())
    assert patched > 0


@pytest.mark.parametrize(
    "factors", [(1, 2), (2, 3), (6, 6), (2, 7), (7, 4), (26, 1), (2, 41), (10, 11), (16, 12)]
)
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int16"])
def test_means_that_are_halves(factors: tuple[int, int], dtype: str) -> None:
    """The factor is a float32 value, and so some of them are above a half or below it."""
    cell = factors[0] * factors[1]
    info = np.iinfo(dtype)
    halves = (2 * np.arange(info.min, info.max, 1 if dtype == "uint8" else 97) + 1) * cell // 2
    each, more = halves // cell, halves % cell  # samples, of which so many are 1 larger
    cells = each[:, None] + (np.arange(cell) < more[:, None])
    x = cells.reshape(-1, *factors).swapaxes(0, 1).reshape(factors[0], -1).astype(dtype)
    agree(x, (len(halves), 1), interpolation="INTER_AREA")


@pytest.mark.parametrize("factors", [(3, 3), (5, 3), (1, 3), (7, 1), (6, 6), (13, 13), (2, 7)])
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int16"])
def test_means_of_whole_cells(factors: tuple[int, int], dtype: str) -> None:
    for channels in (1, 2, 3):
        x = noise(9 * factors[0], 20 * factors[1], channels, dtype=dtype)
        agree(x, (20, 9), interpolation="INTER_AREA")
        assert is_compiled(ours.resize.plan(x.shape, dtype, (20, 9), interpolation="AREA"))


# Refusals. OpenCV refuses all of these too.

REFUSED = [
    ((4, 4), "uint8", {"dsize": None}, r"fx must be greater than 0 where dsize is None.*got 0"),
    ((4, 4), "uint8", {"dsize": (0, 0), "fx": 2}, "fy must be greater than 0"),
    ((4, 4), "uint8", {"dsize": None, "fx": -1, "fy": 1}, "fx must be greater than 0"),
    ((4, 4), "uint8", {"dsize": None, "fx": 0.1, "fy": 1}, "fx must leave at least one sample"),
    ((4, 4), "uint8", {"dsize": None, "fx": 1e12, "fy": 1}, "fx must make at most"),
    ((4, 4), "uint8", {"dsize": None, "fx": "2", "fy": 1}, "fx must be a number, got '2'"),
    ((4, 4), "uint8", {"dsize": 5}, r"dsize must be \(width, height\).*got 5"),
    ((4, 4), "uint8", {"dsize": (5.0, 4)}, "dsize must be"),
    ((4, 4), "uint8", {"dsize": (5, 4, 3)}, "dsize must be"),
    ((4, 4), "uint8", {"dsize": (True, 4)}, "dsize must be"),
    ((4, 4), "uint8", {"dsize": (2**31, 4)}, "dsize must be"),
    ((4, 4), "uint8", {"dsize": (5, 4), "interpolation": 7}, "interpolation must be one of"),
    ((4, 4), "uint8", {"dsize": (5, 4), "interpolation": -1}, "interpolation must be one of"),
    ((4, 4), "uint8", {"dsize": (5, 4), "interpolation": 1.0}, "interpolation must be one of"),
    ((4, 4), "uint8", {"dsize": (5, 4), "interpolation": True}, "interpolation must be one of"),
    ((0, 4), "uint8", {"dsize": (5, 4)}, "src must be.*not be empty"),
    ((4, 4, 129), "uint8", {"dsize": (5, 4)}, "at most 128 channels, got 129"),
    ((2, 4, 4, 3), "uint8", {"dsize": (5, 4)}, r"src must be \(rows, columns\)"),
    ((4, 4), "complex64", {"dsize": (5, 4)}, "src must be of one of the types.*complex64"),
    ((4, 4), "int8", {"dsize": (5, 4)}, "src must be of type.*INTER_LINEAR, got int8"),
    ((4, 4), "int32", {"dsize": (5, 4), "interpolation": 2}, "INTER_CUBIC, got int32"),
    ((4, 4), "bool", {"dsize": (5, 4), "interpolation": 5}, "INTER_LINEAR_EXACT, got bool"),
    ((4, 4), "float16", {"dsize": (5, 4)}, "INTER_LINEAR, got float16"),
    ((4, 4), "int64", {"dsize": (5, 4)}, "INTER_LINEAR, got int64"),
    (
        (9, 9, 5),
        "uint8",
        {"dsize": (5, 4), "interpolation": 3},
        "at most 4 channels for INTER_AREA",
    ),
]


@pytest.mark.parametrize(("shape", "dtype", "words", "message"), REFUSED)
def test_refusals(shape: tuple[int, ...], dtype: str, words: Any, message: str) -> None:
    x = np.zeros(shape, dtype)
    with pytest.raises(ResizeError, match=message):
        ours.resize.plan(shape, dtype, **words)
    with pytest.raises(ResizeError, match=message):
        ours.resize(x, **words)
    words = dict(words)
    with pytest.raises((cv2.error, TypeError, OverflowError)):
        cv2.resize(x, words.pop("dsize"), **words)


def test_unknown_words_are_refused_where_opencv_would_copy() -> None:
    x = noise(4, 5)
    np.testing.assert_array_equal(cv2.resize(x, (5, 4), interpolation=99), x)
    for word in (99, "INTER_MAX", "linear", "BILINEAR"):
        with pytest.raises(ResizeError, match="interpolation must be one of"):
            ours.resize(x, (5, 4), interpolation=word)


def test_huge_axes_are_refused_before_any_work() -> None:
    with pytest.raises(ResizeError, match="output"):
        ours.resize.plan((2, 2), np.uint8, (2**31 - 1, 2**31 - 1))


def test_what_is_no_array_is_refused() -> None:
    with pytest.raises(ResizeError, match="src must be an array, got list"):
        ours.resize([[1, 2], [3]], (2, 2))
    with pytest.raises(ResizeError, match="src must be of one of the types"):
        ours.resize("image.png", (2, 2))


def test_the_signature_is_opencvs() -> None:
    words = "(src, /, dsize, fx=0, fy=0, interpolation='INTER_LINEAR', *, out=None, threads=None)"
    found = inspect.signature(ours.resize)
    plain = found.replace(
        parameters=[p.replace(annotation=p.empty) for p in found.parameters.values()],
        return_annotation=found.empty,
    )
    assert str(plain) == words


def test_results_go_where_they_are_wanted() -> None:
    x, out = noise(6, 7, 1), np.empty((4, 5), np.uint8)
    assert ours.resize(x, (5, 4), out=out, threads=1) is out
    np.testing.assert_array_equal(out, cv2.resize(x, (5, 4)))


def test_deviations_are_small() -> None:
    """Calls that the differential test leaves out: integers are at most 1 off, and few are."""
    entry = counterparts()["opencv.resize"]
    seen = wrong = total = 0
    for seed in range(1500):
        call = entry.draw(np.random.default_rng(seed))
        if entry.deviates(call) is None:
            continue
        data = make_data(call, seed)
        theirs = entry.run(data, call.arguments)
        mine = ours.resize(data, **call.arguments)
        off = np.abs(mine.astype(np.float64) - theirs)
        seen += 1
        if mine.dtype.kind == "f":
            assert off.max() <= 1e-6 * np.abs(data).max()
            continue
        assert off.max() <= 1
        wrong += np.count_nonzero(off)
        total += off.size
    assert seen > 50
    assert wrong < total / 500
