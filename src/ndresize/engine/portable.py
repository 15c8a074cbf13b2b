"""Run a plan with take, multiply and add in any array-API namespace.

Slower than the compiled engine and the same sums in the same order, so it serves arrays that live
elsewhere (GPU), automatic differentiation, and as the engine's oracle.
"""

from __future__ import annotations

import itertools
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ndresize.element_types import bfloat16
from ndresize.errors import ResizeError
from ndresize.products import TREES
from ndresize.rounding import limits, round_sums
from ndresize.windows import shape_of, slices_of

if TYPE_CHECKING:
    from ndresize.axis import AxisOperator
    from ndresize.passes import Pass
    from ndresize.plan import Plan
    from ndresize.products import Products

__all__ = ["element_type_of", "fill_value", "is_foreign", "namespace", "run", "stored"]


def is_foreign(x: Any) -> bool:
    """Return whether `x` is an array of a namespace other than NumPy."""
    if isinstance(x, np.ndarray | np.generic):
        return False
    torch = sys.modules.get("torch")  # if it was never imported, x cannot be from it
    return (torch is not None and isinstance(x, torch.Tensor)) or hasattr(x, "__array_namespace__")


def namespace(x: Any) -> Any:
    """Return the array-API namespace of `x`."""
    if isinstance(x, np.ndarray):
        return np
    try:
        import array_api_compat
    except ImportError:
        raise ResizeError(
            f"an array of {type(x).__module__} needs array-api-compat: "
            "pip install 'ndresize[portable]'"
        ) from None
    return array_api_compat.array_namespace(x)


def element_type_of(x: Any) -> np.dtype[Any]:
    """Return the NumPy element type of an array of any namespace.

    Raises
    ------
    ResizeError
        If NumPy has no such type.
    """
    if isinstance(x, np.ndarray):
        own: np.dtype[Any] = x.dtype
        return own
    name = str(x.dtype).rsplit(".", maxsplit=1)[-1]  # "torch.float32", "array_api_strict.float32"
    try:
        found: np.dtype[Any] = np.dtype(name)
    except TypeError:
        pass
    else:
        return found
    if name == "bfloat16":
        return bfloat16()
    raise ResizeError(f"arrays must have an element type that NumPy has, got {x.dtype}")


def run(plan: Plan, x: Any) -> Any:
    """Return ``plan(x)``, computed in the namespace of `x`, on its device, with its gradients.

    Raises
    ------
    ResizeError
        If shape or type are not the plan's.
    """
    xp = namespace(x)
    if tuple(x.shape) != plan.input_shape:
        raise ResizeError(f"the plan is for shape {plan.input_shape}, got {tuple(x.shape)}")
    if element_type_of(x) != plan.input_dtype:
        raise ResizeError(f"the plan is for type {plan.input_dtype}, got {x.dtype}")
    y, element = x, x.dtype
    if plan.dtype != plan.input_dtype:
        element = getattr(xp, plan.dtype.name)
    if plan.patches:
        return _fill(plan, _patched(plan, x, xp), xp)
    bits = 0  # fractional bits of y, where it is fixed point
    for place, step in enumerate(plan.passes):
        how = step.arithmetic
        if how.sums == "joint":
            if place == 0 or plan.passes[place - 1].arithmetic.sums != "joint":
                y = _apply_joint(plan, _joint_passes(plan.passes[place:]), y, xp)
        elif how.accumulator == "fixed":
            y, bits = _apply_fixed(step, y, bits, xp)
            if how.store == "element":
                y, bits = _whole(plan, y, bits, how.limits, xp), 0
        else:
            if bits and how.accumulator != "element":
                y, bits = xp.astype(y, _accumulator(plan, step, xp)) * 2.0**-bits, 0
            y = _apply(plan, step, y, element, xp)
    if bits:
        y = _whole(plan, y, bits, None, xp)
    y = stored(plan, y, element, xp)
    return _fill(plan, y, xp)


