import os
import re
import runpy
import signal
import subprocess
import sys
import time
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest

pytest.importorskip("typer")
pytest.importorskip("rich")
PIL = pytest.importorskip("PIL")
from PIL import Image  # noqa: E402
from typer.testing import CliRunner  # noqa: E402

import ndresize  # noqa: E402
from ndresize import MODES, ResizeError  # noqa: E402
from ndresize.cli.app import app  # noqa: E402
from ndresize.cli.lines import escaped  # noqa: E402
from ndresize.cli.pictures import resize_picture, resized_mode, resized_size  # noqa: E402
from ndresize.cli.words import Request  # noqa: E402
from ndresize.io import Picture  # noqa: E402

EXAMPLES = Path(__file__).parents[1] / "examples"
YCBCR_NEEDS_PILLOW_13 = pytest.mark.skipif(
    int(PIL.__version__.split(".")[0]) < 13, reason="older ones cannot read it from TIFF"
)
RNG = np.random.default_rng(5)
RGBA = RNG.integers(0, 256, (12, 16, 4), dtype=np.uint8)


def run(*arguments):
    """Run the command in this process, as if the terminal were 80 wide."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def resize(*arguments):
    """Run ``ndresize resize``, which must succeed, and return what it wrote to stderr."""
    result = run("resize", *arguments)
    assert result.exit_code == 0, result.output
    return result.stderr


def refused(*arguments):
    """Run the command, which must refuse, and return its one line."""
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("ndresize: ")
    assert result.stderr.count("\n") == 1
    assert result.stderr.endswith("\n")
    return result.stderr


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def photo():
    Image.fromarray(RGBA[..., :3]).save("photo.png")
    return "photo.png"


def pixels(path):
    with Image.open(path) as image:
        return np.asarray(image)


def names():
    return sorted(path.name for path in Path().iterdir())


# ----------------------------------------------------------------- the picture and its mode


@pytest.mark.parametrize(
    ("mode", "antialias"),
    [(m, a) for m in MODES for a in (False, True) if not (m == "nearest" and a)],
)
def test_pictures_are_what_resize_gives(photo, mode, antialias):
    options = ["--antialias"] if antialias else []
    resize(photo, "out.png", "--size", "9x5", "--mode", mode, *options)
    expected = ndresize.resize(
        RGBA[..., :3], sizes=(5, 9), axes=(0, 1), mode=mode, antialias=antialias
    )
    assert np.array_equal(pixels("out.png"), expected)


def test_linear_without_antialias_is_the_default(photo):
    resize(photo, "out.png", "--size", "5x4")
    expected = ndresize.resize(RGBA[..., :3], sizes=(4, 5), axes=(0, 1), mode="linear")
    assert np.array_equal(pixels("out.png"), expected)


def test_all_words_reach_the_core(photo):
    resize(photo, "a.png", "--size", "7x7", "--mode", "cubic", "--coordinates", "align_corners",
           "--cubic-coeff-a", "-0.5", "--exclude-outside", "--threads", "1")  # fmt: skip
    expected = ndresize.resize(
        RGBA[..., :3], sizes=(7, 7), axes=(0, 1), mode="cubic", cubic_coeff_a=-0.5,
        coordinate_transformation_mode="align_corners", exclude_outside=True,
    )  # fmt: skip
    assert np.array_equal(pixels("a.png"), expected)
    resize(photo, "b.png", "--scale", "0.5", "--mode", "nearest", "--nearest-mode", "ceil")
    expected = ndresize.resize(
        RGBA[..., :3], scales=(0.5, 0.5), axes=(0, 1), mode="nearest", nearest_mode="ceil"
    )
    assert np.array_equal(pixels("b.png"), expected)
    resize(photo, "c.png", "--size", "7x7", "--coordinates", "tf_crop_and_resize", "--roi",
           "0.25,-0.5,1.5,1", "--extrapolation-value", "77")  # fmt: skip
    expected = ndresize.resize(
        RGBA[..., :3], roi=(-0.5, 0.25, 1, 1.5), sizes=(7, 7), axes=(0, 1), mode="linear",
        coordinate_transformation_mode="tf_crop_and_resize", extrapolation_value=77,
    )  # fmt: skip
    assert np.array_equal(pixels("c.png"), expected)
    assert (expected == 77).all(axis=2).any()


def test_threads_reach_the_core(photo, monkeypatch):
    np.save("a.npy", RGBA)
    threads = []

    def spy(*arguments, **options):
        threads.append(options["threads"])
        return ndresize.resize(*arguments, **options)

    spy.plan = ndresize.resize.plan
    monkeypatch.setattr("ndresize.cli.pictures.resize", spy)
    monkeypatch.setattr("ndresize.cli.job.resize", spy)
    resize(photo, "out.png", "--size", "7x7", "--threads", "3")
    resize("a.npy", "out.npy", "--size", "7x7", "--threads", "2")
    resize("a.npy", "all.npy", "--size", "7x7")
    assert threads == [3, 2, None]


@pytest.mark.parametrize(
    ("options", "size"),
    [
        (("--size", "8x3"), (8, 3)),
        (("--size", "8X3"), (8, 3)),
        (("--scale", "0.5"), (8, 6)),
        (("--scale", "0.5x0.25"), (8, 3)),
        (("--scale", "1.99"), (31, 23)),
        (("--size", "8x8", "--keep-aspect", "not_larger"), (8, 6)),
        (("--size", "8x8", "--keep-aspect", "not_smaller"), (11, 8)),
    ],
)
def test_sizes_of_pictures_are_width_by_height(photo, options, size):
    resize(photo, "out.png", *options)
    with Image.open("out.png") as image:
        assert image.size == size


@pytest.mark.parametrize(
    ("mode", "suffix", "array"),
    [
        ("L", ".png", RGBA[..., 0]),
        ("CMYK", ".tiff", RGBA),
        pytest.param("YCbCr", ".tiff", RGBA[..., :3], marks=YCBCR_NEEDS_PILLOW_13),
        ("I;16", ".png", RNG.integers(0, 65536, (12, 16), dtype=np.uint16)),
        ("I;16B", ".tiff", RNG.integers(0, 65536, (12, 16), dtype=np.uint16).astype(">u2")),
        ("I", ".tiff", RNG.integers(-(2**31), 2**31, (12, 16), dtype=np.int32)),
        ("F", ".tiff", RNG.standard_normal((12, 16)).astype(np.float32)),
    ],
)
def test_channels_are_resized_in_their_own_type(mode, suffix, array):
    Image.frombytes(mode, (16, 12), array.tobytes()).save(f"in{suffix}")
    for name, filter_name in (("a", "cubic"), ("b", "nearest")):
        resize(f"in{suffix}", name + suffix, "--size", "11x7", "--mode", filter_name)
        expected = ndresize.resize(array, sizes=(7, 11), axes=(0, 1), mode=filter_name)
        with Image.open(name + suffix) as image:
            assert image.mode == mode
            assert np.array_equal(np.asarray(image), expected)


@pytest.mark.parametrize("mode", ["La", "RGBa"])
def test_weighted_colours_are_resized_as_they_are(mode):
    samples = np.ascontiguousarray(RGBA[..., : len(mode)])
    image = Image.frombytes(mode, (16, 12), samples.tobytes())
    resized = resize_picture(Picture(image), sizes=(5, 7), mode="linear").image
    assert resized.mode == mode
    expected = ndresize.resize(samples, sizes=(5, 7), axes=(0, 1), mode="linear")
    assert np.array_equal(np.asarray(resized), expected)


def test_black_and_white_stays_so():
    bits = RGBA[..., 0] > 128
    Image.fromarray(bits).save("in.png")
    resize("in.png", "a.png", "--size", "9x5", "--antialias")
    resize("in.png", "b.png", "--size", "9x5", "--mode", "nearest")
    smooth = ndresize.resize(
        bits.astype(np.float32), sizes=(5, 9), axes=(0, 1), mode="linear", antialias=True
    )
    for path, expected in (
        ("a.png", smooth > 0.5),
        ("b.png", ndresize.resize(bits, sizes=(5, 9), axes=(0, 1))),
    ):
        with Image.open(path) as image:
            assert image.mode == "1"
            assert np.array_equal(np.asarray(image), expected)


def test_black_and_white_has_nothing_beyond_white():
    image = Image.fromarray(np.eye(6) > 0)
    words = {"sizes": (17, 17), "mode": "cubic", "cubic_coeff_a": -5.0}
    overshoot = ndresize.resize(np.eye(6, dtype=np.uint8), axes=(0, 1), **words)
    assert overshoot.max() > 1
    resized = resize_picture(Picture(image), **words).image
    assert np.array_equal(np.asarray(resized), overshoot > 0)


def test_labels_stay_labels():
    image = Image.fromarray(RGBA[..., 0] % 7)
    image.putpalette([255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9, 50, 60, 70, 1, 2, 3, 200, 100, 0])
    image.info["transparency"] = 3
    image.save("in.png")
    assert resize("in.png", "out.png", "--scale", "2", "--mode", "nearest") == ""
    with Image.open("out.png") as back:
        assert back.mode == "P"
        assert np.array_equal(
            np.asarray(back), ndresize.resize(np.asarray(image), scales=(2, 2), axes=(0, 1))
        )
        assert np.array_equal(
            np.asarray(back.convert("RGBA"))[::2, ::2], np.asarray(image.convert("RGBA"))
        )


def test_indices_beyond_the_palette_survive():
    image = Image.fromarray(np.full((4, 4), 30, np.uint8))
    image.putpalette([1, 2, 3, 4, 5, 6])
    back = resize_picture(Picture(image), sizes=(2, 2)).image
    back.save("out.png")
    assert (pixels("out.png") == 30).all()


@pytest.mark.parametrize("transparent", [False, True])
def test_palettes_become_colours_and_it_is_said(transparent):
    image = Image.fromarray(RGBA[..., :3]).quantize(8)
    if transparent:
        image.info["transparency"] = bytes([0, 128] + [255] * 6)
    image.save("in.png")
    mode = "RGBA" if transparent else "RGB"
    told = resize("in.png", "out.png", "--size", "8x6")
    assert f"note: in.png: its palette becomes {mode}" in told
    image.convert(mode).save("direct.png")
    resize("direct.png", "expected.png", "--size", "8x6")
    with Image.open("out.png") as back:
        assert back.mode == mode
    assert np.array_equal(pixels("out.png"), pixels("expected.png"))


@pytest.mark.parametrize("options", [(), ("--mode", "nearest")])
def test_a_transparent_colour_becomes_alpha(options):
    image = Image.new("RGB", (8, 8), (10, 20, 30))
    image.paste((200, 0, 0), (0, 0, 4, 8))
    image.info["transparency"] = (10, 20, 30)
    image.save("in.png")
    assert "its transparent colour becomes alpha" in resize(
        "in.png", "out.png", "--size", "4x4", *options
    )
    assert (
        pixels("out.png").tolist()
        == [[[200, 0, 0, 255]] * 2 + [pixels("out.png")[0, 3].tolist()] * 2] * 4
    )
    assert (pixels("out.png")[:, 2:, 3] == 0).all()


# ---------------------------------------------------------------------------------- alpha


def test_what_cannot_be_seen_lends_no_colour():
    samples = np.zeros((4, 8, 4), np.uint8)
    samples[:, :4] = (255, 0, 0, 255)
    samples[:, 4:] = (0, 255, 0, 0)
    Image.fromarray(samples).save("in.png")
    resize("in.png", "out.png", "--size", "3x4", "--antialias")
    out = pixels("out.png")
    assert (out[..., 1] == 0).all()
    assert (out[out[..., 3] > 0][:, 0] == 255).all()
    assert ((out[..., 3] > 0) & (out[..., 3] < 255)).any()


@pytest.mark.parametrize("mode", ["linear", "cubic", "lanczos3"])
@pytest.mark.parametrize("kind", ["LA", "RGBA"])
def test_alpha_is_weighed_without_losing_precision(mode, kind):
    # One colour under any alpha stays that colour; 8-bit premultiplication would lose it.
    samples = RGBA[..., : len(kind)].copy()
    samples[..., :-1] = 201
    samples[..., -1] = samples[..., -1] % 4 + 1
    Image.fromarray(samples).save("in.png")
    resize("in.png", "out.png", "--size", "23x17", "--mode", mode)
    out = pixels("out.png")
    assert (out[..., :-1][out[..., -1] > 0] == 201).all()
    assert np.array_equal(
        out[..., -1],
        ndresize.resize(samples[..., -1], sizes=(17, 23), axes=(0, 1), mode=mode),
    )


def test_alpha_agrees_with_exact_arithmetic():
    resize_options = {"sizes": (9, 11), "axes": (0, 1), "mode": "cubic"}
    Image.fromarray(RGBA).save("in.png")
    resize("in.png", "out.png", "--size", "11x9", "--mode", "cubic")
    exact = RGBA.astype(np.float64)
    weighted = ndresize.resize(exact[..., :3] * exact[..., 3:], **resize_options)
    alpha = ndresize.resize(exact[..., 3:], **resize_options)
    expected = np.where(alpha > 0.5, weighted / np.where(alpha > 0.5, alpha, 1), 0)
    out = pixels("out.png").astype(float)
    assert np.abs(out[..., :3] - np.clip(expected, 0, 255)).max() <= 0.501
    assert np.abs(out[..., 3:] - np.clip(alpha, 0, 255)).max() <= 0.501


def test_an_opaque_picture_is_resized_as_without_alpha():
    opaque = RGBA.copy()
    opaque[..., 3] = 255
    Image.fromarray(opaque).save("in.png")
    resize("in.png", "out.png", "--size", "9x5", "--mode", "cubic")
    assert np.array_equal(
        pixels("out.png"), ndresize.resize(opaque, sizes=(5, 9), axes=(0, 1), mode="cubic")
    )


def test_nearest_does_not_touch_alpha():
    Image.fromarray(RGBA).save("in.png")
    resize("in.png", "out.png", "--size", "9x5", "--mode", "nearest")
    assert np.array_equal(pixels("out.png"), ndresize.resize(RGBA, sizes=(5, 9), axes=(0, 1)))


@pytest.mark.parametrize(("value", "stored"), [("0", 0), ("90", 90), ("-5", 0), ("inf", 255)])
def test_samples_outside_a_picture_with_alpha(value, stored):
    Image.fromarray(RGBA).save("in.png")
    resize("in.png", "out.png", "--size", "8x8", "--coordinates", "tf_crop_and_resize",
           "--roi", "2,2,3,3", "--extrapolation-value", value)  # fmt: skip
    assert (pixels("out.png") == stored).all()


# --------------------------------------------------------------------------------- metadata


def test_the_picture_is_the_right_way_up():
    exif = Image.Exif()
    exif[0x0112] = 6
    exif[0x010F] = "Maker"
    Image.fromarray(RGBA[..., :3]).save("in.png", exif=exif, dpi=(300, 300))
    resize("in.png", "out.png", "--size", "6x8")
    upright = np.rot90(RGBA[..., :3], -1)
    assert np.array_equal(
        pixels("out.png"), ndresize.resize(upright, sizes=(8, 6), axes=(0, 1), mode="linear")
    )
    with Image.open("out.png") as image:
        assert image.getexif()[0x0112] == 1
        assert image.getexif()[0x010F] == "Maker"
        assert image.info["dpi"] == pytest.approx((300, 300), abs=0.1)


def test_grey_in_webp_is_told_of():
    Image.fromarray(RGBA[..., 0]).save("in.png")
    assert "WebP has no grey" in resize("in.png", "out.webp", "--scale", "1")


def test_lossless_and_quality(photo):
    resize(photo, "out.webp", "--scale", "1", "--lossless")
    assert np.array_equal(pixels("out.webp"), RGBA[..., :3])
    resize(photo, "low.jpg", "--scale", "4", "--quality", "5")
    resize(photo, "high.jpg", "--scale", "4", "--quality", "95")
    assert Path("low.jpg").stat().st_size < Path("high.jpg").stat().st_size


# ----------------------------------------------------------------------------------- arrays


@pytest.mark.parametrize(
    ("options", "axes", "keyword", "numbers"),
    [
        (("--size", "5x7"), (-2, -1), "sizes", (5, 7)),
        (("--size", "5"), (-1,), "sizes", (5,)),
        (("--size", "5x7", "--axes", "0,2"), (0, 2), "sizes", (5, 7)),
        (("--size", "5x7x2", "--axes", "2,0,1"), (2, 0, 1), "sizes", (5, 7, 2)),
        (("--scale", "2"), (0, 1, 2, 3), "scales", (2, 2, 2, 2)),
        (("--scale", "2", "--axes", "-1,1"), (-1, 1), "scales", (2, 2)),
        (("--scale", "2x0.5"), (-2, -1), "scales", (2, 0.5)),
    ],
)
@pytest.mark.parametrize("dtype", ["f2", "f8", ">i4", "u1"])
def test_arrays(options, axes, keyword, numbers, dtype):
    array = RNG.integers(0, 100, (2, 3, 8, 9)).astype(dtype)
    np.save("in.npy", array)
    resize("in.npy", "out.npy", *options)
    expected = ndresize.resize(array, axes=axes, mode="linear", **{keyword: numbers})
    out = np.load("out.npy")
    assert out.dtype == expected.dtype
    assert np.array_equal(out, expected)


def test_array_of_no_axes():
    np.save("in.npy", np.array(3.5))
    resize("in.npy", "out.npy", "--scale", "2")
    assert np.load("out.npy") == 3.5


def test_region_of_an_array():
    array = RNG.random((8, 9))
    np.save("in.npy", array)
    words = {"roi": (0, 0.5, 1, 2), "coordinate_transformation_mode": "tf_crop_and_resize"}
    resize("in.npy", "out.npy", "--size", "5x6", "--coordinates", "tf_crop_and_resize",
           "--roi", "0,0.5,1,2", "--extrapolation-value", "nan")  # fmt: skip
    expected = ndresize.resize(
        array, sizes=(5, 6), axes=(0, 1), mode="linear", extrapolation_value=np.nan, **words
    )
    assert np.array_equal(np.load("out.npy"), expected, equal_nan=True)
    assert np.isnan(expected).any()


def test_archives():
    arrays = {"file": RNG.random((8, 9)), "b": RNG.integers(0, 99, (3, 8, 9))}
    np.savez_compressed("in.npz", b=arrays["b"])
    with ZipFile("in.npz", "a") as archive, archive.open("file.npy", "w") as stream:
        np.lib.format.write_array(stream, arrays["file"])
    result = run("resize", "in.npz", "out.npz", "--size", "4x5", "--mode", "cubic")
    assert result.exit_code == 0, result.output
    assert result.stdout == (
        "out.npz[b]: (3, 8, 9) -> (3, 4, 5), int64\nout.npz[file]: (8, 9) -> (4, 5), float64\n"
    )
    with np.load("out.npz") as out:
        assert out.files == ["b", "file"]
        for name, array in arrays.items():
            expected = ndresize.resize(array, sizes=(4, 5), axes=(-2, -1), mode="cubic")
            assert np.array_equal(out[name], expected)


def test_one_array_of_an_archive():
    np.savez("in.npz", a=np.arange(12.0).reshape(3, 4), b=np.arange(5), c=np.eye(4))
    resize("in.npz", "out.npz", "--size", "2x2", "--array", "a", "--array", "c")
    with np.load("out.npz") as out:
        assert {n: out[n].shape for n in out.files} == {"a": (2, 2), "b": (5,), "c": (2, 2)}
    resize("in.npz", "out.npy", "--size", "2x2", "--array", "a")
    assert np.load("out.npy").shape == (2, 2)
    assert "has no array named d" in refused(
        "resize", "in.npz", "none.npz", "--size", "2x2", "--array", "d"
    )
    assert "must end in .npz" in refused("resize", "in.npz", "none.npy", "--size", "2x2")
    assert "must end in .npy" in refused("resize", "out.npy", "none.npz", "--size", "2x2")
    assert names() == ["in.npz", "out.npy", "out.npz"]


# -------------------------------------------------------------------------- files and folders


def test_the_result_goes_to_stdout_and_nothing_else(photo):
    result = run("resize", photo, "out.png", "--size", "8x6")
    assert result.stdout == "out.png: 16x12 -> 8x6, RGB\n"
    assert result.stderr == ""


def test_files_are_overwritten_only_by_force(photo):
    Path("out.png").write_bytes(b"mine")
    assert "out.png exists already" in refused("resize", photo, "out.png", "--size", "8x6")
    assert Path("out.png").read_bytes() == b"mine"
    resize(photo, "out.png", "--size", "8x6", "--force")
    assert pixels("out.png").shape == (6, 8, 3)


@pytest.mark.usefixtures("photo")
@pytest.mark.parametrize("suffix", [".png", ".npy", ".npz"])
def test_a_file_can_be_resized_in_place(suffix):
    np.save("photo.npy", RGBA)
    np.savez("photo.npz", RGBA)
    name = "photo" + suffix
    assert "exists already" in refused("resize", name, name, "--size", "8x6")
    resize(name, f"./{name}", "--size", "8x6", "-f")
    if suffix == ".png":
        assert pixels(name).shape == (6, 8, 3)
    if suffix == ".npy":
        assert np.load(name).shape == (12, 8, 6)


def test_a_folder_into_a_folder(photo):
    Path("in").mkdir()
    for name in ("b.jpg", "a.PNG", "skipped.txt", ".hidden.png"):
        Image.open(photo).save(f"in/{name}", format="PNG" if "NG" in name else "JPEG")
    np.save("in/c.npy", RGBA)
    Path("in/deeper").mkdir()
    result = run("resize", "in", "out/made", "--size", "6x4")
    assert result.exit_code == 0, result.output
    assert [line.split(":")[0] for line in result.stdout.splitlines()] == [
        "out/made/a.PNG",
        "out/made/b.jpg",
        "out/made/c.npy",
    ]
    assert np.load("out/made/c.npy").shape == (12, 6, 4)
    assert sorted(p.name for p in Path("out/made").iterdir()) == ["a.PNG", "b.jpg", "c.npy"]


def test_one_file_into_an_existing_folder(photo):
    Path("out").mkdir()
    resize(photo, "out", "--size", "6x4")
    assert pixels("out/photo.png").shape == (4, 6, 3)


def test_one_bad_file_does_not_stop_the_others(photo):
    Path("bad.png").write_bytes(b"no")
    Image.open(photo).save("z.png")
    result = run("resize", photo, "bad.png", "z.png", "out", "--size", "6x4")
    assert result.exit_code == 2
    assert len(result.stdout.splitlines()) == 2
    first, second = result.stderr.splitlines()
    assert first.startswith("ndresize: bad.png is not a picture")
    assert second == "ndresize: 1 of 3 files were not resized; the others were"
    assert sorted(p.name for p in Path("out").iterdir()) == ["photo.png", "z.png"]


def test_outputs_of_one_name_are_refused(photo):
    Path("in").mkdir()
    Image.open(photo).save("in/photo.png")
    assert "would both be written to out/photo.png" in refused(
        "resize", photo, "in", "out", "--size", "6x4"
    )
    assert not Path("out").exists()


def test_many_existing_outputs_are_refused_before_any_work(photo):
    for folder in ("in", "out"):
        Path(folder).mkdir()
    for name in ("a.png", "b.png", "c.png"):
        Image.open(photo).save(f"in/{name}")
    for name in ("b.png", "c.png"):
        Path("out", name).write_bytes(b"mine")
    line = refused("resize", "in", "out", "--size", "6x4")
    assert "out/b.png exists already, and so do 1 more" in line
    assert sorted(p.name for p in Path("out").iterdir()) == ["b.png", "c.png"]
    resize("in", "out", "--size", "6x4", "--force")
    assert pixels("out/c.png").shape == (4, 6, 3)


# -------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("gone.png out.png --size 3x3", "gone.png does not exist"),
        ("photo.png out.png", "one of --size (as in 640x480) and --scale"),
        ("photo.png out.png --size 3x3 --scale 2", "--size and --scale must not both be given"),
        ("photo.png out.png --size 3", "--size must be WIDTHxHEIGHT for a picture, .* got 3"),
        ("photo.png out.png --size 3x3x3", "--size must be WIDTHxHEIGHT for a picture"),
        ("photo.png out.png --size 0x5", "--size must be whole numbers of at least 1 .*'0x5'"),
        ("photo.png out.png --size -3x5", "--size must be whole numbers of at least 1 .*'-3x5'"),
        ("photo.png out.png --size 3x", "--size must be whole numbers .* got '3x'"),
        ("photo.png out.png --size 3.5x4", "--size must be whole numbers .* got '3.5x4'"),
        ("photo.png out.png --size axb", "--size must be whole numbers .* got 'axb'"),
        ("photo.png out.png --scale 0", "--scale must be finite numbers greater than 0 .*'0'"),
        ("photo.png out.png --scale -1", "--scale must be finite numbers greater than 0 .*'-1'"),
        ("photo.png out.png --scale nan", "--scale must be finite numbers greater .*'nan'"),
        ("photo.png out.png --scale inf", "--scale must be finite numbers greater .*'inf'"),
        ("photo.png out.png --scale 1e-30", "at least 1x1 pixels, got 0x0 from 16x12"),
        ("photo.png out.png --scale 1x1x1", "--scale must be one number or two .* got 3"),
        ("photo.png out.png --scale 0.001", "at least 1x1 pixels, got 0x0 from 16x12"),
        ("photo.png out.png --scale 1e6", "at most 178956970 pixels, got 16000000x12000000"),
        ("photo.png out.png --size 99999999999999999999x9", "at most 178956970 pixels"),
        ("photo.png out.png --size 29x9 --max-pixels 200", "at most 200 pixels, got 29x9"),
        ("photo.png out.png --size 9x9 --max-pixels 100", "has 16x12 pixels, more than 100"),
        ("photo.png out.png --size 9x9 --max-pixels 0", "--max-pixels must be a whole .* '0'"),
        ("photo.png out.png --size 3x3 --mode linea", "--mode must be one of .* mean 'linear'"),
        ("photo.png out.png --size 3x3 --mode nearest -a", "--antialias needs a mode"),
        ("photo.png out.png --size 3x3 --coordinates no", "--coordinates must be one of .*'no'"),
        ("photo.png out.png --size 3x3 --nearest-mode no", "--nearest-mode must be one of"),
        ("photo.png out.png --size 3x3 --keep-aspect no", "--keep-aspect must be one of"),
        ("photo.png out.png --size 3x3 --cubic-coeff-a nan", "--cubic-coeff-a must be .* nan"),
        ("photo.png out.png --size 3x3 --cubic-coeff-a x", "--cubic-coeff-a must be a n.* 'x'"),
        ("photo.png out.png --size 3x3 --extrapolation-value x", "--extrapolation-value must be"),
        ("photo.png out.png --size 3x3 --threads 0", "--threads must be .* at least 1, got '0'"),
        ("photo.png out.png --size 3x3 --threads x", "--threads must be a whole n.* got 'x'"),
        ("photo.png out.png --size 3x3 --quality 50", "--quality must be given for .jpg"),
        ("photo.png out.jpg --size 3x3 --quality 101", "--quality must be .* 1 to 100, got '101'"),
        ("photo.png out.jpg --size 3x3 --lossless", "--lossless must be given for .webp"),
        ("photo.png out.png --size 3x3 --array a", "--array must be given for .npz archives"),
        ("photo.png out.png --size 3x3 --axes 0,1", "--axes must be given for arrays alone"),
        ("photo.png out.png --size 3x3 --roi 0,0,1,1", "--roi must be given with --coordinates"),
        ("photo.png out.png --size 3x3 --roi 0,0,1", "--roi must be finite numbers .*'0,0,1'"),
        ("photo.png out.png --size 3x3 --coordinates tf_crop_and_resize", "given with a --roi"),
        (
            "photo.png out.png --size 3x3 --coordinates tf_crop_and_resize --roi 0,1",
            "--roi must be LEFT,TOP,RIGHT,BOTTOM for a picture, got 2",
        ),
        ("photo.png out.xyz --size 3x3", "out.xyz must have one of the suffixes .* got .xyz"),
        ("photo.png out --size 3x3", "out must have one of the suffixes .* got none"),
        ("text.txt out.png --size 3x3", "text.txt must have one of the suffixes .* got .txt"),
        ("photo.png out.npy --size 3x3", "out.npy must be a picture as photo.png is"),
        ("a.npy out.png --size 3x3", "out.png must be an array as a.npy is"),
        ("photo.png gone/out.png --size 3x3", "the folder .*gone does not exist"),
        ("photo.png folder.png --size 3x3 ", "photo.png exists already"),
        ("rgba.png out.jpg --size 3x3", "JPEG cannot hold .*RGBA .*write .png or .webp or .tiff"),
        ("photo.png a.npy out.png --size 3x3", "out.png must be a folder when there are several"),
        ("photo.png a.npy text.txt --size 3x3", "text.txt must be a folder .* got a file"),
        ("empty out --size 3x3", "empty must hold files to resize"),
        ("text.png out.png --size 3x3", "text.png is not a picture in one of the formats"),
        ("a.npy out.npy --size 3x3x3x3", "--size must have at most 2 numbers .* got 4"),
        ("a.npy out.npy --size 3x3 --axes 0", "--size must have one number for each of the 1 axes"),
        ("a.npy out.npy --size 3x3 --axes 0,5", "a.npy: axes must lie in"),
        ("a.npy out.npy --size 3x3 --axes 0,0", "a.npy: axes must not repeat"),
        ("a.npy out.npy --size 3x3 --axes x", "--axes must be whole numbers .* got 'x'"),
        ("a.npy out.npy --size 3x3 --array a", "--array must be given for .npz archives"),
        ("bool.npy out.npy --size 3x3", "bool.npy: mode must be nearest"),
        ("text.npy out.npy --size 3x3", "text.npy cannot be read"),
        ("text.npz out.npz --size 3x3", "text.npz cannot be read"),
        ("objects.npy out.npy --size 3x3", "objects.npy cannot be read"),
        ("bool.npz out.npz --size 3x3", "bool.npz: array 'flags': mode must be nearest"),
        ("photo.png", "Missing argument"),
        ("", "Missing argument"),
        ("photo.png out.png --sise 3x3", "No such option: --sise"),
        ("photo.png out.png --size", "--size"),
    ],
)
def test_bad_input_is_refused_in_one_line(photo, arguments, said):
    Image.fromarray(RGBA).save("rgba.png")
    for suffix in (".txt", ".png", ".npy", ".npz"):
        Path(f"text{suffix}").write_text("hello")
    np.save("a.npy", np.eye(5))
    np.save("bool.npy", np.eye(5) > 0)
    np.save("objects.npy", np.array([None, {}]))
    np.savez("bool.npz", flags=np.eye(5) > 0)
    Path("empty").mkdir()
    Path("folder.png").mkdir()
    Image.open(photo).save("folder.png/photo.png")
    before = names()
    assert re.search(
        said.replace("(", r"\(").replace(")", r"\)"), refused("resize", *arguments.split())
    )
    assert names() == before


def test_a_format_is_refused_before_pixels_are_read():
    Image.fromarray(RGBA).save("in.png")
    whole = Path("in.png").read_bytes()
    Path("in.png").write_bytes(whole[: len(whole) // 2])
    assert "JPEG cannot hold" in refused("resize", "in.png", "out.jpg", "--size", "3x3")
    assert "in.png cannot be read" in refused("resize", "in.png", "out.png", "--size", "3x3")


def test_several_frames_are_refused():
    frames = [Image.new("RGB", (4, 4), colour) for colour in ("red", "blue")]
    frames[0].save("a.webp", save_all=True, append_images=frames[1:])
    assert "a.webp has 2 frames or pages" in refused("resize", "a.webp", "b.webp", "--size", "2x2")


def test_modes_that_cannot_be_averaged_are_refused():
    Image.new("LAB", (4, 4)).save("a.tiff")
    assert "got LAB; convert it first" in refused("resize", "a.tiff", "b.tiff", "--size", "2x2")


def test_lack_of_memory_is_one_line(photo, monkeypatch):
    def no_memory(*_arguments, **_options):
        raise MemoryError

    monkeypatch.setattr("ndresize.cli.job.resize_picture", no_memory)
    assert "photo.png: out of memory; ask for a smaller size" in refused(
        "resize", photo, "out.png", "--size", "3x3"
    )


def test_a_full_disk_is_one_line(photo, monkeypatch):
    def no_space(_file):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_space)
    assert "photo.png: No space left on device" in refused(
        "resize", photo, "out.png", "--size", "3x3"
    )
    assert names() == ["photo.png"]


def test_a_mistake_of_ours_is_not_hidden(photo, monkeypatch):
    def broken(*_arguments, **_options):
        raise ZeroDivisionError

    monkeypatch.setattr("ndresize.cli.job.resize_picture", broken)
    result = run("resize", photo, "out.png", "--size", "3x3")
    assert isinstance(result.exception, ZeroDivisionError)


def test_names_cannot_steer_the_terminal():
    name = "a\x1b[2J\nb.png"
    line = refused("resize", name, "out.png", "--size", "3x3")
    assert r"a\x1b[2J\nb.png does not exist" in line
    assert escaped("naïve 名 \udc80") == r"naïve 名 \udc80"


def test_requests_are_checked_without_files():
    with pytest.raises(ResizeError, match="one of --size"):
        Request()
    with pytest.raises(ResizeError, match="--mode must be one of"):
        Request(sizes=(3,), words={"mode": "no"})


def test_sizes_and_modes_are_known_before_pixels_are_read():
    image = Image.new("P", (16, 12))
    assert resized_mode(image, nearest=True) == "P"
    assert resized_mode(image, nearest=False) == "RGB"
    assert resized_size(image, scales=(0.5, 0.25)) == (4, 6)
    with pytest.raises(ResizeError, match="must have at most 10 pixels, got 4x3"):
        resized_size(image, sizes=(3, 4), max_pixels=10)


# ------------------------------------------------------------------------- the whole command


def start(*arguments, **options):
    """Start the command as a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "ndresize.cli", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def test_version():
    result = run("--version")
    assert (result.exit_code, result.stdout) == (0, f"ndresize {ndresize.__version__}\n")


