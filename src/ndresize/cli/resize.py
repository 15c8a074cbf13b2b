"""The subcommand `ndresize resize`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ndresize.cli.job import Output, Report, resize_file
from ndresize.cli.lines import error_line, failure_text, note_line, result_line
from ndresize.cli.pairs import pair_files
from ndresize.cli.words import (
    Request,
    axes_from_text,
    count_from_text,
    number_from_text,
    region_from_text,
    scales_from_text,
    sizes_from_text,
)
from ndresize.errors import ResizeError
from ndresize.io import MAX_PIXELS
from ndresize.resizing import MODES

__all__ = ["RESIZE_EPILOG", "RESIZE_HELP", "resize_command"]


def _paragraphs(text: str) -> str:
    """Return text whose paragraphs are one line each: Rich breaks lines where the terminal does."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


RESIZE_HELP = _paragraphs("""Resize pictures and arrays.

Pictures are .png, .jpg, .webp and .tiff files; arrays are .npy files and .npz archives. The
suffix of OUT is the format that is written. Every file appears whole or not at all.

[bold]Pictures:[/bold] --size is WIDTHxHEIGHT. A picture keeps its mode (grey, RGB, CMYK, 16 bits,
...), colour profile, resolution and EXIF. Colours are weighed by their alpha. The EXIF orientation
is applied, so the result is the right way up. A palette is kept with --mode nearest, so label maps
stay label maps; otherwise it becomes RGB or RGBA. Files with several frames or pages are refused.

[bold]Arrays:[/bold] --size lists the lengths of --axes, in their order; without --axes, of the last
axes. Any number of axes and any element type; integers are rounded half to even and saturate. All
arrays of an archive are resized and keep their names.

[bold]Defaults[/bold] are those of the ONNX operator Resize-19, but for --mode, which is linear and
not nearest. So --antialias is off: [bold]to shrink a picture, add --antialias[/bold], or fine
detail turns into false patterns.
""")

RESIZE_EPILOG = _paragraphs("""[bold]Examples[/bold]

ndresize resize photo.jpg small.jpg --size 640x480 --antialias

ndresize resize photo.png half.webp --scale 0.5 --mode lanczos3 --antialias

ndresize resize photo.jpg fits.jpg --size 1024x1024 --keep-aspect not_larger --antialias

ndresize resize labels.png labels-2x.png --scale 2 --mode nearest

ndresize resize photos/ small/ --size 224x224 --mode cubic --antialias

ndresize resize batch.npy out.npy --size 224x224 --axes 2,3

ndresize resize volume.npz out.npz --size 64x128x128 --axes 0,1,2 --array ct
""")

SIZE, HOW, FILES = "What size (give one of the first two)", "How", "Files"


