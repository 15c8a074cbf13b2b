"""Model files: damaged ones, huge ones, tensors in files beside them, and the package missing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from ndresize import ResizeError
from ndresize.models import onnx_model

X = np.arange(6, dtype=np.float32).reshape(2, 3)

DOUBLE = """<ir_version: 9, opset_import: ["": 19]>
g (float[2, 3] X) => (float[a, b] Y) <float[2] s = {2.0, 2.0}> { Y = Resize(X, , s) }"""


def double() -> onnx.ModelProto:
    return onnx.parser.parse_model(DOUBLE)


def refusal(source: Any) -> str:
    """Return why a model can be neither read nor run; one line."""
    with pytest.raises(ResizeError) as caught:
        onnx_model.read(source).run({"X": X})
    assert "\n" not in str(caught.value)
    return str(caught.value)


def external(folder: Path, array: np.ndarray[Any, Any] | None = None, **entries: Any) -> Path:
    """Write a model whose scales are in a file; `array` is what is in that file."""
    model = double()
    scales = model.graph.initializer[0]
    scales.ClearField("float_data")
    scales.data_location = TensorProto.EXTERNAL
    for key, text in entries.items():
        scales.external_data.add(key=key, value=str(text))
    if array is not None:
        (folder / "weights").write_bytes(array.tobytes())
    path = folder / "model.onnx"
    path.write_bytes(model.SerializeToString())
    return path


def test_every_truncation_is_refused(tmp_path: Path) -> None:
    whole = double().SerializeToString()
    path = tmp_path / "m.onnx"
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert str(path) in refusal(path)
    path.write_bytes(whole)
    assert onnx_model.read(path).run({"X": X})["Y"].shape == (4, 6)


def test_flipped_bits_never_raise_anything_else(tmp_path: Path) -> None:
    whole = onnx.parser.parse_model("""<ir_version: 9, opset_import: ["": 19]>
        g (float[2, 3] X) => (float[a, b] Y) {
            one = Constant<value_ints = [1]>()
            s = Constant<value = float[1] {2.0}>()
            A = Resize<axes = [1], exclude_outside = 1, cubic_coeff_a = -0.5>(X, , s)
            B = Identity(A)
            Y = Resize<mode = "linear", axes = [0]>(B, , , one)
        }""").SerializeToString()
    path = tmp_path / "m.onnx"
    told = []
    for position in range(len(whole)):
        for bit in (1, 128):
            damaged = bytearray(whole)
            damaged[position] ^= bit
            path.write_bytes(damaged)
            try:
                model = onnx_model.read(path)
                assert all(bool(node.plan) != bool(node.reason) for node in model.nodes)
                model.run({"X": X})
            except ResizeError as error:
                told.append(str(error))
    assert len(told) > len(whole)
    assert not any("\n" in text for text in told)


def test_a_file_beyond_protobufs_limit_is_refused_unread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "read_bytes", pytest.fail)
    path = tmp_path / "huge.onnx"
    path.touch()
    os.truncate(path, 2**31)  # takes no space

    assert refusal(path) == (
        f"{path} has 2147483648 bytes and an ONNX model can have 2147483647; its tensors belong "
        "into external data"
    )


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path) == f"{tmp_path}: Is a directory"
    assert "No such file" in refusal(tmp_path / "none.onnx")
    assert "null" in refusal("a\0b.onnx")


def test_missing_parts_are_named(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    model = double()
    model.ClearField("opset_import")
    path.write_bytes(model.SerializeToString())
    assert refusal(path).endswith("it has no opset")
    path.write_bytes(b"")
    assert refusal(path).endswith("it has no IR version and no graph and no opset")


def test_texts_that_are_none_are_refused() -> None:
    data = double().SerializeToString().replace(b"Resize", b"Res\xffze")
    model = onnx.ModelProto.FromString(data)

    assert refusal(model) == "the model must have op_types in UTF-8, got b'Res\\xffze'"


def test_two_opsets_are_refused() -> None:
    model = double()
    model.opset_import.append(helper.make_opsetid("ai.onnx", 18))

    assert refusal(model) == "the model must have one opset, got [18, 19]"


@pytest.mark.parametrize("entries", [{}, {"offset": 0, "length": 8}])
def test_external_data(tmp_path: Path, entries: dict[str, Any]) -> None:
    path = external(tmp_path, np.array([2, 3], "<f4"), location="weights", **entries)

    model = onnx_model.read(path)

    assert model.nodes[0].constants["scales"].tolist() == [2, 3]
    assert model.run({"X": X})["Y"].shape == (4, 9)


def test_external_data_at_an_offset_in_a_subfolder(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "w").write_bytes(b"abc" + np.array([2, 3], "<f4").tobytes())
    path = external(tmp_path, location="data/w", offset=3)

    assert onnx_model.read(path).run({"X": X})["Y"].shape == (4, 9)


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({}, "external data '' must lie in the model's folder"),
        ({"location": "../secret"}, "external data '../secret' must lie in the model's folder"),
        ({"location": "{secret}"}, "must lie in the model's folder"),
        ({"location": "{folder}/weights"}, "must lie in the model's folder"),  # not relative
        ({"location": "link"}, "external data 'link' must lie in the model's folder"),
        ({"location": "loop"}, "external data 'loop'"),
        ({"location": "a\0b"}, "null"),
        ({"location": "none"}, "must be a file in"),
        ({"location": "."}, "must be a file in"),
        ({"location": "weights", "offset": 1}, "must have 9 bytes or more, got 8: it is truncated"),
        ({"location": "weights", "offset": -4}, "got offset -4 and length 8"),
        (
            {"location": "weights", "length": 4},
            "must hold 8 bytes for float32[2], got offset 0 and",
        ),
        ({"location": "weights", "length": 2**70}, "must hold 8 bytes for float32[2]"),
        ({"location": "weights", "length": "many"}, "invalid literal"),
    ],
    ids=str,
)
def test_bad_external_data(tmp_path: Path, entries: dict[str, Any], message: str) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(bytes(8))
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "link").symlink_to(secret)
    (folder / "loop").symlink_to(folder / "loop")
    entries = {
        k: v.format(secret=secret, folder=folder) if k == "location" else v
        for k, v in entries.items()
    }
    path = external(folder, np.array([2, 3], np.float32), **entries)

    text = refusal(path)

    assert text.startswith("initializer 's': ")
    assert message in text


def test_external_data_of_a_model_in_memory_is_refused(tmp_path: Path) -> None:
    path = external(tmp_path, np.array([2, 3], np.float32), location="weights")
    model = onnx.load(path, load_external_data=False)

    assert "is beside the model's file; give the path of the model" in refusal(model)


@pytest.mark.parametrize("there", [False, True])
def test_weights_that_no_resize_needs_are_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    """A detector's gigabytes need not be read, or be there, for its resize nodes to be planned."""
    monkeypatch.setattr("ndresize.models.onnx_tensors.read_external", pytest.fail)
    if there:
        (tmp_path / "weights").write_bytes(bytes(4 * 5 * 3 * 3 * 3))
    model = onnx.parser.parse_model("""<ir_version: 9, opset_import: ["": 19]>
        g (float[1, 3, 8, 8] X) => (float[a, b, c, d] Y) <float[4] s = {1.0, 1.0, 2.0, 2.0}> {
            A = Conv<pads = [1, 1, 1, 1]>(X, W)
            Y = Resize(A, , s)
        }""")
    weight = model.graph.initializer.add(name="W", data_type=TensorProto.FLOAT)
    weight.dims.extend([5, 3, 3, 3])
    weight.data_location = TensorProto.EXTERNAL
    weight.external_data.add(key="location", value="weights")
    path = tmp_path / "m.onnx"
    path.write_bytes(model.SerializeToString())

    (node,) = onnx_model.read(path).nodes

    assert node.plan is not None
    assert node.plan.output_shape == (1, 5, 16, 16)


