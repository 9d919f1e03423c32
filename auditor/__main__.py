"""python -m auditor."""

from auditor.cli.app import main

main()
