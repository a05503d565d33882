"""pyarrow, which is Arrow C++: every reader that it has of streams and files.

Data is equal if canonical.py says so.
"""

import pyarrow as pa
import pyarrow.dataset
import pyarrow.feather

from canonical import difference, rows  # noqa: F401

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
    options = pa.ipc.IpcWriteOptions(compression=None if codec == "none" else codec,
                                     emit_dictionary_deltas=True)
    new = pa.ipc.new_stream if format == "stream" else pa.ipc.new_file
    with pa.OSFile(str(path), "wb") as f, new(f, schema, options=options) as writer:
        for batch in batches:
            writer.write_batch(batch)


def attempts(case):
    if case["format"] == "stream":
        yield "batch by batch", lambda path, got: take(pa.ipc.open_stream(pa.OSFile(str(path))), got)
        yield "mapped", lambda path, got: take(pa.ipc.open_stream(pa.memory_map(str(path))), got)
        yield "first column", lambda path, got: take(pa.ipc.open_stream(
            pa.OSFile(str(path)), options=pa.ipc.IpcReadOptions(included_fields=[0])), got)
        yield "read_all", lambda path, got: whole(pa.ipc.open_stream(str(path)).read_all(), got)
        return
    for i, flagged in enumerate(case["flags"]):
        if flagged:
            yield f"batch {i}", lambda path, got, i=i: touch(pa.ipc.open_file(str(path)).get_batch(i), got, case["plain"])
            yield f"batch {i}, mapped", lambda path, got, i=i: touch(
                pa.ipc.open_file(pa.memory_map(str(path))).get_batch(i), got, case["plain"])
    yield "read_all", lambda path, got: whole(pa.ipc.open_file(str(path)).read_all(), got)
    yield "feather", lambda path, got: whole(pa.feather.read_table(str(path)), got)
    yield "dataset", lambda path, got: whole(pa.dataset.dataset(str(path), format="ipc").to_table(), got)


def take(reader, got):
    for batch in reader:
        touch(batch, got)


def touch(batch, got, plain=0):
    got.extend([None] * (plain + 1 if plain else 1))
    batch.to_pylist()


def whole(table, got):
    got.append(table)
    table.to_pylist()
