"""Models that OpenVINO itself wrote, and files that are damaged or hostile."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ndresize import ResizeError
from ndresize.dialects.openvino import interpolate
from ndresize.models import openvino_ir

SIZES = {"sizes": (8, 9), "scales": None, "axes": (2, 3)}
CASES: dict[str, tuple[int, dict[str, Any]]] = {
    "opset1": (1, {"mode": "linear", "align_corners": False, "antialias": False,
                   "pads_begin": [0], "pads_end": [0]}),
    "opset4": (4, {"mode": "cubic", "shape_calculation_mode": "sizes",
                   "pads_begin": [0, 0, 1], "pads_end": [0, 0, 0, 2], "cube_coeff": -0.5}),
    "opset11": (11, {"mode": "bilinear_pillow", "shape_calculation_mode": "sizes"}),
}  # fmt: skip


@pytest.fixture(scope="module")
def ov() -> Any:
    return pytest.importorskip("openvino")


def saved(ov: Any, folder: Path, name: str, dtype: str = "f32") -> tuple[Path, Any]:
    """Return a model of one Interpolate, as a file and as OpenVINO has it."""
    from openvino_runner import Call, _model

    version, words = CASES[name]
    call = Call("CPU", version, (1, 2, 4, 6), "float32", **SIZES, attributes=words)
    model = _model(ov, call, getattr(ov.Type, dtype))
    path = folder / f"{name}.xml"
    ov.save_model(model, str(path), compress_to_fp16=False)
    return path, model


@pytest.mark.parametrize("name", CASES)
def test_layers_and_runs(ov: Any, tmp_path: Path, name: str) -> None:
    path, model = saved(ov, tmp_path, name)
    version, words = CASES[name]
    read = openvino_ir.read(path)
    (node,) = read.nodes
    expected = interpolate.plan((1, 2, 4, 6), np.float32, **SIZES, version=version, **words)
    assert node.plan == expected
    assert node.reason == ""
    assert (node.operator, node.version) == ("Interpolate", version)
    assert node.constants["sizes"].tolist() == [8, 9]
    x = np.random.default_rng(1).normal(size=(1, 2, 4, 6)).astype(np.float32)
    (result,) = read.run({read.inputs[0].name: x}, threads=1).values()
    np.testing.assert_array_equal(result, expected(x))
    compiled = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    assert np.abs(result - compiled(x)[0]).max() < 1e-4
    assert list(read.run({read.inputs[0].name: x})) == [t.name for t in read.outputs]


def test_convert_and_open_lengths(ov: Any, tmp_path: Path) -> None:
    from openvino import opset8, opset11

    image = opset8.parameter([-1, 3, -1, 8], np.uint8, name="img")
    image.output(0).set_names({"img"})
    floats = opset8.convert(image, "f32")
    scales = np.array([2.0, 0.5], np.float32)  # stored as float16, and converted
    half = opset11.interpolate(floats, scales, "linear", "scales", axes=np.array([2, 3]))
    back = opset8.convert(half, "u8")
    path = tmp_path / "chain.xml"
    ov.save_model(ov.Model([back], [image]), str(path))
    assert openvino_ir.read(path).nodes[0].plan is None
    assert "shape of data must be known" in openvino_ir.read(path).nodes[0].reason
    model = openvino_ir.read(path, shapes={"img": (1, 3, 4, 8)})
    assert model.nodes[0].plan is not None
    assert model.nodes[0].plan.output_shape == (1, 3, 8, 4)
    x = np.random.default_rng(2).integers(0, 255, (1, 3, 4, 8)).astype(np.uint8)
    (result,) = model.run({"img": x}).values()
    y = interpolate(x.astype(np.float32), scales=scales, axes=(2, 3), mode="linear", version=11)
    np.testing.assert_array_equal(result, np.trunc(y).astype(np.uint8))
    with pytest.raises(ResizeError, match="does not take the shape"):
        openvino_ir.read(path, shapes={"img": (1, 4, 4, 8)})
    with pytest.raises(ResizeError, match="inputs are img"):
        openvino_ir.read(path, shapes={"other": (1,)})


def test_other_layers_are_found_around_and_not_run(ov: Any, tmp_path: Path) -> None:
    from openvino import opset8, opset11

    x = opset8.parameter([1, 1, 2, 2], np.float32)
    y = opset8.relu(opset11.interpolate(x, np.array([4, 4]), "nearest", "sizes",
                                        axes=np.array([2, 3])))  # fmt: skip
    path = tmp_path / "relu.xml"
    ov.save_model(ov.Model([y], [x]), str(path))
    model = openvino_ir.read(path)
    assert model.nodes[0].plan is not None
    with pytest.raises(ResizeError, match=r"no layers but .* got ReLU"):
        model.run({model.inputs[0].name: np.zeros((1, 1, 2, 2), np.float32)})


def test_ir_of_version_10(ov: Any, tmp_path: Path) -> None:
    path, _ = saved(ov, tmp_path, "opset4")
    path.write_text(path.read_text().replace('version="11">', 'version="10">'))
    assert openvino_ir.read(path).nodes[0].plan is not None
    path.write_text(path.read_text().replace('version="10">', 'version="7">'))
    with pytest.raises(ResizeError, match="version 10 or 11, got 7"):
        openvino_ir.read(path)


EXAMPLE = """
<layer ... type="Interpolate" ...>
    <data shape_calculation_mode="scales" pads_begin="0" pads_end="0" mode="linear"/>
    <input>
        <port id="0"> <dim>1</dim> <dim>2</dim> <dim>48</dim> <dim>80</dim> </port>
        <port id="1"> <dim>2</dim> <!--The values in this input are [24, 160] --> </port>
        <port id="2"> <dim>2</dim> <!--The values in this input are [0.5, 2.0] --> </port>
        <port id="3"> <dim>2</dim> <!--The values in this input are [2, 3] (axes). --> </port>
    </input>
    <output>
        <port id="0" precision="FP32">
            <dim>1</dim> <dim>2</dim> <dim>24</dim> <dim>160</dim>
        </port>
    </output>
