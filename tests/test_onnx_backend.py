"""The cases that the onnx package builds, through every door that ndresize has."""

from __future__ import annotations

import unittest
from typing import Any

import numpy as np
import onnx
import pytest
from onnx.backend.test.runner import Runner
from onnx.reference import ReferenceEvaluator

import ndresize
from ndresize.dialects import onnx as dialect
from ndresize.models import onnx_backend, onnx_reference

with np.errstate(all="ignore"):
    # Building the cases of all operators would warn: some show overflow on purpose.
    from onnx.backend.test.case.node import collect_testcases

    CASES = {
        case.name: case
        for case in collect_testcases(None)
        if case.model.graph.node[0].op_type in ("Resize", "Upsample")
    }


def test_there_are_39_cases_of_resize_and_one_of_upsample() -> None:
    operators = [case.model.graph.node[0].op_type for case in CASES.values()]

    assert operators.count("Resize") == 39
    assert operators.count("Upsample") == 1


def check(case: Any, outputs: Any) -> None:
    assert len(case.data_sets) == 1
    for expected, y in zip(case.data_sets[0][1], outputs, strict=True):
        assert y.shape == expected.shape
        assert y.dtype == expected.dtype
        np.testing.assert_allclose(y, expected, rtol=case.rtol, atol=case.atol)


@pytest.mark.parametrize("name", sorted(CASES))
def test_dialect(name: str) -> None:
    case = CASES[name]
    node = case.model.graph.node[0]
    values = iter(case.data_sets[0][0])
    data = [next(values) if used else None for used in node.input]
    attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}

    if node.op_type == "Resize":
        inputs = dict(zip(("roi", "scales", "sizes"), data[1:], strict=False))
        y = dialect.resize(data[0], **inputs, **attributes)
    else:
        y = dialect.upsample(*data, **attributes)

    check(case, [y])


@pytest.mark.parametrize("name", sorted(CASES))
def test_backend(name: str) -> None:
    case = CASES[name]

    assert onnx_backend.is_compatible(case.model)
    check(case, onnx_backend.prepare(case.model).run(case.data_sets[0][0]))
    check(case, onnx_backend.run_model(case.model, case.data_sets[0][0]))


@pytest.mark.parametrize("name", sorted(CASES))
def test_reference_evaluator_with_our_operators(name: str) -> None:
    case = CASES[name]
    names = [value.name for value in case.model.graph.input]
    session = ReferenceEvaluator(case.model, new_ops=onnx_reference.OPS)

    check(case, session.run(None, dict(zip(names, case.data_sets[0][0], strict=True))))


def test_onnx_suite_can_point_at_the_backend() -> None:
    """The public runner of backend tests, restricted to the two operators."""
    with np.errstate(all="ignore"):
        runner = onnx.backend.test.BackendTest(onnx_backend, "ndresize")
    assert isinstance(runner, Runner)
    runner.include("^test_(resize|upsample)_.*_cpu$")
    suite = unittest.TestSuite(
        test
        for case in runner.test_cases.values()
        for test in unittest.defaultTestLoader.loadTestsFromTestCase(case)
    )
    result = unittest.TestResult()
    suite.run(result)

    ran = result.testsRun - len(result.skipped)
    assert ran == 40
    assert not result.failures
    assert not result.errors


def test_run_node() -> None:
    node = onnx.helper.make_node("Resize", ["X", "", "s"], ["Y"], mode="linear")
    x = np.array([0, 1, 2, 3], np.float32)

    (y,) = onnx_backend.run_node(node, [x, np.array([0.5], np.float32)])

    np.testing.assert_array_equal(y, [0.5, 2.5])


def test_refusals() -> None:
    relu = onnx.helper.make_node("Relu", ["X"], ["Y"])
    graph = onnx.helper.make_graph(
        [relu],
        "g",
        [onnx.helper.make_tensor_value_info("X", 1, [2])],
        [onnx.helper.make_tensor_value_info("Y", 1, [2])],
    )
    model = onnx.helper.make_model(graph)

    assert not onnx_backend.is_compatible(model)
    assert onnx_backend.supports_device("CPU")
    assert not onnx_backend.supports_device("CUDA")
    with pytest.raises(ndresize.ResizeError, match="got Relu"):
        onnx_backend.prepare(model)
    with pytest.raises(ndresize.ResizeError, match="must be one of Resize, Upsample, got Relu"):
        onnx_backend.run_node(relu, [np.zeros(2, np.float32)])
    with pytest.raises(ndresize.ResizeError, match="device must be CPU, got 'CUDA'"):
        onnx_backend.prepare(next(iter(CASES.values())).model, device="CUDA")


