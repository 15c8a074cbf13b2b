import io
import os
import struct
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest

PIL = pytest.importorskip("PIL")
from PIL import ExifTags, Image, ImageCms  # noqa: E402
from PIL.TiffImagePlugin import IFDRational  # noqa: E402

from ndresize import ResizeError  # noqa: E402
from ndresize.io import (  # noqa: E402
    PICTURE_FORMATS,
    Picture,
    load_picture,
    open_picture,
    picture_format,
    read_archive,
    read_array,
    refuse_unfit,
    whole_file,
    write_archive,
    write_array,
    write_picture,
)

CHANNELS = {"1": 1, "L": 1, "LA": 2, "P": 1, "PA": 2, "RGB": 3, "RGBA": 4, "CMYK": 4, "YCbCr": 3}
WIDE = {"I;16": "<u2", "I;16B": ">u2", "I": "=i4", "F": "=f4"}


def picture_of(mode, size=(7, 5)):
    """Return a picture of any mode whose samples are all different."""
    count = size[0] * size[1]
    if mode in WIDE:
        samples = (np.arange(count) * 997 + 300).astype(WIDE[mode])
        return Image.frombytes(mode, size, samples.tobytes())
    samples = (np.arange(count * CHANNELS[mode]) * 37 % 251).astype(np.uint8)
    if mode == "1":
        return Image.fromarray((samples > 100).reshape(size[::-1]))
    image = Image.frombytes(mode, size, samples.tobytes())
    if mode in ("P", "PA"):
        image.putpalette([(7 * k) % 256 for k in range(768)])
    return image


def read(path):
    with open_picture(path) as image:
        return load_picture(image)


# ------------------------------------------------------------------------------- whole files


def test_whole_file_appears_at_the_end(tmp_path):
    path = tmp_path / "a"
    with whole_file(path) as file:
        file.write(b"abc")
        assert not path.exists()
    assert path.read_bytes() == b"abc"
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, OSError])
@pytest.mark.parametrize("existed", [False, True])
def test_whole_file_leaves_nothing_of_a_failure(tmp_path, error, existed):
    path = tmp_path / "a"
    if existed:
        path.write_bytes(b"old")

    def write_half():
        with whole_file(path, overwrite=True) as file:
            file.write(b"half")
            raise error

    with pytest.raises(error):
        write_half()
    assert [p.name for p in tmp_path.iterdir()] == (["a"] if existed else [])
    assert not existed or path.read_bytes() == b"old"


