"""The axis operator: the small sparse matrix that a resize is along one axis."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["AxisOperator"]


class AxisOperator:
    """The sparse matrix of one axis, a short run of weights per output sample.

    Output sample ``i`` is ``sum(weights[i, t] * input[starts[i] + t] for t in range(taps))``.
    A weight of zero reads nothing.

    The operator is kept in one canonical form, so that equal matrices are equal objects: rows
    begin at their first weight that is not zero, `taps` is the length of the longest row, rows
    are filled with zeros at their end, and an empty row starts at 0.

    Parameters
    ----------
    starts : array_like of int, shape (n_out,)
        The first input sample that each output sample reads.
    weights : array_like of float, shape (n_out, taps)
        The weight of each sample read; float64.
    n_in : int
        Length of the input axis.

    Raises
    ------
    ValueError
        If the shapes do not belong together, or a weight that is not zero lies outside the input.
    """

    __slots__ = ("_hash", "n_in", "starts", "weights")

    starts: NDArray[np.int64]
    weights: NDArray[np.float64]
    n_in: int
    _hash: int

    def __init__(self, starts: ArrayLike, weights: ArrayLike, n_in: int) -> None:
        first = np.asarray(starts, dtype=np.int64)
        rows = np.asarray(weights, dtype=np.float64)
        if first.ndim != 1 or rows.ndim != 2 or len(first) != len(rows):
            raise ValueError(
                f"starts must be (n_out,) and weights (n_out, taps), got {first.shape} and "
                f"{rows.shape}"
            )
        first, rows = _canonical(first, rows)
        counts = _counts(rows)
        if np.any((first < 0) | (first + counts > n_in)):
            raise ValueError(f"weights must lie on input samples 0..{n_in - 1}")
        first.setflags(write=False)
        rows.setflags(write=False)
        object.__setattr__(self, "starts", first)
        object.__setattr__(self, "weights", rows)
        object.__setattr__(self, "n_in", int(n_in))

    @classmethod
    def select(cls, indices: ArrayLike, n_in: int) -> AxisOperator:
        """Make the operator that picks input sample ``indices[i]`` for output sample ``i``."""
        picked = np.asarray(indices, dtype=np.int64)
        return cls(picked, np.ones((len(picked), 1)), n_in)

    @classmethod
    def identity(cls, n: int) -> AxisOperator:
        """Make the operator that copies an axis of length `n`."""
        return cls.select(np.arange(n), n)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"an AxisOperator is immutable; cannot set {name!r}")

    @property
    def n_out(self) -> int:
        """Length of the output axis."""
        return len(self.starts)

    @property
    def taps(self) -> int:
        """Length of the longest row."""
        return int(self.weights.shape[1])

    @property
    def counts(self) -> NDArray[np.int64]:
        """Number of input samples from each row's start to its last weight, shape (n_out,)."""
        return _counts(self.weights)

    @property
    def is_selection(self) -> bool:
        """Whether every output sample is one input sample, unchanged."""
        return self.taps == 1 and bool(np.all(self.weights == 1.0))

    @property
    def is_identity(self) -> bool:
        """Whether the operator copies its axis."""
        return (
            self.n_in == self.n_out
            and self.is_selection
            and bool(np.array_equal(self.starts, np.arange(self.n_in)))
        )

    def dense(self) -> NDArray[np.float64]:
        """Return the whole matrix, shape (n_out, n_in), for reading and for tests."""
        matrix = np.zeros((self.n_out, self.n_in))
        row, tap = np.nonzero(self.weights)
        matrix[row, self.starts[row] + tap] = self.weights[row, tap]
        return matrix

    def transpose(self) -> AxisOperator:
        """Return the transposed operator: from gradients of the output to those of the input."""
        row, tap = np.nonzero(self.weights)
        column = self.starts[row] + tap
        # Each input sample is read by a run of output samples: its extent is the transposed row.
        first = np.full(self.n_in, self.n_out, dtype=np.int64)
        last = np.full(self.n_in, -1, dtype=np.int64)
        np.minimum.at(first, column, row)
        np.maximum.at(last, column, row)
        width = max(int(np.max(last - first + 1, initial=1)), 1)
        first = np.where(last < 0, 0, first)
        weights = np.zeros((self.n_in, width))
        weights[column, row - first[column]] = self.weights[row, tap]
        return AxisOperator(first, weights, self.n_out)

    def crop(self, start: int, stop: int) -> tuple[AxisOperator, int, int]:
        """Return the rows ``start:stop`` alone and the input window that they read.

        Returns
        -------
        operator, first, last
            The operator from input ``first:last`` to output ``start:stop``.
        """
        starts, weights = self.starts[start:stop], self.weights[start:stop]
        counts = _counts(weights)
        reads = counts > 0
        if not reads.any():
            return AxisOperator(np.zeros(len(starts)), weights, 0), 0, 0
        first = int(starts[reads].min())
        last = int((starts + counts)[reads].max())
        return AxisOperator(np.where(reads, starts - first, 0), weights, last - first), first, last

    def compose(self, before: AxisOperator) -> AxisOperator:
        """Return the operator that does `before` and then this one."""
        if before.n_out != self.n_in:
            raise ValueError(f"{before!r} does not end where {self!r} begins")
        counts = before.counts
        ends = np.where(counts > 0, before.starts + counts, 0)
        starts = np.where(counts > 0, before.starts, before.n_in)
        index = np.minimum(self.starts[:, None] + np.arange(self.taps), max(self.n_in - 1, 0))
        used = self.weights != 0
        if not used.any():
            return AxisOperator(np.zeros(self.n_out), np.zeros((self.n_out, 1)), before.n_in)
        first = np.where(used, starts[index], before.n_in).min(axis=1)
        width = int(np.max(np.where(used, ends[index], 0).max(axis=1) - first, initial=1))
        weights = np.zeros((self.n_out, max(width, 1)))
        row, tap = np.nonzero(used)
        source = index[row, tap]
        for k in range(before.taps):
            weight = before.weights[source, k]
            reads = weight != 0
            column = (before.starts[source] + k - first[row])[reads]
            np.add.at(weights, (row[reads], column), (self.weights[row, tap] * weight)[reads])
        return AxisOperator(np.minimum(first, before.n_in), weights, before.n_in)

    def _key(self) -> tuple[int, bytes, bytes]:
        return self.n_in, self.starts.tobytes(), self.weights.tobytes()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AxisOperator):
            return NotImplemented
        return (
            self.n_in == other.n_in
            and np.array_equal(self.starts, other.starts)
            and np.array_equal(self.weights, other.weights)
        )

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            value = hash(self._key())
            object.__setattr__(self, "_hash", value)
            return value

    def __reduce__(self) -> tuple[Any, ...]:
        return AxisOperator, (self.starts, self.weights, self.n_in)

    def __repr__(self) -> str:
        kind = "selection" if self.is_selection else f"{self.taps} taps"
        return f"AxisOperator({self.n_in} -> {self.n_out}, {kind})"


def _counts(weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the position after each row's last weight that is not zero."""
    used = weights != 0
    if weights.shape[1] == 0:
        return np.zeros(len(weights), dtype=np.int64)
    return np.where(used.any(axis=1), weights.shape[1] - used[:, ::-1].argmax(axis=1), 0)


def _canonical(
    starts: NDArray[np.int64], weights: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return fresh arrays with zeros trimmed from both ends of every row."""
    n_out, taps = weights.shape
    if n_out == 0 or taps == 0:
        return np.zeros(n_out, dtype=np.int64), np.zeros((n_out, 1))
    weights = weights + 0.0  # a copy, in which a negative zero is a zero
    leading = (weights[:, 0] == 0) & np.any(weights != 0, axis=1)
    starts = starts.copy()
    if leading.any():
        rows = weights[leading]
        shift = (rows != 0).argmax(axis=1)
        source = np.arange(taps) + shift[:, None]
        moved = np.take_along_axis(rows, np.minimum(source, taps - 1), axis=1)
        weights[leading] = np.where(source < taps, moved, 0.0)
        starts[leading] += shift
    counts = _counts(weights)
    starts[counts == 0] = 0
    return starts, np.ascontiguousarray(weights[:, : max(int(counts.max()), 1)])
