"""The geometry of the TPU-MLIR note: two grids laid over each other, and one read off the other."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ndresize import coordinates
from ndresize.coordinates import Line

__all__ = ["GRIDS", "Grid", "line_of"]


@dataclass(frozen=True)
class Grid:
    """How the samples of one axis are placed in a region.

    Parameters
    ----------
    offset : Fraction
        Where sample 0 is; sample i is at ``offset + i``.
    shorter : int
        How much shorter than its number of samples the region is.
    """

    offset: Fraction
    shorter: int

    def extent(self, count: int) -> int:
        """Return the length of the region that holds `count` samples."""
        return count - self.shorter


GRIDS = {
    # In the middle of unit cells, the cells filling the region.
    "half_pixel": Grid(Fraction(1, 2), 0),
    # On both ends of the region.
    "align_corners": Grid(Fraction(0), 1),
    # On the left end of unit cells, the cells filling the region.
    "asymmetric": Grid(Fraction(0), 0),
}


def line_of(mode: str, n_a: int, n_b: int, region: tuple[Fraction, Fraction]) -> Line:
    """Return where the samples of B lie on the samples of A, sample 0 of A being at 0.

    Place both, stretch the region of B onto that of A, and read off.

    Parameters
    ----------
    mode : str
        A grid, or one of the two modes that the note names without a picture: they are ONNX's.
    n_a, n_b : int
        Numbers of samples; `n_b` at least 1.
    region : (Fraction, Fraction)
        For "tf_crop_and_resize".
    """
    if mode == "tf_crop_and_resize":
        return coordinates.crop(n_a, n_b, *region)
    if n_b == 1 and mode in ("pytorch_half_pixel", "align_corners"):
        return Fraction(0), Fraction(0)  # a region without length cannot be stretched
    grid = GRIDS["half_pixel" if mode == "pytorch_half_pixel" else mode]
    stretch = Fraction(grid.extent(n_a), grid.extent(n_b))
    return stretch, grid.offset * stretch - grid.offset