</layer>
"""


def test_the_example_of_the_page() -> None:
    plan = openvino_ir.read_layer(EXAMPLE, sizes=[24, 160], scales=[0.5, 2.0], axes=[2, 3])
    assert plan.output_shape == (1, 2, 24, 160)
    assert plan.dtype == np.float32
    with pytest.raises(ResizeError, match="one layer of type Interpolate"):
        openvino_ir.read_layer('<layer id="0" type="Result"/>')


@pytest.mark.parametrize(
    ("head", "told"),
    [
        ('<!DOCTYPE net [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>', "no entities"),
        ('<!DOCTYPE net SYSTEM "file:///etc/passwd">', "no document type"),
        ('<!DOCTYPE net [<!ENTITY x SYSTEM "file:///etc/passwd">]>', "no document type"),
    ],
)
def test_hostile_declarations(tmp_path: Path, head: str, told: str) -> None:
    path = tmp_path / "evil.xml"
    path.write_text(f'<?xml version="1.0"?>{head}<net version="11"/>')
    with pytest.raises(ResizeError, match=told):
        openvino_ir.read(path)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "truncated"),
        ("not xml", "must be an OpenVINO model"),
        ('<net version="11"><layers>', "truncated"),
        ('<net version="11"><layers><layer id="x" type="Const"/></layers></net>', "layer"),
        ('<net version="11"><layers><layer id="0"/></layers></net>', "type"),
        ("<a>" * 100, "nest at most"),
        ('<net version="11"><layers><layer id="0" type="Result"><input><port id="0"/></input>'
         "</layer></layers></net>", "what no layer gives"),
    ],
)  # fmt: skip
def test_damaged_text(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "model.xml"
    path.write_text(text)
    with pytest.raises(ResizeError, match=told) as error:
        openvino_ir.read(path)
    assert "\n" not in str(error.value)


def test_damaged_weights(ov: Any, tmp_path: Path) -> None:
    path, _ = saved(ov, tmp_path, "opset4")
    weights = path.with_suffix(".bin")
    whole = weights.read_bytes()
    x = {"Parameter_1": np.zeros((1, 2, 4, 6), np.float32)}
    weights.write_bytes(whole[:-8])
    model = openvino_ir.read(path)
    assert "truncated" in model.nodes[0].reason
    with pytest.raises(ResizeError, match="truncated"):
        model.run({model.inputs[0].name: x["Parameter_1"]})
    weights.unlink()
    assert "No such file" in openvino_ir.read(path).nodes[0].reason
    text = path.read_text()
    weights.write_bytes(whole)
    path.write_text(text.replace('size="16"', 'size="17"', 1))
    assert "must take 16 bytes" in openvino_ir.read(path).nodes[0].reason
    path.write_text(text.replace('mode="cubic"', 'mode="cubik"'))
    assert "mode must be one of" in openvino_ir.read(path).nodes[0].reason


def test_a_circle_of_layers(tmp_path: Path) -> None:
    layer = ('<layer id="{}" name="{}" type="Convert"><input><port id="0"/></input><output>'
             '<port id="1"/></output></layer>')  # fmt: skip
    edge = '<edge from-layer="{}" from-port="1" to-layer="{}" to-port="0"/>'
    text = layer.format(0, "a") + layer.format(1, "b")
    edges = edge.format(0, 1) + edge.format(1, 0)
    path = tmp_path / "circle.xml"
    path.write_text(f'<net version="11"><layers>{text}</layers><edges>{edges}</edges></net>')
    with pytest.raises(ResizeError, match="what it gives itself"):
        openvino_ir.read(path)


def test_inputs_are_checked(ov: Any, tmp_path: Path) -> None:
    path, _ = saved(ov, tmp_path, "opset4")
    model = openvino_ir.read(path)
    name = model.inputs[0].name
    with pytest.raises(ResizeError, match="is missing"):
        model.run({})
    with pytest.raises(ResizeError, match="must be float32"):
        model.run({name: np.zeros((1, 2, 4, 6))})
    with pytest.raises(ResizeError, match="No such file"):
        openvino_ir.read(tmp_path / "none.xml")


def test_command_runs_an_ir(ov: Any, tmp_path: Path) -> None:
    path, _ = saved(ov, tmp_path, "opset11")
    (name,) = (tensor.name for tensor in openvino_ir.read(path).inputs)
    (result,) = (tensor.name for tensor in openvino_ir.read(path).outputs)
    x = np.random.default_rng(2).normal(size=(1, 2, 4, 6)).astype(np.float32)
    np.save(tmp_path / "x.npy", x)
    words = ["-i", f"{name}={tmp_path / 'x.npy'}", "-o", f"{result}={tmp_path / 'y.npy'}"]

    done = subprocess.run(
        [sys.executable, "-m", "ndresize.cli", "run", str(path), *words],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    expected = openvino_ir.read(path).run({name: x})[result]
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), expected)


def test_command_refuses_a_damaged_ir(tmp_path: Path) -> None:
    (tmp_path / "m.xml").write_text("<net")
    done = subprocess.run(
        [sys.executable, "-m", "ndresize.cli", "run", str(tmp_path / "m.xml")],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "m.xml" in done.stderr