def stored(plan: Plan, y: Any, element: Any, xp: Any) -> Any:
    """Return what is after all passes in the output's type, which is `element` in `xp`."""
    if not plan.is_selection:
        return _store(plan, y, xp, element)
    return y if plan.dtype == plan.input_dtype else xp.astype(y, element)


def _constant(values: np.ndarray[Any, Any], like: Any, xp: Any) -> Any:
    """Return a NumPy array as one of `xp`, on the device of `like`."""
    device = getattr(like, "device", None)
    if xp is np:
        return values
    return xp.asarray(values.copy(), device=device)  # a plan's arrays are read-only: torch warns


def _accumulator(plan: Plan, step: Pass, xp: Any) -> Any:
    name: str = step.arithmetic.accumulator
    if plan.input_dtype.kind == "c":
        name = {"float32": "complex64", "float64": "complex128"}[name]
    return getattr(xp, name)


def _apply(plan: Plan, step: Pass, y: Any, element: Any, xp: Any) -> Any:
    op, axis = step.operator, step.axis
    if step.arithmetic.accumulator == "element":
        return xp.take(y, _constant(op.starts, y, xp), axis=axis)
    dtype = _accumulator(plan, step, xp)
    y = xp.astype(y, dtype)
    if op.n_in == 0 or op.n_out == 0:
        shape = tuple(op.n_out if a == axis else n for a, n in enumerate(y.shape))
        return xp.zeros(shape, dtype=dtype)
    if step.products is not None:
        return _settle(plan, step, _add_products(step.products, y, axis, xp), element, xp)
    column = tuple(-1 if a == axis else 1 for a in range(len(y.shape)))
    zero = xp.zeros((), dtype=dtype)
    if (device := getattr(y, "device", None)) is not None and xp is not np:
        zero = xp.zeros((), dtype=dtype, device=device)
    if step.arithmetic.sums == "lerp" and op.taps == 2:
        return _settle(plan, step, _lerp(op, y, axis, dtype, column, zero, xp), element, xp)
    total = None
    for t in range(op.taps):
        weight = op.weights[:, t]
        index = np.minimum(op.starts + t, op.n_in - 1)
        samples = xp.take(y, _constant(index, y, xp), axis=axis)
        weights = xp.reshape(xp.astype(_constant(weight, y, xp), dtype), column)
        if not weight.all():  # a weight of zero reads nothing, not even a NaN
            samples = xp.where(weights == zero, zero, samples)
        total = weights * samples if total is None else total + weights * samples
    return _settle(plan, step, total, element, xp)


def _lerp(
    op: AxisOperator, y: Any, axis: int, dtype: Any, column: tuple[int, ...], zero: Any, xp: Any
) -> Any:
    """Return ``a + (b - a) * w``, and of rows of one weight the product."""
    first = xp.take(y, _constant(op.starts, y, xp), axis=axis)
    second = xp.take(y, _constant(np.minimum(op.starts + 1, op.n_in - 1), y, xp), axis=axis)
    lone, weights = (
        xp.reshape(xp.astype(_constant(op.weights[:, t], y, xp), dtype), column) for t in (0, 1)
    )
    product = lone * xp.where(lone == zero, zero, first) + zero
    return xp.where(weights == zero, product, first + (second - first) * weights)


def _settle(plan: Plan, step: Pass, total: Any, element: Any, xp: Any) -> Any:
    """Return the sums of a pass as the next one takes them."""
    if step.arithmetic.store == "element":
        if plan.dtype.kind in "iu":
            return _saturate(round_sums(total, plan.rounding, xp), plan.dtype, xp)
        return xp.astype(total, element)
    return total


def _joint_passes(passes: tuple[Pass, ...]) -> list[Pass]:
    """Return the passes at the beginning that are one sum."""
    return list(itertools.takewhile(lambda step: step.arithmetic.sums == "joint", passes))


