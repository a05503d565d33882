"""polars. Data is equal if its own frames are, to the last bit of a float; it
has no schema metadata, and no batches to tell apart."""

import polars as pl
import polars.testing

from driver import Harmless

NAME = "polars"
VERSION = pl.__version__
READS = WRITES = ["stream", "file"]
CODECS = ["none", "lz4", "zstd"]


def read(path, format):
    if format == "stream":
        return pl.read_ipc_stream(path)
    return pl.read_ipc(path)


def difference(want, got):
    try:
        polars.testing.assert_frame_equal(want, got, check_exact=True)
    except AssertionError as error:
        return str(error)
    return None


def rows(frame):
    return frame.to_dicts()


def write(frame, path, format, codec):
    new = frame.write_ipc_stream if format == "stream" else frame.write_ipc
    new(path, compression="uncompressed" if codec == "none" else codec)


def attempts(case):
    if case["format"] == "stream":
        yield "read_ipc_stream", lambda path, got: pl.read_ipc_stream(path)
        if case["plain"] == 0:  # else the first row is there to be read
            yield "first row", lambda path, got: pl.read_ipc_stream(path, n_rows=1)
        yield from columns(case, pl.read_ipc_stream)
        return
    yield "read_ipc", lambda path, got: pl.read_ipc(path)
    if case["plain"] == 0:
        yield "first row", lambda path, got: pl.read_ipc(path, n_rows=1)
    yield "read_ipc of bytes", lambda path, got: pl.read_ipc(path.read_bytes())
    yield "scan_ipc", lambda path, got: pl.scan_ipc(path).collect()
    yield from columns(case, pl.read_ipc)


def columns(case, read):
    def one(path, i):
        frame = read(path, columns=[i])
        if frame.dtypes == [pl.Null]:
            raise Harmless(f"{frame.height} rows of a column of type Null alone")

    for i in range(case["columns"]):
        yield f"column {i}", lambda path, got, i=i: one(path, i)
