"""Where the ONNX reference and ONNX Runtime answer otherwise than the page, each with a proof.

``tests/deviations/*.toml`` holds one entry per deviation with its smallest input; here each is run
on the system concerned, and the test turns red once the system no longer deviates. The predicates
say for any call whether a deviation can show in it; the random test leaves out those calls alone.
"""

from __future__ import annotations

import dataclasses
import math
import tomllib
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest

from oracle import (
    Array,
    AxisCall,
    Call,
    agrees,
    answer,
    axis_calls,
    bfloat16,
    coordinate,
    ours,
    picked,
    reference,
    runtime,
    stored,
    tolerance,
)

Predicate = Callable[[Call], bool]

SYSTEMS: dict[str, Callable[[Call], Array]] = {
    "onnx_reference": reference,
    "onnxruntime": runtime,
}
DEVIATIONS: dict[str, dict[str, Any]] = {
    system: {
        entry["id"]: entry
        for entry in tomllib.loads(
            (Path(__file__).parent / "deviations" / f"{system}.toml").read_text()
        )["deviation"]
    }
    for system in SYSTEMS
}
DIFFERS: dict[str, dict[str, Predicate]] = {system: {} for system in SYSTEMS}
"""By system and id: whether the result can differ from the page's."""
REFUSES: dict[str, dict[str, Predicate]] = {system: {} for system in SYSTEMS}
"""By system and id: whether the system refuses what the page allows."""


def rule(
    registry: dict[str, dict[str, Predicate]], system: str, name: str
) -> Callable[[Predicate], Predicate]:
    """Enter a predicate under the id of its deviation."""

    def enter(predicate: Predicate) -> Predicate:
        registry[system][name] = predicate
        return predicate

    return enter


def matching(registry: dict[str, dict[str, Predicate]], system: str, call: Call) -> str | None:
    """Return the id of the first deviation that can show in `call`, or None."""
    return next((name for name, test in registry[system].items() if test(call)), None)


def named_axes(call: Call) -> Iterator[AxisCall]:
    return (axis for axis in axis_calls(call) if axis is not None)


def fractional(axis: AxisCall) -> bool:
    """Whether scale times length is not the output length."""
    return axis.scale * axis.n_in != axis.n_out


def crops(call: Call) -> bool:
    return bool(call.get("coordinate_transformation_mode") == "tf_crop_and_resize")


def jumps(axis: AxisCall, floating: AxisCall, snap: Callable[[Any], Any] = lambda x: x) -> bool:
    """Whether floating-point coordinates pick another sample, or fall off another edge."""

    def decision(x: Any) -> tuple[int, bool]:
        exact = Fraction(x) if isinstance(x, Fraction) else Fraction(float(snap(x)))
        index = picked(exact, axis.nearest_mode) if axis.mode == "nearest" else 0
        if not axis.exclude_outside:
            index = min(max(index, 0), axis.n_in - 1)
        off = axis.coordinate_transformation_mode == "tf_crop_and_resize" and not (
            0 <= exact <= axis.n_in - 1
        )
        return (-1, True) if off else (index, False)

    return any(
        decision(coordinate(axis, i)) != decision(coordinate(floating, type(floating.scale)(i)))
        for i in range(axis.n_out)
    )


# --- the reference --------------------------------------------------------------------------------

# What it raises on, although the page allows it.


@rule(REFUSES, "onnx_reference", "negative-axes")
def _(call: Call) -> bool:
    return any(a < 0 for a in call.get("axes", []))


@rule(REFUSES, "onnx_reference", "no-axes")
def _(call: Call) -> bool:
    return call.get("axes") == [] or (
        call.x.ndim == 0 and call.get("keep_aspect_ratio_policy", "stretch") != "stretch"
    )


@rule(REFUSES, "onnx_reference", "tf-half-pixel-for-nn")
def _(call: Call) -> bool:
    return bool(call.get("coordinate_transformation_mode") == "tf_half_pixel_for_nn")


@rule(REFUSES, "onnx_reference", "empty-batch-with-axes")
def _(call: Call) -> bool:
    return call.get("axes") is not None and 0 in call.x.shape


@rule(REFUSES, "onnx_reference", "opset-10")
def _(call: Call) -> bool:
    return call.opset == 10


@rule(REFUSES, "onnx_reference", "bool-and-strings")
def _(call: Call) -> bool:
    return call.x.dtype.kind in "bOUT"


# Where its result differs.


@rule(DIFFERS, "onnx_reference", "complex-loses-its-imaginary-part")
def _(call: Call) -> bool:
    return call.x.dtype.kind == "c"