def _apply_joint(plan: Plan, passes: list[Pass], y: Any, xp: Any) -> Any:
    """Return the sums of passes that are one: products of weights, times samples, added up."""
    dtype = _accumulator(plan, passes[0], xp)
    y = xp.astype(y, dtype)
    total = None
    for slow_to_fast in itertools.product(*(range(step.operator.taps) for step in passes[::-1])):
        samples, weights = y, None
        for step, tap in zip(passes, slow_to_fast[::-1], strict=True):
            op = step.operator
            index = np.minimum(op.starts + tap, op.n_in - 1)
            samples = xp.take(samples, _constant(index, y, xp), axis=step.axis)
            own = xp.astype(_constant(np.ascontiguousarray(op.weights[:, tap]), y, xp), dtype)
            shape = tuple(-1 if a == step.axis else 1 for a in range(len(y.shape)))
            own = xp.reshape(own, shape)
            weights = own if weights is None else weights * own
        # A weight of zero reads nothing.
        samples = xp.where(weights == 0, xp.zeros_like(samples), samples)
        total = weights * samples if total is None else total + weights * samples
    return total


def _add_products(products: Products, y: Any, axis: int, xp: Any) -> Any:
    """Return sums of float32 products, each in its tree."""
    column = tuple(-1 if a == axis else 1 for a in range(len(y.shape)))

    def weights(t: int) -> Any:
        return xp.reshape(xp.astype(_constant(products.weights[:, t], y, xp), xp.float32), column)

    w = [weights(t) for t in range(4)]
    index = products.index.T.copy()
    x = [xp.take(y, _constant(index[t], y, xp), axis=axis) for t in range(4)]

    def fused(t: int, total: Any) -> Any:
        """Add a product at once: float64 holds it."""
        exact = xp.astype(w[t], xp.float64) * xp.astype(x[t], xp.float64)
        return xp.astype(exact + xp.astype(total, xp.float64), xp.float32)

    def summed(tree: str) -> Any:
        if tree == "chain":
            return fused(3, fused(2, fused(1, w[0] * x[0])))
        if tree == "halves":
            return (w[0] * x[0] + w[1] * x[1]) + (w[2] * x[2] + w[3] * x[3])
        return fused(1, w[0] * x[0]) + fused(3, w[2] * x[2])

    total = None
    for place in np.unique(products.trees):
        sums = summed(TREES[place])
        mask = xp.reshape(_constant(products.trees == place, y, xp), column)
        total = sums if total is None else xp.where(mask, sums, total)
    return total


def _apply_fixed(step: Pass, y: Any, bits: int, xp: Any) -> tuple[Any, int]:
    """Return the sums of a fixed-point pass as integers, and how many fractional bits they have."""
    op, axis, how = step.operator, step.axis, step.arithmetic
    if not str(y.dtype).endswith("int64"):
        y = xp.astype(y, xp.int64)
    if how.cut is not None:
        y, bits = _cut(y, bits - how.cut[0]), min(bits, how.cut[0])
    bits += how.bits
    column = tuple(-1 if a == axis else 1 for a in range(len(y.shape)))
    whole = np.rint(np.ldexp(op.weights, how.bits)).astype(np.int64)
    total = None
    for t in range(op.taps):
        index = np.minimum(op.starts + t, max(op.n_in - 1, 0))
        samples = xp.take(y, _constant(index, y, xp), axis=axis)
        product = xp.reshape(_constant(whole[:, t], y, xp), column) * samples
        if how.cut is not None:
            product = _cut(product, bits - how.cut[1])
        total = product if total is None else total + product
    return total, bits if how.cut is None else min(bits, how.cut[1])


def _cut(values: Any, bits: int) -> Any:
    """Return integers without their last `bits` bits."""
    return values >> bits if bits > 0 else values


