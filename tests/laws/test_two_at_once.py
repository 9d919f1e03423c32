"""Law: two processes that write the same file both end; for a store see `store/test_faults`, for stages `scale_out`."""

from __future__ import annotations

import os
from pathlib import Path

from sizes import some

from auditor.files import replacing


def test_two_writers_of_one_file_never_fail(tmp_path: Path) -> None:
    path, children = tmp_path / "keep.json", []
    for text in (b"one", b"two"):
        children.append(os.fork())
        if not children[-1]:
            for _ in some(range(10_000), 300):
                with replacing(path) as file:
                    file.write(text)
            os._exit(0)
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0, 0]
    assert path.read_bytes() in (b"one", b"two")
    assert [*tmp_path.iterdir()] == [path]