def test_whole_file_overwrites_only_if_told(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with pytest.raises(ResizeError, match="exists already"), whole_file(path):
        pytest.fail("the block must not run")
    with whole_file(path, overwrite=True) as file:
        file.write(b"new")
    assert path.read_bytes() == b"new"


def test_whole_file_does_not_overwrite_what_appeared_meanwhile(tmp_path):
    path = tmp_path / "a"

    def write_too_late():
        with whole_file(path):
            path.write_bytes(b"of another program")

    with pytest.raises(ResizeError, match="exists already"):
        write_too_late()
    assert path.read_bytes() == b"of another program"
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


@pytest.mark.skipif(os.name == "nt", reason="POSIX permissions and links")
def test_whole_file_keeps_permissions_and_links(tmp_path):
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_bytes(b"old")
    real.chmod(0o640)
    link.symlink_to(real)
    with whole_file(link, overwrite=True) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"
    assert real.stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(os.name == "nt", reason="POSIX permissions")
def test_whole_file_has_the_permissions_of_any_new_file(tmp_path):
    (tmp_path / "plain").write_bytes(b"")
    with whole_file(tmp_path / "whole") as file:
        file.write(b"")
    assert (tmp_path / "whole").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.skipif(os.name == "nt", reason="POSIX devices")
def test_whole_file_replaces_regular_files_alone(tmp_path):
    link = tmp_path / "out.npy"
    link.symlink_to("/dev/null")
    os.mkfifo(tmp_path / "pipe")
    for path in (link, tmp_path / "pipe", tmp_path):
        with (
            pytest.raises(ResizeError, match="not a regular file"),
            whole_file(path, overwrite=True),
        ):
            pytest.fail("the block must not run")
    assert Path("/dev/null").is_char_device()


def test_whole_file_names_a_missing_folder(tmp_path):
    with (
        pytest.raises(ResizeError, match=r"folder .*nowhere does not exist"),
        whole_file(tmp_path / "nowhere" / "a"),
    ):
        pytest.fail("the block must not run")


# ---------------------------------------------------------------------------------- pictures


@pytest.mark.parametrize(
    ("suffix", "mode"),
    [(f.suffixes[0], m) for f in PICTURE_FORMATS if not f.has_quality for m in sorted(f.modes)],
)
def test_lossless_formats_keep_mode_and_samples(tmp_path, suffix, mode):
    image = picture_of(mode)
    path = tmp_path / f"a{suffix}"
    write_picture(Picture(image), path)
    if mode == "YCbCr" and int(PIL.__version__.split(".")[0]) < 13:
        pytest.skip("older versions of Pillow cannot read it")
    back = read(path).image
    # PNG has one order of bytes, and Pillow one name for it.
    assert back.mode == ("I;16" if (suffix, mode) == (".png", "I;16B") else mode)
    assert np.array_equal(np.asarray(back), np.asarray(image))
    if mode == "P":
        assert np.array_equal(np.asarray(back.convert("RGB")), np.asarray(image.convert("RGB")))


@pytest.mark.parametrize(
    ("suffix", "mode", "read_as"),
    [
        (".jpg", "L", "L"),
        (".jpg", "RGB", "RGB"),
        (".jpg", "CMYK", "CMYK"),
        (".jpg", "YCbCr", "RGB"),
        (".webp", "L", "RGB"),
        (".webp", "LA", "RGBA"),
        (".webp", "RGB", "RGB"),
        (".webp", "RGBA", "RGBA"),
    ],
)
def test_lossy_formats_keep_mode(tmp_path, suffix, mode, read_as):
    image = Image.new(mode, (16, 16), picture_of(mode).getpixel((3, 2)))
    write_picture(Picture(image), tmp_path / f"a{suffix}")
    back = read(tmp_path / f"a{suffix}").image
    assert back.mode == read_as
    gap = np.asarray(back, int) - np.asarray(image.convert(read_as), int)
    assert np.abs(gap).max() <= 4


def test_quality_and_lossless_are_passed_on(tmp_path):
    image = picture_of("RGBA", (64, 64))
    write_picture(Picture(image), tmp_path / "a.webp", lossless=True)
    assert np.array_equal(np.asarray(read(tmp_path / "a.webp").image), np.asarray(image))
    rgb = image.convert("RGB")
    sizes = []
    for quality in (10, 92, 100):
        write_picture(Picture(rgb), tmp_path / "a.jpg", quality=quality, overwrite=True)
        sizes.append((tmp_path / "a.jpg").stat().st_size)
    assert sizes == sorted(set(sizes))
    write_picture(Picture(rgb), tmp_path / "default.jpg")
    assert (tmp_path / "default.jpg").stat().st_size == sizes[1]


@pytest.mark.parametrize(
    ("name", "mode", "way_out"),
    [
        ("a.jpg", "RGBA", ".png or .webp or .tiff"),
        ("a.jpg", "1", ".png or .tiff"),
        ("a.png", "CMYK", ".jpg or .tiff"),
        ("a.png", "I", ".tiff"),
        ("a.png", "F", ".tiff"),
        ("a.webp", "I;16", ".png or .tiff"),
        ("a.webp", "P", ".png or .tiff"),
    ],
)
def test_a_format_that_cannot_hold_the_mode_is_refused(tmp_path, name, mode, way_out):
    with pytest.raises(ResizeError, match=f"cannot hold .*{mode}.*write {way_out} instead"):
        refuse_unfit(tmp_path / name, mode)
    with pytest.raises(ResizeError, match="cannot hold"):
        write_picture(Picture(picture_of(mode)), tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_transparent_palette_fits_into_png_alone(tmp_path):
    image = picture_of("P")
    image.info["transparency"] = bytes(range(256))
    write_picture(Picture(image), tmp_path / "a.png")
    back = read(tmp_path / "a.png").image
    assert np.array_equal(np.asarray(back.convert("RGBA")), np.asarray(image.convert("RGBA")))
    with pytest.raises(ResizeError, match=r"cannot hold .*write \.png instead"):
        write_picture(Picture(image), tmp_path / "a.tiff")


def test_sides_longer_than_a_format_has_are_refused(tmp_path):
    with pytest.raises(ResizeError, match="16383 pixels along a side, got 16384x1"):
        write_picture(Picture(Image.new("RGB", (16384, 1))), tmp_path / "a.webp")


def test_an_unknown_suffix_is_refused():
    assert picture_format(Path("A.JPEG")).name == "JPEG"
    with pytest.raises(ResizeError, match=r"\.png, .*got \.bmp"):
        picture_format(Path("a.bmp"))
    with pytest.raises(ResizeError, match="got none"):
        picture_format(Path("a"))


def metadata():
    exif = Image.Exif()
    exif[ExifTags.Base.Make] = "Maker"
    exif[ExifTags.Base.Orientation] = 6
    exif[ExifTags.IFD.Exif] = {
        ExifTags.Base.FNumber: IFDRational(28, 10),
        ExifTags.Base.ExifImageWidth: 7,
        ExifTags.Base.ExifImageHeight: 5,
    }
    exif[ExifTags.IFD.GPSInfo] = {ExifTags.GPS.GPSLatitudeRef: "N"}
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    return {"exif": exif.tobytes(), "icc_profile": profile, "dpi": (300, 300)}


@pytest.mark.parametrize("written", [".png", ".jpg", ".webp", ".tiff"])
@pytest.mark.parametrize("given", [".png", ".jpg", ".webp", ".tiff"])
def test_metadata_is_kept_and_the_picture_the_right_way_up(tmp_path, given, written):
    source, target = tmp_path / f"in{given}", tmp_path / f"out{written}"
    about = metadata()
    sideways = Image.fromarray(np.repeat(np.repeat(CORNERS, 16, 0), 16, 1))
    sideways.save(source, **({"quality": 100} if given != ".tiff" else {}), **about)
    picture = read(source)
    assert picture.image.size == (32, 48)
    write_picture(picture, target)
    back = read(target)
    centres = np.asarray(back.image, int)[8::16, 8::16]  # away from edges, where coding is lossy
    assert np.abs(centres - np.rot90(CORNERS, -1)).max() < 12
    assert back.icc_profile == about["icc_profile"]
    if ".webp" not in (given, written):
        assert back.dpi == pytest.approx((300, 300), abs=0.1)
    with Image.open(target) as image:
        exif = image.getexif()
        group = exif.get_ifd(ExifTags.IFD.Exif)
        assert exif[ExifTags.Base.Orientation] == 1
        assert exif[ExifTags.Base.Make] == "Maker"
        assert float(group[ExifTags.Base.FNumber]) == 2.8
        assert (group[ExifTags.Base.ExifImageWidth], group[ExifTags.Base.ExifImageHeight]) == (
            32,
            48,
        )
        assert exif.get_ifd(ExifTags.IFD.GPSInfo)[ExifTags.GPS.GPSLatitudeRef] == "N"


CORNERS = np.array(
    [[[250, 5, 5], [5, 250, 5], [5, 5, 250]], [[250, 250, 5], [5, 250, 250], [250, 5, 250]]],
    np.uint8,
)


def test_a_picture_without_metadata_gets_none(tmp_path):
    picture_of("RGB").save(tmp_path / "a.png")
    picture = read(tmp_path / "a.png")
    assert (picture.exif, picture.icc_profile, picture.dpi) == (None, None, None)
    write_picture(picture, tmp_path / "b.png")
    with Image.open(tmp_path / "b.png") as image:
        assert not image.info


@pytest.mark.parametrize("dpi", [(0.0, 72.0), (72.0, float("nan")), (72.0, -1.0), 72, "high"])
def test_a_resolution_that_is_none_is_dropped(tmp_path, dpi):
    picture_of("RGB").save(tmp_path / "a.png")
    with open_picture(tmp_path / "a.png") as image:
        image.info["dpi"] = dpi
        assert load_picture(image).dpi is None


def test_errors_of_the_system_and_of_writers_are_told_apart(tmp_path, monkeypatch):
    errors = [OSError(28, "No space left on device"), ValueError("EXIF data is too long")]

    def save(*_arguments, **_options):
        raise errors.pop(0)

    image = picture_of("RGB")
    monkeypatch.setattr(Image.Image, "save", save)
    with pytest.raises(OSError, match="No space"):
        write_picture(Picture(image), tmp_path / "a.jpg")
    with pytest.raises(
        ResizeError, match=r"a\.jpg cannot be written as JPEG: EXIF data is too long"
    ):
        write_picture(Picture(image), tmp_path / "a.jpg")
    assert not list(tmp_path.iterdir())


def test_grey_profiles_are_not_written_beside_colours(tmp_path):
    write_picture(Picture(picture_of("L"), icc_profile=b"grey"), tmp_path / "a.webp")
    assert read(tmp_path / "a.webp").icc_profile is None


@pytest.mark.parametrize("compression", ["tiff_lzw", "tiff_adobe_deflate", "jpeg", None])
@pytest.mark.parametrize("described", [False, True])
def test_lossless_tiff_compression_is_kept(tmp_path, compression, described):
    about = metadata() if described else {}
    picture_of("RGB", (16, 16)).save(tmp_path / "plain.tiff", **about)
    plain = read(tmp_path / "plain.tiff")
    picture = Picture(plain.image, exif=plain.exif, compression=compression)
    write_picture(picture, tmp_path / "b.tiff")
    back = read(tmp_path / "b.tiff")
    kept = compression in ("tiff_lzw", "tiff_adobe_deflate") and not described
    assert back.compression == (compression if kept else "raw")
    assert (back.exif is not None) == described


def test_pages_and_frames_are_refused_by_number(tmp_path):
    frames = [Image.new("RGB", (4, 4), c) for c in ("red", "green", "blue")]
    for name in ("a.png", "a.webp", "a.tiff"):
        frames[0].save(tmp_path / name, save_all=True, append_images=frames[1:])
        with pytest.raises(ResizeError, match="has 3 frames or pages"):
            open_picture(tmp_path / name)


def test_the_first_picture_of_a_camera_file_is_taken(tmp_path):
    first, second = Image.new("RGB", (8, 8), "red"), Image.new("RGB", (4, 4), "blue")
    first.save(tmp_path / "a.jpg", format="MPO", save_all=True, append_images=[second])
    picture = read(tmp_path / "a.jpg")
    assert picture.image.size == (8, 8)
    assert "the first is taken" in " ".join(picture.notes)


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path):
    data = io.BytesIO()
    picture_of("L").save(data, "PNG")
    huge = bytearray(data.getvalue())
    huge[16:24] = struct.pack(">II", 60000, 60000)
    huge[29:33] = struct.pack(">I", zipfile.crc32(huge[12:29]))
    (tmp_path / "bomb.png").write_bytes(huge)
    with pytest.raises(ResizeError, match=r"60000x60000 pixels, more than .*bomb"):
        open_picture(tmp_path / "bomb.png")
    picture_of("L").save(tmp_path / "a.png")
    with pytest.raises(ResizeError, match="7x5 pixels, more than 34"):
        open_picture(tmp_path / "a.png", max_pixels=34)
    open_picture(tmp_path / "a.png", max_pixels=35).close()


def test_pixels_beyond_pillows_limit_can_be_read(tmp_path, monkeypatch):
    picture_of("L").save(tmp_path / "a.png")
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 3)
    assert read(tmp_path / "a.png").image.size == (7, 5)
    assert Image.MAX_IMAGE_PIXELS == 3


