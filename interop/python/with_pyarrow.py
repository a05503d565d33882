"""pyarrow, which is Arrow C++: every reader that it has of streams and files.

Data is equal if canonical.py says so.
"""

import pyarrow as pa
import pyarrow.dataset
import pyarrow.feather

from canonical import difference, rows  # noqa: F401
from driver import Unsupported

NAME = "pyarrow"
VERSION = pa.__version__
READS = WRITES = ["stream", "file"]
CODECS = ["none", "lz4", "zstd"]


def read(path, format):
    with pa.OSFile(str(path)) as f:
        if format == "stream":
            reader = pa.ipc.open_stream(f)
            batches = list(reader)
        else:
            reader = pa.ipc.open_file(f)
            batches = [reader.get_batch(i) for i in range(reader.num_record_batches)]
    for batch in batches:
        batch.validate(full=True)
    return reader.schema, batches


def write(table, path, format, codec):
    schema, batches = table
    if codec != "none" and any(map(has_union, schema.types)):
        raise Unsupported("crashes when it compresses a union without rows that it has read")
    options = pa.ipc.IpcWriteOptions(compression=None if codec == "none" else codec,
                                     emit_dictionary_deltas=True)
    new = pa.ipc.new_stream if format == "stream" else pa.ipc.new_file
    with pa.OSFile(str(path), "wb") as f, new(f, schema, options=options) as writer:
        for batch in batches:
            writer.write_batch(batch)


def has_union(type):
    return pa.types.is_union(type) or any(has_union(type.field(i).type) for i in range(type.num_fields))


def attempts(case):
    if case["format"] == "stream":
        yield "batch by batch", lambda path, got: got.extend(pa.ipc.open_stream(pa.OSFile(str(path))))
        yield "mapped", lambda path, got: got.extend(pa.ipc.open_stream(pa.memory_map(str(path))))
        for i in range(case["columns"]):
            yield f"column {i}", lambda path, got, i=i: got.extend(pa.ipc.open_stream(
                str(path), options=pa.ipc.IpcReadOptions(included_fields=[i])))
        yield "read_all", lambda path, got: pa.ipc.open_stream(str(path)).read_all()
        return
    for i, flagged in enumerate(case["flags"]):
        if flagged:
            yield f"batch {i}", lambda path, got, i=i: pa.ipc.open_file(str(path)).get_batch(i)
            yield f"batch {i}, mapped", lambda path, got, i=i: pa.ipc.open_file(pa.memory_map(str(path))).get_batch(i)
    yield "read_all", lambda path, got: pa.ipc.open_file(str(path)).read_all()
    yield "feather", lambda path, got: pa.feather.read_table(str(path))
    yield "dataset", lambda path, got: pa.dataset.dataset(str(path), format="ipc").to_table()
