-- name: schema_listing
-- version: 1
-- grain: column
-- reads: duckdb_columns, duckdb_tables, duckdb_views
-- returns: relation, column, type, meaning
-- order: schema_name = 'cache', name, place
--
-- Every table and view of the store, with a row for itself and one for each column, with their comments. The columns
-- of a view are in the order of its results.
with relation as (
    select schema_name, table_name as name, comment from duckdb_tables() where not temporary and not internal
    union all
    select schema_name, view_name, comment from duckdb_views() where not temporary and not internal
),
listed as (
    select schema_name, name, 0 as place, null as "column", null as type, comment from relation
    union all
    select c.schema_name, c.table_name, c.column_index, c.column_name, c.data_type, c.comment
    from duckdb_columns() as c
    semi join relation as r on r.schema_name = c.schema_name and r.name = c.table_name
)
select
    case when schema_name = 'main' then name else concat(schema_name, '.', name) end as relation,
    "column",
    type, comment as meaning
from listed
order by schema_name = 'cache', name, place