def test_help_teaches():
    text = " ".join(run("resize", "--help").stdout.replace("│", " ").split())
    for words in (
        "--size is WIDTHxHEIGHT",
        "lengths of --axes",
        "ONNX operator Resize-19",
        "to shrink a picture, add --antialias",
        "ndresize resize photo.jpg small.jpg --size 640x480 --antialias",
        "--keep-aspect not_larger",
        *MODES,
    ):
        assert words in text
    assert run("--help").exit_code == 0
    assert "resize" in run().stdout


def test_an_unknown_command_is_refused():
    assert "No such command 'shrink'" in refused("shrink")


def test_the_exit_code_of_the_process(photo):
    process = start("resize", photo, "out.jpg", "--size", "3")
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err.count("\n")) == (2, "", 1)
    process = start("resize", photo, "out.png", "--size", "3x4")
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (0, "out.png: 16x12 -> 3x4, RGB\n", "")


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_nothing_is_left_after_a_signal(number, code):
    # Compressing this takes far longer than it takes to send a signal.
    noise = RNG.integers(0, 256, (1500, 1500, 3), dtype=np.uint8)
    Image.fromarray(noise).save("in.png", compress_level=0)
    process = start("resize", "in.png", "out.webp", "--scale", "2", "--lossless")
    deadline = time.monotonic() + 60
    while not list(Path().glob(".ndresize-*.tmp")):
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.001)
    process.send_signal(number)
    _, err = process.communicate(timeout=120)
    assert process.returncode == code
    assert err == ("ndresize: interrupted\n" if number == signal.SIGINT else "")
    assert names() == ["in.png"]


