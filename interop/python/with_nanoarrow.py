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
    def batches(path, got):
        with na.ArrayStream.from_path(str(path)) as stream:
            for chunk in stream.iter_chunks():
                got.append(chunk)
                chunk.to_pylist()

    def whole(path, got):
        with na.ArrayStream.from_path(str(path)) as stream:
            array = stream.read_all()
        got.append(array)
        array.to_pylist()

    yield "batch by batch", batches
    yield "read_all", whole
