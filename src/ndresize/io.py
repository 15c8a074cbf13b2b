"""Files in and out: pictures through Pillow, arrays through NumPy, each whole or not at all."""

from __future__ import annotations

import math
import os
import secrets
import shutil
import warnings
import zipfile
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray
from PIL import ExifTags, Image, ImageOps, UnidentifiedImageError

from ndresize.errors import ResizeError

__all__ = [
    "ARRAY_SUFFIXES",
    "MAX_PIXELS",
    "PICTURE_FORMATS",
    "Picture",
    "PictureFormat",
    "load_picture",
    "open_picture",
    "picture_format",
    "read_archive",
    "read_array",
    "refuse_existing",
    "refuse_unfit",
    "whole_file",
    "write_archive",
    "write_array",
    "write_picture",
]

MAX_PIXELS = 178_956_970
"""Pictures of more pixels are refused by default: the limit at which Pillow refuses them too."""

ARRAY_SUFFIXES = (".npy", ".npz")


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
    OSError
        If the file system refuses.
    ResizeError
        If the path cannot be written to.
    """
    refuse_existing(path, overwrite=overwrite)
    target = path.resolve()
    temporary = target.with_name(f".ndresize-{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("x+b") as file:
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


@contextmanager
def _reading(path: Path) -> Iterator[list[str]]:
    """Turn whatever goes wrong while a file is read into one line; collect warnings."""
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


# ---------------------------------------------------------------------------------- pictures


@dataclass(frozen=True)
class PictureFormat:
    """What a file format can hold.

    Parameters
    ----------
    name : str
        Pillow's name of the format.
    suffixes : tuple of str
        The first is the usual one.
    modes : collection of str
        The picture modes that it can hold.
    longest : int
        The most pixels along one side.
    has_quality : bool
        Whether it is lossy, with a quality of 1 to 100.
    """

    name: str
    suffixes: tuple[str, ...]
    modes: Collection[str]
    longest: int = 2**31 - 1
    has_quality: bool = False


_GREYS = ("1", "L", "LA", "I;16", "I;16B")

PICTURE_FORMATS = (
    PictureFormat("PNG", (".png",), (*_GREYS, "P", "RGB", "RGBA")),
    PictureFormat("JPEG", (".jpg", ".jpeg"), ("L", "RGB", "CMYK", "YCbCr"), 65500, True),
    PictureFormat("WEBP", (".webp",), ("L", "LA", "RGB", "RGBA"), 16383, True),
    PictureFormat(
        "TIFF",
        (".tiff", ".tif"),
        (*_GREYS, "I", "F", "P", "PA", "RGB", "RGBA", "CMYK", "YCbCr"),
    ),
)

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
_GROUPS = (ExifTags.IFD.Exif, ExifTags.IFD.GPSInfo)

# Of the ways in which a TIFF file can be compressed, those that suit every mode and change nothing.
_LOSSLESS_TIFF = ("tiff_lzw", "tiff_adobe_deflate", "packbits", "zstd", "lzma")


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
        What its owner should be told, a clause each.
    """

    image: Image.Image
    icc_profile: bytes | None = None
    dpi: tuple[float, float] | None = None
    exif: Image.Exif | None = None
    compression: str | None = None
    notes: tuple[str, ...] = ()


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
        f"{path}: the suffix of a picture must be one of "
        f"{', '.join(s for f in PICTURE_FORMATS for s in f.suffixes)}, got {path.suffix or 'none'}"
    )


