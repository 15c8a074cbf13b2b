"""Which file is written for which: one file to one file, or many into a folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ndresize.errors import ResizeError
from ndresize.io import ARRAY_SUFFIXES, PICTURE_FORMATS

__all__ = ["pair_files"]

SUFFIXES = (*(suffix for f in PICTURE_FORMATS for suffix in f.suffixes), *ARRAY_SUFFIXES)


def pair_files(inputs: Sequence[Path], out: Path, *, overwrite: bool) -> list[tuple[Path, Path]]:
    """Return each file to read with the file to write; the folder `out` may have to be made.

    Parameters
    ----------
    inputs : sequence of Path
        Files, and folders that stand for the files in them which can be resized.
    out : Path
        A folder if there are several inputs or one is a folder; else a file, or a folder that
        exists.
    overwrite : bool
        Whether existing files may be replaced.

    Raises
    ------
    ResizeError
        If an input does not exist, there is nothing to resize, two outputs would have one name, or
        an output exists and must not be replaced.
    """
    if len(inputs) == 1 and not inputs[0].is_dir():
        source = _existing(inputs[0])
        if not out.is_dir():
            _known(source)
            _known(out)
            return [(source, out)]
    if out.exists() and not out.is_dir():
        raise ResizeError(f"{out} must be a folder when there are several inputs, got a file")
    if not out.exists() and out.suffix.lower() in SUFFIXES:
        raise ResizeError(
            f"{out} must be a folder when there are several inputs, got the name of a file"
        )
    pairs = [(source, out / source.name) for item in inputs for source in _files(item)]
    _refuse_collisions(pairs, overwrite=overwrite)
    return pairs


def _files(item: Path) -> Iterator[Path]:
    if not item.is_dir():
        yield _known(_existing(item))
        return
    found = sorted(
        path
        for path in item.iterdir()
        if path.suffix.lower() in SUFFIXES and path.is_file() and not path.name.startswith(".")
    )
    if not found:
        raise ResizeError(f"{item} must hold files to resize ({', '.join(SUFFIXES)}), got none")
    yield from found


def _existing(path: Path) -> Path:
    if not path.exists():
        raise ResizeError(f"{path} does not exist; give a file or a folder that does")
    if not path.is_file():
        raise ResizeError(f"{path} must be a file or a folder, got something else")
    return path


def _known(path: Path) -> Path:
    if path.suffix.lower() not in SUFFIXES:
        raise ResizeError(
            f"{path} must have one of the suffixes {', '.join(SUFFIXES)}, got "
            f"{path.suffix or 'none'}"
        )
    return path


def _refuse_collisions(pairs: Sequence[tuple[Path, Path]], *, overwrite: bool) -> None:
    sources: dict[Path, Path] = {}
    for source, target in pairs:
        other = sources.setdefault(target, source)
        if other is not source:
            raise ResizeError(
                f"{other} and {source} would both be written to {target}; resize them one by one"
            )
    existing = [target for _, target in pairs if target.exists()]
    if existing and not overwrite:
        others = f", and so do {len(existing) - 1} more" if len(existing) > 1 else ""
        raise ResizeError(
            f"{existing[0]} exists already{others}; name another folder, or overwrite (--force)"
        )
