"""Running models of resize nodes alone: what flows between nodes, and what is refused."""

from __future__ import annotations

import weakref
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from ndresize import Plan, ResizeError
from ndresize.dialects import onnx as dialect
from ndresize.models import onnx_model

Array = np.ndarray[Any, Any]


def parsed(text: str, opset: int = 19, ir: int = 9) -> onnx.ModelProto:
    return onnx.parser.parse_model(f'<ir_version: {ir}, opset_import: ["": {opset}]>\n' + text)


def run(text: str, opset: int = 19, **inputs: Any) -> dict[str, Array]:
    return onnx_model.read(parsed(text, opset)).run(inputs)


def refusal(model: onnx.ModelProto, **inputs: Any) -> str:
    with pytest.raises(ResizeError) as caught:
        onnx_model.read(model).run(inputs)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def noise(*shape: int) -> Array:
    return np.random.default_rng(3).standard_normal(shape).astype(np.float32)


PYRAMID = """g (float[1, 2, h, w] A, float[1, 2, 4, 4] B, int64[4] sizes)
        => (float[a, b, c, d] P, float[e, f, i, j] Q, float[k, l, m, n] R)
        <float[4] half = {1.0, 1.0, 0.5, 0.5}, float[0] none = {}> {
    P = Resize<mode = "linear">(A, none, half)
    copy = Identity(P)
    Q = Resize<mode = "cubic">(copy, , , sizes)
    twice = Constant<value_floats = [1.0, 1.0, 2.0, 2.0]>()
    R = Resize<nearest_mode = "floor", coordinate_transformation_mode = "asymmetric">(B, , twice)
}"""


def test_several_inputs_and_outputs_agree_with_onnx_runtime() -> None:
    feeds = {"A": noise(1, 2, 8, 12), "B": noise(1, 2, 4, 4), "sizes": np.array([1, 2, 7, 5])}

    outputs = onnx_model.read(parsed(PYRAMID)).run(feeds)

    session = onnxruntime.InferenceSession(parsed(PYRAMID).SerializeToString())
    assert list(outputs) == ["P", "Q", "R"]
    for ours, theirs in zip(outputs.values(), session.run(None, feeds), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-5)


def test_the_result_does_not_depend_on_threads() -> None:
    model = onnx_model.read(parsed(PYRAMID))
    feeds = {"A": noise(1, 2, 64, 96), "B": noise(1, 2, 4, 4), "sizes": np.array([1, 2, 99, 50])}

    one, four = model.run(feeds, threads=1), model.run(feeds, threads=4)

    for name in one:
        np.testing.assert_array_equal(one[name], four[name])
    with pytest.raises(ResizeError, match="threads must be an integer of at least 1, got 0"):
        model.run(feeds, threads=0)


def constants(kind: str) -> list[onnx.NodeProto]:
    """Return a node that makes the scales [1, 2] in one of the forms a Constant can have."""
    dense = numpy_helper.from_array(np.array([1, 2], np.float32))
    values = numpy_helper.from_array(np.array([1, 2], np.float32), "s")
    forms = {
        "value": {"value": dense},
        "value_floats": {"value_floats": [1.0, 2.0]},
        "sparse_value": {
            "sparse_value": helper.make_sparse_tensor(
                values, numpy_helper.from_array(np.array([0, 1])), [2]
            )
        },
        "sparse_value by coordinates": {
            "sparse_value": helper.make_sparse_tensor(
                values, numpy_helper.from_array(np.array([[0], [1]])), [2]
            )
        },
    }
    return [helper.make_node("Constant", [], ["s"], **forms[kind])]


@pytest.mark.parametrize(
    "kind", ["value", "value_floats", "sparse_value", "sparse_value by coordinates"]
)
def test_scales_in_every_form_of_constant(kind: str) -> None:
    model = parsed("g (float[1, 2] X) => (float[a, b] Y) { Y = Resize(X, , s) }")
    model.graph.node.insert(0, constants(kind)[0])

    read = onnx_model.read(model)

    assert read.nodes[0].constants["scales"].tolist() == [1, 2]
    assert read.run({"X": np.array([[1, 2]], np.float32)})["Y"].tolist() == [[1, 1, 2, 2]]