def resize_command(
    inputs: Annotated[
        list[Path],
        typer.Argument(
            metavar="IN...",
            help="The file to resize; or several; or a folder, which stands for the pictures and "
            "arrays in it (not in its subfolders).",
        ),
    ],
    out: Annotated[
        Path,
        typer.Argument(
            metavar="OUT",
            help="The file to write; a folder, made if missing, if IN is several files or a "
            "folder. Names are kept in it.",
        ),
    ],
    size: Annotated[
        str | None,
        typer.Option(
            metavar="NxN",
            help="Pictures: WIDTHxHEIGHT, as in 640x480. Arrays: the lengths of --axes in their "
            "order, as in 64x128x128.",
            rich_help_panel=SIZE,
        ),
    ] = None,
    scale: Annotated[
        str | None,
        typer.Option(
            metavar="N[xN]",
            help="New length over old length. One number is for width and height of a picture, or "
            "for all --axes of an array (all of its axes without --axes). 0.5x0.25 is along the "
            "width and along the height of a picture, or along each of --axes. Lengths are rounded "
            "down, as ONNX does.",
            rich_help_panel=SIZE,
        ),
    ] = None,
    axes: Annotated[
        str | None,
        typer.Option(
            metavar="N,N",
            help="Arrays: the axes that --size or --scale is about; -1 is the last. Default: the "
            "last axes, as many as there are numbers.",
            rich_help_panel=SIZE,
        ),
    ] = None,
    keep_aspect: Annotated[
        str,
        typer.Option(
            "--keep-aspect",
            metavar="POLICY",
            help="stretch: exactly --size. not_larger: keep the proportions and fit inside --size. "
            "not_smaller: keep the proportions and cover --size.",
            rich_help_panel=SIZE,
        ),
    ] = "stretch",
    mode: Annotated[
        str,
        typer.Option(
            "--mode",
            "-m",
            metavar="MODE",
            help=f"{', '.join(MODES)}. nearest picks samples and makes no new values; linear is "
            "the tent, cubic sharper, lanczos3 sharper still; area is exact averages of areas. "
            "The first three are ONNX's; it lacks the others.",
            autocompletion=lambda: list(MODES),
            rich_help_panel=HOW,
        ),
    ] = "linear",
    antialias: Annotated[
        bool,
        typer.Option(
            "--antialias",
            "-a",
            help="When shrinking, average over all samples that fall into one. Recommended for "
            "shrinking pictures.",
            rich_help_panel=HOW,
        ),
    ] = False,
    coordinates: Annotated[
        str,
        typer.Option(
            "--coordinates",
            metavar="RULE",
            help="Where output samples lie on the input. half_pixel: both grids have the same "
            "outer edges (Pillow, OpenCV, PyTorch). align_corners: the centres of the corner "
            "samples meet. asymmetric: the first edges meet. pytorch_half_pixel, "
            "half_pixel_symmetric: as ONNX has them. tf_crop_and_resize: the --roi is resized.",
            rich_help_panel=HOW,
        ),
    ] = "half_pixel",
    nearest_mode: Annotated[
        str,
        typer.Option(
            metavar="RULE",
            help="Which neighbour --mode nearest picks: round_prefer_floor (of two equally near "
            "the first), round_prefer_ceil, floor, ceil.",
            rich_help_panel=HOW,
        ),
    ] = "round_prefer_floor",
    cubic_coeff_a: Annotated[
        str,
        typer.Option(
            metavar="A",
            help="The sharpness of --mode cubic: -0.75 in ONNX, PyTorch and OpenCV, -0.5 in "
            "TensorFlow and Pillow.",
            rich_help_panel=HOW,
        ),
    ] = "-0.75",
    exclude_outside: Annotated[
        bool,
        typer.Option(
            "--exclude-outside",
            help="Give samples beyond the border no weight, in place of repeating the border.",
            rich_help_panel=HOW,
        ),
    ] = False,
    roi: Annotated[
        str | None,
        typer.Option(
            metavar="N,N,...",
            help="The region for --coordinates tf_crop_and_resize, from 0 (the centre of the first "
            "sample) to 1 (the last). Pictures: LEFT,TOP,RIGHT,BOTTOM. Arrays: the starts along "
            "--axes, then the ends.",
            rich_help_panel=HOW,
        ),
    ] = None,
    extrapolation_value: Annotated[
        str,
        typer.Option(
            metavar="V",
            help="The value of samples that --roi places outside the input.",
            rich_help_panel=HOW,
        ),
    ] = "0.0",
    threads: Annotated[
        str | None,
        typer.Option(
            metavar="N",
            help="How many threads at most; the result does not depend on it.",
            show_default="all that may be used",
            rich_help_panel=HOW,
        ),
    ] = None,
    force: Annotated[
        bool,
        typer.Option("--force", "-f", help="Replace existing files.", rich_help_panel=FILES),
    ] = False,
    array: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Resize this array of a .npz archive alone and copy the others; may be given "
            "several times. With an OUT that ends in .npy this array alone is written.",
            show_default="all arrays",
            rich_help_panel=FILES,
        ),
    ] = None,
    quality: Annotated[
        str | None,
        typer.Option(
            metavar="N",
            help="1 to 100, for .jpg and .webp.",
            show_default="92",
            rich_help_panel=FILES,
        ),
    ] = None,
    lossless: Annotated[
        bool,
        typer.Option("--lossless", help="Write lossless .webp files.", rich_help_panel=FILES),
    ] = False,
    max_pixels: Annotated[
        str,
        typer.Option(
            metavar="N",
            help="Refuse pictures of more pixels, in or out: a small file may unpack to very many. "
            "Raise it for files that you trust. The default is Pillow's own.",
            rich_help_panel=FILES,
        ),
    ] = str(MAX_PIXELS),
) -> None:
    """Resize pictures and arrays."""
    request = Request(
        sizes=None if size is None else sizes_from_text(size),
        scales=None if scale is None else scales_from_text(scale),
        axes=None if axes is None else axes_from_text(axes),
        roi=None if roi is None else region_from_text(roi),
        words={
            "mode": mode,
            "antialias": antialias,
            "coordinate_transformation_mode": coordinates,
            "nearest_mode": nearest_mode,
            "cubic_coeff_a": number_from_text("--cubic-coeff-a", cubic_coeff_a),
            "exclude_outside": exclude_outside,
            "extrapolation_value": number_from_text("--extrapolation-value", extrapolation_value),
            "keep_aspect_ratio_policy": keep_aspect,
        },
        threads=None if threads is None else count_from_text("--threads", threads),
    )
    output = Output(
        overwrite=force,
        quality=92 if quality is None else count_from_text("--quality", quality, 100),
        lossless=lossless,
        arrays=tuple(array or ()),
        max_pixels=count_from_text("--max-pixels", max_pixels),
    )
    pairs = pair_files(inputs, out, overwrite=force)
    targets = [target for _, target in pairs]
    _refuse_unused(targets, quality is not None, lossless)
    if targets != [out]:
        out.mkdir(parents=True, exist_ok=True)
    failures = _resize_all(pairs, request, output)
    if failures and len(pairs) > 1:
        error_line(f"{failures} of {len(pairs)} files were not resized; the others were")
    if failures:
        raise typer.Exit(2)


