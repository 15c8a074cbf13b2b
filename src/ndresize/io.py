"""Files in and out: pictures through Pillow, arrays through NumPy.

A file is written whole or not at all. A picture is resized in its own mode: alpha weighs the
colours, a palette stays a palette where samples are only picked, and the EXIF orientation is
applied. Samples are filtered as they are stored (no linear light), as ONNX, Pillow and OpenCV do.
"""

from __future__ import annotations

import math
import os
import secrets
import shutil
import warnings
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray
from PIL import ExifTags, Image, ImageOps, UnidentifiedImageError

from ndresize.errors import ResizeError
from ndresize.resizing import resize

__all__ = [
    "ARRAY_SUFFIXES",
    "MAX_PIXELS",
    "PICTURE_FORMATS",
    "Picture",
    "PictureFormat",
    "load_picture",
    "open_archive",
    "open_picture",
    "picture_format",
    "read_array",
    "read_picture",
    "refuse_existing",
    "refuse_unfit",
    "resize_picture",
    "resized_mode",
    "whole_file",
    "write_archive",
    "write_array",
    "write_picture",
]

MAX_PIXELS = 178_956_970
"""Pictures of more pixels are refused by default: the limit at which Pillow refuses them too."""

ARRAY_SUFFIXES = (".npy", ".npz")


@dataclass(frozen=True)
class PictureFormat:
    """What a file format can hold.

    Parameters
    ----------
    name : str
        Pillow's name of the format.
    suffixes : tuple of str
        The first is the usual one.
    modes : frozenset of str
        The picture modes that come back as the same samples (but for lossy coding).
    longest : int
        The most pixels along one side.
    has_quality : bool
        Whether it is lossy with a quality of 1 to 100.
    """

    name: str
    suffixes: tuple[str, ...]
    modes: frozenset[str]
    longest: int
    has_quality: bool = False


PICTURE_FORMATS = (
    PictureFormat(
        "PNG",
        (".png",),
        frozenset(("1", "L", "LA", "P", "I;16", "I;16B", "RGB", "RGBA")),
        2**31 - 1,
    ),
    PictureFormat(
        "JPEG", (".jpg", ".jpeg"), frozenset(("L", "RGB", "CMYK", "YCbCr")), 65500, True
    ),
    PictureFormat("WEBP", (".webp",), frozenset(("L", "LA", "RGB", "RGBA")), 16383, True),
    PictureFormat(
        "TIFF",
        (".tiff", ".tif"),
        frozenset(
            ("1", "L", "LA", "P", "PA", "I;16", "I;16B", "I", "F", "RGB", "RGBA", "CMYK", "YCbCr")
        ),
        2**31 - 1,
    ),
)

# Modes whose channels can be averaged one by one. LAB is not among them: Pillow stores its signed
# channels so that 0 and -1 are 255 apart.
_PLAIN_MODES = frozenset(
    ("L", "RGB", "CMYK", "YCbCr", "La", "RGBa", "I;16", "I;16B", "I;16L", "I", "F")
)
_ALPHA_MODES = frozenset(("LA", "RGBA"))
_MODES = _PLAIN_MODES | _ALPHA_MODES | {"1", "P", "PA"}

# EXIF tags that speak of the scene and its maker; all others describe the file they came from.
_SCENE_TAGS = (
    ExifTags.Base.ImageDescription,
    ExifTags.Base.Make,
    ExifTags.Base.Model,
    ExifTags.Base.Software,
    ExifTags.Base.DateTime,
    ExifTags.Base.Artist,
    ExifTags.Base.HostComputer,
    ExifTags.Base.Rating,
    ExifTags.Base.Copyright,
)

# Of the ways a TIFF file can be compressed, those that change no sample and suit every mode.
_LOSSLESS_TIFF = frozenset(("tiff_lzw", "tiff_adobe_deflate", "packbits", "zstd", "lzma"))


@dataclass(frozen=True)
class Picture:
    """A picture in memory, the right way up, and what is written beside its pixels.

    Parameters
    ----------
    image : PIL.Image.Image
        The pixels.
    icc_profile : bytes or None
        The colour profile.
    dpi : (float, float) or None
        The resolution along x and y.
    exif : PIL.Image.Exif or None
        What EXIF says of the scene.
    compression : str or None
        How the TIFF file that it came from was compressed.
    notes : tuple of str
        What the reader should be told, one sentence each.
    """

    image: Image.Image
    icc_profile: bytes | None = None
    dpi: tuple[float, float] | None = None
    exif: Image.Exif | None = None
    compression: str | None = None
    notes: tuple[str, ...] = ()


