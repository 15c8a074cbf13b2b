"""Windows of a plan's output whose samples are made in another arithmetic than the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ndresize.axis import AxisOperator
from ndresize.passes import Arithmetic, Pass
from ndresize.rounding import RoundingRule
from ndresize.windows import Window, moved

__all__ = ["Patch", "crop_passes", "widened_passes"]


@dataclass(frozen=True)
class Patch:
    """A window of the output that is written once more, by passes of its own.

    A patch says how sums round, not what they are of: its passes are to have the operators that
    the plan has in the window.

    Parameters
    ----------
    window : tuple of (int, int)
        Per axis, the first output index and the one after the last.
    source : tuple of (int, int)
        The input samples that the passes take, in the same way.
    passes : tuple of Pass
        From the source to the window.
    rounding : RoundingRule
        How their sums become integers.
    """

    window: Window
    source: Window
    passes: tuple[Pass, ...]
    rounding: RoundingRule = "half_even"

    def crop(self, window: Window) -> Patch | None:
        """Return the patch of what it shares with a window, or None where that is nothing."""
        pairs = zip(self.window, window, strict=True)
        shared = tuple((max(a, start), min(b, stop)) for (a, b), (start, stop) in pairs)
        if any(start >= stop for start, stop in shared):
            return None
        passes, need = crop_passes(self.passes, moved(shared, self.window, -1))
        return replace(self, window=shared, source=moved(need, self.source, 1), passes=passes)

    def within(self, window: Window, source: Window) -> Patch:
        """Return the patch for arrays that are those windows."""
        return replace(
            self, window=moved(self.window, window, -1), source=moved(self.source, source, -1)
        )

    def transposed(self, order: Sequence[int]) -> Patch:
        """Return the patch for arrays with their axes in another order."""
        place = {axis: k for k, axis in enumerate(order)}
        return replace(
            self,
            window=tuple(self.window[a] for a in order),
            source=tuple(self.source[a] for a in order),
            passes=tuple(replace(step, axis=place[step.axis]) for step in self.passes),
        )


def crop_passes(passes: Sequence[Pass], window: Window) -> tuple[tuple[Pass, ...], Window]:
    """Return the passes to a window of their output alone and the input window that they read."""
    need = list(window)
    cropped: list[Pass] = []
    for step in reversed(passes):
        part, first, last = step.crop(*need[step.axis])
        need[step.axis] = first, last
        cropped.append(part)
    return tuple(reversed(cropped)), tuple(need)


def widened_passes(passes: tuple[Pass, ...], own: Window, need: Window) -> tuple[Pass, ...]:
    """Return passes that read the window `own` as passes for samples of all of `need`."""
    steps = list(passes)
    for axis, ((start, stop), (first, last)) in enumerate(zip(own, need, strict=True)):
        if (start, stop) == (first, last):
            continue
        before = start - first if start < stop else 0
        place = next((k for k, step in enumerate(steps) if step.axis == axis), None)
        if place is None:
            picked = AxisOperator.select(np.arange(before, before + stop - start), last - first)
            steps.insert(0, Pass(axis, picked, Arithmetic("element")))
        else:
            steps[place] = steps[place].widened(before, last - first)
    return tuple(steps)