@rule(DIFFERS, "onnx_reference", "int64-passes-through-float64")
def _(call: Call) -> bool:
    wide = call.x.dtype in (np.int64, np.uint64)
    return wide and bool((np.abs(call.x.astype(np.float64)) >= 2.0**53).any())


@rule(DIFFERS, "onnx_reference", "one-pixel-pytorch-half-pixel")
def _(call: Call) -> bool:
    return call.get("coordinate_transformation_mode") == "pytorch_half_pixel" and any(
        axis.n_out == 1 and axis.n_in > 0 and axis.scale != 1 for axis in named_axes(call)
    )


@rule(DIFFERS, "onnx_reference", "crop-of-fractional-length")
def _(call: Call) -> bool:
    return crops(call) and any(fractional(axis) for axis in named_axes(call))


@rule(DIFFERS, "onnx_reference", "kept-aspect-length-in-float64")
def _(call: Call) -> bool:
    if call.get("keep_aspect_ratio_policy", "stretch") == "stretch":
        return False
    return any(int(float(a.scale) * a.n_in + 0.5) != a.n_out for a in named_axes(call))


@rule(DIFFERS, "onnx_reference", "coordinates-in-float64")
def _(call: Call) -> bool:
    def floating(axis: AxisCall) -> AxisCall:
        # A roi of float32 is subtracted, and multiplied by the length, in float32 there.
        ends: Any = tuple(np.float32(float(end)) for end in axis.region)
        return dataclasses.replace(axis, scale=np.float64(float(axis.scale)), region=ends)

    return any(jumps(axis, floating(axis)) for axis in named_axes(call))


# --- ONNX Runtime ---------------------------------------------------------------------------------

RUNTIME_TYPES = ("float32", "float16", "int32", "int8", "uint8")


@rule(REFUSES, "onnxruntime", "element-types")
def _(call: Call) -> bool:
    return call.x.dtype.name not in RUNTIME_TYPES


@rule(REFUSES, "onnxruntime", "exclude-outside-needs-cubic-or-antialias")
def _(call: Call) -> bool:
    fits = call.get("mode") == "cubic" or (call.get("mode") == "linear" and call.get("antialias"))
    return bool(call.get("exclude_outside")) and not fits


@rule(REFUSES, "onnxruntime", "cubic-on-integers")
def _(call: Call) -> bool:
    return call.get("mode") == "cubic" and not call.get("antialias") and call.x.dtype != np.float32


@rule(REFUSES, "onnxruntime", "ranks-of-linear-and-cubic")
def _(call: Call) -> bool:
    return call.get("mode") in ("linear", "cubic") and call.x.ndim != 2


@rule(REFUSES, "onnxruntime", "rank-0")
def _(call: Call) -> bool:
    return call.x.ndim == 0 or call.get("axes") == []


def same_lengths(call: Call) -> bool:
    return all(axis.n_in == axis.n_out for axis in named_axes(call))


@rule(DIFFERS, "onnxruntime", "output-length-in-float32")
def _(call: Call) -> bool:
    if call.scales is None or not len(call.scales):
        return False
    return any(
        int(np.float32(float(axis.scale)) * np.float32(axis.n_in)) != axis.n_out
        for axis in named_axes(call)
    )


@rule(DIFFERS, "onnxruntime", "kept-aspect-length-in-float32")
def _(call: Call) -> bool:
    if call.get("keep_aspect_ratio_policy", "stretch") == "stretch":
        return False
    return any(
        math.floor(float(np.float32(float(a.scale)) * np.float32(a.n_in)) + 0.5) != a.n_out
        for a in named_axes(call)
    )


@rule(DIFFERS, "onnxruntime", "kept-aspect-with-negative-axes")
def _(call: Call) -> bool:
    kept = call.get("keep_aspect_ratio_policy", "stretch") != "stretch"
    return kept and any(a < 0 for a in call.get("axes", []))


@rule(DIFFERS, "onnxruntime", "antialias-int8-clamps-at-0")
def _(call: Call) -> bool:
    return bool(call.get("antialias") and call.x.dtype == np.int8 and (call.x < 0).any())


@rule(DIFFERS, "onnxruntime", "copy-where-no-length-changes")
def _(call: Call) -> bool:
    moved = crops(call) or any(axis.scale != 1 for axis in named_axes(call))
    return same_lengths(call) and moved


@rule(DIFFERS, "onnxruntime", "roi-ignored-where-scale-is-1")
def _(call: Call) -> bool:
    return crops(call) and any(
        axis.scale == 1 and axis.region != (0, 1) for axis in named_axes(call)
    )


@rule(DIFFERS, "onnxruntime", "antialias-copies-kept-axes")
def _(call: Call) -> bool:
    return bool(call.get("antialias")) and any(
        axis.n_in == axis.n_out and axis.scale != 1 for axis in named_axes(call)
    )


