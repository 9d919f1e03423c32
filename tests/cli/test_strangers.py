"""What strangers make is not obeyed, followed or waited for: captions in a log, links, pipes and names of files."""

from __future__ import annotations

import inspect
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from conftest import ROOT, asked, ingest_rows
from running import run_auditor
from sizes import some

from auditor.cli import derived
from auditor.errors import disobeyed
from auditor.reports.annotations import sarif
from auditor.store.connection import Store
from auditor.studies import STUDIES

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links, pipes and devices of POSIX")

#: What GitHub, Azure and TeamCity would obey: at the start of a line, after spaces, within a line, within a word.
COMMANDS = [
    "::error::x", " \u3000::add-mask::x", "a dog ##[stop-commands]pwn", "##vso[task.prependpath]/x", "###[group]x",
    "x##teamcity[testFailed name='x']", f"{'x' * 75}::error::pwn runs ::set-env name=A::b", "a dog runs\r::error::x",
]  # fmt: skip

OBEYED = re.compile(r"(?m)(?:^|(?<=\r))[^\S\r\n]*::\w|##\w*\[")


@pytest.fixture
def captions() -> str:
    """A file whose captions, images and reasons are commands."""
    rows = [(f"{text[:30]} {number}", text) for number, text in enumerate(COMMANDS)]
    rows += [(f"{image}b", f"{text} http://x.org") for image, text in rows]
    pl.DataFrame(rows, schema=["image", "caption"], orient="row").write_csv("st.csv")
    return "st.csv"


@pytest.mark.parametrize("columns", ["40", "80"])
@pytest.mark.parametrize(
    "command",
    ["findings {} -k web-address", "findings {} -k web-address --format github", "sql 'from captions' --store s"],
)
def test_no_log_obeys_a_caption(captions: str, command: str, columns: str) -> None:
    assert run_auditor("ingest", "mine", "--from", captions, "--store", "s").returncode == 0
    done = run_auditor(*shlex.split(command.format(captions)), "--no-color", COLUMNS=columns)
    own = r"::(notice|warning|error) (file|title)=.*" if "github" in command else "$^"
    printed = "\n".join(line for line in done.stdout.split("\n") if not re.fullmatch(own, line))
    assert not OBEYED.search(printed), printed
    assert not OBEYED.search(done.stderr), done.stderr
    assert "##[" not in done.stdout
    assert "http://x.org" in done.stdout


def test_data_are_the_same_wherever_no_log_is_read(captions: str) -> None:
    assert run_auditor("ingest", "mine", "--from", captions, "--store", "s").returncode == 0
    query = ["sql", "select text from captions order by image", "--store", "s"]
    texts = {*COMMANDS}
    told = {name: run_auditor(*query, "--format", name).stdout for name in ("csv", "json")}
    assert "##[" in told["csv"]
    assert "##[" not in told["json"]
    (document,) = json.loads(told["json"]).values()
    rows = document["rows"]
    assert texts - {" \u3000::add-mask::x", COMMANDS[-1]} <= {row["text"] for row in rows}
    for variable in ("CI", "TF_BUILD", "TEAMCITY_VERSION"):
        done = run_auditor(*query, "--format", "csv", **{variable: "true"})
        assert not OBEYED.search(done.stdout)
        assert "-o FILE writes it unchanged" in done.stderr
        assert json.loads(run_auditor(*query, "--json", **{variable: "true"}).stdout) == json.loads(told["json"])
        assert run_auditor(*query, "-o", "out.csv", **{variable: "true"}).returncode == 0
        assert Path("out.csv").read_bytes() == told["csv"].encode()


@pytest.mark.parametrize("text", COMMANDS)
def test_command_becomes_a_text_that_looks_like_it(text: str) -> None:
    made = disobeyed(text)
    assert not OBEYED.search(made)
    assert len(made) == len(text)
    assert disobeyed("std::vector, a#b, c ## d [e]: f") == "std::vector, a#b, c ## d [e]: f"


