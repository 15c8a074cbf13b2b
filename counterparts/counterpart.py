"""One of our functions, the callable that it stands for, and how the two are held together."""

from __future__ import annotations

import importlib
import importlib.metadata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Call", "Counterpart", "Drawn", "make_data"]


@dataclass(frozen=True)
class Call:
    """A call that both sides understand.

    Parameters
    ----------
    shape, dtype
        Of the array, in the layout that our function takes.
    arguments : mapping
        The words of the system, by name.
    memory : str
        How the array lies in memory: "contiguous" or "channels_last" (its second axis is stored
        last). Some systems answer by it.
    """

    shape: tuple[int, ...]
    dtype: str = "float32"
    arguments: Mapping[str, Any] = field(default_factory=dict)
    memory: str = "contiguous"


Drawn = Callable[[np.random.Generator], Call]


@dataclass(frozen=True)
class Counterpart:
    """A row of the table.

    Parameters
    ----------
    name : str
        Our function: "torch.interpolate" is `ndresize.dialects.torch.interpolate`.
    theirs : str
        The callable it stands for, as their documentation names it.
    package : str
        The distribution that has it, as ``pip`` names it.
    run : callable
        Calls theirs with an array and the arguments of a `Call`, on one thread where it can be
        told, and returns an array. Imports its library when called.
    draw : callable
        From a random generator to a random call that theirs answers.
    ulps : float
        By how much floats may differ: in units in the last place of the result's type at the
        largest weight times the largest sample. 0: the same bits. Integers must always be the same.
    deviations : mapping
        By the id of an entry in ``tests/deviations/dialects/<system>.toml``: whether it can show in
        a call.
    speed : mapping
        By what the benchmark says of it: calls whose speed is compared.
    """

    name: str
    theirs: str
    package: str
    run: Callable[[NDArray[Any], Mapping[str, Any]], NDArray[Any]]
    draw: Drawn
    ulps: float = 2.0
    deviations: Mapping[str, Callable[[Call], bool]] = field(default_factory=dict)
    speed: Mapping[str, Call] = field(default_factory=dict)

    @property
    def system(self) -> str:
        """The name of the dialect's module."""
        return self.name.split(".")[0]

    @property
    def version(self) -> str:
        """The installed version of the library; PackageNotFoundError where it is missing."""
        return importlib.metadata.version(self.package)

    @property
    def ours(self) -> Any:
        """Our function."""
        module, function = self.name.split(".")
        return getattr(importlib.import_module(f"ndresize.dialects.{module}"), function)

    def deviates(self, call: Call) -> str | None:
        """Return the id of a deviation that can show in `call`, or None."""
        return next((name for name, shows in self.deviations.items() if shows(call)), None)


def make_data(call: Call, seed: int = 0) -> NDArray[Any]:
    """Return an array for a call: noise over the whole range of integers, or around zero."""
    rng = np.random.default_rng(seed)
    dtype = np.dtype(call.dtype)
    shape = call.shape
    if call.memory == "channels_last":
        shape = (shape[0], *shape[2:], shape[1])
    if dtype.kind == "b":
        data = rng.integers(0, 2, shape).astype(dtype)
    elif dtype.kind in "iu":
        info = np.iinfo(dtype)
        data = rng.integers(info.min, info.max, shape, dtype, endpoint=True)
        flat = rng.random(shape) < 0.2  # some extremes, so that overshoot is clipped
        data[flat] = rng.choice(np.array([info.min, info.max], dtype), flat.sum())
    else:
        data = rng.standard_normal(shape).astype(dtype)
    return np.moveaxis(data, -1, 1) if call.memory == "channels_last" else data
