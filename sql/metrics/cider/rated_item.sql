-- name: rated_item
-- version: 1
-- grain: image
-- reads: reference, rating_count
-- returns: image_no, held_out, fold, items
-- cites: cider/pyciderevalcap: a document is an item of the run; clipscore/flickr8k_example, whose items are ratings
--
-- As run_item, but each rating of a caption is an item: an image with 6 captions and 3 raters is 18 documents.
select distinct r.image_no, null::uinteger as held_out, 0::uinteger as fold, c.items
from reference as r
join rating_count as c using (image)