@pytest.mark.parametrize(
    ("attribute", "kind", "expected"),
    [
        ("value_float = 2.5", "float[]", np.float32(2.5)),
        ("value_floats = [2.5]", "float[1]", np.array([2.5], np.float32)),
        ("value_int = 3", "int64[]", np.int64(3)),
        ("value_ints = [3, 4]", "int64[2]", np.array([3, 4])),
        ('value_string = "a"', "string[]", np.array("a", object)),
        ('value_strings = ["a", "bc"]', "string[2]", np.array(["a", "bc"], object)),
        ("value = string[1] {'é'}", "string[1]", np.array(["é"], object)),
        ("value = int8[2] {1, -1}", "int8[2]", np.array([1, -1], np.int8)),
    ],
)
def test_constants_can_be_outputs(attribute: str, kind: str, expected: Any) -> None:
    attribute = attribute.replace("'", '"')
    y = run(f"g () => ({kind} Y) {{ Y = Constant<{attribute}>() }}")["Y"]

    assert isinstance(y, np.ndarray)
    assert y.dtype == expected.dtype
    assert y.shape == expected.shape
    assert y.tolist() == expected.tolist()


def test_sparse_initializers() -> None:
    model = parsed("g (float[3] X) => (float[a, b] Y) { Y = Resize(W, , s) }")
    del model.graph.input[:]
    model.graph.initializer.append(numpy_helper.from_array(np.array([1, 2], np.float32), "s"))
    model.graph.sparse_initializer.append(
        helper.make_sparse_tensor(
            numpy_helper.from_array(np.array([5, 7], np.float32), "W"),
            numpy_helper.from_array(np.array([[0, 1], [1, 0]])),
            [2, 2],
        )
    )

    y = onnx_model.read(model).run({})["Y"]

    assert y.tolist() == [[0, 0, 5, 5], [7, 7, 0, 0]]


@pytest.mark.parametrize(
    ("indices", "dims", "message"),
    [
        (np.array([0, 2]), [2], "needs as many indices in it as values"),
        (np.array([-1, 1]), [2], "needs as many indices in it as values"),
        (np.array([0]), [2], "needs as many indices in it as values"),
        (np.array([[0, 0], [0, 2]]), [1, 2], "needs as many indices in it as values"),
        (np.array([[[0]], [[1]]]), [2], "needs as many indices in it as values"),
        (np.array([0, 1], np.float32), [2], "the indices must be int64, got float32"),
        (np.array([0, 1]), [-2], "an array of shape [-2] does not fit into memory"),
        (np.array([0, 1]), [2**50], "does not fit into memory"),
    ],
)
def test_damaged_sparse_tensors(indices: Array, dims: list[int], message: str) -> None:
    model = parsed("g (float[2] X) => (float[a] Y) { Y = Resize(X, , s) }")
    sparse = model.graph.sparse_initializer.add(dims=dims)
    sparse.values.CopyFrom(numpy_helper.from_array(np.array([1, 2], np.float32), "s"))
    sparse.indices.CopyFrom(numpy_helper.from_array(indices))

    text = refusal(model, X=np.zeros(2, np.float32))

    assert text.startswith("initializer 's': ")
    assert message in text


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({}, "must have exactly one value attribute, got none"),
        ({"value_int": 1, "value_float": 1.0}, "must have exactly one value attribute, got 'value"),
        ({"value_none": 1}, "value_int(s), value_string(s) or sparse_value, got 'value_none'"),
        ({"value_ints": 1.0}, "got 'value_ints' of type FLOAT"),
    ],
)
def test_damaged_constants(attributes: dict[str, Any], message: str) -> None:
    model = parsed("g (float[2] X) => (float[a] Y) { Y = Resize(X, , s) }")
    model.graph.node.insert(0, helper.make_node("Constant", [], ["s"], **attributes))

    text = refusal(model, X=np.zeros(2, np.float32))

    assert text.startswith("the Constant that gives 's' must have ")
    assert message in text


def test_references_outside_of_functions() -> None:
    model = parsed("g (float[2] X) => (float[a] Y) { Y = Resize(X, , s) }")
    model.graph.node.insert(0, helper.make_node("Constant", [], ["s"], value_floats=[2.0]))
    model.graph.node[0].attribute[0].ref_attr_name = "how"
    x = np.zeros(2, np.float32)
    assert refusal(model, X=x) == (
        "the Constant that gives 's' must have a value, got a reference to 'how' of a function"
    )

    model.graph.node[0].attribute[0].ref_attr_name = ""
    model.graph.node[1].attribute.add(
        name="mode", type=onnx.AttributeProto.STRING, ref_attr_name="how"
    )
    text = "attribute mode must have a value, got a reference to 'how' of a function"
    assert onnx_model.read(model).nodes[0].reason == text
    assert refusal(model, X=x).endswith(text)


