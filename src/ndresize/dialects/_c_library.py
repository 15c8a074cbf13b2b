"""Functions of the C library that systems call, with its roundings."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["sine"]

# The float sine of glibc from 2.28 on: these odd and even polynomials, in double precision, on the
# angle's distance from the nearest multiple of a right angle. It is wrong by up to 0.56 units in
# the last place, so another sine, even one correctly rounded, differs in one of fifty weights.
_ODD = [float.fromhex(c) for c in ("-0x1.555545995a603p-3", "0x1.1107605230bc4p-7")]
_ODD.append(float.fromhex("-0x1.994eb3774cf24p-13"))
_EVEN = [float.fromhex(c) for c in ("-0x1.ffffffd0c621cp-2", "0x1.55553e1068f19p-5")]
_EVEN += [float.fromhex(c) for c in ("-0x1.6c087e89a359dp-10", "0x1.99343027bf8c3p-16")]


def sine(angle: Any) -> Any:
    """Return the sine of angles from 0 to a few turns, of their own type: float32 or float64."""
    if angle.dtype == np.float64:
        return np.sin(angle)
    wide = angle.astype(np.float64)
    turns = np.rint(wide * (2 / np.pi)).astype(np.int64)  # quarters of a turn
    rest = wide - turns * (np.pi / 2)
    square = rest * rest
    odd = rest + rest * square * np.polyval(_ODD[::-1], square)
    even = 1.0 + square * np.polyval(_EVEN[::-1], square)
    value = np.where(turns % 2 == 0, odd, even)
    return np.where(turns % 4 >= 2, -value, value).astype(np.float32)
