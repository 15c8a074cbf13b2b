"""The command and its subcommands."""

from __future__ import annotations

import sys
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from ndresize import __version__
from ndresize.cli.lines import error_line, failure_text
from ndresize.cli.resize import RESIZE_EPILOG, RESIZE_HELP, resize_command
from ndresize.cli.run import run
from ndresize.errors import ResizeError

__all__ = ["app"]

BAD_INPUT = 2


class OneLineErrors(TyperGroup):
    """A group whose errors are one line on stderr, without a box around it, and exit code 2."""

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run the command and leave the process."""
        if not extra.pop("standalone_mode", True):
            return super().main(*args, **{**extra, "standalone_mode": False})
        try:
            status = super().main(*args, **{**extra, "standalone_mode": False})
        except (ResizeError, MemoryError, OSError) as error:
            _leave(failure_text(error))
        except typer.Abort:
            _leave("interrupted", 130)
        except Exception as error:
            usage = getattr(error, "format_message", None)  # whichever click Typer is built on
            if usage is None:
                raise
            command = getattr(getattr(error, "ctx", None), "command_path", "ndresize")
            _leave(f"{' '.join(usage().split()).rstrip('.')}; see {command} --help")
        if status == 130:  # Ctrl-C, as newer versions of Typer tell it
            _leave("interrupted", 130)
        sys.exit(status if isinstance(status, int) else 0)


def _leave(text: str, status: int = BAD_INPUT) -> NoReturn:
    error_line(text)
    sys.exit(status)


app = typer.Typer(
    cls=OneLineErrors,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("resize", help=RESIZE_HELP, epilog=RESIZE_EPILOG)(resize_command)
app.command("run")(run)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"ndresize {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def ndresize(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and leave."
        ),
    ] = False,
) -> None:
    """Resize pictures and arrays exactly as ONNX defines it, and fast."""
    del version  # done by its callback
    if context.invoked_subcommand is None:
        print(context.get_help())
