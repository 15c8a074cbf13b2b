"""How long calls take, one contestant's turn between the others'."""

from __future__ import annotations

import gc
import random
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Timing", "time_in_turns"]

_SAMPLE = 0.002  # seconds; shorter calls are timed several at once
_PAUSE = 0.002  # seconds in which the threads of the last contestant stop spinning
_TURNS = 3  # at least, but
_PATIENCE = 10  # times the seconds that were asked for are enough for any contestant
_CLOSE = 1.25  # times the fastest's time: who is within that is timed again, for
_LONGER = 4  # times the seconds in all


@dataclass(frozen=True)
class Timing:
    """Seconds per call."""

    median: float
    fastest: float
    samples: int


def time_in_turns(
    calls: Mapping[str, Callable[[], Any]], seconds: float, *, aside: str = ""
) -> dict[str, Timing]:
    """Return the timing of each call.

    In each round every contestant has one turn, in an order drawn anew: a disturbance of the
    machine then hits all alike, and nobody always runs in the cache that the same one left.

    Parameters
    ----------
    calls : mapping from name to callable
        What to time. Each has been called before.
    seconds : float
        How long each is timed in all; slow ones longer, so that they have a few turns, and those
        that are about as fast as the fastest, so that it is no accident who that is.
    aside : str, optional
        The name of one that is timed, but in no contest with the others.
    """
    repeats = {name: _repeats(call) for name, call in calls.items()}
    samples: dict[str, list[float]] = {name: [] for name in calls}
    spent = dict.fromkeys(calls, 0.0)
    order = random.Random(20)

    def take_turns(waiting: list[str], seconds: float) -> None:
        while waiting:
            order.shuffle(waiting)
            for name in waiting:
                took = _turn(calls[name], repeats[name])
                samples[name].append(took / repeats[name])
                spent[name] += took
            waiting = [
                name
                for name in waiting
                if spent[name] < seconds
                or (len(samples[name]) < _TURNS and spent[name] < _PATIENCE * seconds)
            ]

    gc.disable()
    try:
        take_turns(list(calls), seconds)
        medians = {name: statistics.median(samples[name]) for name in calls if name != aside}
        limit = _CLOSE * min(medians.values(), default=0.0)
        close = [name for name, median in medians.items() if median <= limit]
        if len(close) > 1:
            take_turns(close, _LONGER * seconds)
    finally:
        gc.enable()
    return {
        name: Timing(statistics.median(taken), min(taken), len(taken))
        for name, taken in samples.items()
    }


def _turn(call: Callable[[], Any], repeats: int) -> float:
    time.sleep(_PAUSE)
    if repeats > 1 or _seconds(call, 1) < 10 * _SAMPLE:
        call()  # wakes the threads and fills the cache, as in a program that calls it often
    return _seconds(call, repeats)


def _repeats(call: Callable[[], Any]) -> int:
    once = _seconds(call, 1)
    if once < _SAMPLE:
        once = _seconds(call, 3) / 3
    return max(1, int(_SAMPLE / max(once, 1e-7)))


def _seconds(call: Callable[[], Any], repeats: int) -> float:
    start = time.perf_counter()
    for _ in range(repeats):
        call()
    return time.perf_counter() - start