# ------------------------------------------------------------------------------- whole files


def refuse_existing(path: Path, *, overwrite: bool) -> None:
    """Refuse a path that cannot be written to.

    Raises
    ------
    ResizeError
        If its folder is missing, it is not a regular file, or it exists and `overwrite` is false.
    """
    target = path.resolve()
    if not target.parent.is_dir():
        raise ResizeError(f"{path}: the folder {target.parent} does not exist; make it first")
    if not target.exists():
        return
    if not target.is_file():
        raise ResizeError(f"{path} is not a regular file and cannot be replaced; name another")
    if not overwrite:
        raise ResizeError(f"{path} exists already; name another file, or overwrite it (--force)")


@contextmanager
def whole_file(path: Path, *, overwrite: bool = False) -> Iterator[BinaryIO]:
    """Open a file that appears under its name when the block has ended well, or not at all.

    Parameters
    ----------
    path : Path
        A link stays a link: the file that it points to is replaced.
    overwrite : bool
        Whether an existing file may be replaced. It keeps its permissions.

    Yields
    ------
    file
        Binary, writable, seekable; a file of another name in the same folder.

    Raises
    ------
    ResizeError
        If the path cannot be written to.
    """
    refuse_existing(path, overwrite=overwrite)
    target = path.resolve()
    temporary = target.with_name(f".ndresize-{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        refuse_existing(path, overwrite=overwrite)  # it may have appeared in the meantime
        if target.exists():
            shutil.copymode(target, temporary)
        temporary.replace(target)
    except OSError as error:
        if error.filename == str(temporary):  # a name that nobody gave would only confuse
            error.filename, error.filename2 = str(path), None
        raise
    finally:
        temporary.unlink(missing_ok=True)  # after an error or Ctrl-C; else it is gone already


# ---------------------------------------------------------------------------------- pictures


def picture_format(path: Path) -> PictureFormat:
    """Return the format that a path's suffix stands for.

    Raises
    ------
    ResizeError
        If it stands for none.
    """
    for candidate in PICTURE_FORMATS:
        if path.suffix.lower() in candidate.suffixes:
            return candidate
    raise ResizeError(
        f"{path}: the suffix of a picture must be one of {_suffixes(PICTURE_FORMATS)}, got "
        f"{path.suffix or 'none'}"
    )


def open_picture(path: Path, *, max_pixels: int = MAX_PIXELS) -> Image.Image:
    """Open a picture without reading its pixels.

    Parameters
    ----------
    path : Path
        A PNG, JPEG, WebP or TIFF file, whatever its suffix.
    max_pixels : int
        Pictures of more are refused.

    Raises
    ------
    OSError
        If the file cannot be opened.
    ResizeError
        If it is not such a picture, has several frames or pages, or too many pixels.
    """
    with _reading(path):
        image = Image.open(path, formats=[f.name for f in PICTURE_FORMATS])
        width, height = image.size
        frames = 1 if image.format == "MPO" else getattr(image, "n_frames", 1)
    if width * height > max_pixels:
        image.close()
        raise ResizeError(
            f"{path} has {width}x{height} pixels, more than {max_pixels}, and may be a "
            "decompression bomb; raise the limit for a file that you trust (--max-pixels)"
        )
    if frames != 1:
        image.close()
        raise ResizeError(
            f"{path} has {frames} frames or pages and only single pictures are resized; save the "
            "one that you want as a file of its own"
        )
    if image.mode not in _MODES:
        image.close()
        raise ResizeError(
            f"{path} has mode {image.mode}; pictures must have one of {', '.join(sorted(_MODES))}; "
            "convert it first"
        )
    return image


def load_picture(image: Image.Image) -> Picture:
    """Read the pixels of an opened picture and turn it the right way up.

    Raises
    ------
    ResizeError
        If the file is damaged.
    """
    path = Path(os.fsdecode(image.filename)) if hasattr(image, "filename") else Path("picture")
    notes: list[str] = []
    if image.mode in ("LA", "RGB", "RGBA") and any(";16" in str(t.args) for t in _tiles(image)):
        notes.append("it has 16 bits per channel, of which Pillow reads 8; an array keeps all")
    if image.format == "MPO":
        notes.append("it holds several pictures, of which the first is taken")
    with _reading(path) as warned:
        exif = _scene_exif(image.getexif())
        icc_profile = image.info.get("icc_profile")
        dpi = _resolution(image.info.get("dpi"))
        compression = image.info.get("compression")
        image.load()
        upright = ImageOps.exif_transpose(image)
    return Picture(
        upright, icc_profile, dpi, exif, compression if isinstance(compression, str) else None,
        tuple(notes + warned),
    )  # fmt: skip


def read_picture(path: Path, *, max_pixels: int = MAX_PIXELS) -> Picture:
    """Open a picture and read its pixels; see `open_picture` and `load_picture`."""
    with open_picture(path, max_pixels=max_pixels) as image:
        return load_picture(image)


def resized_mode(image: Image.Image, *, nearest: bool) -> str:
    """Return the mode that a picture has after it was resized.

    Palettes can only be picked from, so any other filter makes them colours. One colour that
    means "transparent" becomes an alpha channel.
    """
    if image.mode in ("P", "PA") and not nearest:
        return "RGBA" if image.has_transparency_data else "RGB"
    if "transparency" in image.info and image.mode in ("1", "L", "RGB"):
        return "RGBA" if image.mode == "RGB" else "LA"
    return image.mode


def refuse_unfit(image: Image.Image, path: Path, *, nearest: bool) -> None:
    """Refuse to write a resized picture to a path whose format cannot hold it.

    Raises
    ------
    ResizeError
        If the format of the path's suffix cannot hold the mode.
    """
    target = picture_format(path)
    mode = resized_mode(image, nearest=nearest)
    able = [f for f in PICTURE_FORMATS if mode in f.modes]
    if mode == "P" and image.has_transparency_data:
        able = [f for f in able if f.name == "PNG"]
    if target not in able:
        kind = {"RGBA": " (with alpha)", "LA": " (grey with alpha)", "P": " (with a palette)"}
        raise ResizeError(
            f"{path}: {target.name} cannot hold a picture of mode {mode}{kind.get(mode, '')}; "
            f"write {_suffixes(able)}"
        )


def resize_picture(picture: Picture, **arguments: Any) -> Picture:
    """Resize a picture.

    Parameters
    ----------
    picture : Picture
        Of any mode but LAB and HSV.
    **arguments
        As for `ndresize.resize`, for the two axes (height, width): ``sizes=(480, 640)``.

    Returns
    -------
    Picture
        Of the mode that `resized_mode` says, with the same metadata.

    Raises
    ------
    ResizeError
        If an argument is not allowed, or the result would have no pixels.
    """
    nearest = arguments.get("mode", "nearest") == "nearest"
    source, notes = picture.image, list(picture.notes)
    mode = resized_mode(source, nearest=nearest)
    words = {key: value for key, value in arguments.items() if key != "threads"}
    height, width = resize.plan(
        (source.height, source.width), np.float32, axes=(0, 1), **words
    ).output_shape
    if not (width and height):
        raise ResizeError(
            f"a picture must have at least 1x1 pixels; {source.width}x{source.height} would become "
            f"{width}x{height}; ask for a larger size"
        )
    if mode != source.mode:
        why = "a palette" if source.mode in ("P", "PA") else "one transparent colour"
        notes.append(
            f"it has {why} and becomes {mode}"
            + ("; --mode nearest keeps palettes" if source.mode in ("P", "PA") else "")
        )
        source = source.convert(mode)
    elif "transparency" in source.info and not nearest:
        notes.append("the value that stood for transparent is dropped")
    image = _resize_image(source, nearest, {"axes": (0, 1), **arguments})
    if nearest and "transparency" in source.info:
        image.info["transparency"] = source.info["transparency"]
    return replace(
        picture, image=image, exif=_sized_exif(picture.exif, image.size), notes=tuple(notes)
    )


def write_picture(
    picture: Picture,
    path: Path,
    *,
    overwrite: bool = False,
    quality: int | None = None,
    lossless: bool = False,
) -> None:
    """Write a picture in the format of the path's suffix, whole or not at all.

    Parameters
    ----------
    picture : Picture
        Its colour profile, resolution and EXIF are written too, where the format has them.
    path : Path
        Ends in ".png", ".jpg", ".jpeg", ".webp", ".tif" or ".tiff".
    overwrite : bool
        Whether an existing file may be replaced.
    quality : int, optional
        1 to 100, for JPEG and WebP; 92 if not given.
    lossless : bool
        For WebP.

    Raises
    ------
    OSError
        If the file system refuses.
    ResizeError
        If the format cannot hold the picture, or the path cannot be written to.
    """
    target = picture_format(path)
    image = picture.image
    refuse_unfit(image, path, nearest=True)
    if max(image.size) > target.longest:
        raise ResizeError(
            f"{path}: {target.name} holds at most {target.longest} pixels along a side, got "
            f"{image.width}x{image.height}; write .png or .tiff"
        )
    options: dict[str, Any] = {"format": target.name}
    if target.has_quality:
        options["quality"] = 92 if quality is None else quality
    if target.name == "WEBP":
        options.update(lossless=lossless, exact=lossless)
    if picture.icc_profile and not (target.name == "WEBP" and image.mode in ("L", "LA")):
        options["icc_profile"] = picture.icc_profile  # WebP turns grey into RGB: it would be wrong
    if picture.dpi and target.name != "WEBP":
        options["dpi"] = picture.dpi
    if picture.exif:
        options["exif"] = picture.exif.tobytes()
    if target.name == "TIFF" and picture.compression in _LOSSLESS_TIFF and not _has_groups(picture):
        options["compression"] = picture.compression
    with whole_file(path, overwrite=overwrite) as file:
        try:
            image.save(file, **options)
        except MemoryError:
            raise
        except Exception as error:  # encoders raise many kinds
            if isinstance(error, OSError) and error.errno is not None:
                raise
            raise ResizeError(f"{path} cannot be written as {target.name}: {error}") from error


def _resize_image(image: Image.Image, nearest: bool, arguments: dict[str, Any]) -> Image.Image:
    samples = np.asarray(image)
    if nearest:
        return _image(resize(samples, **arguments), image)
    if image.mode == "1":  # an integer type with the values 0 and 1, rounded like the others
        return _image(np.clip(resize(samples.astype(np.uint8), **arguments), 0, 1), image)
    if image.mode in _ALPHA_MODES and samples[..., -1].min() < 255:
        return _image(_resize_with_alpha(samples, arguments), image)
    return _image(resize(samples, **arguments), image)


def _resize_with_alpha(samples: NDArray[np.uint8], arguments: dict[str, Any]) -> NDArray[np.uint8]:
    """Weigh each colour by its alpha, so that what is transparent lends no colour to the rest."""
    alpha = samples[..., -1:].astype(np.float32)
    weighted = samples[..., :-1] * alpha  # at most 255 * 255: exact in float32
    fill = float(arguments.pop("extrapolation_value", 0.0))
    weighted = resize(weighted, extrapolation_value=fill * fill, **arguments)
    alpha = resize(alpha, extrapolation_value=fill, **arguments)
    stored = _to_bytes(alpha)
    with np.errstate(divide="ignore", invalid="ignore"):
        colour = _to_bytes(weighted / alpha)
    return np.concatenate((np.where(stored > 0, colour, np.uint8(0)), stored), axis=-1)


def _to_bytes(values: NDArray[np.float32]) -> NDArray[np.uint8]:
    whole = np.clip(np.rint(np.nan_to_num(values, copy=False)), 0, 255)
    return cast("NDArray[np.uint8]", whole.astype(np.uint8))


def _image(samples: NDArray[Any], like: Image.Image) -> Image.Image:
    """Return samples as a picture of the mode and palette of another."""
    size = samples.shape[1], samples.shape[0]
    if like.mode == "1":
        return Image.frombytes("1", size, (samples.astype(np.uint8) * 255).tobytes(), "raw", "1;8")
    if like.mode.startswith("I;16"):
        samples = samples.astype(">u2" if like.mode == "I;16B" else "<u2", copy=False)
    image = Image.frombytes(like.mode, size, samples.tobytes())
    if like.mode in ("P", "PA"):
        kind = like.palette.mode if like.palette else "RGB"
        colours = bytes(like.getpalette(kind) or [])
        # PNG stores as many bits per index as the palette needs: it must reach the largest.
        missing = len(kind) * (int(samples[..., 0].max() if samples.ndim == 3 else samples.max()) + 1)
        image.putpalette(colours.ljust(missing, b"\0"), kind)
    return image


def _scene_exif(exif: Image.Exif) -> Image.Exif | None:
    """Return what EXIF says of the scene, for a picture the right way up."""
    kept = Image.Exif()
    for tag in _SCENE_TAGS:
        if tag in exif:
            kept[tag] = exif[tag]
    for group in (ExifTags.IFD.Exif, ExifTags.IFD.GPSInfo):
        entries = {k: v for k, v in exif.get_ifd(group).items() if k != ExifTags.IFD.Interop}
        if entries:
            kept[group] = entries
    if not kept and ExifTags.Base.Orientation not in exif:
        return None
    kept[ExifTags.Base.Orientation] = 1
    return kept


def _sized_exif(exif: Image.Exif | None, size: tuple[int, int]) -> Image.Exif | None:
    """Return EXIF whose width and height, where it has them, are those of the picture."""
    if exif is None or ExifTags.IFD.Exif not in exif:
        return exif
    entries = dict(exif[ExifTags.IFD.Exif])
    sides = (ExifTags.Base.ExifImageWidth, ExifTags.Base.ExifImageHeight)
    entries.update({tag: n for tag, n in zip(sides, size, strict=True) if tag in entries})
    sized = Image.Exif()
    sized.update(exif)
    sized[ExifTags.IFD.Exif] = entries
    return sized


def _has_groups(picture: Picture) -> bool:
    """Return whether there is EXIF that Pillow cannot write into a compressed TIFF file."""
    groups = (ExifTags.IFD.Exif, ExifTags.IFD.GPSInfo)
    return picture.exif is not None and any(group in picture.exif for group in groups)


def _resolution(dpi: Any) -> tuple[float, float] | None:
    try:
        x, y = (float(value) for value in dpi)
    except (TypeError, ValueError, ArithmeticError):  # none, or a damaged one
        return None
    return (x, y) if math.isfinite(x) and math.isfinite(y) and min(x, y) > 0 else None


def _tiles(image: Image.Image) -> Iterable[Any]:
    return getattr(image, "tile", ())


def _suffixes(formats: Iterable[PictureFormat]) -> str:
    return ", ".join(f.suffixes[0] for f in formats)


@contextmanager
def _reading(path: Path) -> Iterator[list[str]]:
    """Turn what goes wrong while a file is read into one line; collect warnings."""
    warned: list[str] = []
    limit = Image.MAX_IMAGE_PIXELS
    Image.MAX_IMAGE_PIXELS = None  # `open_picture` has its own
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield warned
        warned.extend(dict.fromkeys(" ".join(str(w.message).split()) for w in caught))
    except (ResizeError, MemoryError):
        raise
    except UnidentifiedImageError:
        names = ", ".join(f.name for f in PICTURE_FORMATS)
        raise ResizeError(f"{path} is not a picture in one of the formats {names}") from None
    except Exception as error:  # readers raise many kinds on damaged files
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise ResizeError(f"{path} cannot be read: {error or type(error).__name__}") from error
    finally:
        Image.MAX_IMAGE_PIXELS = limit


# ------------------------------------------------------------------------------------ arrays


def read_array(path: Path) -> NDArray[Any]:
    """Return the array of a .npy file, mapped into memory: only what is used is read.

    Raises
    ------
    OSError
        If the file cannot be opened.
    ResizeError
        If it is not a .npy file, is damaged, or holds Python objects.
    """
    with _reading(path):
        return np.lib.format.open_memmap(path, mode="r")


@contextmanager
def open_archive(path: Path) -> Iterator[np.lib.npyio.NpzFile]:
    """Open a .npz archive; its arrays are read when they are asked for.

    Raises
    ------
    OSError
        If the file cannot be opened.
    ResizeError
        If it is not a .npz archive, is damaged, or an array holds Python objects.
    """
    with _reading(path):
        with path.open("rb") as file:
            if not zipfile.is_zipfile(file):
                raise ResizeError(f"{path} is not a .npz archive")
        with np.load(path, allow_pickle=False) as archive:
            yield archive


def write_array(array: NDArray[Any], path: Path, *, overwrite: bool = False) -> None:
    """Write an array as a .npy file, whole or not at all.

    Raises
    ------
    OSError
        If the file system refuses.
    ResizeError
        If the path cannot be written to.
    """
    with whole_file(path, overwrite=overwrite) as file:
        np.lib.format.write_array(file, array, allow_pickle=False)


def write_archive(
    members: Iterable[tuple[str, NDArray[Any], int]], path: Path, *, overwrite: bool = False
) -> None:
    """Write named arrays as a .npz archive, whole or not at all.

    Parameters
    ----------
    members : iterable of (str, ndarray, int)
        Name, array, and how it is compressed (`zipfile.ZIP_STORED`, `zipfile.ZIP_DEFLATED`); taken
        one at a time, so that an iterator needs to hold only one array in memory.
    path : Path
        Where to.
    overwrite : bool
        Whether an existing file may be replaced.

    Raises
    ------
    OSError
        If the file system refuses.
    ResizeError
        If the path cannot be written to.
    """
    with whole_file(path, overwrite=overwrite) as file, zipfile.ZipFile(file, "w") as archive:
        for name, array, compression in members:
            entry = zipfile.ZipInfo(f"{name}.npy")  # no date: the same arrays give the same bytes
            entry.compress_type = compression
            with archive.open(entry, "w", force_zip64=True) as stream:
                np.lib.format.write_array(cast("Any", stream), array, allow_pickle=False)
