"""The one error that a caller of ndresize has to know."""

import re

__all__ = ["ResizeError"]


class ResizeError(ValueError):
    """A call that cannot be done: what was given, what is allowed, and the way out.

    Raised before any work and before any memory is asked for. The lines in which NumPy
    shows an array are joined to one.
    """

    def __init__(self, message: str) -> None:
        super().__init__(re.sub(r"\n+ +", " ", message))