def test_a_bar_shows_progress_on_a_terminal_and_results_stay_on_stdout(photo):
    pty = pytest.importorskip("pty")
    for name in ("b.png", "c.png"):
        Image.open(photo).save(name)
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "ndresize.cli", "resize", photo, "b.png", "c.png", "out",
         "--size", "3x3"],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    )  # fmt: skip
    out, _ = process.communicate(timeout=60)
    os.close(theirs)
    shown = b""
    try:
        while chunk := os.read(ours, 65536):
            shown += chunk
    except OSError:  # Linux's way to say that the other end is closed
        pass
    os.close(ours)
    assert process.returncode == 0
    assert len(out.splitlines()) == 3
    assert b"resizing" in shown
    assert b"3/3" in shown


@pytest.mark.parametrize("library", ["typer", "rich", "PIL"])
def test_a_missing_library_is_one_line(library):
    code = f"import sys; sys.modules[{library!r}] = None\nfrom ndresize.cli import main\nmain()"
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert process.returncode == 2
    assert process.stderr == (
        f"ndresize: the command needs {library}, which is missing; pip install 'ndresize[cli]'\n"
    )


def test_the_library_does_not_need_the_libraries_of_the_command():
    code = (
        "import sys, ndresize\n"
        "assert not {'typer', 'rich', 'PIL'} & set(sys.modules), sorted(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


# -------------------------------------------------------------------------------- the chart


def test_the_chart_is_the_one_that_the_example_draws():
    draw = runpy.run_path(str(EXAMPLES / "make_chart.py"))["draw"]
    with Image.open(EXAMPLES / "chart.png") as image:
        assert image.mode == "RGB"
        assert np.array_equal(np.asarray(image), draw())
    assert (EXAMPLES / "chart.png").stat().st_size < 400_000


def test_the_chart_shows_a_missing_antialias():
    chart = EXAMPLES / "chart.png"
    resize(chart, "good.png", "--scale", "0.4", "--antialias")
    resize(chart, "bad.png", "--scale", "0.4")
    rings = slice(40, 180), slice(14, 150)  # the zone plate; its finest rings become grey
    rim = {name: pixels(f"{name}.png")[rings][5:20, 55:80].std() for name in ("good", "bad")}
    assert rim["good"] < 5 < 30 < rim["bad"]
