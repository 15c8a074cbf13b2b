"""Where graph libraries want the batch and channel axes: in front of the resized ones."""

from benchmarks.task import Task

__all__ = ["batch_and_channels_first", "leading_ones"]


def batch_and_channels_first(task: Task) -> list[int]:
    """Return the axes of the layout in the order N, C, D, H, W."""
    return [task.layout.index(letter) for letter in "NCDHW" if letter in task.layout]


def leading_ones(task: Task) -> tuple[int, ...]:
    """Return a length 1 for each of N and C that the layout lacks.

    Rows alone stay as they are: with one resized axis the libraries take two axes.
    """
    if len(task.axes) == 1:
        return ()
    return (1,) * sum(letter not in task.layout for letter in "NC")