def test_annotations_in_sarif_are_text() -> None:
    Path("st.csv").write_text('image,caption\n"[x](http://evil) {0}",http://a.org\n')
    done = run_auditor("findings", "st.csv", "--format", "sarif", "-k", "web-address")
    (text,) = [row["message"]["text"] for row in json.loads(done.stdout)["runs"][0]["results"]]
    assert r"\[x\](http://evil) {{0}}" in text
    assert sarif.__doc__


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[Path]:
    """A file of the user's that no command names."""
    file = tmp_path / "bashrc"
    file.write_text("mine\n")
    yield file
    assert file.read_text() == "mine\n"


def test_output_that_nobody_named_follows_no_link(outside: Path) -> None:
    Path("c.csv").write_text("image,caption\na,a dog\na,the cat\n")
    Path("c.csv.audit.html").symlink_to(outside)
    assert asked("c.csv", "-q") == 2
    Path("datasets.toml").write_text('[mine]\nformat = "table"\npath = "c.csv"\n')
    Path("datasets.lock").symlink_to(outside)
    assert asked("ingest", "mine", "--store", "s", "-q") == 3
    Path("datasets.lock").unlink()
    Path("datasets.lock").symlink_to("new.lock")
    assert asked("ingest", "mine", "--store", "s", "-q") == 3
    assert not Path("new.lock").exists()
    Path("audit.duckdb").symlink_to("s")
    for command in (["datasets"], ["ingest", "other", "--from", "c.csv"]):
        assert asked(*command, "-q") == 4
    Path("audit.duckdb").unlink()
    Path("auditor-demo").symlink_to(outside.parent)
    assert asked("demo", "-q") == 2
    Path(".verdicts.stages").symlink_to(outside.parent)
    pl.DataFrame({"image": ["a"], "caption": ["a dog"]}).write_parquet("a.parquet")
    assert asked("findings", "*.parquet", "--verdicts", "verdicts", "-q") == 2
    Path("dangling").symlink_to("elsewhere")
    assert asked("ingest", "mine", "--from", "c.csv", "--store", "dangling", "-q") == 4
    assert not Path("elsewhere").exists()
    Path("scores.csv.receipt.json").symlink_to(outside)
    assert asked("bounds", "mine", "--store", "s", "-m", "bleu-1", "--scores", "scores.csv", "-q") == 2


def test_source_is_not_replaced_by_its_own_page() -> None:
    Path("captions").write_text("image,caption\na,a dog\n")
    assert asked("captions", "-o", "captions", "-q") == 2
    assert Path("captions").read_text() == "image,caption\na,a dog\n"


def test_two_options_never_write_one_file() -> None:
    for command, one, two, name in (
        ("choices", "--fair", "--answers", "a.csv"),
        ("bounds", "--scores", "--output", "a.csv"),
    ):
        done = run_auditor(command, "mine", one, name, two, f"./{name}")
        assert done.returncode == 2
        assert "another option of this command writes it" in done.stderr
        assert not Path(name).exists()


def _paths() -> list[tuple[str, str, str]]:
    """List the options that take a path: the command, the option, the role."""
    found = []
    for name, study in STUDIES.items():
        for option in derived.options_of(study.load()):
            if "Path" in f"{option.kind}{option.parameter.typed}" and not option.parameter.metavar:
                assert option.parameter.path is not None, f"{name} {option.name} has no role"
                found.append((name, option.asked.words[0], option.parameter.path.name))
    return found


#: The least that dear commands do.
_CHEAP = {
    "probe": ("-m", "bleu-1", "--component", "order"),
    "bounds": ("-m", "bleu-1"),
    "score": ("-m", "bleu-1"),
    "findings": ("--kind", "markup"),
}