def test_an_attribute_given_twice() -> None:
    model = parsed("g (float[2] X) => (float[a] Y) <float[1] s = {2.0}> { Y = Resize(X, , s) }")
    for mode in ("linear", "nearest"):
        model.graph.node[0].attribute.append(helper.make_attribute("mode", mode))

    assert refusal(model, X=np.zeros(2, np.float32)).endswith(
        "every attribute must be given once, got 'mode', 'mode'"
    )


TYPES = [
    *(np.dtype(f"{kind}{bits}") for kind in ("int", "uint") for bits in (8, 16, 32, 64)),
    *map(np.dtype, (np.float16, np.float32, np.float64, np.complex64, np.complex128, np.bool_)),
    np.dtype(ml_dtypes.bfloat16),
    np.dtype(object),
]


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_every_element_type(dtype: np.dtype[Any]) -> None:
    if dtype.kind == "O":
        kind, x = TensorProto.STRING, np.array(["a", "b"], object)
    else:
        kind, x = helper.np_dtype_to_tensor_dtype(dtype), np.array([0, 1]).astype(dtype)
    model = parsed("g (float[2] X) => (float[a] Y) <float[1] s = {2.0}> { Y = Resize(X, , s) }")
    for info in (*model.graph.input, *model.graph.output):
        info.type.tensor_type.elem_type = kind

    read = onnx_model.read(model)
    y = read.run({"X": x})["Y"]

    assert y.dtype == dtype
    assert y.tolist() == [x[0], x[0], x[1], x[1]]
    assert read.nodes[0].plan == dialect.resize.plan((2,), dtype, scales=[2])


def test_numpys_own_strings_and_byte_orders_are_taken() -> None:
    text = "g (KIND[2] X) => (KIND[a] Y) <float[1] s = {2.0}> { Y = Resize(X, , s) }"

    words = run(text.replace("KIND", "string"), X=np.array(["a", "bc"]))["Y"]
    numbers = run(text.replace("KIND", "float"), X=np.array([1, 2], ">f4"))["Y"]
    raw = np.array([1, 2], ml_dtypes.bfloat16).view("V2")  # as np.load gives bfloat16
    halves = run(text.replace("KIND", "bfloat16"), X=raw)["Y"]

    assert words.tolist() == ["a", "a", "bc", "bc"]
    assert numbers.tolist() == [1, 1, 2, 2]
    assert numbers.dtype == np.float32
    assert halves.dtype == ml_dtypes.bfloat16
    assert halves.tolist() == [1, 1, 2, 2]


def test_outputs_never_share_memory_with_inputs_or_each_other() -> None:
    model = onnx_model.read(
        parsed("""g (float[2] X) => (float[2] A, float[2] B, float[2] C, float[a] D)
            <float[2] C = {1.0, 2.0}, float[1] one = {1.0}> {
            A = Identity(X)
            D = Resize(X, , one)
            B = Identity(D)
        }""")
    )
    x = np.array([3, 4], np.float32)

    outputs = model.run({"X": x})
    for number, y in enumerate(outputs.values()):
        y[:] = number

    assert [y.tolist() for y in outputs.values()] == [[0, 0], [1, 1], [2, 2], [3, 3]]
    assert x.tolist() == [3, 4]
    assert [y.tolist() for y in model.run({"X": x}).values()] == [[3, 4], [3, 4], [1, 2], [3, 4]]


def test_values_are_dropped_after_their_last_use() -> None:
    """A chain holds two large values at a time, not all of them."""
    steps = "".join(f"V{k + 1} = Resize(V{k}, , s)\n" for k in range(6))
    model = onnx_model.read(
        parsed(f"g (float[n] V0) => (float[m] V6) <float[1] s = {{1.0}}> {{ {steps} }}")
    )
    alive: list[int] = []
    run_plan = Plan.__call__
    made: list[Any] = []

    class Counted(np.ndarray[Any, Any]):
        pass

    def counting(plan: Plan, x: Any, *args: Any, **kwargs: Any) -> Any:
        y = np.asarray(run_plan(plan, np.asarray(x), *args, **kwargs)).view(Counted)
        made.append(weakref.ref(y))
        alive.append(sum(ref() is not None for ref in made))
        return y

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Plan, "__call__", counting)
        model.run({"V0": np.zeros(3, np.float32)})

    assert len(made) == 6
    assert max(alive) <= 2


