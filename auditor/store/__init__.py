"""The room of stored facts: connection, migrations, the SQL runner, versions, cached counts.

Only this room knows DuckDB. It refuses to interpret a number: it counts and keeps.
"""
