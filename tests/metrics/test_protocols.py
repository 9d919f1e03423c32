"""A protocol is what a paper did: nothing changes it."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from auditor.scoring.protocols import Definition, PairedSetup, RatedSetup


@pytest.mark.parametrize(
    "setup",
    [
        Definition("BLEU", "bleu-4", "bleu-4:smooth=none", "it is rounded"),
        RatedSetup("flickr8k-expert", "flickr8k", "kendall-c", False, "nothing"),
        PairedSetup("pascal50s", "pascal50s-refs", 5, 1, "half", "nothing"),
    ],
)
def test_a_setup_cannot_be_changed(setup: object) -> None:
    with pytest.raises(FrozenInstanceError):
        setup.dataset = "another"  # type: ignore[attr-defined]
    assert {setup: 1}[setup] == 1
