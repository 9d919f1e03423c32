"""How COCO names the files of its images, by the number that its captions go by."""

from __future__ import annotations

#: A file's name, with folders or without; the group is the number: `train2014/COCO_train2014_000000000009.jpg` is 9.
COCO_FILE = r"(?:.*/)?(?:COCO_\w+_)?0*(\d+)\.jpg"
