"""What a library hands in for a task: a call to time, and how to read what it returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.task import Task

__all__ = ["Builder", "Contestant"]


@dataclass(frozen=True)
class Contestant:
    """A task, set up and ready.

    Parameters
    ----------
    call : callable
        Does the task once. Its result is new at each call and the caller may keep it.
    read : callable
        From that result to an array of the task's output shape; not timed.
    """

    call: Callable[[], Any]
    read: Callable[[Any], NDArray[Any]] = np.asarray


Builder = Callable[[Task, NDArray[Any], int], Contestant]
"""From a task, its input and a number of threads to a contestant; not timed.

It raises ImportError where its library is not installed.
"""
