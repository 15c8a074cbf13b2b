"""Reading and running ONNX models that are made of Resize and Upsample."""

from __future__ import annotations

import doctest
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import ndresize
from ndresize.dialects import onnx as dialect
from ndresize.models import onnx_model, onnx_reference


def value(name: str, shape: Any, kind: int = TensorProto.FLOAT) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, shape)


def tensor(name: str, values: Any, dtype: Any = np.float32) -> onnx.TensorProto:
    return numpy_helper.from_array(np.array(values, dtype), name)


def model(
    nodes: list[onnx.NodeProto],
    inputs: list[onnx.ValueInfoProto],
    outputs: list[onnx.ValueInfoProto],
    *,
    opset: int = 19,
    initializers: list[onnx.TensorProto] | None = None,
) -> onnx.ModelProto:
    graph = helper.make_graph(nodes, "g", inputs, outputs, initializers or [])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def chain() -> onnx.ModelProto:
    """Two resizes, their sizes in an initializer and in a Constant node."""
    nodes = [
        helper.make_node("Resize", ["X", "", "", "sizes"], ["A"], "up", mode="cubic"),
        helper.make_node("Constant", [], ["scales"], value_floats=[1.0, 1.0, 0.5, 0.5]),
        helper.make_node("Identity", ["A"], ["B"]),
        helper.make_node("Resize", ["B", "", "scales"], ["Y"], mode="linear", antialias=1),
    ]
    return model(
        nodes,
        [value("X", [1, 2, 5, 7])],
        [value("A", None), value("Y", None)],
        initializers=[tensor("sizes", [1, 2, 10, 14], np.int64)],
    )


def single(attributes: dict[str, Any] | None = None, shape: Any = (4,), opset: int = 19) -> Any:
    node = helper.make_node("Resize", ["X", "", "s"], ["Y"], **(attributes or {}))
    return model([node], [value("X", shape), value("s", [1])], [value("Y", None)], opset=opset)


def test_nodes_tell_constants_shapes_and_plans() -> None:
    read = onnx_model.read(chain())

    up, down = read.nodes
    assert (up.name, up.output, down.name, down.output) == ("up", "A", "", "Y")
    assert (up.version, up.attributes) == (19, {"mode": "cubic"})
    assert up.constants["sizes"].tolist() == [1, 2, 10, 14]
    assert up.plan is not None
    assert up.plan.output_shape == (1, 2, 10, 14)
    assert down.tensors["X"].static_shape == (1, 2, 10, 14)
    assert down.plan == dialect.resize.plan(
        (1, 2, 10, 14), np.float32, scales=[1, 1, 0.5, 0.5], mode="linear", antialias=1
    )


def test_resize_nodes_are_found_between_other_operators() -> None:
    nodes = [
        helper.make_node("Relu", ["X"], ["R"]),
        helper.make_node("Resize", ["R", "", "scales"], ["S"]),
        helper.make_node("Relu", ["S"], ["Y"]),
    ]
    read = onnx_model.read(
        model(
            nodes, [value("X", [3, 4])], [value("Y", None)], initializers=[tensor("scales", [2, 2])]
        )
    )

    plan = read.nodes[0].plan
    assert plan is not None
    assert plan.output_shape == (6, 8)
    with pytest.raises(
        ndresize.ResizeError, match=r"no operators but Resize, Upsample, .* got Relu"
    ):
        read.run({"X": np.zeros((3, 4), np.float32)})


def test_a_chain_runs_as_in_the_reference() -> None:
    x = np.random.default_rng(0).standard_normal((1, 2, 5, 7)).astype(np.float32)

    outputs = onnx_model.read(chain()).run({"X": x}, threads=2)

    expected = ReferenceEvaluator(chain()).run(None, {"X": x})
    assert list(outputs) == ["A", "Y"]
    for y, e in zip(outputs.values(), expected, strict=True):
        np.testing.assert_allclose(y, e, atol=1e-5)


def test_what_is_unknown_until_the_run_is_said() -> None:
    (node,) = onnx_model.read(single(shape=("n",))).nodes
    (told,) = onnx_model.read(single(shape=("n",)), shapes={"X": (4,)}).nodes

    assert node.plan is None
    assert "type and shape of X must be known" in node.reason
    assert told.plan is None
    assert "scales ('s') is computed while the model runs" in told.reason
    with pytest.raises(ndresize.ResizeError, match="inputs are X, s, got Q"):
        onnx_model.read(single(), shapes={"Q": (4,)})


