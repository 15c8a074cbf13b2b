"""Windows of a plan's output whose samples are made in another arithmetic than the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ndresize.rounding import RoundingRule

if TYPE_CHECKING:
    from ndresize.plan import Pass

__all__ = ["Patch", "Window", "crop_passes", "hull", "shape_of", "slices_of"]

Window = tuple[tuple[int, int], ...]
"""Per axis, the first index and the one after the last."""


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
        passes, need = crop_passes(self.passes, _moved(shared, self.window, -1))
        return replace(self, window=shared, source=_moved(need, self.source, 1), passes=passes)

    def within(self, window: Window, source: Window) -> Patch:
        """Return the patch for arrays that are those windows."""
        return replace(
            self, window=_moved(self.window, window, -1), source=_moved(self.source, source, -1)
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


def _moved(window: Window, by: Window, sign: int) -> Window:
    """Return a window moved by where another one begins, ahead or back."""
    pairs = zip(window, by, strict=True)
    return tuple((a + sign * start, b + sign * start) for (a, b), (start, _) in pairs)


def crop_passes(passes: Sequence[Pass], window: Window) -> tuple[tuple[Pass, ...], Window]:
    """Return the passes to a window of their output alone and the input window that they read."""
    need = list(window)
    cropped: list[Pass] = []
    for step in reversed(passes):
        part, first, last = step.crop(*need[step.axis])
        need[step.axis] = first, last
        cropped.append(part)
    return tuple(reversed(cropped)), tuple(need)


def hull(windows: Sequence[Window]) -> Window:
    """Return the smallest window around all; one that is empty along an axis has no place there."""
    around = []
    for spans in zip(*windows, strict=True):
        some = [(start, stop) for start, stop in spans if start < stop] or [(0, 0)]
        around.append((min(start for start, _ in some), max(stop for _, stop in some)))
    return tuple(around)


def shape_of(window: Window) -> tuple[int, ...]:
    """Return the lengths of a window."""
    return tuple(stop - start for start, stop in window)


def slices_of(window: Window) -> tuple[slice, ...]:
    """Return a window as NumPy takes it."""
    return tuple(slice(start, stop) for start, stop in window)
