"""arro3-io, which is arrow-rs. What it reads goes to pyarrow over the C
interface, where canonical.py compares it."""

import arro3.core
import arro3.io
import importlib.metadata
import pyarrow as pa

from canonical import difference, rows  # noqa: F401

NAME = "arro3-io"
VERSION = importlib.metadata.version("arro3-io")
READS = WRITES = ["stream", "file"]
CODECS = ["none", "lz4", "zstd"]


def open(path, format):
    return (arro3.io.read_ipc_stream if format == "stream" else arro3.io.read_ipc)(str(path))


def read(path, format):
    reader = pa.RecordBatchReader.from_stream(open(path, format))
    batches = list(reader)
    for batch in batches:
        batch.validate(full=True)
    return reader.schema, batches


def write(table, path, format, codec):
    schema, batches = table
    data = pa.RecordBatchReader.from_batches(schema, batches)
    new = arro3.io.write_ipc_stream if format == "stream" else arro3.io.write_ipc
    new(data, str(path), compression=None if codec == "none" else codec)


def attempts(case):
    yield "batch by batch", lambda path, got: got.extend(open(path, case["format"]))
    yield "read_all", lambda path, got: open(path, case["format"]).read_all()
