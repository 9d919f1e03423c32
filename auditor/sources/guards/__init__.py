"""Checks of files before a library opens them: crafted files must not crash the process."""
