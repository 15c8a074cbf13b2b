"""What is told of resize nodes among other operators, without running the model."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest

from ndresize import ResizeError
from ndresize.dialects import onnx as dialect
from ndresize.models import onnx_model
from ndresize.models.onnx_nodes import ResizeNode


def parsed(text: str, opset: int = 19) -> onnx.ModelProto:
    return onnx.parser.parse_model(f'<ir_version: 9, opset_import: ["": {opset}]>\n' + text)


def only(text: str, opset: int = 19, **options: Any) -> ResizeNode:
    (node,) = onnx_model.read(parsed(text, opset), **options).nodes
    return node


def test_a_node_tells_what_the_model_says() -> None:
    node = only("""g (float[1, 3, 8, 8] image) => (float[a, b, c, d] out)
        <int64[2] half = {4, 4}> {
            R = Relu(image)
            out = Resize<mode = "linear", axes = [2, 3], antialias = 1>(R, , , half)
        }""")

    assert (node.operator, node.opset, node.version, node.where) == ("Resize", 19, 19, "")
    assert node.inputs == {"X": "R", "sizes": "half"}
    assert node.output == "out"
    assert node.attributes == {"mode": "linear", "axes": [2, 3], "antialias": 1}
    assert node.tensors["X"].dtype == np.float32
    assert node.tensors["X"].shape == (1, 3, 8, 8)
    assert node.tensors["Y"].static_shape == (1, 3, 4, 4)
    assert node.constants["sizes"].tolist() == [4, 4]
    assert node.plan == dialect.resize.plan(
        (1, 3, 8, 8), np.float32, sizes=[4, 4], axes=[2, 3], mode="linear", antialias=1
    )
    assert node.reason == ""


def test_open_lengths_can_be_given() -> None:
    text = """g (float[n, 3, h, w] image) => (float[a, b, c, d] out)
        <float[4] s = {1.0, 1.0, 2.0, 2.0}> { R = Relu(image)  out = Resize(R, , s) }"""

    node, told = only(text), only(text, shapes={"image": (2, 3, 4, 5)})

    assert node.plan is None
    assert node.reason == "type and shape of X must be known, got 'R' (float32, [n, 3, h, w])"
    assert told.plan is not None
    assert told.plan.output_shape == (2, 3, 8, 10)


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        ({"pic": (1, 3, 4, 4)}, "shapes: the model's inputs are image, got pic"),
        ({"image": (1, 3, 4)}, r"input 'image' \(float32, \[n, 3, \?\]\) does not .* \[1, 3, 4\]"),
        ({"image": (1, 4)}, r"does not take the shape \[1, 4\]"),
        ({"image": (1, 3, -4)}, "shape must not have negative lengths"),
        ({"image": 3}, "shape must be a sequence of integers"),
    ],
)
def test_given_lengths_must_fit(shapes: Any, message: str) -> None:
    text = """g (float[n, 3, ?] image) => (float[a, b, c] out)
        <float[3] s = {1.0, 1.0, 2.0}> { out = Resize(image, , s) }"""
    if shapes == {"image": (1, 3, 4)}:  # fits this one and not one of another length
        text = text.replace("n, 3, ?]", "n, 3, ?]").replace("3, ?", "3, ?, 7")
        message = r"does not take the shape \[1, 3, 4\]"

    with pytest.raises(ResizeError, match=message):
        only(text, shapes=shapes)


SIZES_BY_ARITHMETIC = """g (float[1, 3, 8, 9] X, float[1, 5, 16, 20] like) => (float[a, b, c, d] Y)
    <int64[1] zero = {0}, int64[1] two = {2}, int64[1] four = {4}> {
        x_shape = Shape(X)
        like_shape = Shape(like)
        outer = Slice(x_shape, zero, two)
        inner = Slice(like_shape, two, four)
        sizes = Concat<axis = 0>(outer, inner)
        Y = Resize<mode = "linear"ATTRIBUTES>(X, , , sizes)
    }"""


def test_sizes_made_of_shapes_are_followed() -> None:
    node = only(SIZES_BY_ARITHMETIC.replace("ATTRIBUTES", ""))

    assert node.constants == {}
    assert node.plan == dialect.resize.plan(
        (1, 3, 8, 9), np.float32, sizes=[1, 3, 16, 20], mode="linear"
    )


def test_sizes_are_not_guessed_from_lengths_that_a_policy_rounds() -> None:
    policy = ', keep_aspect_ratio_policy = "not_larger"'
    node = only(SIZES_BY_ARITHMETIC.replace("ATTRIBUTES", policy))

    assert node.plan is None
    assert node.reason == "sizes ('sizes') is computed while the model runs"


def test_nodes_in_branches_loops_and_the_values_they_see() -> None:
    model = parsed("""g (float[1, 1, 4, 4] X, bool flag) => (float[a, b, c, d] Y)
        <float[4] s = {1.0, 1.0, 2.0, 2.0}> {
            A = Resize(X, , s)
            Y = If(flag) <
                then_branch = t () => (float[a, b, c, d] T) {
                    s = Constant<value_floats = [1.0, 1.0, 0.5, 0.5]>()
                    T = Resize<mode = "linear">(A, , s)
                },
                else_branch = e () => (float[a, b, c, d] E) { E = Upsample(A, s) }
            >
        }""")
    model.graph.node[1].name = "choose"

    outer, then, other = onnx_model.read(model).nodes

    assert (outer.where, then.where, other.where) == (
        "",
        "choose/then_branch",
        "choose/else_branch",
    )
    assert outer.constants["scales"].tolist() == [1, 1, 2, 2]
    assert then.constants["scales"].tolist() == [1, 1, 0.5, 0.5]  # the branch's own s
    assert then.plan is not None
    assert then.plan.output_shape == (1, 1, 4, 4)
    assert other.plan is None
    assert "Upsample was removed with opset 10, whose Resize does the same" in other.reason


def test_values_that_hide_outer_constants() -> None:
    """ONNX asks for names of their own, and exporters do not always listen."""
    model = parsed("""g (float[4] X, int64 n, bool go, float[1] t) => (float[a] Y, float[b] Z)
        <float[1] s = {2.0}, float[1] r = {2.0}> {
            last, Y = Loop(n, go, t) <body = b (int64 i, bool c, float[1] s)
                => (bool c2, float[1] s2, float[k] y) {
                    c2 = Identity(c)
                    s2 = Identity(s)
                    r = Neg(s)
                    y = Resize(X, , s)
                    q = Resize(X, , r)
            }>
            Z = Resize(X, , s)
        }""")

    by_input, by_node, outer = onnx_model.read(model).nodes

    assert by_input.where == "Loop/body"
    assert by_input.constants == {}
    assert by_node.constants == {}
    assert outer.constants["scales"].tolist() == [2]


def test_local_functions_are_written_out() -> None:
    model = onnx.parser.parse_model("""<ir_version: 9, opset_import: ["": 19, "own": 1]>
        g (float[4, 6] X) => (float[a, b] Y) { H = own.halve<how = "linear">(X)  Y = Relu(H) }
        <opset_import: ["": 19], domain: "own"> halve <how> (A) => (B) {
            s = Constant<value_floats = [0.5, 0.5]>()
            B = Resize<mode: string = @how>(A, , s)
        }""")

    (node,) = onnx_model.read(model).nodes

    assert node.plan == dialect.resize.plan((4, 6), np.float32, scales=[0.5, 0.5], mode="linear")


def test_operators_of_other_domains_are_not_ours() -> None:
    model = onnx.parser.parse_model("""<ir_version: 9, opset_import: ["": 19, "shop": 1]>
        g (float[4] X) => (float[a] Y) { Y = shop.Resize(X) }""")

    assert onnx_model.read(model).nodes == ()
    with pytest.raises(ResizeError, match=r"got shop\.Resize"):
        onnx_model.read(model).run({"X": np.zeros(4, np.float32)})


def test_inputs_with_a_default_are_no_constants() -> None:
    """In models of IR version 3 initializers are inputs, so a caller may replace them."""
    node = only("""g (float[2] X, float[1] s = {2.0}) => (float[a] Y) { Y = Resize(X, , s) }""")

    assert node.constants == {}
    assert node.reason == "scales ('s') is computed while the model runs"


def test_a_region_matters_only_where_it_is_looked_at() -> None:
    text = """g (float[4] X, float[2] roi) => (float[a] Y) <float[1] s = {2.0}> {
        Y = Resize<coordinate_transformation_mode = "MODE">(X, roi, s) }"""

    assert only(text.replace("MODE", "asymmetric")).plan is not None
    cropped = only(text.replace("MODE", "tf_crop_and_resize"))
    assert cropped.reason == "roi ('roi') is computed while the model runs"


@pytest.mark.parametrize(
    ("opset", "node", "reason"),
    [
        (9, "Resize(X, s)", "Resize came with opset 10; the opset is 9"),
        (10, "Upsample(X, s)", "Upsample was removed with opset 10, whose Resize does the same"),
        (6, "Upsample(X)", "Upsample-1 is not among the known versions 7, 9; the opset is 6"),
        (13, "Resize<antialias = 1>(X, , s)", "antialias came with opset 18; the opset is 13"),
        (19, "Resize<opset = 11>(X, , s)", "unknown attribute 'opset'; Resize-19 has: antialias"),
        (9, "Upsample<nearest_mode = 'x'>(X, s)", "unknown attribute 'nearest_mode'; Upsample-9"),
        (19, "Resize<mode = 3>(X, , s)", "attribute mode must be of type STRING, got INT"),
        (
            19,
            "Resize<antialias = 1.0>(X, , s)",
            "attribute antialias must be of type INT, got FLOA",
        ),
        (
            19,
            "Resize<mode = 'liner'>(X, , s)",
            "mode must be one of nearest, linear, cubic, got 'l",
        ),
        (
            19,
            "Resize(X, , s, , s)",
            "Resize-19 must have the inputs X, roi, scales, sizes, got one",
        ),
        (19, "Resize(, , s)", "must have the inputs X, roi, scales, sizes, got none, none, one"),
        (19, "Resize()", "must have the inputs X, roi, scales, sizes, got none"),
        (19, "Resize(X, , d)", "scales must be float32, got float64"),
        (19, "Resize(X, , , s)", "sizes must be int64, got float32"),
        (19, "Resize(X, , m)", "scales must have one dimension, got an array of shape [1, 1]"),
        (19, "Resize(X)", "give scales or sizes; got neither"),
    ],
)
def test_a_node_that_has_no_plan_says_why(opset: int, node: str, reason: str) -> None:
    text = f"""g (float[4] X) => (float[a] Y)
        <float[1] s = {{2.0}}, double[1] d = {{2.0}}, float[1, 1] m = {{2.0}}> {{ Y = {node} }}"""

    found = only(text.replace("'", '"'), opset)

    assert found.plan is None
    assert reason in found.reason
    with pytest.raises(ResizeError) as caught:
        onnx_model.read(parsed(text.replace("'", '"'), opset)).run({"X": np.zeros(4, np.float32)})
    assert str(caught.value) == f"the {found.operator} that gives 'Y': {found.reason}"


def test_models_that_inference_fails_on_still_list_their_nodes() -> None:
    model = parsed("""g (float[4] X, int64[3] s) => (float[a] Y) <float[1] s = {2.0}> {
        A = Relu(X)
        Y = Resize(A, , s)
    }""")
    with pytest.raises(onnx.shape_inference.InferenceError):
        onnx.shape_inference.infer_shapes(model)

    (node,) = onnx_model.read(model).nodes

    assert node.inputs == {"X": "A", "scales": "s"}
    assert node.reason == "type and shape of X must be known, got 'A' (any type, any shape)"