@pytest.mark.parametrize("suffix", [".png", ".jpg", ".webp", ".tiff"])
@pytest.mark.parametrize("part", [0.0, 0.02, 0.3, 0.6, 0.95])
def test_truncated_pictures_are_refused_in_one_line(tmp_path, suffix, part):
    rng = np.random.default_rng(0)
    noise = Image.fromarray(rng.integers(0, 256, (64, 64, 3), dtype=np.uint8))
    path = tmp_path / f"a{suffix}"
    noise.save(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * part)])
    with pytest.raises(ResizeError) as caught:
        read(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_not_a_picture_is_refused(tmp_path):
    (tmp_path / "a.png").write_text("hello")
    with pytest.raises(ResizeError, match="not a picture in one of the formats PNG, JPEG"):
        open_picture(tmp_path / "a.png")
    with pytest.raises(FileNotFoundError):
        open_picture(tmp_path / "b.png")
    Image.new("RGB", (3, 3)).save(tmp_path / "a.bmp")
    with pytest.raises(ResizeError, match="not a picture"):
        open_picture(tmp_path / "a.bmp")


def test_lost_bits_are_told_of(tmp_path):
    header = struct.pack(">IIBBBBB", 2, 1, 16, 2, 0, 0, 0)
    rows = zlib.compress(b"\0" + bytes(range(12)))
    chunks = [(b"IHDR", header), (b"IDAT", rows), (b"IEND", b"")]
    data = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zipfile.crc32(name + body))
        for name, body in chunks
    )
    (tmp_path / "a.png").write_bytes(data)
    picture = read(tmp_path / "a.png")
    assert picture.image.mode == "RGB"
    assert "16 bits per channel" in " ".join(picture.notes)
    picture_of("I;16").save(tmp_path / "b.png")
    assert not read(tmp_path / "b.png").notes


