"""``python -m ndresize.cli`` is the command `ndresize`."""

from ndresize.cli import main

main()
