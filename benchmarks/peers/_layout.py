"""The batch and channel axes that graph libraries want in front of the resized ones."""

from benchmarks.task import Task

__all__ = ["leading_ones"]


def leading_ones(task: Task) -> tuple[int, ...]:
    """Return a length 1 for each of N and C that the layout lacks.

    Rows alone stay as they are: with one resized axis the libraries take two axes.
    """
    if len(task.axes) == 1:
        return ()
    return (1,) * sum(letter not in task.layout for letter in "NC")
