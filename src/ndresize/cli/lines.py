"""One line per thing told: errors and notes on stderr, results on stdout."""

from __future__ import annotations

import sys

__all__ = ["error_line", "escaped", "failure_text", "note_line", "result_line"]


def escaped(text: str) -> str:
    """Return text on one line, with what could steer a terminal written as an escape."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def error_line(text: str) -> None:
    """Say what went wrong."""
    print(f"ndresize: {escaped(text)}", file=sys.stderr)


def note_line(text: str) -> None:
    """Say what may surprise."""
    print(f"note: {escaped(text)}", file=sys.stderr)


def result_line(text: str) -> None:
    """Say what was done."""
    line = escaped(text)
    encoding = sys.stdout.encoding or "utf-8"
    print(line.encode(encoding, "backslashreplace").decode(encoding))


def failure_text(error: Exception) -> str:
    """Return in words what an expected error says."""
    if isinstance(error, MemoryError):
        return f"out of memory{': ' if str(error) else ''}{error}; ask for a smaller size"
    if isinstance(error, OSError) and error.strerror:
        name = f"{error.filename}: " if error.filename is not None else ""
        return f"{name}{error.strerror}"
    return str(error)
