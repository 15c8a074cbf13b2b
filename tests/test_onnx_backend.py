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
