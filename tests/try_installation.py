"""Try what users install, in an environment that holds nothing else: `python tests/try_installation.py --help`.

A wheel is installed as a user does, a checkout as the Action does, which is then run as GitHub runs it, and the hooks as
pre-commit does. Nothing else is on the path: no compiler, Java, browser or npm.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

#: The exit code of a command that lacks an extra.
LACKS = 6

SAMPLE = ROOT / "auditor" / "sample"

REFUSAL = "9.jpg,I cannot describe this image."

GATES = '[mine]\nkind = "captions"\nformat = "table"\npath = "clean.csv"\n[check]\nimages.min = {least}\n'

#: A script that ends with an open store, which a thread still reads: the engine has no objects to report then.
SCRIPT = """
import threading, time
import auditor
audit = auditor.open("audit.duckdb")
def read(mine=audit):
    while True:
        time.sleep(1)
threading.Thread(target=read, daemon=True).start()
print(audit.profile("mine").frame.height)
"""


class NoRegistryError(Exception):
    """No package registry can be reached."""


class Installation:
    """An environment of one Python, with a folder of captions to work in."""

    def __init__(self, python: str, folder: Path) -> None:
        self.folder = folder / "work"
        self.folder.mkdir(parents=True)
        self.place = folder / "bare"
        subprocess.run([python, "-m", "venv", self.place], check=True, capture_output=True)
        self.programs = self.place / ("Scripts" if sys.platform == "win32" else "bin")
        clean = ["image,caption", *_captions()]
        for name, lines in (("clean.csv", clean), ("faulty.csv", [*clean, REFUSAL])):
            (self.folder / name).write_text("\n".join(lines) + "\n")
        shutil.copy(SAMPLE / "narrow.token", self.folder / "other.token")

    def run(self, *command: str, code: int = 0, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment. Raises `AssertionError` for another exit code."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("VIRTUAL_", "PYTHON"))}
        program = shutil.which(command[0], path=str(self.programs)) or command[0]
        ran = subprocess.run(
            [program, *command[1:]], cwd=self.folder, env={**kept, "PATH": str(self.programs), **environment},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert ran.returncode == code, f"{shlex.join(command)}: {ran.returncode}\n{ran.stdout}{ran.stderr}"
        return ran

    def install(self, what: Path) -> None:
        """Install a wheel with the versions that the tests have. Raises `NoRegistryError`."""
        installing = ("python", "-m", "pip", "install", "--quiet", "--no-compile", "-c", str(ROOT / "constraints.txt"))
        try:
            self.run(*installing, str(what))
        except AssertionError as error:
            _explain(error)

    def size(self) -> int:
        """Return how many megabytes the installed packages have on disk, without pip and bytecode."""
        files = [file for file in self.place.rglob("*") if file.is_file() and not file.is_symlink()]
        own = [file for file in files if not {"pip", "__pycache__"} & {*file.parts}]
        return sum(file.stat().st_size for file in own) >> 20


def _captions() -> Iterator[str]:
    sample = json.loads((SAMPLE / "varied.json").read_text())
    for one in sample["annotations"]:
        yield f'{one["image_id"]},"{one["caption"]}"'


def _explain(error: AssertionError) -> None:
    if "No matching distribution" in str(error) or "onnection" in str(error):
        raise NoRegistryError(str(error)) from error
    raise error


def try_commands(made: Installation) -> None:
    """Run the commands that need no extra; a figure names its extra, and a script ends without a word."""
    assert "refusals" in made.run("auditor", "faulty.csv").stdout
    assert "<title>Audit of faulty" in (made.folder / "faulty.csv.audit.html").read_text()
    assert "datasets.toml, which has abstract-scenes" in made.run("auditor", "ingest", "nope", code=2).stderr
    made.run("auditor", "ingest", "mine", "--from", "clean.csv")
    made.run("auditor", "findings", "mine")
    made.run("auditor", "score", "mine", "-m", "bleu-4")
    made.run("auditor", "compare", "clean.csv", "other.token", "-m", "bleu-4", "-o", "compared.json")
    made.run("auditor", "report", "mine", "-o", "mine.html")
    refused = made.run("auditor", "bounds", "mine", "-o", "figure.pdf", code=LACKS)
    assert refused.stderr.endswith("error: figures need matplotlib: pip install 'auditor[figures]'\n"), refused.stderr
    assert made.run("python", "-c", SCRIPT).stderr == ""


def try_action(made: Installation) -> None:
    """Run the steps of `action.yml` from this checkout: they install it, annotate lines and write SARIF."""
    steps = _yaml("action.yml")["runs"]["steps"]
    install, find = (step for step in steps if "run" in step)
    bash = shutil.which("bash") or "bash"
    shell = (bash, "--noprofile", "--norc", "-eo", "pipefail", "-c")
    try:
        made.run(*shell, install["run"], ACTION_PATH=str(ROOT))
    except AssertionError as error:
        _explain(error)
    given = {"FILES": "fault*.csv", "FAIL_ON": "warning", "BASELINE": "", "SARIF": "found.sarif"}
    assert given.keys() == find["env"].keys()
    found = made.run(*shell, find["run"], code=1, **given)
    last = len((made.folder / "faulty.csv").read_text().splitlines())
    assert f"::warning file=faulty.csv,line={last},title=" in found.stdout, found.stdout
    assert json.loads((made.folder / "found.sarif").read_text())["version"] == "2.1.0"
    made.run(*shell, find["run"], **{**given, "FILES": "clean.csv", "FAIL_ON": "error"})


def try_hooks(made: Installation) -> None:
    """Run the hooks as pre-commit does: one gets the names of files, the other reads datasets.toml."""
    findings, check = (shlex.split(hook["entry"]) for hook in _yaml(".pre-commit-hooks.yaml"))
    made.run(*findings, "clean.csv")
    made.run(*findings, "--fail-on", "warning", "faulty.csv", code=1)
    for least, code in (42, 0), (43, 1):
        (made.folder / "datasets.toml").write_text(GATES.format(least=least))
        made.run("auditor", "ingest", "mine")
        made.run(*check, code=code)


def _yaml(name: str):
    import yaml

    return yaml.safe_load((ROOT / name).read_text())


def pythons() -> Iterator[str]:
    """Yield the Pythons of this machine that can make an environment, the newest first."""
    for minor in range(19, 10, -1):
        installed = sorted((Path.home() / ".pyenv" / "versions").glob(f"3.{minor}.*/bin/python"))
        for python in (shutil.which(f"python3.{minor}"), *map(str, installed)):
            works = [python or "", "-c", "import ensurepip"]
            if python and subprocess.run(works, capture_output=True, check=False).returncode == 0:
                yield python
                break


def main() -> None:
    """Try a wheel, or this checkout."""
    parser = argparse.ArgumentParser(description="Try a wheel, or this checkout by its Action and its hooks.")
    parser.add_argument("wheel", nargs="?", type=Path, help="a wheel; without one the checkout is tried")
    parser.add_argument("--python", default=sys.executable, help="the Python to install for, or `newest`")
    asked = parser.parse_args()
    python = next(pythons()) if asked.python == "newest" else asked.python
    with tempfile.TemporaryDirectory() as folder:
        made = Installation(python, Path(folder))
        if asked.wheel:
            made.install(asked.wheel.resolve())
            try_commands(made)
        else:
            try_action(made)
            try_hooks(made)
        print(f"works with {made.run('python', '-V').stdout.strip()}: {made.size()} MB")


if __name__ == "__main__":
    main()
