"""A pseudo-terminal for tests: what reaches it, and what it shows in the end."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path


def on_a_terminal(folder: Path, *arguments: str, stdout: int | None = None) -> str:
    """Run a command with stderr, and where nothing else is said stdout, on a pseudo-terminal; give what reached it."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "auditor", *arguments]
    out = theirs if stdout is None else stdout
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=theirs) as running:
        os.close(theirs)
        received = b""
        while True:
            try:
                block = os.read(ours, 1 << 16)
            except OSError:  # how Linux says that nobody writes any more
                break
            if not block:
                break
            received += block
    os.close(ours)
    assert running.returncode == 0, received.decode()
    return received.decode()


def screen(received: str) -> list[str]:
    """Give the lines that a terminal shows in the end: it goes to the margin and up, and clears lines, as it is told."""
    lines, row, column = [""], 0, 0
    for piece in re.findall(r"\x1b\[[?0-9;]*[A-Za-z]|\r|\n|[^\x1b\r\n]+", received):
        if piece == "\r":
            column = 0
        elif piece == "\n":
            row += 1
            lines += [""] * (row + 1 - len(lines))
        elif piece.startswith("\x1b["):
            if piece.endswith("A"):
                row = max(0, row - int(piece[2:-1] or 1))
            elif piece.endswith("K"):
                lines[row] = ""
        else:
            lines[row] = lines[row][:column].ljust(column) + piece + lines[row][column + len(piece) :]
            column += len(piece)
    return [line.rstrip() for line in lines if line.strip()]
