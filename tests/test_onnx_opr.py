"""Resize and Upsample inside ONNX's ReferenceEvaluator, with other operators around them."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

from ndresize import ResizeError
from ndresize.dialects import onnx as dialect
from ndresize.models.onnx_reference import OPS


def parsed(text: str, opset: int, more: str = "") -> onnx.ModelProto:
    return onnx.parser.parse_model(f'<ir_version: 9, opset_import: ["": {opset}{more}]>\n' + text)


def ours(model: onnx.ModelProto, **feeds: Any) -> list[Any]:
    outputs: list[Any] = ReferenceEvaluator(model, new_ops=OPS).run(None, feeds)
    return outputs


X = np.random.default_rng(1).standard_normal((1, 2, 6, 8)).astype(np.float32)

BETWEEN = """g (float[1, 2, 6, 8] X) => (float[a, b, c, d] Y)
<float[0] roi = {}, float[4] s = {S}> {
    N = Neg(X)
    R = NODE
    Y = Add(R, R)
}"""


@pytest.mark.parametrize(
    ("opset", "node", "call"),
    [
        (10, 'Resize<mode = "linear">(N, s)', {"mode": "linear"}),
        (11, 'Resize<mode = "cubic">(N, roi, s)', {"mode": "cubic"}),
        (12, 'Resize<mode = "linear">(N, roi, s)', {"opset": 11, "mode": "linear"}),
        (
            11,
            'Resize<coordinate_transformation_mode = "tf_half_pixel_for_nn">(N, roi, s)',
            {"coordinate_transformation_mode": "tf_half_pixel_for_nn"},
        ),
        (13, 'Resize<nearest_mode = "ceil">(N, , s)', {"nearest_mode": "ceil"}),
        (18, 'Resize<mode = "linear", antialias = 1>(N, , s)', {"mode": "linear", "antialias": 1}),
        (
            19,
            'Resize<coordinate_transformation_mode = "half_pixel_symmetric">(N, , s)',
            {"coordinate_transformation_mode": "half_pixel_symmetric"},
        ),
        (22, 'Resize<mode = "cubic">(N, , s)', {"opset": 19, "mode": "cubic"}),
    ],
)
def test_resize_means_what_the_opset_of_the_model_says(
    opset: int, node: str, call: dict[str, Any]
) -> None:
    scales = [1, 1, 0.75, 1.5]
    text = BETWEEN.replace("{S}", "{1.0, 1.0, 0.75, 1.5}").replace("NODE", node)

    (y,) = ours(parsed(text, opset), X=X)

    expected = dialect.resize(-X, scales=scales, **{"opset": opset, **call})
    np.testing.assert_array_equal(y, expected + expected)


@pytest.mark.parametrize(
    ("opset", "node"),
    [
        (7, 'Upsample<mode = "linear", scales = [1.0, 1.0, 1.5, 2.0]>(N)'),
        (8, 'Upsample<mode = "linear", scales = [1.0, 1.0, 1.5, 2.0]>(N)'),
        (9, 'Upsample<mode = "linear">(N, s)'),
    ],
)
def test_upsample_takes_its_scales_from_where_the_opset_has_them(opset: int, node: str) -> None:
    text = BETWEEN.replace("{S}", "{1.0, 1.0, 1.5, 2.0}").replace("NODE", node)

    (y,) = ours(parsed(text, opset), X=X)

    expected = dialect.upsample(-X, [1, 1, 1.5, 2], mode="linear")
    np.testing.assert_array_equal(y, expected + expected)


def test_attributes_of_a_function_reach_the_node() -> None:
    model = parsed(
        """g (float[4] X) => (float[a] Y) { H = own.half<how = "linear">(X)  Y = Neg(H) }
        <opset_import: ["": 19], domain: "own"> half <how> (A) => (B) {
            s = Constant<value_floats = [0.5]>()
            B = Resize<mode: string = @how>(A, , s)
        }""",
        19,
        ', "own": 1',
    )

    (y,) = ours(model, X=np.array([0, 1, 2, 3], np.float32))

    assert y.tolist() == [-0.5, -2.5]


@pytest.mark.parametrize(("flag", "expected"), [(True, [0, 0, 1, 1]), (False, [0, 0.25, 0.75, 1])])
def test_nodes_in_branches(flag: bool, expected: list[float]) -> None:
    model = parsed(
        """g (float[2] X, bool flag) => (float[a] Y) <float[1] s = {2.0}> {
            Y = If(flag) <
                then_branch = t () => (float[b] T) { T = Resize(X, , s) },
                else_branch = e () => (float[c] E) { E = Resize<mode = "linear">(X, , s) }
            >
        }""",
        19,
    )

    (y,) = ours(model, X=np.array([0, 1], np.float32), flag=np.array(flag))

    assert y.tolist() == expected


def test_our_operators_are_the_ones_that_run() -> None:
    """The reference cannot resize strings, loses the low bits of int64, and refuses bool."""
    text = (
        "g (KIND[2] X) => (KIND[a] Y) <float[1] s = {2.0}> { Z = Identity(X) Y = Resize(Z, , s) }"
    )
    big = np.array([2**60 + 1, -(2**60) - 1])

    (words,) = ours(parsed(text.replace("KIND", "string"), 19), X=np.array(["a", "b"], object))
    (labels,) = ours(parsed(text.replace("KIND", "int64"), 19), X=big)
    (flags,) = ours(parsed(text.replace("KIND", "bool"), 19), X=np.array([True, False]))

    assert words.tolist() == ["a", "a", "b", "b"]
    assert labels.tolist() == [big[0], big[0], big[1], big[1]]
    assert flags.tolist() == [True, True, False, False]


@pytest.mark.parametrize(
    ("opset", "node", "message"),
    [
        (19, "Resize(N, , t)", "scales must have 4 entries, one per axis of X, got 1"),
        (19, "Resize(N)", "give scales or sizes; got neither"),
        (
            19,
            "Resize(N, , s, , s)",
            "Resize-19 must have the inputs X, roi, scales, sizes, got one",
        ),
        (13, "Upsample(N, s)", "Upsample was removed with opset 10"),
        (9, "Resize(N, s)", "Resize came with opset 10; the opset is 9"),
        (9, "Upsample(N, d)", "scales of Upsample must be at least 1, got 0.5"),
        (13, "Resize<antialias = 1>(N, , s)", "antialias came with opset 18; the opset is 13"),
        (19, "Resize<opset = 11>(N, , s)", "unknown attribute 'opset'; Resize-19 has: antialias"),
    ],
)
def test_refusals_reach_the_caller(opset: int, node: str, message: str) -> None:
    text = BETWEEN.replace("{S}", "{1.0, 1.0, 2.0, 2.0}").replace("NODE", node)
    more = "float[1] t = {2.0}, float[4] d = {1.0, 1.0, 0.5, 2.0}, float[4] s"

    with pytest.raises(ResizeError) as caught:
        ours(parsed(text.replace("float[4] s", more), opset), X=X)

    assert message in str(caught.value)
