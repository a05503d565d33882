"""polars. Data is equal if its own frames are, to the last bit of a float; it
has no schema metadata, and no batches to tell apart."""

import polars as pl
import polars.testing

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
    # A frame has no batches: none may come.
    def whole(read):
        def attempt(path, got):
            frame = read(path)
            got.append(frame)
            frame.to_dicts()
        return attempt

    if case["format"] == "stream":
        yield "read_ipc_stream", whole(pl.read_ipc_stream)
        yield "read_ipc_stream, first column", whole(lambda path: pl.read_ipc_stream(path, columns=[0]))
        return
    yield "read_ipc", whole(pl.read_ipc)
    yield "read_ipc of bytes", whole(lambda path: pl.read_ipc(path.read_bytes()))
    yield "read_ipc, first column", whole(lambda path: pl.read_ipc(path, columns=[0]))
    yield "scan_ipc", whole(lambda path: pl.scan_ipc(path).collect())