def _whole(plan: Plan, sums: Any, bits: int, within: tuple[int, int] | None, xp: Any) -> Any:
    """Return fixed-point sums as whole numbers within the limits of the element type."""
    low, high = within or limits(plan.dtype)
    if bits:
        if plan.rounding == "float32_half_even":
            wide = xp.astype(sums, xp.float64) * 2.0**-bits
            sums = xp.astype(round_sums(wide, plan.rounding, xp), xp.int64)
        elif plan.rounding == "half_even":
            half, odd = 1 << (bits - 1), (sums >> bits) & 1
            sums = (sums + (half - 1 + odd)) >> bits
        elif plan.rounding == "half_up":
            sums = (sums + (1 << (bits - 1))) >> bits
        else:
            half = 1 << (bits - 1) if plan.rounding == "half_away" else 0
            if plan.rounding == "half_added":
                sums = sums + (1 << (bits - 1))
            sums = xp.where(sums < 0, -((half - sums) >> bits), (sums + half) >> bits)
    whole = xp.clip(sums, low, high)
    info = np.iinfo(plan.dtype)
    if low < info.min or high > info.max:  # wrap, as a cast in C does
        span = 1 << (8 * plan.dtype.itemsize)
        whole = (whole - int(info.min)) % span + int(info.min)
    return whole


def _saturate(values: Any, dtype: np.dtype[Any], xp: Any) -> Any:
    low, high = limits(dtype)
    # The largest float not above the type's limit: float(2**63 - 1) would be one too many.
    precision = 24 if str(values.dtype).endswith("float32") else 53
    top = high if high < 2**precision else high + 1 - 2 ** (high.bit_length() - precision)
    return xp.clip(values, float(low), float(top))


def _store(plan: Plan, y: Any, xp: Any, dtype: Any) -> Any:
    if plan.dtype.kind not in "iu" or str(y.dtype).endswith("int64"):  # whole numbers within limits
        return xp.astype(y, dtype)
    rounded = round_sums(y, plan.rounding, xp)
    high = limits(plan.dtype)[1]
    stored = xp.astype(_saturate(rounded, plan.dtype, xp), dtype)
    if high >= 2**53:  # the clip above stopped at the largest float below the limit
        stored = xp.where(rounded >= float(high), xp.full_like(stored, high), stored)
    return stored


def _patched(plan: Plan, x: Any, xp: Any) -> Any:
    """Return the result with its windows made anew."""
    y = run(replace(plan, patches=(), fill=None), x)
    for patch in plan.patches:
        if 0 in shape_of(patch.window):
            continue
        part = run(plan.plan_of(patch), x[slices_of(patch.source)])
        mask = np.ones((), np.bool_)
        for axis, ((start, stop), n) in enumerate(zip(patch.window, y.shape, strict=True)):
            place = np.arange(n)
            nearest = np.clip(place - start, 0, stop - start - 1)
            part = xp.take(part, _constant(nearest, y, xp), axis=axis)
            mask = mask[..., None] & (place >= start) & (place < stop)
        y = xp.where(_constant(mask, y, xp), part, y)
    return y


def _fill(plan: Plan, y: Any, xp: Any) -> Any:
    if plan.fill is None:
        return y
    for axis, outside in enumerate(plan.fill.outside):
        if outside is not None and outside.any():
            shape = tuple(-1 if a == axis else 1 for a in range(len(y.shape)))
            mask = xp.reshape(_constant(outside, y, xp), shape)
            value = fill_value(plan)
            y = xp.where(mask, xp.full((), value, dtype=y.dtype), y)
    return y


def fill_value(plan: Plan) -> Any:
    """Return the fill constant in the output type, as a Python scalar."""
    assert plan.fill is not None
    value = plan.fill.value
    if plan.dtype.kind in "iu":
        if np.isnan(value):
            return 0
        low, high = limits(plan.dtype)
        whole = float(round_sums(np.float64(value), plan.rounding, np))
        return low if whole <= low else high if whole >= high else int(whole)
    return value
