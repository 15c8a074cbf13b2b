"""The fill rule: samples outside the input that take a constant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndresize.windows import Window

__all__ = ["Fill"]


@dataclass(frozen=True, eq=False)
class Fill:
    """Output samples that take a constant.

    Parameters
    ----------
    value : float
        The constant, before it is rounded into the output type.
    outside : tuple of (ndarray of bool, shape (n_out,)) or None
        Per axis, the output indices whose samples all take the constant.
    """

    value: float
    outside: tuple[NDArray[np.bool_] | None, ...]

    def crop(self, window: Window) -> Fill:
        """Return the rule of one window of the output."""
        pairs = zip(self.outside, window, strict=True)
        return Fill(self.value, tuple(None if o is None else o[a:b] for o, (a, b) in pairs))

    def transposed(self, order: Sequence[int]) -> Fill:
        """Return the rule for arrays with their axes in another order."""
        return Fill(self.value, tuple(self.outside[axis] for axis in order))

    def _key(self) -> tuple[Any, ...]:
        return self.value, tuple(None if o is None else o.tobytes() for o in self.outside)

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Fill) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())
