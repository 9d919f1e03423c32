-- Names for numbers and encodings that several SELECTs share: temporary macros of every connection, never of a file (a
-- store that defines any is refused). The fingerprint of a SELECT covers those that it calls.

-- N-grams as one number: 32 bits per token, the last token lowest. Tokens are numbered from 1, so the size of the number
-- shows the order of the n-gram: bigrams begin at 2^32, trigrams at 2^64, four-grams at 2^96.
create or replace temp macro pack
    (token_1, token_2) as token_1 * 4294967296 + token_2,
    (token_1, token_2, token_3) as (token_1 * 4294967296 + token_2) * 4294967296 + token_3,
    (token_1, token_2, token_3, token_4) as ((token_1 * 4294967296 + token_2) * 4294967296 + token_3) * 4294967296 + token_4;

create or replace temp macro last_packed(packed_number) as packed_number % 4294967296;

create or replace temp macro first_bigram() as 4294967296;
create or replace temp macro first_trigram() as 18446744073709551616;
create or replace temp macro first_four_gram() as 79228162514264337593543950336;

-- N-grams of a language model: 25 bits per token, the predicted token lowest: the lower bits are the n-grams that it
-- backs off to. Masks, not remainders: % on uhugeint costs twenty times &.
create or replace temp macro pack_of_model(token_1, token_2, token_3, token_4, token_5) as
    (((token_1 * 33554432 + token_2) * 33554432 + token_3) * 33554432 + token_4) * 33554432 + token_5;

create or replace temp macro last_tokens(packed_number, number_of_tokens) as
    packed_number & ((1::uhugeint << (25 * number_of_tokens)::uhugeint) - 1);

create or replace temp macro history_of(packed_number) as packed_number >> 25::uhugeint;
create or replace temp macro sentence_end() as 33554431;

-- The remainder of a number of 128 bits by a divisor below 2^32: in halves, since % on uhugeint costs twenty times as much.
create or replace temp macro remainder_of(wide_number, small_divisor) as
    (
        (wide_number >> 64::uhugeint)::ubigint % small_divisor::ubigint
        * ((18446744073709551615::ubigint % small_divisor::ubigint + 1) % small_divisor::ubigint)
        + (wide_number & 18446744073709551615::uhugeint)::ubigint % small_divisor::ubigint
    ) % small_divisor::ubigint;

-- The nearest of several positions, as the smallest number: the distance above 32 bits of the position.
create or replace temp macro at_distance(distance_above, place_below) as (distance_above << 32) | place_below::ubigint;
create or replace temp macro distance_of(packed_number) as packed_number >> 32;
create or replace temp macro place_of(packed_number) as (packed_number & 4294967295::ubigint)::uinteger;

-- Fractions are added as integers, so that neither the order of rows nor the number of threads changes a digit. These are
-- the integers for 1: 2^58 for cosines and the bits of a model, 2^70 for squared weights, 2^40 for logarithms, 2^60 for
-- the parts of a divergence.
create or replace temp macro cosine_scale() as 288230376151711744.0;
create or replace temp macro bit_scale() as 288230376151711744.0;
create or replace temp macro square_scale() as 1180591620717411303424.0;
create or replace temp macro log_scale() as 1099511627776;
create or replace temp macro share_scale() as 1152921504606846976;

-- What a ratio over images and its interval need of whole numbers: their sums, and those of squares and products.
create or replace temp macro ratio_sums(part_number, whole_number) as
    {
        part: sum(part_number)::bigint, whole: sum(whole_number)::bigint,
        part_square: sum(part_number * part_number)::bigint, whole_square: sum(whole_number * whole_number)::bigint,
        product: sum(part_number * whole_number)::bigint
    };

-- Names of COCO's images as numbers: 391895 for COCO_val2014_000000391895.jpg, 000000391895.jpg and 391895. Other names
-- stay as they are.
create or replace temp macro image_key(image_name) as
    regexp_replace(image_name, '^(?:COCO_[A-Za-z0-9]+_)?0*([0-9]+)(?:\.[A-Za-z]+)?$', '\1');

-- The plural of an English noun, by rule.
create or replace temp macro plural_of(noun) as
    case
        when regexp_matches(noun, '(^|[^u])man$') and noun not like '%german' then regexp_replace(noun, 'man$', 'men')
        when regexp_matches(noun, 'child$') then noun || 'ren'
        when regexp_matches(noun, 'mouse$') then regexp_replace(noun, 'mouse$', 'mice')
        when regexp_matches(noun, '(goose|foot|tooth)$') then regexp_replace(noun, 'oo(se|t|th)$', 'ee\1')
        when noun = 'ox' then 'oxen'
        when regexp_matches(noun, '(kni|wi|li|cal|hal|wol|shel|lea|loa|thie|scar)fe?$')
            then regexp_replace(noun, 'fe?$', 'ves')
        when regexp_matches(noun, '[^aeiou]y$') then regexp_replace(noun, 'y$', 'ies')
        when regexp_matches(noun, '(s|x|z|ch|sh)$') then noun || 'es'
        else noun || 's'
    end;

-- Whether a version holds a row: rows have the first version that holds them, and the first one that does not.
create or replace temp macro is_held(first_version, version_without, asked_version) as
    first_version <= asked_version and (version_without is null or version_without > asked_version);

-- English words after which a sentence usually goes on.
create or replace temp macro leads_on() as [
    'a', 'an', 'the', 'and', 'or', 'of', 'my', 'your', 'its', 'our', 'their', 'his', 'with', 'during', 'into', 'from', 'at', 'for',
    'to', 'by', 'as', 'while', 'which', 'whose', 'who', 'some', 'very', 'quite', 'between', 'among', 'beside', 'towards', 'onto',
    'upon', 'because', 'if', 'than', 'but', 'near', 'are', 'has', 'was', 'were', 'wearing', 'holding', 'several', 'two', 'three'
];

-- Whether a caption ends openly: without a punctuation mark or a sign.
create or replace temp macro ends_openly(caption_text) as not regexp_matches(caption_text, '[.!?。！？…”"+*=~)\]]\s*$');

-- A quantile of whole numbers that are counted: sorted values, and how many there are up to each. It lies between two of
-- them, and is rounded, so that one that is a whole number is exactly that.
create or replace temp macro quantile_of(sorted_values, counted_upto, wanted_share) as
    round(list_reduce(
        list_transform(
            [floor(wanted_share::double * (counted_upto[-1] - 1)), ceil(wanted_share::double * (counted_upto[-1] - 1))],
            lambda place: sorted_values[1 + len(list_filter(counted_upto, lambda upto: upto <= place))]::double
        ),
        lambda low, high: low + (high - low) * (wanted_share::double * (counted_upto[-1] - 1) % 1)
    ), 9);