# ------------------------------------------------------------------------------------ arrays


@pytest.mark.parametrize(
    "array",
    [
        np.arange(24.0).reshape(2, 3, 4),
        np.asfortranarray(np.arange(12, dtype=">i2").reshape(3, 4)),
        np.array(3.5),
        np.zeros((0, 3)),
        np.array(["a", "bcd"]),
        np.array([True, False]),
    ],
)
def test_arrays_come_back(tmp_path, array):
    write_array(array, tmp_path / "a.npy")
    back = read_array(tmp_path / "a.npy")
    assert back.dtype == array.dtype
    assert np.array_equal(back, array)
    assert np.array_equal(np.load(tmp_path / "a.npy"), array)


def test_arrays_are_mapped_and_not_read(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros(10))
    assert isinstance(read_array(tmp_path / "a.npy"), np.memmap)


def test_archives_keep_names_order_and_compression(tmp_path):
    # "file" is a name that numpy.savez itself cannot store.
    members = [
        ("file", np.arange(6.0).reshape(2, 3), zipfile.ZIP_STORED),
        ("a/b", np.zeros((50, 50), np.uint8), zipfile.ZIP_DEFLATED),
        ("", np.asfortranarray(np.arange(6).reshape(2, 3)), zipfile.ZIP_STORED),
    ]
    write_archive(members, tmp_path / "a.npz")
    back = list(read_archive(tmp_path / "a.npz"))
    assert [(n, c) for n, _, c in back] == [(n, c) for n, _, c in members]
    assert all(np.array_equal(x, y) for (_, x, _), (_, y, _) in zip(back, members, strict=True))
    with np.load(tmp_path / "a.npz") as archive:
        assert np.array_equal(archive["file"], members[0][1])
    write_archive(members, tmp_path / "again.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "again.npz").read_bytes()


def test_archives_of_numpy_are_read(tmp_path):
    np.savez_compressed(tmp_path / "a.npz", x=np.arange(3), y=np.eye(2))
    assert [name for name, _, _ in read_archive(tmp_path / "a.npz")] == ["x", "y"]


def test_python_objects_are_never_loaded(tmp_path):
    objects = np.array([{"a": 1}, None], dtype=object)
    np.save(tmp_path / "a.npy", objects)
    with pytest.raises(ResizeError, match=r"a\.npy cannot be read: .*bject"):
        read_array(tmp_path / "a.npy")
    np.savez(tmp_path / "a.npz", objects)
    with pytest.raises(ResizeError, match=r"a\.npz cannot be read: .*bject"):
        list(read_archive(tmp_path / "a.npz"))
    with pytest.raises(ValueError, match="bject"):
        write_array(objects, tmp_path / "b.npy")
    assert not (tmp_path / "b.npy").exists()


def test_damaged_arrays_are_refused_in_one_line(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros(100))
    np.savez_compressed(tmp_path / "a.npz", x=np.random.default_rng(0).random(100))
    for name, reader in (("a.npy", read_array), ("a.npz", lambda p: list(read_archive(p)))):
        whole = (tmp_path / name).read_bytes()
        broken = [whole[: len(whole) * k // 8] for k in range(8)]
        middle = len(whole) // 2
        if name == "a.npz":
            broken.append(whole[:middle] + bytes(20) + whole[middle + 20 :])
        for data in broken:
            (tmp_path / name).write_bytes(data)
            with pytest.raises(ResizeError) as caught:
                reader(tmp_path / name)
            assert str(tmp_path / name) in str(caught.value)
            assert "\n" not in str(caught.value)


def test_archives_of_other_things_are_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(ResizeError, match=r"readme\.txt.* is not an array"):
        list(read_archive(tmp_path / "a.npz"))
    with pytest.raises(FileNotFoundError):
        list(read_archive(tmp_path / "b.npz"))
