"""In which order passes cost the least."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping

from ndresize.axis import AxisOperator

__all__ = ["cheapest_order"]

_ALONG = 2.25  # what a product along a row costs of one across rows, measured
_CHANNELS = 16  # so many samples side by side are a row of their own


def cheapest_order(shape: tuple[int, ...], operators: Mapping[int, AxisOperator]) -> list[int]:
    """Return the axes in the order that computes the fewest products.

    A pass costs the size of what it makes times its taps (and its samples once more for moving
    them), and one along rows in memory `_ALONG` times that: its samples have to be moved to where
    they are multiplied. Of axes before its own it makes only what their passes will read. Of
    equally cheap orders the one is taken that comes to the last axis first, because rows are then
    finished while they are in cache; before it from the first axis on, whose sums are of the
    longest pieces of memory, and after it towards the first, whose slabs are the largest.
    """
    if len(operators) > 5:  # 6 axes would be 720 orders; shrinking first is then near the best
        return sorted(operators, key=lambda a: operators[a].n_out / max(operators[a].n_in, 1))

    last = max(operators, default=0)
    row_axis = last if math.prod(shape[last + 1 :]) < _CHANNELS else -1

    def cost(order: tuple[int, ...]) -> float:
        lengths = list(shape)
        read = [
            min(n, operators[a].n_out * operators[a].taps) if a in operators else n
            for a, n in enumerate(shape)
        ]
        total = 0.0
        for axis in order:
            lengths[axis] = read[axis] = operators[axis].n_out
            made = math.prod(read[:axis]) * math.prod(lengths[axis:])
            work = made * (operators[axis].taps + 1)
            total += work * (_ALONG if axis == row_axis else 1)
        return total

    def rank(order: tuple[int, ...]) -> tuple[float, int, list[int], list[int]]:
        place = order.index(last) if order else 0
        return cost(order), place, list(order[:place]), [-axis for axis in order[place:]]

    orders: list[tuple[int, ...]] = list(itertools.permutations(operators))
    return list(sorted(orders, key=rank)[0])