def test_large_initializers_do_not_hide_shapes() -> None:
    model = onnx.parser.parse_model("""<ir_version: 9, opset_import: ["": 19]>
        g () => (float[a, b] Y) <float[2] s = {0.5, 0.5}> { Y = Resize(W, , s) }""")
    weight = np.zeros((200, 300), np.float32)
    model.graph.initializer.append(numpy_helper.from_array(weight, "W"))

    read = onnx_model.read(model)

    assert read.nodes[0].plan is not None
    assert read.nodes[0].plan.output_shape == (100, 150)
    assert read.run({})["Y"].shape == (100, 150)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.dims.__setitem__(0, -2), "its shape must not be negative, got [-2]"),
        (lambda t: t.dims.__setitem__(0, 3), "cannot reshape"),
        (lambda t: t.dims.__setitem__(0, 2**62), "cannot reshape"),
        (lambda t: setattr(t, "data_type", 0), "must have an element type that Resize takes"),
        (lambda t: setattr(t, "data_type", 17), "got FLOAT8E4M3FN"),
        (lambda t: setattr(t, "data_type", 999), "got number 999"),
    ],
)
def test_damaged_initializers(change: Any, message: str) -> None:
    model = double()
    change(model.graph.initializer[0])

    text = refusal(model)

    assert text.startswith("initializer 's'")
    assert message in text


def run_python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120
    )


def test_the_package_onnx_is_asked_for_by_models_alone() -> None:
    done = run_python(
        "import sys, ndresize, ndresize.dialects.onnx, ndresize.models, ndresize.cli.app\n"
        "print([name for name in sys.modules if name.partition('.')[0] in ('onnx', 'google')])"
    )
    assert done.stdout.strip() == "[]", done.stderr


@pytest.mark.parametrize("module", ["onnx_model", "onnx_backend", "onnx_reference"])
@pytest.mark.parametrize("missing", ["onnx", "ml_dtypes"])
def test_a_missing_package_is_told_with_the_way_out(module: str, missing: str) -> None:
    done = run_python(
        f"import sys; sys.modules['{missing}'] = None\n"
        f"try: import ndresize.models.{module}\n"
        "except ImportError as error: print(error, error.name, sep='|')"
    )
    assert done.stdout.strip() == (
        f"ONNX models need the package {missing}, which is missing; pip install 'ndresize[onnx]'"
        f"|{missing}"
    )


def test_the_command_tells_a_missing_package_in_one_line(tmp_path: Path) -> None:
    done = run_python(
        "import sys; sys.modules['onnx'] = None\n"
        f"sys.argv = ['ndresize', 'run', {str(tmp_path / 'm.onnx')!r}]\n"
        "from ndresize.cli import main; main()"
    )
    assert done.returncode == 2
    assert done.stderr == (
        "ndresize: ONNX models need the package onnx, which is missing; "
        "pip install 'ndresize[onnx]'\n"
    )
