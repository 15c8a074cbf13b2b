"""How a sum becomes the output type."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np

__all__ = ["ROUNDING_RULES", "RoundingRule", "limits", "round_sums"]

RoundingRule = Literal["half_even", "half_away", "truncate", "half_added"]
"""To the nearest integer, ties to even or away from zero; or toward zero, of the sum or of the sum
and one half, which is rounded first. All saturate."""

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
    rule : {"half_even", "half_away", "truncate", "half_added"}
        The rounding rule.
    xp : module
        An array-API namespace.
    """
    if rule == "truncate":
        return xp.trunc(sums)
    if rule == "half_even":
        return xp.round(sums)
    if rule == "half_added":
        return xp.trunc(sums + 0.5)
    # Half away from zero. Not floor(|x| + 0.5): that sum itself rounds, and 0.49999997f would
    # become 1.
    whole = xp.trunc(sums)
    return whole + xp.where(xp.abs(sums - whole) >= 0.5, xp.sign(sums), xp.zeros_like(sums))
