"""The table: workload -> {library -> builder}, and why a library is not in a row."""

from benchmarks.workloads._row import AS, LIBRARIES, OURS, Workload, in_their_words
from benchmarks.workloads.images import images
from benchmarks.workloads.odd import odd_shapes, small_call
from benchmarks.workloads.tensors import float_images, tensors, volumes

__all__ = ["AS", "LIBRARIES", "OURS", "Workload", "table"]


def table(scale: float = 1.0) -> list[Workload]:
    """Return the rows, with all lengths but those of channels multiplied by `scale`.

    After a row of uint8 come those of each dialect in it, beside its system alone.
    """

    def n(length: int) -> int:
        return max(round(length * scale), 2)

    def pixels(length: int) -> int:  # of one long axis: shrinks as an image's area does
        return max(round(length * scale**2) // 4 * 4, 8)

    rows = [
        *tensors(n),
        *float_images(n),
        *volumes(n),
        *images(n),
        *odd_shapes(n, pixels),
        small_call(),
    ]
    return [each for row in rows for each in (row, *in_their_words(row))]
