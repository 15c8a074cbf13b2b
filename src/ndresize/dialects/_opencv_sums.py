"""What OpenCV sums where: passes, and windows of the output with others."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from ndresize.plan import Pass
from ndresize.rounding import RoundingRule

__all__ = ["Elsewhere", "Rectangle", "Sums", "around", "nested"]

Rectangle = tuple[slice, slice]


@dataclass(frozen=True)
class Sums:
    """What is summed, how sums become integers, and in which windows that is done otherwise."""

    passes: list[Pass]
    rounding: RoundingRule = "half_even"
    elsewhere: Elsewhere = ()


Elsewhere = tuple[tuple[tuple[slice, ...], Sums], ...]


def nested(
    layers: list[tuple[Rectangle, list[Pass]]], others: list[tuple[Rectangle, list[Pass]]]
) -> Sums:
    """Return sums in rectangles, each of which lies in the one before, and in others at last."""
    layers = [layer for layer in layers if all(part.start < part.stop for part in layer[0])]
    rings = [
        (window, passes)
        for (outer, passes), (inner, _) in itertools.pairwise(layers)
        for window in around(inner, outer)
    ]
    elsewhere = tuple((window, Sums(passes)) for window, passes in [*rings, *others])
    return Sums(layers[-1][1], elsewhere=elsewhere)


def around(inner: Rectangle, outer: Rectangle) -> list[Rectangle]:
    """Return four rectangles, perhaps empty, that are what one has around another."""
    (rows, columns), (all_rows, all_columns) = inner, outer
    return [
        (slice(all_rows.start, rows.start), all_columns),
        (slice(rows.stop, all_rows.stop), all_columns),
        (rows, slice(all_columns.start, columns.start)),
        (rows, slice(columns.stop, all_columns.stop)),
    ]
