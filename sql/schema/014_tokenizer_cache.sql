-- The cache names a tokenizer as the facts do: 015_tokenizer.sql, whose views read it.

alter table cache.ngram_frequency rename profile to tokenizer;
comment on column cache.ngram_frequency.tokenizer is 'Tokenizer of the tokens.';

alter table cache.drawn_candidate rename profile to tokenizer;
comment on column cache.drawn_candidate.tokenizer is 'Tokenizer of the tokens.';
