"""The entry point of `python -m auditor`."""

from __future__ import annotations

from auditor.cli.app import main

main()
