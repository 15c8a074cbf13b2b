"""How a sum becomes the output type."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np

__all__ = ["ROUNDING_RULES", "RoundingRule", "limits", "round_sums"]

RoundingRule = Literal[
    "half_even", "half_away", "truncate", "half_up", "float32_half_even", "half_added"
]
"""How sums become integers. All saturate.

"half_even", "half_away", "half_up": to the nearest integer, ties to even, away from zero, or toward
plus infinity. "truncate": toward zero. "float32_half_even": a wider sum is rounded to float32
first, as where a system keeps its sums or products in it. "half_added": toward zero, of the sum and
one half, which is rounded first.
"""

ROUNDING_RULES: tuple[str, ...] = get_args(RoundingRule)


def limits(dtype: np.dtype[Any]) -> tuple[int, int]:
    """Return the smallest and the largest value of an integer type."""
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)


def round_sums(sums: Any, rule: RoundingRule, xp: Any) -> Any:
    """Return float sums rounded to integers that are still floats.

    Parameters
    ----------
    sums : array
        Floats of the array-API namespace `xp`.
    rule : RoundingRule
        The rounding rule.
    xp : module
        An array-API namespace.
    """
    if rule == "truncate":
        return xp.trunc(sums)
    if rule == "float32_half_even":
        return xp.astype(xp.round(xp.astype(sums, xp.float32)), sums.dtype)
    if rule == "half_even":
        return xp.round(sums)
    if rule == "half_added":
        return xp.trunc(sums + 0.5)
    if rule == "half_up":
        whole = xp.round(sums)
        return whole + xp.astype(sums - whole == 0.5, sums.dtype)
    # Half away from zero. Not floor(|x| + 0.5): that sum itself rounds, and 0.49999997f would
    # become 1.
    whole = xp.trunc(sums)
    return whole + xp.where(xp.abs(sums - whole) >= 0.5, xp.sign(sums), xp.zeros_like(sums))