def parsed(text: str, opset: int = 19) -> onnx.ModelProto:
    return onnx.parser.parse_model(f'<ir_version: 9, opset_import: ["": {opset}]>\n{text}')


def test_inputs_of_a_model_in_every_form() -> None:
    ready = onnx_backend.prepare(
        parsed("""g (float[2] X, float[1] s = {2.0}) => (float[a] Y, float[2] Z) {
            Y = Resize(X, , s)
            Z = Identity(X)
        }""")
    )
    x, s = np.array([1, 2], np.float32), np.array([1.5], np.float32)

    outputs = ready.run([x])

    assert isinstance(outputs, tuple)
    assert [y.tolist() for y in outputs] == [[1, 1, 2, 2], [1, 2]]
    assert outputs["Y"] is outputs[0]
    assert ready.run(x)[0].tolist() == [1, 1, 2, 2]
    assert ready.run({"X": x})[0].tolist() == [1, 1, 2, 2]
    assert ready.run([x, s])[0].tolist() == [1, 1, 2]
    assert ready.run({"X": x, "s": s})[0].tolist() == [1, 1, 2]
    with pytest.raises(ndresize.ResizeError, match="the model has the inputs 'X', 's'; got 3"):
        ready.run([x, s, x])
    with pytest.raises(ndresize.ResizeError, match="input 'X' is missing; got none"):
        ready.run([])


def test_inputs_of_a_node_in_every_form() -> None:
    node = onnx.helper.make_node("Resize", ["X", "", "s"], ["Y"])
    x, s = np.array([1, 2], np.float32), np.array([2], np.float32)

    for inputs in ([x, s], (x, None, s), {"s": s, "X": x}, [[1, 2], s]):
        assert onnx_backend.run_node(node, inputs)["Y"].tolist() == [1, 1, 2, 2]
    with pytest.raises(ndresize.ResizeError, match="the node has the inputs 'X', '', 's'; got 4"):
        onnx_backend.run_node(node, [x, s, s, s])
    with pytest.raises(ndresize.ResizeError, match="input 's' of the node is missing; got 'X'"):
        onnx_backend.run_node(node, {"X": x})


def test_the_opset_of_a_node_can_be_told() -> None:
    node = onnx.helper.make_node("Resize", ["X", "", "s"], ["Y"], axes=[0])
    inputs = [np.array([1, 2], np.float32), np.array([2], np.float32)]

    assert onnx_backend.run_node(node, inputs, opset_version=18)[0].tolist() == [1, 1, 2, 2]
    with pytest.raises(ndresize.ResizeError, match="axes came with opset 18; the opset is 17"):
        onnx_backend.run_node(node, inputs, opset_version=17)
    old = onnx.helper.make_node("Upsample", ["X", "s"], ["Y"])
    assert onnx_backend.run_node(old, inputs, opset_version=9)[0].tolist() == [1, 1, 2, 2]
    with pytest.raises(ndresize.ResizeError, match="Upsample was removed with opset 10"):
        onnx_backend.run_node(old, inputs)


def test_the_module_and_the_class_are_the_same_backend() -> None:
    for name in ("is_compatible", "prepare", "run_model", "run_node", "supports_device"):
        assert getattr(onnx_backend, name) == getattr(onnx_backend.ResizeBackend, name)
    assert issubclass(onnx_backend.ResizeBackend, onnx.backend.base.Backend)
    assert onnx_backend.supports_device("CPU:0")
    assert not onnx_backend.supports_device("CPUX")


def test_a_wrong_answer_would_turn_the_suite_red(monkeypatch: pytest.MonkeyPatch) -> None:
    """The suite compares: one sample off by a little is a failure in every case."""
    run = ndresize.Plan.__call__

    def off(plan: ndresize.Plan, x: Any, *args: Any, **kwargs: Any) -> Any:
        y = run(plan, x, *args, **kwargs)
        y[(0,) * y.ndim] += 0.01
        return y

    monkeypatch.setattr(ndresize.Plan, "__call__", off)
    with np.errstate(all="ignore"):
        runner = onnx.backend.test.BackendTest(onnx_backend, "ndresize")
    runner.include("^test_(resize|upsample)_.*_cpu$")
    result = unittest.TestResult()
    runner.test_suite.run(result)

    assert len(result.failures) == 40