@pytest.mark.parametrize(
    ("opset", "operator", "version"),
    [
        (7, "Upsample", 7),
        (8, "Upsample", 7),
        (9, "Upsample", 9),
        (10, "Resize", 10),
        (12, "Resize", 11),
        (17, "Resize", 13),
        (18, "Resize", 18),
        (22, "Resize", 19),
    ],
)
def test_opset_of_the_model_chooses_the_version(opset: int, operator: str, version: int) -> None:
    x = np.arange(4, dtype=np.float32)
    scales = [tensor("scales", [2.0])]
    if (operator, version) == ("Upsample", 7):
        node = helper.make_node("Upsample", ["X"], ["Y"], scales=[2.0])
        scales = []
    elif version in (9, 10):
        node = helper.make_node(operator, ["X", "scales"], ["Y"])
    else:
        node = helper.make_node("Resize", ["X", "roi", "scales"], ["Y"])
        scales.append(tensor("roi", []))
    made = model([node], [value("X", [4])], [value("Y", None)], opset=opset, initializers=scales)

    read = onnx_model.read(made)

    assert read.nodes[0].version == version
    assert read.run({"X": x})["Y"].tolist() == [0, 0, 1, 1, 2, 2, 3, 3]


@pytest.mark.parametrize(
    ("constant", "expected"),
    [
        ({"value": tensor("", [2.0])}, [0, 0, 1, 1]),
        ({"value_floats": [2.0]}, [0, 0, 1, 1]),
    ],
)
def test_forms_of_constants(constant: dict[str, Any], expected: list[int]) -> None:
    nodes = [
        helper.make_node("Constant", [], ["s"], **constant),
        helper.make_node("Resize", ["X", "", "s"], ["Y"]),
    ]
    read = onnx_model.read(model(nodes, [value("X", [2])], [value("Y", None)]))

    assert read.run({"X": np.array([0, 1], np.float32)})["Y"].tolist() == expected


def test_strings_and_an_integer_constant() -> None:
    nodes = [
        helper.make_node("Constant", [], ["z"], value_ints=[4]),
        helper.make_node("Resize", ["X", "", "", "z"], ["Y"]),
    ]
    text = TensorProto.STRING
    read = onnx_model.read(model(nodes, [value("X", [2], text)], [value("Y", None, text)]))

    assert read.run({"X": np.array(["a", "b"])})["Y"].tolist() == ["a", "a", "b", "b"]


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({}, "input 'X' is missing"),
        ({"X": np.zeros(4, np.float32)}, "input 's' is missing"),
        ({"Z": np.zeros(4)}, "the model has no input 'Z'"),
        ({"X": np.zeros(4), "s": [1]}, "input 'X' must be float32, got float64"),
        ({"X": np.zeros(5, np.float32), "s": [1]}, r"does not take an array of shape \[5\]"),
        (
            {"X": np.zeros((4, 1), np.float32), "s": [1]},
            r"does not take an array of shape \[4, 1\]",
        ),
        (
            {"X": np.zeros(4, np.float32), "s": np.array([-1], np.float32)},
            "the Resize that gives 'Y': scales must be finite and greater than 0",
        ),
    ],
)
def test_inputs_are_checked(inputs: dict[str, Any], message: str) -> None:
    with pytest.raises(ndresize.ResizeError, match=message):
        onnx_model.read(single()).run(inputs)


def test_attribute_of_a_later_opset_is_refused() -> None:
    made = single({"mode": "linear"}, opset=13)
    made.graph.node[0].attribute.append(helper.make_attribute("antialias", 1))

    (node,) = onnx_model.read(made).nodes
    assert node.reason == "antialias came with opset 18; the opset is 13"
    with pytest.raises(ndresize.ResizeError, match="antialias came with opset 18"):
        _ = onnx_model.read(made).program


