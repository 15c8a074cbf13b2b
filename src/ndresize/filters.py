"""The continuous kernels, and the weights that one gives around a coordinate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ndresize.coordinates import Coordinates

__all__ = [
    "Filter",
    "area",
    "box",
    "cubic",
    "gaussian",
    "hamming",
    "lanczos",
    "linear",
    "mitchell",
    "sample_filter",
]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Filter:
    """A kernel: the weight of an input sample by its signed distance from the coordinate.

    Parameters
    ----------
    name : str
        Two filters are equal if their names and supports are.
    support : float
        Beyond this distance, in input samples, the weight is zero.
    function : callable
        Array of distances to array of weights.
    widen : bool
        Whether the kernel of a stretch is `function` at distance / stretch. If not, `function`
        takes the stretch as a second argument and `support` grows by half of it.
    sums_to_one : bool
        Whether the unstretched weights around any coordinate sum to 1 without being divided.
    """

    name: str
    support: float
    function: Callable[..., Floats]
    widen: bool = True
    sums_to_one: bool = False

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Filter):
            return NotImplemented
        return (self.name, self.support) == (other.name, other.support)

    def __hash__(self) -> int:
        return hash((self.name, self.support))

    def reach(self, stretch: float) -> float:
        """Return the support of the kernel stretched by `stretch`."""
        return self.support * stretch if self.widen else self.support + stretch / 2

    def __call__(self, distance: Floats, stretch: float = 1.0) -> Floats:
        """Return the weights at signed distances of the kernel stretched by `stretch`."""
        if self.widen:
            return self.function(distance / stretch)
        return self.function(distance, stretch)


def sample_filter(
    kernel: Filter, at: Coordinates, stretch: float
) -> tuple[NDArray[np.int64], Floats]:
    """Return the taps of a kernel centred on each coordinate, edges not yet considered.

    Returns
    -------
    first : ndarray of int64, shape (n,)
        Index of the first tap; may lie outside the input.
    weights : ndarray of float64, shape (n, taps)
        Not normalised.
    """
    # floor(reach) + 1 samples on either side hold the whole support, wherever the fraction lies.
    side = int(np.floor(kernel.reach(stretch))) + 1
    offsets = np.arange(-side + 1, side + 1)
    return at.whole - (side - 1), kernel(offsets - at.fraction[:, None], stretch)


def _linear(d: Floats) -> Floats:
    return np.maximum(1.0 - np.abs(d), 0.0)


def _box(d: Floats) -> Floats:
    # Half open, as Pillow has it: a sample on the border between two belongs to one of them.
    return ((d > -0.5) & (d <= 0.5)).astype(np.float64)


def _area(d: Floats, stretch: float) -> Floats:
    return np.clip((1.0 + stretch) / 2 - np.abs(d), 0.0, min(stretch, 1.0))


def _hamming(d: Floats) -> Floats:
    return np.where(np.abs(d) < 1, np.sinc(d) * (0.54 + 0.46 * np.cos(np.pi * d)), 0.0)


def _gaussian(d: Floats) -> Floats:
    return np.where(np.abs(d) < 1.5, np.exp(-2.0 * d * d), 0.0)


def _piecewise_cubic(d: Floats, inner: tuple[float, ...], outer: tuple[float, ...]) -> Floats:
    x = np.abs(d)
    return np.where(x <= 1, np.polyval(inner, x), np.where(x < 2, np.polyval(outer, x), 0.0))


linear = Filter("linear", 1.0, _linear, sums_to_one=True)
"""The triangle: two-point linear interpolation."""

box = Filter("box", 0.5, _box)
"""One within half a sample, so the mean of the samples whose centres a stretched pixel covers."""

area = Filter("area", 0.5, _area, widen=False)
"""The overlap of the output sample's cell with each input cell (OpenCV, TensorFlow, JAX)."""

hamming = Filter("hamming", 1.0, _hamming)
"""A sinc under a Hamming window of one sample (Pillow)."""

gaussian = Filter("gaussian", 1.5, _gaussian)
"""A Gaussian of sigma 1/2, cut at three sigma (TensorFlow)."""

mitchell = Filter(
    "mitchell",
    2.0,
    # Mitchell and Netravali 1988 with B = C = 1/3.
    lambda d: _piecewise_cubic(d, (7 / 6, -2, 0, 8 / 9), (-7 / 18, 2, -10 / 3, 16 / 9)),
)
"""Mitchell and Netravali's cubic with B = C = 1/3: a little blur for less ringing."""


def cubic(a: float) -> Filter:
    """Return Keys's cubic convolution kernel (1981, equation 4).

    Parameters
    ----------
    a : float
        Slope at distance 1: -0.75 in ONNX, PyTorch and OpenCV, -0.5 in Pillow and TensorFlow.
    """

    def function(d: Floats) -> Floats:
        x = np.abs(d)
        # Factored, so that weights near the zeros at 1 and 2 keep all their digits.
        inner = (x - 1) * (((a + 2) * x - 1) * x - 1)
        outer = a * (x - 1) * (x - 2) ** 2
        return np.where(x <= 1, inner, np.where(x < 2, outer, 0.0))

    return Filter(f"cubic({a})", 2.0, function, sums_to_one=True)


def lanczos(lobes: int) -> Filter:
    """Return the sinc under the main lobe of a wider sinc, `lobes` samples to either side."""

    def function(d: Floats) -> Floats:
        return np.where(np.abs(d) < lobes, np.sinc(d) * np.sinc(d / lobes), 0.0)

    return Filter(f"lanczos{lobes}", float(lobes), function)
