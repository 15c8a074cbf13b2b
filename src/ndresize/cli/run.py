"""The subcommand `ndresize run`."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from ndresize.cli.lines import result_line
from ndresize.errors import ResizeError
from ndresize.io import read_archive, read_array, refuse_existing, write_archive, write_array
from ndresize.models.signature import some_of

__all__ = ["run"]

_READERS = (".onnx", ".xml")


def run(
    model: Annotated[
        Path,
        typer.Argument(
            help="An .onnx file, or an OpenVINO .xml with its .bin.", show_default=False
        ),
    ],
    given: Annotated[
        list[str] | None,
        typer.Option(
            "--input",
            "-i",
            metavar="NAME=FILE",
            help="An .npy file for an input of the model, or an .npz archive with several: give "
            "the archive without NAME=. Repeat it for each input.",
            show_default=False,
        ),
    ] = None,
    wanted: Annotated[
        list[str] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="NAME=FILE",
            help="Where to write an output: an .npy file, or without NAME= an .npz archive for all "
            "of them. Without it the outputs are described and not written.",
            show_default=False,
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace existing files.")] = False,
    threads: Annotated[
        int | None, typer.Option("--threads", min=1, help="At most so many threads.")
    ] = None,
) -> None:
    """Run a model that is made of Resize and Upsample nodes, or of OpenVINO's Interpolate.

    Example: ndresize run model.onnx --input X=in.npy --output Y=out.npy
    """
    ready = _read(model)
    targets = _targets(wanted or [], [tensor.name for tensor in ready.outputs])
    for target in targets.values():
        refuse_existing(target, overwrite=force)
    inputs = _inputs(given or [], [tensor.name for tensor in ready.accepted])
    outputs = ready.run(inputs, threads=threads)
    for name, target in targets.items():
        if name:
            write_array(_plain(outputs[name]), target, overwrite=force)
        else:
            members = ((n, _plain(y), zipfile.ZIP_STORED) for n, y in outputs.items())
            write_archive(members, target, overwrite=force)
    for name, y in outputs.items():
        where = targets.get(name) or targets.get("")
        shape = "x".join(map(str, y.shape)) or "scalar"
        result_line(f"{name}: {shape} {y.dtype}" + (f" -> {where}" if where else ""))


def _plain(y: NDArray[Any]) -> NDArray[Any]:
    """Return strings as NumPy's own: Python objects cannot be written."""
    return y.astype(str) if y.dtype.hasobject else y


def _read(path: Path) -> Any:
    if path.suffix.lower() == ".xml":
        from ndresize.models import openvino_ir

        return openvino_ir.read(path)
    if path.suffix.lower() != ".onnx":
        raise ResizeError(f"MODEL must be a file that ends in {' or '.join(_READERS)}, got {path}")
    try:
        from ndresize.models import onnx_model
    except ImportError as error:  # says what to install
        raise ResizeError(str(error)) from None
    return onnx_model.read(path)


def _named(text: str, names: list[str]) -> tuple[str, Path]:
    """Return the name, or "", and the file of an option; a name may have ``=`` in it."""
    for name in sorted(names, key=len, reverse=True):
        if text.startswith(f"{name}="):
            return name, Path(text[len(name) + 1 :])
    return "", Path(text)


def _inputs(given: list[str], names: list[str]) -> dict[str, NDArray[Any]]:
    arrays: dict[str, NDArray[Any]] = {}
    for text in given:
        name, path = _named(text, names)
        if path.suffix.lower() == ".npy" and name:
            found = {name: np.asarray(read_array(path))}
        elif path.suffix.lower() == ".npz" and not name:
            found = {entry: array for entry, array, _ in read_archive(path)}
        else:
            raise ResizeError(
                f"--input must be NAME=FILE.npy or FILE.npz, NAME one of {some_of(names)}, got "
                f"{text}"
            )
        for entry, array in found.items():
            if entry in arrays:
                raise ResizeError(f"--input must give each input once, got {entry} again")
            arrays[entry] = array
    return arrays


def _targets(wanted: list[str], names: list[str]) -> dict[str, Path]:
    """Return the file of each output; the name "" stands for all of them."""
    targets: dict[str, Path] = {}
    for text in wanted:
        name, path = _named(text, names)
        if path.suffix.lower() != (".npy" if name else ".npz"):
            raise ResizeError(
                f"--output must be NAME=FILE.npy or FILE.npz, NAME one of {some_of(names)}, got "
                f"{text}"
            )
        taken = [target.resolve() for target in targets.values()]
        if name in targets or path.resolve() in taken:
            raise ResizeError(f"--output must not repeat an output or a file, got {text}")
        targets[name] = path
    return targets
