"""Random Resize calls: the exact answer, the library, the ONNX reference and ONNX Runtime.

NDRESIZE_EXAMPLES says how many calls each test makes. A call that a system answers otherwise must
match the predicate of a deviation listed in ``tests/deviations``, and only so many may.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle import Answer, Call, agrees, answer, ours, tolerance
from strategies import calls, runtime_calls
from test_onnx_dialect_deviations import DIFFERS, REFUSES, SYSTEMS, crops, matching

EXAMPLES = int(os.environ.get("NDRESIZE_EXAMPLES", "500"))

Comparison = tuple[float, Callable[[object], object]]
"""How far a system may be from the exact sums, and how it makes them whole."""


@settings(max_examples=2 * EXAMPLES)
@given(calls())
def test_every_answer_is_the_exact_one(call: Call) -> None:
    right = answer(call)
    assert agrees(ours(call), right, call.x.dtype, tolerance(call, right))


def reference_comparison(call: Call, right: Answer) -> Comparison:
    # Sums and weights in float64, some four operations per weight ...
    slack = (sum(n + 4 for n in right.taps) + 2) * 2.0**-53
    if call.get("mode") == "cubic":
        # ... but cubic-weights-in-float32: terms of up to 8 * cubic_coeff_a cancel.
        slack += len(right.taps) * 32 * 2.0**-24
    if crops(call):
        # roi-in-float32: coordinates up to the length are off by a few roundings, and samples by
        # twice that where the slope is largest.
        slack += len(right.taps) * 8 * 2.0**-24 * max(call.x.shape, default=1)
    return slack * right.bound, np.rint


def runtime_comparison(call: Call, right: Answer) -> Comparison:
    # Coordinates in float32, of some four operations on numbers up to the length; a kernel's
    # weights change by up to eight times that in sum.
    lengths = max(call.x.shape, default=0) + 1
    slack = tolerance(call, right)
    slack += len(right.taps) * 32 * 2.0**-24 * lengths * right.bound
    if call.x.dtype.kind not in "iu":
        return slack, np.rint
    if call.get("antialias"):
        # antialias-rounds-between-passes: half a unit on the way, half of one at the end, which
        # another pass may enlarge by its weights; and the clamp is the type's own.
        return slack + 1.0, np.rint
    return slack, np.trunc  # integers-are-truncated


def hold_against(
    system: str,
    strategy: st.SearchStrategy[Call],
    comparison: Callable[[Call, Answer], Comparison],
) -> Counter[str]:
    """Run random calls on a system; return how many agreed, and how many matched a deviation."""
    seen: Counter[str] = Counter()

    @settings(max_examples=EXAMPLES)
    @given(strategy)
    def run(call: Call) -> None:
        right = answer(call)
        mine = ours(call)
        assert agrees(mine, right, call.x.dtype, tolerance(call, right)), "ours is wrong"
        try:
            theirs = SYSTEMS[system](call)
        except Exception:
            # A refusal is no disagreement if it is a listed one; any other is raised again.
            name = matching(REFUSES, system, call)
            if name is None:
                raise
            seen[f"refused: {name}"] += 1
            return
        if agrees(theirs, right, call.x.dtype, *comparison(call, right)):
            seen["agreed"] += 1
            return
        name = matching(DIFFERS, system, call)
        assert name, f"{system} says {theirs.tolist()}, right is {right.values.tolist()}"
        seen[f"differed: {name}"] += 1

    run()
    return seen


def test_against_the_reference(capsys: pytest.CaptureFixture[str]) -> None:
    seen = hold_against("onnx_reference", calls(opsets=(11, 13, 18, 19)), reference_comparison)
    report(capsys, "onnx_reference", seen)
    # What deviations may take away, so that no predicate swallows everything.
    assert seen["agreed"] >= 0.65 * seen.total()
    assert most(seen, "differed") <= 0.12 * seen.total()


def test_against_onnx_runtime(capsys: pytest.CaptureFixture[str]) -> None:
    seen = hold_against("onnxruntime", runtime_calls(), runtime_comparison)
    report(capsys, "onnxruntime", seen)
    assert seen["agreed"] >= 0.55 * seen.total()
    assert most(seen, "differed") <= 0.06 * seen.total()


def most(seen: Counter[str], kind: str) -> int:
    return max((n for name, n in seen.items() if name.startswith(kind)), default=0)


def report(capsys: pytest.CaptureFixture[str], system: str, seen: Counter[str]) -> None:
    with capsys.disabled():
        print(f"\n{system}: {seen.total()} random calls; " + str(dict(seen.most_common())))
