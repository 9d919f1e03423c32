"""datasets.toml: what is shipped, the user's file beside it, and errors that say what is wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from auditor import config, sources
from auditor.errors import UsageError
from auditor.sources.download import find

DECLARED = config.sources(config.shipped())

HUMAN = "flickr8k flickr30k abstract50s pascal50s pascal1k-part abstract-scenes coco-val2017 coco-val multi30k"
SYSTEMS = "liu2017 mun2017 shetty2016 tavakoli2017 vinyals2017 wu2016 zhou2017 dai2017 shetty2017"
JUDGED = "flickr8k-expert flickr8k-crowd pascal50s-pairs abstract50s-pairs"
TEXTS = "brown coco-train-words"
TO_BE_OBTAINED = (
    "coco-karpathy pascal1k vlt2k imageclef2015 coco-train ek2013 composite-8k composite-30k composite-coco thumb "
    "thumb-precision thumb-recall thumb-refs"
)


def table(lines: str) -> str:
    return f'[mine]\nformat = "list"\n{lines}\n'


def download(**changes: str) -> str:
    entry = {"url": "https://x/a", "sha256": "0" * 64, "path": "a"} | changes
    inner = ", ".join(f'{key} = "{value}"' for key, value in entry.items())
    return table(f'path = "a"\ndownloads = [{{ {inner} }}]')


def test_every_dataset_of_the_papers_is_declared() -> None:
    assert set(" ".join((HUMAN, SYSTEMS, JUDGED, TEXTS, TO_BE_OBTAINED)).split()) <= set(DECLARED)


def test_kinds_are_what_the_names_promise() -> None:
    assert {DECLARED[name].kind for name in HUMAN.split()} == {"captions"}
    assert {DECLARED[name].kind for name in SYSTEMS.split()} == {"candidates"}
    assert {DECLARED[name].kind for name in JUDGED.split()} == {"judgements", "pairs", "triplets"}
    assert [DECLARED[name].kind for name in TEXTS.split()] == ["corpus", "wordlist"]


def test_splits_are_those_that_people_type() -> None:
    assert set(DECLARED["flickr8k"].splits) == {"train", "dev", "test"}
    assert set(DECLARED["flickr30k"].splits) == {"train", "val", "test"}
    assert DECLARED["flickr30k"].split_suffix == ".jpg"
    assert [part.split for part in DECLARED["multi30k"].parts] == ["train", "val", "test"]
    assert DECLARED["coco-val"].parts[0].options == {"split_key": "karpathy_split"}
    assert DECLARED["vlt2k"].parts[0].options == {"sentences": "first"}


def test_every_dataset_can_be_fetched_or_says_how_to_obtain_it() -> None:
    for name, source in DECLARED.items():
        assert source.downloads or source.obtain, name
        assert source.license, name
        assert source.citation, name
        assert source.obtain or name not in TO_BE_OBTAINED.split(), name


def test_formats_and_settings_of_every_dataset_exist() -> None:
    for source in DECLARED.values():
        for part in source.parts:
            sources.check(part, source.format)


def test_related_datasets_are_declared_and_relate_back() -> None:
    for name, source in DECLARED.items():
        assert set(source.related) <= set(DECLARED) - {name}
        if source.kind == "captions":
            assert all(name in DECLARED[other].related for other in source.related)


def test_no_two_datasets_want_another_file_at_one_path() -> None:
    wanted: dict[Path, tuple[str, str | None]] = {}
    for source in DECLARED.values():
        for file in source.downloads:
            assert wanted.setdefault(file.path, (file.sha256, file.member)) == (file.sha256, file.member)


def test_every_declared_file_lies_in_the_data_folder(data: Path) -> None:
    for name, source in config.sources().items():
        if name in {*TO_BE_OBTAINED.split(), "coco-val2014"}:
            continue
        paths = [path for part in source.parts for path in part.paths] + list(source.splits.values())
        paths += [value for part in source.parts for value in part.options.values() if isinstance(value, Path)]
        for path in paths:
            assert data in path.parents, name
            assert find(path) is not None or any(path.parent.glob(path.name)), path


def test_own_file_adds_to_the_shipped_one_and_replaces_its_tables(tmp_path: Path) -> None:
    Path("datasets.toml").write_text(
        '[settings]\ndata = "here"\n[mine]\nformat = "list"\npath = "a.json"\n[flickr8k]\nformat = "coco"\npath = "b.json"\n'
    )
    declared = config.sources()
    assert declared["mine"].parts[0].paths == (Path("here/a.json"),)
    assert declared["flickr8k"].format == "coco"
    assert "abstract50s" in declared


def test_environment_names_the_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDITOR_DATA", "/elsewhere")
    assert config.sources()["flickr8k"].parts[0].paths == (Path("/elsewhere/flickr8k/Flickr8k.token.txt"),)


def test_every_key_is_read(tmp_path: Path) -> None:
    path = tmp_path / "datasets.toml"
    path.write_text(
        table(
            'kind = "judgements"\nlanguage = "de"\nrelated = ["other"]\nsplit_suffix = ".png"\nimages = 1\ncaptions = 2\n'
            'obtain = "ask"\nlicense = "none"\ncitation = "me"\noptions = { a = 1, list_file = "l", many = ["x", "y"] }\n'
            'splits = { test = "t" }\n'
            'parts = [{ path = "*.json", split = "train" }, { path = ["b", "c"], options = { a = true } }]\n'
            f'downloads = [{{ url = "http://x/y.zip", sha256 = "{"a" * 64}", path = "b", member = "in/b" }}]'
        )
    )
    source = config.sources(path, data=Path("d"))["mine"]
    first, second = source.parts
    assert (first.paths, first.split) == ((Path("d/*.json"),), "train")
    assert first.options == {"a": 1, "list_file": Path("d/l"), "many": ("x", "y")}
    assert (second.paths, second.split) == ((Path("d/b"), Path("d/c")), None)
    assert second.options == {"a": True, "list_file": Path("d/l"), "many": ("x", "y")}
    assert source.splits == {"test": Path("d/t")}
    (file,) = source.downloads
    assert (file.url, file.sha256, file.path, file.member) == ("http://x/y.zip", "a" * 64, Path("d/b"), "in/b")
    told = (source.kind, source.language, source.related, source.split_suffix, source.images, source.captions)
    assert told == ("judgements", "de", ("other",), ".png", 1, 2)
    assert (source.obtain, source.license, source.citation) == ("ask", "none", "me")


@pytest.mark.parametrize(
    ("written", "count", "place"),
    [
        ("5", 5, None),
        ('"photos"', None, "photos"),
        ('"photos/*.jpg"', None, "photos/*.jpg"),
        ('{ count = 5, path = "photos" }', 5, "photos"),
        ('{ path = "/photos" }', None, "/photos"),
    ],
)
def test_images_are_a_number_or_a_place_or_both(
    tmp_path: Path, written: str, count: int | None, place: str | None
) -> None:
    path = tmp_path / "datasets.toml"
    path.write_text(table(f'path = "a"\nimages = {written}'))
    source = config.sources(path, data=Path("d"))["mine"]
    where = None if place is None else Path("d") / place
    assert (source.images, source.image_files) == (count, where)
    assert config.image_files(path, data=Path("d")) == ({} if where is None else {"mine": where})
    assert config.image_files({"mine": source}) == ({} if where is None else {"mine": where})


def test_table_with_images_alone_adds_them_to_a_dataset_declared_or_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "datasets.toml").write_text(
        '[flickr8k]\nimages = "photos"\n[other]\nimages = "more/*.png"\n[other.check]\nleakage.max = 0.1\n'
    )
    found = config.image_files()
    assert (found["flickr8k"], found["other"]) == (Path("photos"), Path("more/*.png"))
    declared = config.sources()
    assert "other" not in declared
    assert (declared["flickr8k"].format, declared["flickr8k"].images) == ("flickr", 8093)
    assert [gate.dataset for gate in config.gates()] == ["other"]


def test_url_beside_path_is_a_download(tmp_path: Path) -> None:
    path = tmp_path / "datasets.toml"
    path.write_text(table(f'path = "a.json"\nurl = "https://x/a.json"\nsha256 = "{"b" * 64}"'))
    (file,) = config.sources(path, data=Path("d"))["mine"].downloads
    assert (file.url, file.path, file.member) == ("https://x/a.json", Path("d/a.json"), None)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[mine\n", "not TOML"),
        ("images = " + "9" * 5_000, "not TOML"),
        ("images = " + "[" * 10_000, "not TOML"),
        ("[check]\n" + ".".join("a" * 40) + " = 1\n", "nested more than 32 levels deep"),
        ("[check]\nx = " + "[" * 40 + "]" * 40, "nested more than 32 levels deep"),
        ("[settings]\ndata = 5\n", "data must be the name of a folder"),
        ('["not a name"]\nformat = "list"\npath = "a"\n', "expected a table named with"),
    ],
)
def test_faulty_file_is_named_with_its_fault(tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "datasets.toml"
    path.write_text(content)
    with pytest.raises(UsageError, match=words):
        config.sources(path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('[mine]\npath = "a"\n', "format must be given"),
        (table(""), "either path or parts must be given"),
        (table('path = "a"\nparts = [{ path = "b" }]'), "either path or parts must be given"),
        (table('path = "a"\nkind = "images"'), "kind must be one of captions"),
        (table('path = "a"\nfromat = "x"'), "unknown key fromat"),
        (table('path = "a"\nlicence = "x"'), "licence: use license"),
        (table('path = "a"\ncaptions = "many"'), "captions must be a whole number"),
        (table('path = "a"\nimages = true'), "images must be a whole number"),
        (table('path = "a"\nimages = ""'), "images must be a whole number, a folder or pattern of image files, or both"),
        (table('path = "a"\nimages = ["a"]'), "images must be a whole number"),
        (table('path = "a"\nimages = { count = "a" }'), "images must be a whole number"),
        (table('path = "a"\nimages = { path = 5 }'), "images must be a whole number"),
        (table('path = "a"\nimages = { folder = "a" }'), "images must be a whole number"),
        (table('path = "a"\nimages = {}'), "images must be a whole number"),
        ("[mine]\nimages = { folder = 5 }\n", "images must be a whole number"),
        ("[mine]\nimages = 5\n", "format must be given"),
        (table('path = "a"\nsplits = "train"'), "splits must map"),
        (table('path = "a"\nsplits = { train = 1 }'), "splits must map"),
        (table('path = "a"\nsplit_suffix = 1'), "split_suffix must be a string"),
        (table('path = "a"\nrelated = "flickr8k"'), "related must be a list"),
        (table('path = "a"\nlanguage = 5'), "language must be a string"),
        (table('path = "a"\nobtain = ["ask"]'), "obtain must be a string"),
        (table("path = 5"), "path must be a file, a pattern, or a list"),
        (table("path = []"), "path must be a file, a pattern, or a list"),
        (table('path = ["a", 5]'), "path must be a file, a pattern, or a list"),
        (table("parts = []"), "parts must be a list of tables"),
        (table('parts = ["a"]'), "parts must be a list of tables"),
        (table('parts = [{ split = "x" }]'), "path must be a file"),
        (table('parts = [{ path = "a", splits = "x" }]'), "unknown key splits"),
        (table('parts = [{ path = "a", split = 1 }]'), "split must be a string"),
        (table('parts = [{ path = "a", options = "x" }]'), "options must be a table"),
        (table('path = "a"\noptions = "x"'), "options must be a table"),
        (table('path = "a"\noptions = { x = 1.5 }'), "options: x must be a string, number or list"),
        (table('path = "a"\noptions = { x = [1] }'), "options: x must be a list of strings"),
        (table('path = "a"\noptions = { list_file = 1 }'), "options: list_file must be a path"),
        (table('path = "a"\nurl = "https://x/a"'), "url and sha256 belong together"),
        (table(f'path = "a"\nsha256 = "{"0" * 64}"'), "url and sha256 belong together"),
        (table(f'path = "a"\nurl = 5\nsha256 = "{"0" * 64}"'), "url and sha256 must be strings"),
        (table(f'path = ["a", "b"]\nurl = "https://x/a"\nsha256 = "{"0" * 64}"'), "url fetches one file"),
        (table('path = "a"\ndownloads = "https://x/a"'), "downloads must be a list of tables"),
        (table('path = "a"\ndownloads = ["https://x/a"]'), "downloads must be a list of tables"),
        (table('path = "a"\ndownloads = [{ url = "https://x/a" }]'), "downloads: sha256 must be given"),
        (download(url="ftp://x/a"), "only http and https urls can be fetched"),
        (download(url="file:///etc/passwd"), "only http and https urls can be fetched"),
        (download(sha256="0" * 63), "is not 64 hex digits"),
        (download(sha256="A" * 64), "is not 64 hex digits"),
        (download(path="../a"), "must stay inside the data folder"),
        (download(path="b/../../a"), "must stay inside the data folder"),
        (download(path="/etc/passwd"), "must stay inside the data folder"),
        (download(md5="x"), "unknown key md5"),
        (table(f'path = "a"\ndownloads = [{{ url = "http://x", sha256 = "{"0" * 64}", path = "a", member = 1 }}]'), "downloads: member must be a string"),
    ],
)  # fmt: skip
def test_faulty_table_is_named_with_its_key(tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "datasets.toml"
    path.write_text(content)
    with pytest.raises(UsageError, match=rf"datasets\.toml: \[mine\]: .*{words}"):
        config.sources(path)


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        ('name = "few"\nsql = "select 1"', None),
        ('name = "few"', "and nothing else"),
        ('name = "few"\nsql = "select 1"\nlimit = "1"', "and nothing else"),
        ('name = "few"\nsql = 1', "and nothing else"),
    ],
)
def test_a_check_in_sql_has_a_name_and_a_statement(tmp_path: Path, entry: str, fault: str | None) -> None:
    path = tmp_path / "datasets.toml"
    path.write_text(f"[[mine.check.sql]]\n{entry}\n")
    if fault:
        with pytest.raises(UsageError, match=fault):
            config.gates(path)
    else:
        (gate,) = config.gates(path)
        assert (gate.dataset, gate.keys, gate.limit) == ("mine", ("sql", "few"), "select 1")


def test_missing_named_file_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="no such file"):
        config.sources(tmp_path / "none.toml")
    monkeypatch.setenv("AUDITOR_CONFIG", str(tmp_path / "none.toml"))
    with pytest.raises(UsageError, match="no such file"):
        config.sources()


@pytest.mark.parametrize(
    ("names", "options", "words"),
    [
        ([], {}, "no dataset: name one"),
        (
            ["nope"],
            {},
            r"datasets.toml, which has abstract-scenes, .{30,70} and \d+ more; .* `auditor ingest NAME --from FILE`",
        ),
        (["flicker8k"], {}, "datasets.toml, which has flickr8k, "),
        ([__file__], {}, rf"to read a file: `auditor ingest test_config --from {__file__}`$"),
        (["a", "b"], {"files": [Path("f")], "file_format": "list"}, "--from reads one dataset"),
        (["a"], {"file_format": "list"}, "add --from"),
        (["a"], {"kind": "captions"}, "add --from"),
        (["a"], {"options": {"image_col": "x"}}, "add --from"),
        (["a:b"], {"files": [Path("f")], "file_format": "list"}, "a dataset name can contain only"),
        (["a"], {"files": [Path("f")], "file_format": "list", "kind": "x"}, "unknown kind"),
    ],
)
def test_contradictory_wishes_are_explained(names: list[str], options: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        config.wanted(names, **options)


def test_file_of_no_declared_dataset_is_read_as_it_is_called() -> None:
    (source,) = config.wanted(["a"], files=[Path("f"), Path("g")], kind="candidates", options={"image_col": "x"})
    assert (source.dataset, source.kind, source.format) == ("a", "candidates", "")
    assert source.parts[0].paths == (Path("f"), Path("g"))
    assert source.parts[0].options == {"image_col": "x"}


def test_other_file_of_a_declared_dataset_keeps_what_is_known_of_it() -> None:
    (source,) = config.wanted(["coco-val"], files=[Path("f")])
    assert (source.format, source.images) == ("coco", 20993)
    assert source.parts[0].options == {"split_key": "karpathy_split"}
    (source,) = config.wanted(["coco-val"], files=[Path("f")], file_format="list")
    assert source.parts[0].options == {}


def test_all_names_everything_declared() -> None:
    assert {source.dataset for source in config.wanted([], everything=True)} == set(config.sources())
