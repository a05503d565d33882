#!/bin/sh
# flights.sh PARQUET DIR: turns a Parquet file into Arrow files of 65536-row
# batches, flights-3m.lz4.arrow, .zstd.arrow and .none.arrow in DIR. It needs
# python3 with venv and a package index to get pyarrow from.
set -eu
parquet=$1 dir=$2
mkdir -p "$dir"
venv=${VENV:-$dir/venv}
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/python" -c 'import pyarrow' 2>/dev/null || "$venv/bin/pip" install --quiet pyarrow
"$venv/bin/python" - "$parquet" "$dir" <<'PY'
import sys
import pyarrow as pa
import pyarrow.parquet as pq

table = pq.read_table(sys.argv[1]).combine_chunks()
for codec in ("lz4", "zstd", None):
    path = f"{sys.argv[2]}/flights-3m.{codec or 'none'}.arrow"
    options = pa.ipc.IpcWriteOptions(compression=codec)
    with pa.OSFile(path, "wb") as f, pa.ipc.new_file(f, table.schema, options=options) as w:
        w.write_table(table, max_chunksize=65536)
PY