def test_files_that_are_no_models(tmp_path: Path) -> None:
    whole = chain().SerializeToString()
    for name, content in {"empty": b"", "cut": whole[: len(whole) // 2], "text": b"hello"}.items():
        path = tmp_path / f"{name}.onnx"
        path.write_bytes(content)
        with pytest.raises(
            ndresize.ResizeError, match=f"{name}.onnx is not an ONNX model"
        ) as caught:
            onnx_model.read(path)
        assert "\n" not in str(caught.value)
    with pytest.raises(ndresize.ResizeError, match=r"none\.onnx: No such file"):
        onnx_model.read(tmp_path / "none.onnx")


def test_external_data_stays_in_the_folder(tmp_path: Path) -> None:
    made = chain()
    (tmp_path / "secret").write_bytes(b"\0" * 32)
    folder = tmp_path / "model"
    folder.mkdir()
    sizes = made.graph.initializer[0]
    sizes.ClearField("raw_data")
    sizes.data_location = TensorProto.EXTERNAL
    entry = sizes.external_data.add()
    entry.key, entry.value = "location", "../secret"
    (folder / "m.onnx").write_bytes(made.SerializeToString())

    with pytest.raises(ndresize.ResizeError, match=r"'../secret' must lie in the model's folder"):
        _ = onnx_model.read(folder / "m.onnx").program


def test_external_data_is_read(tmp_path: Path) -> None:
    onnx.save(
        chain(),
        tmp_path / "m.onnx",
        save_as_external_data=True,
        size_threshold=0,
        location="weights",
    )

    read = onnx_model.read(tmp_path / "m.onnx")
    assert read.run({"X": np.zeros((1, 2, 5, 7), np.float32)})["A"].shape == (1, 2, 10, 14)


@pytest.mark.parametrize("opset", [11, 13, 18, 19])
def test_reference_evaluator_between_other_operators(opset: int) -> None:
    nodes = [
        helper.make_node("Neg", ["X"], ["N"]),
        helper.make_node("Resize", ["N", "roi", "s"], ["R"], mode="cubic", cubic_coeff_a=-0.5),
        helper.make_node("Neg", ["R"], ["Y"]),
    ]
    constants = [tensor("roi", []), tensor("s", [2, 1.5])]
    made = model(
        nodes, [value("X", [3, 4])], [value("Y", None)], opset=opset, initializers=constants
    )
    x = np.random.default_rng(0).standard_normal((3, 4)).astype(np.float32)

    (y,) = ReferenceEvaluator(made, new_ops=onnx_reference.OPS).run(None, {"X": x})

    np.testing.assert_allclose(y, ReferenceEvaluator(made).run(None, {"X": x})[0], atol=1e-5)


def test_reference_evaluator_gains_what_it_cannot_do() -> None:
    """Resize-10 and a shrinking or linear Upsample do not run in the reference itself."""
    x = np.arange(4, dtype=np.float32)
    for opset, operator in ((10, "Resize"), (9, "Upsample")):
        node = helper.make_node(operator, ["X", "s"], ["Y"], mode="linear")
        made = model([node], [value("X", [4]), value("s", [1])], [value("Y", None)], opset=opset)
        session = ReferenceEvaluator(made, new_ops=onnx_reference.OPS)

        (y,) = session.run(None, {"X": x, "s": np.array([2], np.float32)})

        np.testing.assert_array_equal(y, [0, 0.5, 1, 1.5, 2, 2.5, 3, 3])


def command(*arguments: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ndresize.cli", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "m.onnx").write_bytes(chain().SerializeToString())
    np.save(tmp_path / "x.npy", np.ones((1, 2, 5, 7), np.float32))
    return tmp_path


def test_command_writes_outputs(files: Path) -> None:
    y = files / "y.npy"

    done = command("run", files / "m.onnx", "--input", f"X={files / 'x.npy'}", "--output", f"Y={y}")

    assert (done.returncode, done.stderr) == (0, "")
    assert f"Y: 1x2x5x7 float32 -> {y}" in done.stdout
    np.testing.assert_allclose(np.load(y), 1, rtol=1e-6)

    again = command("run", files / "m.onnx", "-i", f"X={files / 'x.npy'}", "-o", f"Y={y}")
    assert again.returncode == 2
    assert "--force" in again.stderr
    forced = command(
        "run", files / "m.onnx", "-i", f"X={files / 'x.npy'}", "-o", f"Y={y}", "--force"
    )
    assert forced.returncode == 0


def test_command_writes_an_archive(files: Path) -> None:
    np.savez(files / "in.npz", X=np.ones((1, 2, 5, 7), np.float32))

    done = command("run", files / "m.onnx", "-i", files / "in.npz", "-o", files / "out.npz")

    assert done.returncode == 0, done.stderr
    with np.load(files / "out.npz") as archive:
        assert sorted(archive) == ["A", "Y"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["m.onnx"], "input 'X' is missing"),
        (["m.onnx", "-i", "x.npy"], "--input must be NAME=FILE.npy or FILE.npz"),
        (["m.onnx", "-i", "X=x.npy", "-o", "Q=y.npy"], "NAME one of A, Y, got Q=y.npy"),
        (["m.onnx", "-i", "X=x.npy", "-o", "Y=y.txt"], "--output must be NAME=FILE.npy"),
        (["m.onnx", "-i", "X=x.npy", "-i", "X=x.npy"], "must give each input once"),
        (["x.npy"], "MODEL must be a file that ends in .onnx"),
        (["no.onnx"], "no.onnx: No such file"),
        (["bad.onnx"], "bad.onnx is not an ONNX model"),
        (["m.onnx", "-i", "X=no.npy"], "no.npy"),
    ],
)
def test_command_refuses_in_one_line(files: Path, arguments: list[str], message: str) -> None:
    (files / "bad.onnx").write_bytes(b"no model")
    done = subprocess.run(
        [sys.executable, "-m", "ndresize.cli", "run", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=files,
    )

    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert sorted(p.name for p in files.iterdir()) == ["bad.onnx", "m.onnx", "x.npy"]


def test_the_examples_of_the_page_print_what_it_says() -> None:
    page = Path(__file__).parent.parent / "docs" / "models.md"

    failed, ran = doctest.testfile(str(page), module_relative=False)

    assert ran > 5
    assert failed == 0
