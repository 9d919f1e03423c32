"""Write the public address into what is built, for a release: elsewhere nobody knows it."""

from __future__ import annotations

import os
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class Addresses(MetadataHookInterface):
    """Addresses of the project, where AUDITOR_REPOSITORY has that of its repository."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the addresses to the metadata."""
        repository = os.environ.get("AUDITOR_REPOSITORY", "").rstrip("/")
        tree = f"{repository}/blob/v{metadata['version']}"
        paths = {"Documentation": f"{tree}/docs/index.md", "Changelog": f"{tree}/CHANGELOG.md"}
        metadata["urls"] = {"Repository": repository, **paths} if repository else {}
