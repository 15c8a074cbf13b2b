"""The products of a pass one by one, where a system adds them in an order of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ndresize.axis import AxisOperator

__all__ = ["TREES", "Products"]

# How products a, b, c, d are added, each sum in float32. "chain": ((a + b) + c) + d, each product
# but the first added at once. "halves": (a + b) + (c + d), where all is rounded. "fused halves":
# the same with b and d added at once. The order of native/kernels.hpp.
TREES = ("chain", "halves", "fused halves")


class Products:
    """Four products per output sample, in float32.

    Immutable, hashable, comparable.

    Parameters
    ----------
    index : array_like of int, shape (n_out, 4)
        The input sample of each product, in the order in which they are added. One sample may have
        several products: an edge sample that stands for those beyond it.
    weights : array_like of float, shape (n_out, 4)
        Weights that float32 holds.
    trees : array_like of int, shape (n_out,) or ()
        Places in `TREES`.
    n_in : int
        Length of the input axis.

    Raises
    ------
    ValueError
        If the shapes do not belong together, or an index lies outside the input.
    """

    __slots__ = ("index", "n_in", "trees", "weights")

    index: NDArray[np.int64]
    weights: NDArray[np.float64]
    trees: NDArray[np.uint8]
    n_in: int

    def __init__(self, index: ArrayLike, weights: ArrayLike, trees: ArrayLike, n_in: int) -> None:
        places = np.array(index, dtype=np.int64, order="C")
        factors = np.array(weights, dtype=np.float64, order="C")
        if places.ndim != 2 or places.shape[1] != 4 or factors.shape != places.shape:
            raise ValueError(
                f"index and weights must be (n_out, 4), got {places.shape} and {factors.shape}"
            )
        kinds = np.array(np.broadcast_to(np.asarray(trees, dtype=np.uint8), len(places)))
        if np.any((places < 0) | (places >= n_in)):
            raise ValueError(f"products must be of input samples 0..{n_in - 1}")
        if np.any(kinds >= len(TREES)):
            raise ValueError(f"trees must be places in {TREES}")
        for array in (places, factors, kinds):
            array.setflags(write=False)
        object.__setattr__(self, "index", places)
        object.__setattr__(self, "weights", factors)
        object.__setattr__(self, "trees", kinds)
        object.__setattr__(self, "n_in", int(n_in))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Products are immutable; cannot set {name!r}")

    def operator(self) -> AxisOperator:
        """Return the matrix of the sums: products of one sample become one weight."""
        first = self.index.min(axis=1)
        reach = self.index - first[:, None]
        weights = np.zeros((len(first), int(reach.max(initial=0)) + 1))
        np.add.at(weights, (np.arange(len(first))[:, None], reach), self.weights)
        return AxisOperator(first, weights, self.n_in)

    def crop(self, start: int, stop: int) -> tuple[Products, int, int]:
        """Return the rows ``start:stop`` alone and the input window that they read.

        Returns
        -------
        products, first, last
            From input ``first:last`` to output ``start:stop``.
        """
        index = self.index[start:stop]
        if len(index) == 0:
            return Products(index, self.weights[start:stop], self.trees[start:stop], 0), 0, 0
        first, last = int(index.min()), int(index.max()) + 1
        rows = self.weights[start:stop], self.trees[start:stop]
        return Products(index - first, *rows, last - first), first, last

    def _key(self) -> tuple[int, bytes, bytes, bytes]:
        return self.n_in, self.index.tobytes(), self.weights.tobytes(), self.trees.tobytes()

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Products) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __reduce__(self) -> tuple[Any, ...]:
        return Products, (self.index, self.weights, self.trees, self.n_in)