def test_defaults_of_inputs_can_be_replaced() -> None:
    text = "g (float[1] X, float[1] s = {2.0}) => (float[a] Y) { Y = Resize(X, , s) }"
    x = np.array([1], np.float32)
    read = onnx_model.read(parsed(text))

    assert [t.name for t in read.inputs] == ["X"]
    assert [t.name for t in read.accepted] == ["X", "s"]
    assert read.run({"X": x})["Y"].tolist() == [1, 1]
    assert read.run({"X": x, "s": np.array([3], np.float32)})["Y"].tolist() == [1, 1, 1]


def test_scales_may_come_out_of_a_resize() -> None:
    text = """g (float[2] X, float[1] one) => (float[a] Y) <int64[1] n = {1}> {
        s = Resize(one, , , n)
        Y = Resize(X, , s)
    }"""
    x = np.array([1, 2], np.float32)

    assert run(text, X=x, one=np.array([2], np.float32))["Y"].tolist() == [1, 1, 2, 2]
    assert "the Resize that gives 'Y': scales must be finite" in refusal(
        parsed(text), X=x, one=np.array([-2], np.float32)
    )


def test_the_last_node_is_checked_before_the_first_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Plan, "__call__", lambda *_, **__: pytest.fail("something was computed"))
    text = """g (float[2, 2] X) => (float[a, b] Y) <float[2] s = {2.0, 2.0}, float[1] t = {2.0}> {
        A = Resize(X, , s)
        B = Identity(A)
        Y = Resize(B, , t)
    }"""

    assert refusal(parsed(text), X=np.zeros((2, 2), np.float32)) == (
        "the Resize that gives 'Y': scales must have 2 entries, one per axis of X, got 1"
    )


def test_other_operators_are_refused_by_name_and_before_the_inputs_are_looked_at() -> None:
    model = parsed("""g (float[2] X) => (float[a] Y) <float[1] s = {2.0}> {
        A = Relu(X)  B = Relu(A)  C = Clip(B)  Y = Resize(C, , s) }""")

    assert refusal(model) == (
        "the model must have no operators but Resize, Upsample, Constant, Identity to be run, got "
        "Relu, Clip; run it in onnx.reference.ReferenceEvaluator with "
        "new_ops=ndresize.models.onnx_reference.OPS"
    )
    model.graph.node[0].op_type = "Re\nlu"
    assert "got Re\\nlu, Relu, Clip;" in refusal(model)


OPEN = """g (float[n, 3] X, int64[2] z) => (float[a, b] Y) { Y = Resize(X, , , z) }"""


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({}, "input 'X' is missing; got none, the model's inputs: 'X' (float32, [n, 3]), 'z' (int"),
        ({"X": np.zeros((2, 3), np.float32)}, "input 'z' is missing; got 'X', the model's inputs"),
        ({"x": 1}, "the model has no input 'x'; its inputs: 'X' (float32, [n, 3]), 'z' (int64, [2"),
        ({"X": np.zeros((2, 3))}, "input 'X' must be float32, got float64; convert it first"),
        ({"X": np.array([["a"] * 3])}, "input 'X' must be float32, got string; convert it first"),
        ({"X": np.array([[None] * 3])}, "input 'X' must be float32, got objects; convert it first"),
        ({"X": [[1], [2, 3]]}, "input 'X' must be an array, got list: "),
        (
            {"X": np.zeros(3, np.float32)},
            "input 'X' (float32, [n, 3]) does not take an array of sh",
        ),
        ({"X": np.zeros((2, 4), np.float32)}, "does not take an array of shape [2, 4]"),
        ({"z": np.zeros(3, np.int64)}, "'z' (int64, [2]) does not take an array of shape [3]"),
        ({"z": np.array([2, 0])}, "the Resize that gives 'Y': sizes must be greater than 0, got 0"),
    ],
)
def test_inputs_must_be_what_the_model_declares(inputs: dict[str, Any], message: str) -> None:
    if set(inputs) == {"z"}:
        inputs = {"X": np.zeros((2, 3), np.float32), **inputs}
    elif "X" in inputs and message[:9] != "input 'z'":
        inputs = {**inputs, "z": np.array([2, 3])}

    assert message in refusal(parsed(OPEN), **inputs)