def _needed(name: str, without: str) -> list[str]:
    """Return the arguments that a command cannot do without."""
    needed = [*_CHEAP.get(name, ())]
    for option in derived.options_of(STUDIES[name].load()):
        if option.shown().default is inspect.Parameter.empty and option.asked.words[0] != without:
            needed += ["mine"] if option.parameter.metavar else [option.asked.words[0], "given"]
    return needed


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what no path should lead to, and a store."""
    folder = tmp_path_factory.mktemp("planted")
    (folder / "ring").symlink_to("ring")
    os.mkfifo(folder / "pipe")
    (folder / "folder").mkdir()
    (folder / "deep").write_text("[" * 100_000)
    (folder / "deep.csv").write_text("[" * 100_000)
    (folder / os.fsdecode(b"caf\xe9.json")).write_text("{}")
    with Store.open(folder / "s.duckdb", write=True) as store:
        ingest_rows(store, [("a", 0, "a dog"), ("a", 1, "the dog"), ("b", 0, "a cat"), ("b", 1, "the cat")], "mine")
    return folder


HOSTILE = ["ring", "n" * 300, os.fsdecode(b"caf\xe9.json"), "pipe", "/dev/zero", "folder", "deep", "deep.csv",
    "s.duckdb"]  # fmt: skip


@pytest.mark.parametrize("path", HOSTILE)
@pytest.mark.parametrize(("command", "option", "role"), some(_paths(), 12))
@pytest.mark.timeout(60)
def test_no_path_hangs_crashes_or_is_a_bug(
    planted: Path, tmp_path: Path, command: str, option: str, role: str, path: str
) -> None:
    shutil.copytree(planted, tmp_path, dirs_exist_ok=True, symlinks=True, ignore=shutil.ignore_patterns("pipe"))
    os.mkfifo("pipe")
    before = Path("s.duckdb").read_bytes()
    given = [] if command == "fetch" or "--store" in option else ["--store", "s.duckdb"]
    done = run_auditor(*command.split(), *_needed(command, option), option, path, *given)
    if done.returncode == 0:
        assert (role, path) not in [("INPUT", "pipe"), ("INPUT", "/dev/zero"), ("FOLDER", "pipe")]
    else:
        assert done.returncode in (1, 2, 3, 4, 5), done.stderr
        assert done.stderr.count("error: ") == 1
        assert "this is a bug" not in done.stderr
    if command not in ("ingest", "export"):
        with Store.open(Path("s.duckdb")) as store:
            assert store.query("select count(*) from membership").item() == 4
    assert command != "fetch" or Path("s.duckdb").read_bytes() == before


@pytest.mark.parametrize("form", ["table", "github", "sarif", "json", "csv"])
def test_name_that_is_no_text_is_no_bug(form: str) -> None:
    name = os.fsdecode(b"caf\xe9.csv")
    Path(name).write_text("image,caption\na,see http://a.org\na,a dog\n")
    done = run_auditor("findings", name, "--format", form, "-k", "web-address")
    assert done.returncode == 0, done.stderr
    assert "a.org" in done.stdout


def test_baseline_is_not_written_where_findings_fail() -> None:
    Path("c.csv").write_text("image,caption\na,see http://a.org\n")
    done = run_auditor("findings", "c.csv", "--baseline", "known.json", "--write-baseline", "--fail-on", "notice")
    assert done.returncode == 2
    assert not Path("known.json").exists()


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash, which GitHub runs the script with")
@pytest.mark.parametrize(
    "files", ["g.csv --write-baseline", "--write-baseline", "my captions.csv", "c.csv\n\nmy captions.csv"]
)
def test_action_reads_names_and_never_options(tmp_path: Path, files: str) -> None:
    yaml = pytest.importorskip("yaml", reason="no PyYAML, which reads action.yml")
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    assert action["runs"]["steps"][1]["env"] == {"ACTION_PATH": "${{ github.action_path }}"}
    program = tmp_path / "bin" / "auditor"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\nprintf "%s|" "$@"\n')
    program.chmod(0o755)
    env = {
        "PATH": f"{program.parent}:{os.environ['PATH']}",
        "FILES": files,
        "FAIL_ON": "error",
        "BASELINE": "",
        "SARIF": "",
    }
    script = action["runs"]["steps"][2]["run"]
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script], env=env, capture_output=True, text=True, check=True
    )
    _, _, given = done.stdout.partition("|--|")
    assert given.split("|")[:-1] == [name for name in files.split("\n") if name]
