"""From the choices that most systems share to the operator of one axis."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ndresize.axis import AxisOperator
from ndresize.coordinates import Coordinates, Line, on_line
from ndresize.edges import EdgeRule, apply_edges, normalise
from ndresize.filters import Filter, sample_filter

__all__ = ["NEAREST_RULES", "NearestRule", "Sampling", "nearest_index"]

NearestRule = Literal["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"]

NEAREST_RULES: tuple[NearestRule, ...] = (
    "round_prefer_floor",
    "round_prefer_ceil",
    "floor",
    "ceil",
)


def nearest_index(at: Coordinates, rule: NearestRule) -> NDArray[np.int64]:
    """Return the index that a rule picks for each coordinate; may lie outside the input."""
    up: NDArray[np.bool_]
    if rule == "round_prefer_floor":
        up = at.half > 0
    elif rule == "round_prefer_ceil":
        up = at.half >= 0
    elif rule == "ceil":
        up = at.fraction > 0
    else:
        up = np.zeros(len(at.whole), dtype=bool)
    return at.whole + up


@dataclass(frozen=True)
class Sampling:
    """How one axis is read: everything but its lengths and its line of coordinates.

    Parameters
    ----------
    kernel : Filter or NearestRule
        A filter that weighs samples, or a rule that picks one.
    edge : {"replicate", "exclude"}
        What taps outside the input read.
    normalised : bool
        Whether rows are divided by their sums before the edge rule.
    """

    kernel: Filter | NearestRule
    edge: EdgeRule = "replicate"
    normalised: bool = False

    def taps(self, stretch: float) -> int:
        """Return a bound on the taps of a row."""
        if isinstance(self.kernel, Filter):
            return 2 * (int(self.kernel.reach(stretch)) + 1)
        return 1

    def operator(
        self, n_in: int, n_out: int, line: Line, stretch: float = 1.0
    ) -> tuple[AxisOperator, NDArray[np.bool_] | None]:
        """Return the operator, and which output samples read nothing (None: none do).

        Parameters
        ----------
        n_in, n_out : int
            Lengths of the axis; `n_in` at least 1 unless `n_out` is 0.
        line : Line
            The coordinates.
        stretch : float
            How much wider than one sample the filter is, at least 1.
        """
        return _operator(self, n_in, n_out, line, stretch)


@functools.lru_cache(maxsize=256)
def _operator(
    how: Sampling, n_in: int, n_out: int, line: Line, stretch: float
) -> tuple[AxisOperator, NDArray[np.bool_] | None]:
    at = on_line(n_out, line)
    if isinstance(how.kernel, Filter):
        first, weights = sample_filter(how.kernel, at, stretch)
        if how.normalised:
            weights = normalise(weights)
        return apply_edges(first, weights, n_in, how.edge), None
    index = nearest_index(at, how.kernel)
    empty = (index < 0) | (index >= n_in) if how.edge == "exclude" else None
    if empty is not None and not empty.any():
        empty = None
    return AxisOperator.select(np.clip(index, 0, max(n_in - 1, 0)), n_in), empty