def _resize_all(pairs: Sequence[tuple[Path, Path]], request: Request, output: Output) -> int:
    """Resize file after file, telling of each, and return how many failed."""
    failures = 0
    for source, target in _with_progress(pairs):
        try:
            _tell(source, resize_file(source, target, request, output))
        except (ResizeError, OSError, MemoryError) as error:
            failures += 1
            text = failure_text(error)
            named = str(source) in text or str(target) in text
            error_line(text if named else f"{source}: {text}")
    return failures


def _with_progress(pairs: Sequence[tuple[Path, Path]]) -> Iterator[tuple[Path, Path]]:
    """Yield the pairs; on a terminal, and if there are several, with a bar on stderr."""
    console = Console(stderr=True)
    if len(pairs) == 1 or not console.is_terminal:
        yield from pairs
        return
    columns = TextColumn("resizing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    to_terminal = sys.stdout.isatty()  # else the bar would draw results to itself, onto stderr
    with Progress(*columns, console=console, redirect_stdout=to_terminal, transient=True) as bar:
        yield from bar.track(pairs)


def _tell(source: Path, report: Report) -> None:
    for note in report.notes:
        note_line(f"{source}: {note}")
    for result in report.results:
        result_line(result)


def _refuse_unused(targets: Sequence[Path], quality: bool, lossless: bool) -> None:
    """Refuse options about formats that no output has."""
    suffixes = {target.suffix.lower() for target in targets}
    if lossless and ".webp" not in suffixes:
        raise ResizeError(f"--lossless must be given for .webp files alone, got {targets[0]}")
    if quality and not suffixes & {".jpg", ".jpeg", ".webp"}:
        raise ResizeError(
            f"--quality must be given for .jpg and .webp files alone, got {targets[0]}"
        )
