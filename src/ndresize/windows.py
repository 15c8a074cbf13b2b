"""Windows of arrays: per axis, the first index and the one after the last."""

from __future__ import annotations

from collections.abc import Sequence

from ndresize.errors import ResizeError

__all__ = ["Window", "hull", "moved", "shape_of", "slices_of", "window_of"]

Window = tuple[tuple[int, int], ...]


def window_of(slices: Sequence[slice], shape: tuple[int, ...]) -> Window:
    """Return slices of step 1 as the window of an array that they are; missing axes are whole."""
    parts = (slices,) if isinstance(slices, slice) else tuple(slices)
    if len(parts) > len(shape):
        raise ResizeError(f"slices must be at most {len(shape)}, one per axis, got {len(parts)}")
    window = []
    for axis, n in enumerate(shape):
        part = parts[axis] if axis < len(parts) else slice(None)
        if not isinstance(part, slice) or part.step not in (None, 1):
            raise ResizeError(f"slices must be slices with step 1, got {part!r} (axis {axis})")
        start, stop, _ = part.indices(n)
        window.append((start, max(start, stop)))
    return tuple(window)


def moved(window: Window, by: Window, sign: int) -> Window:
    """Return a window moved by where another one begins, ahead or back."""
    pairs = zip(window, by, strict=True)
    return tuple((a + sign * start, b + sign * start) for (a, b), (start, _) in pairs)


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
