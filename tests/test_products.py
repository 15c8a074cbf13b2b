"""Products that are added in an order of their own."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from ndresize.axis import AxisOperator
from ndresize.engine import portable
from ndresize.plan import Arithmetic, Pass, Plan
from ndresize.products import TREES, Products
from other_process import run_python

Array = np.ndarray[Any, Any]


def random_products(rng: np.random.Generator, n_in: int, n_out: int) -> Products:
    """Return products of neighbours, in any order, some of one sample more than once."""
    reach = int(rng.integers(1, 6 if rng.random() < 0.8 else 17))
    first = np.sort(rng.integers(1 - reach, n_in, n_out))
    index = np.clip(first[:, None] + rng.integers(0, reach, (n_out, 4)), 0, n_in - 1)
    weights = rng.uniform(-0.5, 1, (n_out, 4)).astype(np.float32)
    weights[rng.random((n_out, 4)) < 0.05] = 0
    trees = rng.integers(0, len(TREES), n_out if rng.random() < 0.5 else ())
    return Products(index, weights, trees, n_in)


def random_plan(rng: np.random.Generator, dtype: str) -> Plan:
    shape = [int(n) for n in rng.integers(1, 60, 2)] + [int(rng.integers(1, 7))]
    if rng.random() < 0.5:
        shape.insert(0, int(rng.integers(1, 4)))
    out = list(shape)
    passes = []
    last = len(shape) - 2
    for axis in rng.permutation([last - 1, last])[: rng.integers(1, 3)]:
        n_out = int(rng.integers(1, 120))
        out[axis] = n_out
        if rng.random() < 0.8:
            passes.append(Pass.of_products(int(axis), random_products(rng, shape[axis], n_out)))
        else:
            picks = AxisOperator.select(rng.integers(0, shape[axis], n_out), shape[axis])
            passes.append(Pass(int(axis), picks, Arithmetic("float32")))
    rounding: Any = str(rng.choice(["half_even", "half_away", "truncate"]))
    kind = np.dtype(dtype)
    return Plan(tuple(shape), kind, tuple(passes), tuple(out), kind, rounding)


def noise(rng: np.random.Generator, plan: Plan) -> Array:
    info = np.iinfo(plan.input_dtype)
    x = rng.integers(info.min, info.max, plan.input_shape, plan.input_dtype, endpoint=True)
    if rng.random() < 0.3:
        x = np.asfortranarray(x)
    if rng.random() < 0.3:
        x = np.ascontiguousarray(x[::-1])[::-1]
    return x


def compiled_answers_are_the_portable_ones(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for dtype in ("uint8", "int8", "uint16", "int16"):
        for _ in range(60):
            plan = random_plan(rng, dtype)
            x = noise(rng, plan)
            y = plan(x, threads=int(rng.integers(1, 4)))
            assert any(program is not None for program in plan._programs.values()), plan
            np.testing.assert_array_equal(y, portable.run(plan, x), err_msg=repr(plan))


@pytest.mark.parametrize("instruction_set", ["baseline", "avx2", "avx512", "vnni", "vbmi"])
def test_compiled_answers_are_the_portable_ones(instruction_set: str) -> None:
    code = (
        "from ndresize.engine.native import instruction_set as name; "
        "from test_products import compiled_answers_are_the_portable_ones as check; "
        "name(); check(5)"
    )
    run = run_python(code, NDRESIZE_ISA=instruction_set)
    if "NDRESIZE_ISA must be one of" in run.stderr:
        pytest.skip(f"the processor has no {instruction_set}")
    assert run.returncode == 0, run.stderr


def test_large_outputs_that_were_written_before() -> None:
    """Those are streamed to memory, from any place in a line of the cache on."""
    rng = np.random.default_rng(3)
    for dtype in ("uint8", "uint16"):
        shape, out = (40, 700, 3), (1501, 4001, 3)
        passes = tuple(
            Pass.of_products(axis, random_products(rng, shape[axis], out[axis])) for axis in (1, 0)
        )
        plan = Plan(shape, np.dtype(dtype), passes, out, np.dtype(dtype))
        x = noise(rng, plan)
        expected = portable.run(plan, x)
        itemsize = plan.dtype.itemsize
        for offset in (0, 1, itemsize, 7):
            memory = np.zeros(expected.nbytes + 64, np.uint8)
            y = memory[offset : offset + expected.nbytes].view(dtype).reshape(out)
            plan(x, out=y, threads=2)
            np.testing.assert_array_equal(y, expected, err_msg=f"{dtype} {offset}")
            assert not memory[:offset].any()
            assert not memory[offset + expected.nbytes :].any()


def summed(tree: str, w: Array, x: Array) -> np.float32:
    """Return a sum of four products as the name says, with Python's own fused steps."""

    def fused(t: int, total: np.float32) -> np.float32:
        return np.float32(float(w[t]) * float(x[t]) + float(total))

    a, b, c, d = (np.float32(w[t] * x[t]) for t in range(4))
    if tree == "chain":
        return fused(3, fused(2, fused(1, a)))
    if tree == "halves":
        return np.float32(np.float32(a + b) + np.float32(c + d))
    return np.float32(fused(1, a) + fused(3, c))


