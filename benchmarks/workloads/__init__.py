"""The table: workload -> {library -> builder}, and why a library is not in a row."""

from benchmarks.workloads._row import LIBRARIES, OURS, Workload
from benchmarks.workloads.images import images
from benchmarks.workloads.odd import odd_shapes, small_call
from benchmarks.workloads.tensors import float_images, tensors, volumes

__all__ = ["LIBRARIES", "OURS", "Workload", "table"]


def table(scale: float = 1.0) -> list[Workload]:
    """Return the rows, with all lengths but those of channels multiplied by `scale`."""

    def n(length: int) -> int:
        return max(round(length * scale), 2)

    def pixels(length: int) -> int:  # of one long axis: shrinks as an image's area does
        return max(round(length * scale**2) // 4 * 4, 8)

    return [
        *tensors(n),
        *float_images(n),
        *volumes(n),
        *images(n),
        *odd_shapes(n, pixels),
        small_call(),
    ]
