"""datasets.toml: the user's file beside the shipped one, and errors that say what is wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from auditor import config
from auditor.errors import UsageError


def test_shipped_file_declares_the_datasets() -> None:
    declared = config.sources()
    assert {"flickr8k", "abstract50s", "coco-val2017"} <= set(declared)
    systems = {name for name, source in declared.items() if source.kind == "candidates"}
    years = "liu2017 mun2017 shetty2016 tavakoli2017 vinyals2017 wu2016 zhou2017 dai2017 shetty2017"
    assert systems == set(years.split())
    assert set(declared["flickr8k"].splits) == {"train", "dev", "test"}


def test_own_file_adds_to_the_shipped_one_and_replaces_its_tables(tmp_path: Path) -> None:
    Path("datasets.toml").write_text(
        '[settings]\ndata = "here"\n[mine]\nformat = "list"\npath = "a.json"\n[flickr8k]\nformat = "coco"\npath = "b.json"\n'
    )
    declared = config.sources()
    assert declared["mine"].path == Path("here/a.json")
    assert declared["flickr8k"].format == "coco"
    assert "abstract50s" in declared


def test_environment_names_the_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDITOR_DATA", "/elsewhere")
    assert config.sources()["flickr8k"].path == Path("/elsewhere/flickr8k/Flickr8k.token.txt")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[mine\n", "not TOML"),
        ('[mine]\npath = "a"\n', "format must be given"),
        ('[mine]\nformat = "list"\n', "path must be given"),
        ('[mine]\nformat = "list"\npath = "a"\nkind = "images"\n', "kind must be one of captions"),
        ('[mine]\nformat = "list"\npath = "a"\nfromat = "x"\n', "unknown key fromat"),
        ('[mine]\nformat = "list"\npath = "a"\ncaptions = "many"\n', "captions must be a whole number"),
        ('[mine]\nformat = "list"\npath = "a"\nsplits = "train"\n', "splits must map"),
        ('[mine]\nformat = "list"\npath = "a"\nrelated = "flickr8k"\n', "related must be a list"),
        ('[mine]\nformat = "list"\npath = "a"\nlanguage = 5\n', "language must be a string"),
        ("[settings]\ndata = 5\n", "data must be the name of a folder"),
        ('["not a name"]\nformat = "list"\npath = "a"\n', "expected a table named with"),
    ],
)
def test_faulty_file_is_named_with_its_fault(tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "datasets.toml"
    path.write_text(content)
    with pytest.raises(UsageError, match=words):
        config.sources(path)


def test_missing_named_file_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="no such file"):
        config.sources(tmp_path / "none.toml")
    monkeypatch.setenv("AUDITOR_CONFIG", str(tmp_path / "none.toml"))
    with pytest.raises(UsageError, match="no such file"):
        config.sources()


@pytest.mark.parametrize(
    ("names", "options", "words"),
    [
        ([], {}, "name a dataset"),
        (["nope"], {}, "declared are abstract50s"),
        (["a", "b"], {"file": Path("f"), "file_format": "list"}, "--from reads one dataset"),
        (["a"], {"file": Path("f")}, "say what it is: --format"),
        (["a"], {"file_format": "list"}, "name it with --from"),
        (["a:b"], {"file": Path("f"), "file_format": "list"}, "a dataset's name has"),
        (["a"], {"file": Path("f"), "file_format": "list", "kind": "x"}, "no such kind"),
    ],
)
def test_contradictory_wishes_are_explained(names: list[str], options: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        config.wanted(names, **options)


def test_all_names_everything_declared() -> None:
    assert {source.dataset for source in config.wanted([], everything=True)} == set(config.sources())