@pytest.mark.parametrize("place", range(len(TREES)))
def test_portable_sums_are_those_of_the_tree(place: int) -> None:
    rng = np.random.default_rng(2)
    products = random_products(rng, 30, 200)
    products = Products(products.index, products.weights, place, 30)
    x = rng.integers(0, 65536, 30).astype(np.float32)
    kind = np.dtype("float32")
    plan = Plan((30,), kind, (Pass.of_products(0, products),), (200,), kind)
    expected = [
        summed(TREES[place], w.astype(np.float32), x[i])
        for w, i in zip(products.weights, products.index, strict=True)
    ]
    np.testing.assert_array_equal(plan(x), expected)
    others = [
        [summed(tree, w.astype(np.float32), x[i]) for tree in TREES]
        for w, i in zip(products.weights, products.index, strict=True)
    ]
    assert (np.ptp(np.array(others), axis=1) > 0).mean() > 0.1  # trees can be told apart


def test_windows_are_parts_of_the_whole() -> None:
    rng = np.random.default_rng(7)
    for _ in range(60):
        plan = random_plan(rng, "uint8")
        x = noise(rng, plan)
        window = []
        for n in plan.output_shape:
            a, b = sorted(int(k) for k in rng.integers(0, n + 1, 2))
            window.append(slice(a, b))
        part, need = plan.crop(window)
        np.testing.assert_array_equal(part(x[need]), plan(x)[tuple(window)], err_msg=repr(plan))


def test_equal_products_are_equal_plans() -> None:
    rng = np.random.default_rng(1)
    products = random_products(rng, 20, 30)
    twin = Products(products.index, products.weights, products.trees, 20)
    other = Products(products.index, products.weights, (products.trees + 1) % 3, 20)
    assert Pass.of_products(0, products) == Pass.of_products(0, twin)
    assert hash(Pass.of_products(0, products)) == hash(Pass.of_products(0, twin))
    assert Pass.of_products(0, products) != Pass.of_products(0, other)
    assert pickle.loads(pickle.dumps(products)) == products
    assert copy.deepcopy(products) == products
    with pytest.raises(AttributeError, match="immutable"):
        products.n_in = 3


def test_operator_sums_what_one_sample_is_multiplied_by() -> None:
    products = Products([[0, 0, 1, 2], [3, 2, 2, 1]], [[1, 2, 3, 4], [1, 2, 3, 4]], 0, 4)
    assert products.operator() == AxisOperator([0, 1], [[3, 3, 4], [4, 5, 1]], 4)


@pytest.mark.parametrize(
    ("index", "weights", "trees", "match"),
    [
        ([[0, 1, 2]], [[1, 1, 1]], 0, "n_out, 4"),
        ([[0, 1, 2, 4]], [[1, 1, 1, 1]], 0, "samples 0..3"),
        ([[0, 1, 2, -1]], [[1, 1, 1, 1]], 0, "samples 0..3"),
        ([[0, 1, 2, 3]], [[1, 1, 1, 1]], 3, "trees"),
    ],
)
def test_products_that_belong_to_nothing_are_refused(
    index: Any, weights: Any, trees: Any, match: str
) -> None:
    with pytest.raises(ValueError, match=match):
        Products(index, weights, trees, 4)
