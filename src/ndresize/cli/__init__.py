"""The command `ndresize`."""

import signal
import sys
from typing import NoReturn

__all__ = ["main"]


def main() -> None:
    """Run the command; say in one line what to install if its libraries are missing."""
    try:
        from ndresize.cli.app import app
    except ImportError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in ("typer", "rich", "PIL"):
            raise
        print(
            f"ndresize: the command needs {missing}, which is missing; pip install 'ndresize[cli]'",
            file=sys.stderr,
        )
        raise SystemExit(2) from None
    signal.signal(signal.SIGTERM, _leave)
    app()


def _leave(*_: object) -> NoReturn:
    """End as after an error, so that no half-written file is left behind."""
    raise SystemExit(128 + signal.SIGTERM)
