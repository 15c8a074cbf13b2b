"""Whether all contestants computed the same thing."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["difference", "odd_ones_out"]


Part = tuple[slice, ...]


def odd_ones_out(
    results: Mapping[str, NDArray[Any]],
    tolerance: float,
    parts: Mapping[str, Part] | None = None,
    voiceless: Collection[str] = (),
) -> dict[str, str]:
    """Return who computed something else than the others, and by how much.

    What most agree with is taken as right; the earlier of two where as many agree.

    Parameters
    ----------
    results : mapping from contestant to array
        What they computed.
    tolerance : float
        By how much a sample of two may differ.
    parts : mapping from contestant to tuple of slice, optional
        Of whom only a part is compared, and which.
    voiceless : collection of contestants, optional
        Who are judged, but do not count among the most: one library has one vote.
    """
    parts = parts or {}
    best: dict[str, str] | None = None
    least = len(results)
    voters = results.keys() - set(voiceless)
    for reference, right in results.items():
        if reference not in voters:
            continue
        others = {}
        for name, result in results.items():
            both = parts.get(name, ()), parts.get(reference, ())
            said = difference(_part(result, *both), _part(right, *both), tolerance)
            if said is not None:
                others[name] = f"{said}, compared with {reference}"
        against = len(voters & others.keys())
        if best is None or against < least:
            best, least = others, against
        if 2 * least < len(voters):  # no other reference can have a larger party
            break
    return best or {}


def _part(array: NDArray[Any], *parts: Part) -> NDArray[Any]:
    for part in parts:
        array = array[part]
    return array


def difference(result: NDArray[Any], right: NDArray[Any], tolerance: float) -> str | None:
    """Return how a result differs, or None if it does not by more than `tolerance`."""
    if result.shape != right.shape or result.dtype != right.dtype:
        return f"gives {result.dtype} {result.shape} in place of {right.dtype} {right.shape}"
    if result.dtype.kind == "f":
        apart = np.abs(result - right)
    else:  # unsigned integers would wrap
        apart = np.maximum(result, right) - np.minimum(result, right)
    beyond = ~(apart <= tolerance)  # NaN is beyond
    count = np.count_nonzero(beyond)
    if count == 0:
        return None
    where = tuple(int(i) for i in np.unravel_index(np.argmax(beyond), beyond.shape))
    return (
        f"differs in {count / beyond.size:.2%} of the samples, by up to {apart.max():.3g}, first "
        f"at {where}"
    )
