"""Turns TPC-H lineitem from Parquet into an Arrow file, with plain strings
instead of views of strings:

    python lineitem.py PARQUET ARROW
"""

import sys

import pyarrow as pa
import pyarrow.parquet as pq

table = pq.read_table(sys.argv[1])
schema = pa.schema([
    pa.field(f.name, pa.string() if pa.types.is_string_view(f.type) else f.type, f.nullable)
    for f in table.schema])
table = table.cast(schema).combine_chunks()
with pa.OSFile(sys.argv[2], "wb") as f, pa.ipc.new_file(f, schema) as w:
    w.write_table(table, max_chunksize=65536)
