"""`ndresize run`: names, files, types and refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import pytest

pytest.importorskip("typer")
from typer.testing import CliRunner

from ndresize.cli.app import app

TWO = """<ir_version: 9, opset_import: ["": 19]>
g (float[a] X, float[b] X2) => (float[c] Y, float[d] Z) <float[1] s = {2.0}> {
    Y = Resize(X, , s)
    Z = Resize(X2, , s)
}"""


def run(*arguments: Any) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["run", *map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    onnx.save(onnx.parser.parse_model(TWO), "m.onnx")
    np.save("x.npy", np.array([1, 2], np.float32))
    np.savez("both.npz", X=np.array([1], np.float32), X2=np.array([3, 4], np.float32))
    return tmp_path


def model_of(kind: str, name: str = "X") -> None:
    model = onnx.parser.parse_model(f"""<ir_version: 9, opset_import: ["": 19]>
        g ({kind}[a] X) => ({kind}[c] Y) <float[1] s = {{2.0}}> {{ Y = Resize(X, , s) }}""")
    model.graph.input[0].name = model.graph.node[0].input[0] = name
    onnx.save(model, "one.onnx")


@pytest.mark.usefixtures("folder")
def test_arrays_and_archives_in_and_out() -> None:
    code, out, err = run("m.onnx", "--input", "both.npz", "--output", "Z=z.npy")
    assert (code, err) == (0, "")
    assert out == "Y: 2 float32\nZ: 4 float32 -> z.npy\n"
    assert np.load("z.npy").tolist() == [3, 3, 4, 4]

    code, out, _ = run(
        "m.onnx", "-i", "X=x.npy", "-i", "X2=x.npy", "-o", "all.npz", "-o", "Y=y.npy"
    )
    assert code == 0
    assert out == "Y: 4 float32 -> y.npy\nZ: 4 float32 -> all.npz\n"
    with np.load("all.npz") as archive:
        assert {k: v.tolist() for k, v in archive.items()} == {"Y": [1, 1, 2, 2], "Z": [1, 1, 2, 2]}


def test_without_outputs_nothing_is_written(folder: Path) -> None:
    before = sorted(folder.iterdir())

    code, out, _ = run("m.onnx", "-i", "both.npz", "--threads", 1)

    assert (code, out) == (0, "Y: 2 float32\nZ: 4 float32\n")
    assert sorted(folder.iterdir()) == before


@pytest.mark.usefixtures("folder")
def test_names_may_have_an_equals_sign() -> None:
    model_of("float", name="X=1")

    assert run("one.onnx", "-i", "X=1=x.npy", "-o", "Y=a=b.npy")[0] == 0
    assert np.load("a=b.npy").tolist() == [1, 1, 2, 2]


@pytest.mark.usefixtures("folder")
def test_of_two_names_the_longer_is_meant() -> None:
    model = onnx.parser.parse_model(TWO.replace("X2", "XX"))
    model.graph.input[1].name = model.graph.node[1].input[0] = "X=1"
    onnx.save(model, "m.onnx")
    np.save("y.npy", np.array([5], np.float32))

    assert run("m.onnx", "-i", "X=x.npy", "-i", "X=1=y.npy", "-o", "Z=z.npy")[0] == 0
    assert np.load("z.npy").tolist() == [5, 5]


@pytest.mark.usefixtures("folder")
def test_bfloat16_goes_through_numpys_files() -> None:
    """NumPy writes the bytes and not the name of the type; the model has the name."""
    model_of("bfloat16")
    np.save("half.npy", np.array([1, 2.5], ml_dtypes.bfloat16))

    code, out, err = run("one.onnx", "-i", "X=half.npy", "-o", "Y=y.npy")

    assert (code, out, err) == (0, "Y: 4 bfloat16 -> y.npy\n", "")
    assert np.load("y.npy").view(ml_dtypes.bfloat16).tolist() == [1, 1, 2.5, 2.5]


@pytest.mark.usefixtures("folder")
def test_strings_go_through_numpys_files() -> None:
    model_of("string")
    np.save("words.npy", np.array(["a", "ñandú"]))

    assert run("one.onnx", "-i", "X=words.npy", "-o", "Y=y.npy")[0] == 0
    assert np.load("y.npy").tolist() == ["a", "a", "ñandú", "ñandú"]


@pytest.mark.usefixtures("folder")
def test_strings_of_the_model_itself_can_be_written() -> None:
    onnx.save(
        onnx.parser.parse_model("""<ir_version: 9, opset_import: ["": 19]>
            g () => (string[c] Y) <string[1] w = {"é"}, float[1] s = {2.0}> { Y = Resize(w, , s) }
        """),
        "words.onnx",
    )

    assert run("words.onnx", "-o", "Y=y.npy")[0] == 0
    assert np.load("y.npy").tolist() == ["é", "é"]


@pytest.mark.usefixtures("folder")
def test_existing_files_are_replaced_by_force_alone() -> None:
    arguments = ("m.onnx", "-i", "both.npz", "-o", "Y=x.npy")

    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert "x.npy exists already" in err
    assert np.load("x.npy").tolist() == [1, 2]

    assert run(*arguments, "-f")[0] == 0
    assert np.load("x.npy").tolist() == [1, 1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("m.pb",), "MODEL must be a file that ends in .onnx or .xml, got m.pb"),
        (("m",), "MODEL must be a file that ends in .onnx or .xml, got m"),
        (("none.onnx",), "none.onnx: No such file or directory"),
        (("m.onnx", "-i", "Q=x.npy"), "NAME one of X, X2, got Q=x.npy"),
        (("m.onnx", "-i", "X=x.txt"), "--input must be NAME=FILE.npy or FILE.npz"),
        (("m.onnx", "-i", "X=both.npz"), "--input must be NAME=FILE.npy or FILE.npz"),
        (("m.onnx", "-i", "x.npy"), "--input must be NAME=FILE.npy or FILE.npz"),
        (("m.onnx", "-i", "X=none.npy"), "none.npy: No such file or directory"),
        (("m.onnx", "-i", "X=m.npy"), "m.npy cannot be read: "),
        (("m.onnx", "-i", "both.npz", "-i", "X=x.npy"), "must give each input once, got X again"),
        (("m.onnx", "-i", "X=x.npy"), "input 'X2' is missing; got 'X'"),
        (("m.onnx", "-i", "other.npz"), "the model has no input 'W'; its inputs: 'X' (float32"),
        (
            ("m.onnx", "-i", "both.npz", "-o", "Y=y.png"),
            "--output must be NAME=FILE.npy or FILE.np",
        ),
        (("m.onnx", "-i", "both.npz", "-o", "y.npy"), "--output must be NAME=FILE.npy or FILE.npz"),
        (
            ("m.onnx", "-i", "both.npz", "-o", "Y=a.npy", "-o", "Z=./a.npy"),
            "must not repeat an out",
        ),
        (
            ("m.onnx", "-i", "both.npz", "-o", "Y=a.npy", "-o", "Y=b.npy"),
            "must not repeat an outpu",
        ),
        (("m.onnx", "-i", "both.npz", "-o", "Y=no/a.npy"), "does not exist; make it first"),
        (("m.onnx", "-i", "none.npz", "-o", "Y=x.npy"), "x.npy exists already"),
        (("m.onnx", "-i", "both.npz", "-o", "Z=a.npy", "-o", "Y=x.npy"), "x.npy exists already"),
        (("m.onnx", "-i", "both.npz", "--threads", "0"), "for '--threads': "),
        (("conv.onnx", "-i", "none.npz"), "got Relu; run it in onnx.reference.ReferenceEvaluator"),
    ],
)
def test_refusals_are_one_line_and_leave_no_file(
    folder: Path, arguments: tuple[str, ...], message: str
) -> None:
    (folder / "m.npy").write_bytes(b"no array")
    np.savez("other.npz", W=np.zeros(1, np.float32))
    onnx.save(onnx.parser.parse_model(TWO.replace("Resize(X2, , s)", "Relu(X2)")), "conv.onnx")
    before = sorted(folder.iterdir())

    code, out, err = run(*arguments)

    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert sorted(folder.iterdir()) == before
