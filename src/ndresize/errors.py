"""The one error that a caller of ndresize has to know."""

__all__ = ["ResizeError"]


class ResizeError(ValueError):
    """A call that cannot be done: what was given, what is allowed, and the way out.

    Raised before any work and before any memory is asked for.
    """