def test_a_negative_length_stands_for_any_as_some_exporters_write_it() -> None:
    model = parsed("g (float[2] X) => (float[a] Y) <float[1] s = {2.0}> { Y = Resize(X, , s) }")
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_value = -1

    read = onnx_model.read(model)

    assert read.inputs[0].shape == (None,)
    assert read.run({"X": np.zeros(3, np.float32)})["Y"].shape == (6,)


def test_strings_keep_every_character() -> None:
    """NumPy's own strings would lose a zero at the end."""
    model = parsed("g () => (string[a] Y) <float[1] s = {2.0}> { Y = Resize(W, , s) }")
    model.graph.initializer.add(
        name="W", data_type=TensorProto.STRING, dims=[1], string_data=[b"a\0"]
    )

    assert onnx_model.read(model).run({})["Y"].tolist() == ["a\0", "a\0"]


def test_objects_are_no_strings() -> None:
    model = parsed("g (string[2] X) => (string[a] Y) <float[1] s = {2.0}> { Y = Resize(X, , s) }")

    assert refusal(model, X=np.array(["a", 1], object)) == (
        "input 'X' must be string, got objects; convert it first"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Y = Resize(Q, , s)", "the Resize that gives 'Y' reads 'Q', which nothing before it give"),
        ("Y = Identity(A)  A = Resize(X, , s)", "the Identity that gives 'Y' reads 'A', which not"),
        ("X = Resize(X, , s)  Y = Identity(X)", "gives 'X', which is given already"),
        ("Y = Resize(X, , s)  Y = Identity(X)", "gives 'Y', which is given already"),
        ("A = Resize(X, , s)", "output 'Y' is given by no node of the model"),
        ("Y, Z = Resize(X, , s)", "must have one output, got ['Y', 'Z']"),
        ("Y = Identity(X, s)", "the Identity that gives 'Y' must have one input, got ['X', 's']"),
        ("Y = Identity()", "the Identity that gives 'Y' must have one input, got []"),
    ],
)
def test_graphs_that_do_not_hang_together(text: str, message: str) -> None:
    model = parsed(f"g (float[2] X) => (float[a] Y) <float[1] s = {{2.0}}> {{ {text} }}")

    assert message in refusal(model, X=np.zeros(2, np.float32))


@pytest.mark.parametrize(
    ("signature", "message"),
    [
        ("(float[2] X) => ()", "the model must have an output, got none"),
        ("(float[2] X, float[2] X) => (float[a] Y)", "every input must have a name of its own"),
        ("(float[2] X) => (float[a] Y, float[a] Y)", "every output must have a name of its own"),
        ("(seq(float[2]) X) => (float[a] Y)", "input 'X' must be a tensor, got sequence_type"),
        ("(optional(float[2]) X) => (float[a] Y)", "input 'X' must be a tensor, got optional_type"),
        (
            "(float8e5m2[2] X) => (float[a] Y)",
            "input 'X' must have an element type that Resize tak",
        ),
        (
            "(float[2] X) => (int32[a] Y)",
            "the model declares output 'Y' (int32, [a]) and its nodes",
        ),
    ],
)
def test_signatures_that_cannot_be(signature: str, message: str) -> None:
    model = parsed(f"g {signature} <float[1] s = {{2.0}}> {{ Y = Resize(X, , s) }}")

    assert message in refusal(model, X=np.zeros(2, np.float32))


def test_messages_name_the_node() -> None:
    model = parsed("g (float[2] X) => (float[a] Y) <float[1] s = {-2.0}> { Y = Resize(X, , s) }")
    model.graph.node[0].name = "up\n1"

    text = refusal(model, X=np.zeros(2, np.float32))

    assert text.startswith("Resize 'up\\n1': scales must be finite and greater than 0")


def test_long_lists_in_messages_are_cut() -> None:
    names = ", ".join(f"float[2] I{k}" for k in range(100))
    model = parsed(f"g ({names}) => (float[2] Y) {{ Y = Identity(I0) }}")

    assert refusal(model, Z=0).endswith("'I7' (float32, [2]) and 92 more")


def test_models_from_before_opsets_have_opset_1() -> None:
    model = parsed("g (float[2] X) => (float[2] Y) { Y = Identity(X) }")
    model.ir_version = 2
    model.ClearField("opset_import")

    read = onnx_model.read(model)

    assert read.opset == 1
    assert read.run({"X": np.ones(2, np.float32)})["Y"].tolist() == [1, 1]
