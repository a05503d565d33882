"""nanoarrow, which reads and writes streams. What it reads goes to pyarrow over
the C interface, where canonical.py compares it."""

import nanoarrow as na
import nanoarrow.ipc
import pyarrow as pa

from canonical import difference, rows  # noqa: F401

NAME = "nanoarrow"
VERSION = na.__version__
READS = WRITES = ["stream"]
CODECS = ["none"]


def read(path, format):
    with na.ArrayStream.from_path(str(path)) as stream:
        reader = pa.RecordBatchReader.from_stream(stream)
        batches = list(reader)
    for batch in batches:
        batch.validate(full=True)
    return reader.schema, batches


def write(table, path, format, codec):
    schema, batches = table
    with nanoarrow.ipc.StreamWriter.from_path(str(path)) as writer:
        writer.write_stream(pa.RecordBatchReader.from_batches(schema, batches))


def attempts(case):
    def stream(path):
        return na.ArrayStream.from_path(str(path))

    yield "batch by batch", lambda path, got: got.extend(stream(path).iter_chunks())
    yield "read_all", lambda path, got: stream(path).read_all()
