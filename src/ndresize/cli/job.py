"""One file resized into another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from ndresize.cli.pictures import resize_picture, resized_mode, resized_size
from ndresize.cli.words import Request
from ndresize.errors import ResizeError
from ndresize.io import (
    ARRAY_SUFFIXES,
    MAX_PIXELS,
    load_picture,
    open_picture,
    read_archive,
    read_array,
    refuse_existing,
    refuse_unfit,
    write_archive,
    write_array,
    write_picture,
)
from ndresize.resizing import resize

__all__ = ["Output", "Report", "is_array", "resize_file"]


@dataclass(frozen=True)
class Output:
    """How files are read and written.

    Parameters
    ----------
    overwrite : bool
        Whether existing files may be replaced.
    quality : int
        Of JPEG and lossy WebP files.
    lossless : bool
        Whether WebP files are lossless.
    arrays : tuple of str
        Names of the arrays of an archive that are resized; all if empty.
    max_pixels : int
        Pictures of more pixels, read or to be written, are refused.
    """

    overwrite: bool = False
    quality: int = 92
    lossless: bool = False
    arrays: tuple[str, ...] = ()
    max_pixels: int = MAX_PIXELS


@dataclass
class Report:
    """What is told of one file: the result, and notes on what may surprise."""

    results: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def is_array(path: Path) -> bool:
    """Return whether a path names an array or an archive of arrays, and not a picture."""
    return path.suffix.lower() in ARRAY_SUFFIXES


def resize_file(source: Path, target: Path, request: Request, output: Output) -> Report:
    """Resize one file into another.

    Raises
    ------
    OSError, MemoryError
        If the file system or the machine refuses.
    ResizeError
        If the file cannot be read, resized as requested, or held by the format of the target.
    """
    refuse_existing(target, overwrite=output.overwrite)
    if output.arrays and source.suffix.lower() != ".npz":
        raise ResizeError(f"--array must be given for .npz archives alone, got {source}")
    if is_array(source) != is_array(target):
        kinds = ("an array", "a picture") if is_array(source) else ("a picture", "an array")
        raise ResizeError(
            f"{target} must be {kinds[0]} as {source} is, got the suffix of {kinds[1]}; arrays are "
            f"{', '.join(ARRAY_SUFFIXES)}, pictures .png, .jpg, .webp, .tiff"
        )
    if not is_array(source):
        return _resize_picture_file(source, target, request, output)
    if source.suffix.lower() == ".npz":
        return _resize_archive_file(source, target, request, output)
    if target.suffix.lower() != ".npy":
        raise ResizeError(f"{target} must end in .npy as {source} is one array")
    array = read_array(source)
    resized = _resize_array(array, request)
    write_array(resized, target, overwrite=output.overwrite)
    return Report([_result(str(target), array, resized)])


def _resize_picture_file(source: Path, target: Path, request: Request, output: Output) -> Report:
    words = request.for_picture()
    with open_picture(source, max_pixels=output.max_pixels) as image:
        mode = resized_mode(image, nearest=request.nearest)
        transparent = image.has_transparency_data
        refuse_unfit(target, mode, transparent=transparent)  # before the pixels are read
        picture = load_picture(image)
    size = resized_size(picture.image, max_pixels=output.max_pixels, **words)
    refuse_unfit(target, mode, transparent=transparent, size=size)
    resized = resize_picture(picture, threads=request.threads, **words)
    write_picture(
        resized,
        target,
        overwrite=output.overwrite,
        quality=output.quality,
        lossless=output.lossless,
    )
    before, after = picture.image, resized.image
    notes = list(resized.notes)
    if after.mode in ("L", "LA") and target.suffix.lower() == ".webp":
        notes.append("WebP has no grey: it is written as colour, without a grey colour profile")
    return Report(
        [f"{target}: {before.width}x{before.height} -> {after.width}x{after.height}, {after.mode}"],
        notes,
    )


def _resize_archive_file(source: Path, target: Path, request: Request, output: Output) -> Report:
    report = Report()
    missing = set(output.arrays)
    single = target.suffix.lower() == ".npy"
    if single and len(output.arrays) != 1:
        raise ResizeError(
            f"{target} must end in .npz as {source} is an archive; or give the name of one --array"
        )

    def members() -> Iterator[tuple[str, NDArray[Any], int]]:
        for name, array, compression in read_archive(source):
            if output.arrays and name not in output.arrays:
                yield name, array, compression
                continue
            missing.discard(name)
            try:
                resized = _resize_array(array, request)
            except ResizeError as error:
                raise ResizeError(f"array {name!r}: {error}") from error
            report.results.append(_result(f"{target}[{name}]", array, resized))
            yield name, resized, compression
        if missing:
            raise ResizeError(f"{source} has no array named {', '.join(sorted(missing))}")

    if single:
        chosen = {name: array for name, array, _ in members() if name in output.arrays}
        write_array(chosen[output.arrays[0]], target, overwrite=output.overwrite)
    else:
        write_archive(members(), target, overwrite=output.overwrite)
    return report


def _resize_array(array: NDArray[Any], request: Request) -> NDArray[Any]:
    resized: NDArray[Any] = resize(array, threads=request.threads, **request.for_array(array.shape))
    return resized


def _result(name: str, before: NDArray[Any], after: NDArray[Any]) -> str:
    return f"{name}: {before.shape} -> {after.shape}, {after.dtype}"