def refuse_unfit(
    path: Path, mode: str, *, transparent: bool = False, size: tuple[int, int] = (1, 1)
) -> None:
    """Refuse a picture that the format of a path's suffix cannot hold.

    Parameters
    ----------
    path : Path
        Where the picture is to be written.
    mode : str
        Pillow's name of its mode.
    transparent : bool
        Whether its palette has transparent colours.
    size : (int, int)
        Width and height.

    Raises
    ------
    ResizeError
        If the format cannot hold it; the message names those that can.
    """
    target = picture_format(path)
    able = [f for f in PICTURE_FORMATS if mode in f.modes]
    if mode == "P" and transparent:
        able = [f for f in able if f.name == "PNG"]
    if target not in able:
        kinds = {"RGBA": "RGBA (with alpha)", "LA": "LA (grey with alpha)", "P": "P (a palette)"}
        raise ResizeError(
            f"{path}: {target.name} cannot hold a picture of mode {kinds.get(mode, mode)}; write "
            f"{' or '.join(f.suffixes[0] for f in able)} instead"
        )
    if max(size) > target.longest:
        raise ResizeError(
            f"{path}: {target.name} cannot hold more than {target.longest} pixels along a side, "
            f"got {size[0]}x{size[1]}; write .png or .tiff instead"
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
        # A phone's JPEG may carry previews and depth maps behind the picture proper: MPO.
        frames = 1 if image.format == "MPO" else getattr(image, "n_frames", 1)
    if width * height > max_pixels:
        image.close()
        raise ResizeError(
            f"{path} has {width}x{height} pixels, more than {max_pixels}: it may be a "
            "decompression bomb; raise the limit if you trust it (--max-pixels)"
        )
    if frames != 1:
        image.close()
        raise ResizeError(
            f"{path} has {frames} frames or pages, and only single pictures are resized; save the "
            "one that you want as a file of its own"
        )
    return image


def load_picture(image: Image.Image) -> Picture:
    """Read the pixels of an opened picture and turn it the right way up.

    Raises
    ------
    ResizeError
        If the file is damaged.
    """
    notes: list[str] = []
    if image.mode in ("LA", "RGB", "RGBA") and any(
        ";16" in str(tile.args) for tile in getattr(image, "tile", ())
    ):
        notes.append("it has 16 bits per channel, of which Pillow reads 8; a .npy file keeps all")
    if image.format == "MPO":
        notes.append("it holds several pictures, of which the first is taken")
    with _reading(Path(os.fsdecode(getattr(image, "filename", "") or "the picture"))) as warned:
        image.load()  # first: some metadata may come behind the pixels
        compression = image.info.get("compression")
        picture = Picture(
            ImageOps.exif_transpose(image),
            icc_profile=image.info.get("icc_profile"),
            dpi=_resolution(image.info.get("dpi")),
            exif=_scene(image.getexif()),
            compression=compression if isinstance(compression, str) else None,
        )
    return replace(picture, notes=(*notes, *warned))


def write_picture(
    picture: Picture,
    path: Path,
    *,
    overwrite: bool = False,
    quality: int = 92,
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
    quality : int
        1 to 100; for JPEG and lossy WebP.
    lossless : bool
        For WebP.

    Raises
    ------
    OSError
        If the file system refuses.
    ResizeError
        If the format cannot hold the picture, or the path cannot be written to.
    """
    target, image = picture_format(path), picture.image
    refuse_unfit(path, image.mode, transparent=image.has_transparency_data, size=image.size)
    options: dict[str, Any] = {"format": target.name}
    if target.has_quality:
        options["quality"] = quality
    if target.name == "WEBP":
        options.update(lossless=lossless, exact=lossless)  # exact: colours under alpha 0 as well
    if picture.icc_profile and not (target.name == "WEBP" and image.mode in ("L", "LA")):
        options["icc_profile"] = picture.icc_profile  # WebP makes grey RGB: no grey profile fits
    if picture.dpi and target.name != "WEBP":
        options["dpi"] = picture.dpi
    if picture.exif is not None:
        options["exif"] = _sized(picture.exif, image.size).tobytes()
    # Pillow cannot write the groups of EXIF into a compressed TIFF file.
    grouped = picture.exif is not None and any(group in picture.exif for group in _GROUPS)
    if target.name == "TIFF" and picture.compression in _LOSSLESS_TIFF and not grouped:
        options["compression"] = picture.compression
    with whole_file(path, overwrite=overwrite) as file:
        try:
            image.save(file, **options)
        except MemoryError:
            raise
        except Exception as error:  # writers raise many kinds
            if isinstance(error, OSError) and error.errno is not None:
                raise
            raise ResizeError(f"{path} cannot be written as {target.name}: {error}") from error


def _scene(exif: Image.Exif) -> Image.Exif | None:
    """Return what EXIF says of the scene, for a picture the right way up."""
    kept = Image.Exif()
    for tag in _SCENE_TAGS:
        if tag in exif:
            kept[tag] = exif[tag]
    for group in _GROUPS:
        entries = {k: v for k, v in exif.get_ifd(group).items() if k != ExifTags.IFD.Interop}
        if entries:
            kept[group] = entries
    if not len(kept) and ExifTags.Base.Orientation not in exif:
        return None
    kept[ExifTags.Base.Orientation] = 1
    return kept


def _sized(exif: Image.Exif, size: tuple[int, int]) -> Image.Exif:
    """Return EXIF whose width and height, where it has them, are those of the picture."""
    sized = Image.Exif()
    for tag, value in exif.items():
        sized[tag] = value
    if ExifTags.IFD.Exif in sized:
        sides = {ExifTags.Base.ExifImageWidth: size[0], ExifTags.Base.ExifImageHeight: size[1]}
        entries = sized[ExifTags.IFD.Exif]
        sized[ExifTags.IFD.Exif] = {tag: sides.get(tag, v) for tag, v in entries.items()}
    return sized


def _resolution(dpi: Any) -> tuple[float, float] | None:
    try:
        x, y = (float(value) for value in dpi)
    except (TypeError, ValueError, ArithmeticError):  # none, or a damaged one
        return None
    return (x, y) if math.isfinite(x) and math.isfinite(y) and min(x, y) > 0 else None


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


def read_archive(path: Path) -> Iterator[tuple[str, NDArray[Any], int]]:
    """Yield the arrays of a .npz archive, reading one at a time.

    Yields
    ------
    name, array, compression
        The last is how it is compressed (`zipfile.ZIP_STORED`, `zipfile.ZIP_DEFLATED`, ...).

    Raises
    ------
    OSError
        If the file cannot be opened.
    ResizeError
        If it is not a .npz archive, is damaged, or an array holds Python objects.
    """
    with _reading(path):
        archive = zipfile.ZipFile(path)
    with archive:
        for entry in archive.infolist():
            name = entry.filename.removesuffix(".npy")
            with _reading(path):
                if name == entry.filename:
                    raise ResizeError(f"{path} holds {name!r}, which is not an array")
                with archive.open(entry) as stream:
                    array = np.lib.format.read_array(cast("Any", stream), allow_pickle=False)
            yield name, array, entry.compress_type


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
        As `read_archive` yields them; taken one at a time.
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
            entry = zipfile.ZipInfo(f"{name}.npy")  # without a date: same arrays, same bytes
            entry.compress_type = compression
            with archive.open(entry, "w", force_zip64=True) as stream:
                np.lib.format.write_array(cast("Any", stream), array, allow_pickle=False)
