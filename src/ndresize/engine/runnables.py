"""What a plan is compiled to: programs of the extension module, and what stands around them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ndresize.engine import portable
from ndresize.engine.arrays import empty

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ndresize.engine import _ext
    from ndresize.plan import Plan

__all__ = ["Bits", "Cast", "Copy", "Patched", "Picks", "Runnable", "Sequence", "Store"]


class Runnable(Protocol):
    """A compiled plan."""

    def run(self, x: NDArray[Any], out: NDArray[Any], touched: bool, threads: int, /) -> None:
        """Write what `x` becomes to `out`, but for the samples that take a constant.

        Both have their axes in the order that the plan was compiled for. `touched` tells whether
        `out` was written before, so that its memory is there and not in the cache; `threads` is
        how many at most, 0 for all.
        """


@dataclass(frozen=True)
class Copy:
    """No program at all."""

    def run(self, x: NDArray[Any], out: NDArray[Any], touched: bool, threads: int) -> None:
        """See `Runnable`."""
        del touched, threads
        np.copyto(out, x)


@dataclass(frozen=True)
class Cast:
    """A program that wants the input in another type."""

    program: Runnable
    dtype: np.dtype[Any]

    def run(self, x: NDArray[Any], out: NDArray[Any], touched: bool, threads: int) -> None:
        """See `Runnable`."""
        self.program.run(x.astype(self.dtype), out, touched, threads)


@dataclass(frozen=True)
class Bits:
    """A program for elements that the buffer protocol does not know, seen as bits that it does."""

    program: Runnable

    def run(self, x: NDArray[Any], out: NDArray[Any], touched: bool, threads: int) -> None:
        """See `Runnable`."""
        self.program.run(_known(x), _known(out), touched, threads)


def _known(x: NDArray[Any]) -> NDArray[Any]:
    if x.dtype.kind in "biufc":
        return x
    return x.view("u2" if x.dtype.name == "bfloat16" else f"V{x.dtype.itemsize}")


@dataclass(frozen=True)
class Picks:
    """Picks of little maps: one program for arrays without gaps, one for all others."""

    general: _ext.Program
    little: _ext.Program

    def run(self, x: NDArray[Any], out: NDArray[Any], touched: bool, threads: int) -> None:
        """See `Runnable`."""
        if x.flags.c_contiguous and out.flags.c_contiguous:
            self.little.run(x.reshape(-1), out.reshape(-1), touched, threads)
        else:
            self.general.run(x, out, touched, threads)


@dataclass(frozen=True)
class Patched:
    """A program, and those that write windows of the output once more.

    Parameters
    ----------
    whole : Runnable
        From all of the input to all of the output.
    patches : tuple of (slices, slices, Runnable)
        From a window of the input to one of the output.
    """

    whole: Runnable
    patches: tuple[tuple[tuple[slice, ...], tuple[slice, ...], Runnable], ...]

    def run(self, x: NDArray[Any], out: NDArray[Any], touched: bool, threads: int) -> None:
        """See `Runnable`."""
        self.whole.run(x, out, touched, threads)
        for source, window, program in self.patches:
            program.run(x[source], out[window], True, threads)


@dataclass(frozen=True)
class Store:
    """What is after all passes of a plan, in the output's type: NumPy rounds and converts."""

    plan: Plan

    def run(self, x: NDArray[Any], out: NDArray[Any], touched: bool, threads: int) -> None:
        """See `Runnable`."""
        del touched, threads
        np.copyto(out, portable.stored(self.plan, x, self.plan.dtype, np))


@dataclass(frozen=True)
class Sequence:
    """Plans and their programs, each of which takes what the one before it gave."""

    stages: tuple[tuple[Plan, Runnable], ...]

    def run(self, x: NDArray[Any], out: NDArray[Any], touched: bool, threads: int) -> None:
        """See `Runnable`."""
        *before, (_, last) = self.stages
        for plan, program in before:
            y, there = empty(plan.output_shape, plan.dtype, None)
            program.run(x, y, there, threads)
            x = y
        last.run(x, out, touched, threads)