@rule(DIFFERS, "onnxruntime", "align-corners-of-rounded-length")
def _(call: Call) -> bool:
    return call.get("coordinate_transformation_mode") == "align_corners" and any(
        fractional(axis) and axis.n_out > 1 for axis in named_axes(call)
    )


@rule(DIFFERS, "onnxruntime", "extrapolation-is-cast")
def _(call: Call) -> bool:
    value = np.float64(np.float32(call.get("extrapolation_value", 0.0)))
    integer = call.x.dtype.kind in "iu"
    return crops(call) and integer and np.trunc(value) != stored(value, call.x.dtype)


@rule(DIFFERS, "onnxruntime", "coordinates-in-float32")
def _(call: Call) -> bool:
    def floating(axis: AxisCall) -> AxisCall:
        ends: Any = tuple(np.float32(float(end)) for end in axis.region)
        return dataclasses.replace(axis, scale=np.float32(float(axis.scale)), region=ends)

    def snap(x: Any) -> float:
        """Take a coordinate that is a millionth from a tie for one."""
        tie = math.floor(x) + 0.5
        return tie if abs(float(x) - tie) < 1.1e-6 else float(x)

    return any(jumps(axis, floating(axis), snap) for axis in named_axes(call))


# --- each entry, run ------------------------------------------------------------------------------


def call_of(words: dict[str, Any]) -> Call:
    """Return the call that an entry of a TOML file describes; data left out is zeros."""
    shape, name = words["shape"], words["dtype"]
    dtype = bfloat16 if name == "bfloat16" else np.dtype(name)
    if math.prod(shape) != len(words["data"]):
        x = np.zeros(shape, dtype)
    else:
        x = np.array(words["data"]).astype(dtype).reshape(shape)

    def given(key: str, kind: type[np.generic]) -> Array | None:
        return np.array(words[key], kind) if key in words else None

    return Call(
        x,
        given("roi", np.float32),
        given("scales", np.float32),
        given("sizes", np.int64),
        words["opset"],
        words.get("attributes", {}),
        words.get("operator", "Resize"),
    )


def check(system: Callable[[Call], Any], call: Call, said: dict[str, Any]) -> None:
    """Assert that a system answers what an entry says."""
    if "raises" in said:
        # Each system has its own kind of error; the text is what tells them apart.
        with pytest.raises(Exception, match=r".*") as caught:
            system(call)
        assert said["raises"] in " ".join(f"{caught.type.__name__}: {caught.value}".split())
        return
    y = system(call)
    assert list(y.shape) == said["shape"]
    if "values" not in said:
        return
    values = np.array(said["values"]).astype(call.x.dtype)
    if call.x.dtype.kind == "f":
        # Values are written to 8 digits; sums may differ by the last bit between machines.
        np.testing.assert_allclose(y.ravel(), values, rtol=3e-7)
    else:
        np.testing.assert_array_equal(y.ravel(), values)


ENTRIES = [(system, entry) for system in DEVIATIONS for entry in DEVIATIONS[system].values()]


@pytest.mark.parametrize(
    ("system", "entry"), ENTRIES, ids=[f"{system}:{entry['id']}" for system, entry in ENTRIES]
)
def test_the_system_still_deviates(system: str, entry: dict[str, Any]) -> None:
    assert entry["ours"] != entry["theirs"]
    call = call_of(entry["call"])
    check(ours, call, entry["ours"])
    check(SYSTEMS[system], call, entry["theirs"])
    for registry in (DIFFERS, REFUSES):
        predicate = registry[system].get(entry["id"])
        assert predicate is None or predicate(call)


@pytest.mark.parametrize("system", SYSTEMS)
def test_nothing_is_left_out_without_an_entry(system: str) -> None:
    assert {*DIFFERS[system], *REFUSES[system]} <= set(DEVIATIONS[system])


@pytest.mark.parametrize("system", SYSTEMS)
def test_entries_name_the_version_that_was_run(system: str) -> None:
    versions = {
        "onnx_reference": f"onnx {onnx.__version__}",
        "onnxruntime": f"onnxruntime {onnxruntime.__version__}",
    }
    assert {entry["version"] for entry in DEVIATIONS[system].values()} == {versions[system]}


def test_ours_is_the_exact_answer_in_every_entry() -> None:
    checked = 0
    for _, entry in ENTRIES:
        call = call_of(entry["call"])
        if call.x.dtype.kind in "iufcb" and "raises" not in entry["ours"]:
            if not np.isfinite(call.x).all():
                continue  # the exact sums are of fractions
            right = answer(call)
            assert agrees(ours(call), right, call.x.dtype, tolerance(call, right)), str(call)
            checked += 1
    assert checked >= len(ENTRIES) - 8
