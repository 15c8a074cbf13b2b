"""The one error that a caller of ndresize has to know."""

import re

__all__ = ["ResizeError"]


class ResizeError(ValueError):
    """A call that cannot be done: what was given, what is allowed, and the way out.

    Raised before any work and before any memory is asked for. The message is one line, whatever it
    shows of a value.
    """

    def __init__(self, message: str) -> None:
        super().__init__(re.sub(r"\s*\n\s*", " ", message))
