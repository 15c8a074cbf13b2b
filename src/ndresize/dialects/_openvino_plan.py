"""From checked attributes of OpenVINO's Interpolate to a plan."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ndresize import filters
from ndresize.axis import AxisOperator
from ndresize.dialects import _arguments as arguments
from ndresize.dialects import _openvino_filters as weights
from ndresize.dialects._openvino_attributes import Attributes
from ndresize.dialects._openvino_coordinates import coordinates, nearest
from ndresize.dialects._openvino_lengths import Axis, axes_of, lengths, padded_by
from ndresize.dialects._openvino_limits import refuse, runs_on_reference
from ndresize.dialects._openvino_rules import RULES, Rules
from ndresize.edges import padding
from ndresize.errors import ResizeError
from ndresize.plan import Arithmetic, Fill, Plan, make_plan

__all__ = ["plan_of"]


def plan_of(
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    words: Attributes,
    rules: Rules,
    version: int,
    sizes: Any,
    scales: Any,
    axes: Any,
) -> Plan:
    """Return the plan of checked attributes and unchecked inputs."""
    rank = len(shape)
    before, after = padded_by(words.pads_begin, rank), padded_by(words.pads_end, rank)
    padded = tuple(n + b + a for n, b, a in zip(shape, before, after, strict=True))
    listed = axes_of(axes, rank, as_a_set=version == 1)
    resized = lengths(padded, words, rules, listed, sizes, scales)
    refuse(rules, words, version, dtype, padded, resized)
    if rules.device == "CPU" and runs_on_reference(words.mode, rank):
        rules = RULES["reference"]
    if words.mode == "linear" and rules.flat_linear_is_two_point and rank < 5:
        words = replace(words, mode="linear_onnx")
    for step in resized:
        if not shape[step.axis] and step.n_out:
            raise ResizeError(
                f"axis {step.axis} must not be empty to become {step.n_out} long, got length 0; "
                "OpenVINO would read memory that is not the tensor's"
            )
    operators = _operators(padded, words, rules, resized)
    for axis in range(rank):
        if before[axis] or after[axis]:
            arguments.refuse_huge_axis(axis, padded[axis], 1)
            pads = padding(shape[axis], before[axis], after[axis])
            known = operators.get(axis)
            operators[axis] = pads if known is None else known.compose(pads)
    if words.mode == "nearest":
        return _picking(shape, dtype, operators)
    pillow = words.mode.endswith("_pillow")
    # Pillow's resampler keeps an image between its passes, and so does every port of it, except
    # that the plugin makes floats of all but four-dimensional tensors.
    store: Literal["wide", "element"] = "wide"
    sums = Arithmetic.for_dtype(dtype).accumulator
    if pillow and not (rules.device == "CPU" and rank < 4):
        store = "element"
    if pillow and not rules.pillow_in_float32 and dtype.kind in "iu":
        sums = "float64"  # ties are decided by what its products in double leave
    return make_plan(
        shape,
        dtype,
        operators,
        arithmetic=Arithmetic(sums, store),
        rounding=rules.rounding[words.mode],
        order=_pillow_order(rules, listed, rank) if pillow else None,
    )


def _pillow_order(rules: Rules, listed: list[int], rank: int) -> list[int]:
    """Return the order of the passes, on which the bits depend: columns first."""
    rows, columns = sorted(listed) if rules.device == "CPU" else listed
    return [columns, rows, *(a for a in range(rank) if a not in listed)]


def _operators(
    padded: tuple[int, ...], words: Attributes, rules: Rules, resized: list[Axis]
) -> dict[int, AxisOperator]:
    """Return the operator of each axis, from the padded axis to the output."""
    if words.mode == "nearest" and rules.maps_unlisted_axes:
        named = {step.axis for step in resized}
        others = [Axis(a, n, n, 1.0) for a, n in enumerate(padded) if a not in named]
        resized = [*resized, *others]
    mode = words.mode
    shrinks = rules.narrows_whatever_shrinks or any(step.scale < 1 for step in resized)
    operators = {}
    given = [step.scale for step in resized]
    if rules.device == "document" and mode == "linear_onnx":
        # The listing takes the first scale for the first axis in memory, whatever `axes` says.
        ranks = sorted(step.axis for step in resized)
        resized = [
            Axis(step.axis, step.padded, step.n_out, given[ranks.index(step.axis)])
            for step in resized
        ]
    for step in resized:
        if step.n_out == 0:
            operators[step.axis] = AxisOperator(np.zeros(0), np.zeros((0, 1)), step.padded)
            continue
        narrowing = step.scale if words.antialias and shrinks else 1.0
        taps = 4 + int(2 * min(1 / min(narrowing, 1.0), step.padded))
        arguments.refuse_huge_axis(step.axis, step.n_out, taps)
        operators[step.axis] = _operator(mode, words, rules, step, narrowing)
    return operators


def _operator(
    mode: str, words: Attributes, rules: Rules, step: Axis, narrowing: float
) -> AxisOperator:
    if mode.endswith("_pillow"):
        return _pillow(mode, words, rules, step)
    at = words.coordinate_transformation_mode
    x = coordinates(rules, at, step.padded, step.n_out, step.scale)
    if mode == "nearest":
        index = nearest(rules, words.nearest_mode, x, step.scale < 1)
        return AxisOperator.select(np.clip(index, 0, step.padded - 1), step.padded)
    if mode == "linear_onnx":
        return weights.two_points(x, step.padded)
    if mode == "cubic":
        return weights.cubic(x, step.padded, words.cube_coeff)
    return weights.triangle(x, step.padded, narrowing)


def _pillow(mode: str, words: Attributes, rules: Rules, step: Axis) -> AxisOperator:
    """Return the operator of a mode ported from Pillow 9.4."""
    coefficient = words.cube_coeff
    if rules.pillow_coefficient is not None:
        coefficient = rules.pillow_coefficient
    kernel = filters.cubic(coefficient) if mode == "bicubic_pillow" else filters.linear
    if step.padded == step.n_out:
        return AxisOperator.identity(step.n_out)
    if rules.pillow_in_float32:
        scale = np.float32(step.n_out) / np.float32(step.padded)  # whatever scales were given
        x = coordinates(rules, "tf_half_pixel_for_nn", step.padded, step.n_out, float(scale))
        return weights.pillow(x, step.padded, np.float32(1) / scale, kernel)
    stride = step.padded / step.n_out
    centre = (np.arange(step.n_out) + 0.5) * stride
    return weights.pillow(centre, step.padded, stride, kernel)


def _picking(
    shape: tuple[int, ...], dtype: np.dtype[Any], operators: dict[int, AxisOperator]
) -> Plan:
    """Return a plan that copies samples; those picked from the pads are zero."""
    outside: list[NDArray[np.bool_] | None] = [None] * len(shape)
    for axis, operator in operators.items():
        empty = operator.counts == 0
        if empty.any():
            outside[axis] = empty
            operators[axis] = AxisOperator.select(operator.starts, operator.n_in)
    fill = Fill(0.0, tuple(outside)) if any(o is not None for o in outside) else None
    return make_plan(shape, dtype, operators, arithmetic=Arithmetic("element"), fill=fill)
