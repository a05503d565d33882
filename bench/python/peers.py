"""Writes and reads the record batches of an Arrow file in memory, with one
library on one thread, as often as it is told, and says how long that took:

    python peers.py LIBRARY

Requests and answers are lines of JSON on standard input and output; worker.go
has their fields. Only what a library does is timed, not starting it.
"""

import importlib.metadata
import io
import json
import sys
import time


class Unsupported(Exception):
    pass


class PyArrow:
    package = "pyarrow"

    def __init__(self):
        import pyarrow as pa
        pa.set_cpu_count(1)
        pa.set_io_thread_count(1)
        self.pa = pa

    def open(self, path):
        with self.pa.OSFile(path) as f:
            reader = self.pa.ipc.open_file(f)
            self.schema = reader.schema
            self.batches = [reader.get_batch(i) for i in range(reader.num_record_batches)]
            self.sink = self.pa.allocate_buffer(2 * f.size() + (1 << 20))

    def write(self, codec, level):
        compression = None if codec == "none" else self.pa.Codec(codec, level or None)
        options = self.pa.ipc.IpcWriteOptions(compression=compression, use_threads=False)
        sink = self.pa.FixedSizeBufferWriter(self.sink)
        with self.pa.ipc.new_stream(sink, self.schema, options=options) as w:
            for batch in self.batches:
                w.write_batch(batch)
        return self.sink.slice(0, sink.tell())

    def read(self, data):
        options = self.pa.ipc.IpcReadOptions(use_threads=False)
        with self.pa.ipc.open_stream(data, options=options) as r:
            for _ in r:
                pass


class Parquet(PyArrow):
    def open(self, path):
        import pyarrow.parquet
        self.pq = pyarrow.parquet
        super().open(path)
        self.table = self.pa.Table.from_batches(self.batches)

    def write(self, codec, level):
        if codec != "zstd":
            raise Unsupported
        sink = self.pa.BufferOutputStream()
        self.pq.write_table(self.table, sink, compression=codec, compression_level=level,
                            row_group_size=self.batches[0].num_rows)
        return sink.getvalue()

    def read(self, data):
        self.pq.read_table(self.pa.BufferReader(data), use_threads=False)


class Polars:
    package = "polars"

    def __init__(self):
        import polars as pl
        assert pl.thread_pool_size() == 1
        self.pl = pl

    def open(self, path):
        with open(path, "rb") as f:
            self.frame = self.pl.read_ipc(f.read())

    def write(self, codec, level):
        if codec == "zstd" and level != 3:
            raise Unsupported  # it has libzstd's own level alone
        out = io.BytesIO()
        self.frame.write_ipc_stream(out, compression="uncompressed" if codec == "none" else codec)
        return out.getvalue()

    def read(self, data):
        self.pl.read_ipc_stream(data)


class Arro3:
    package = "arro3-io"

    def __init__(self):
        import arro3.io
        self.io = arro3.io

    def open(self, path):
        self.table = self.io.read_ipc(path).read_all()

    def write(self, codec, level):
        if codec == "zstd" and level != 3:
            raise Unsupported  # it has libzstd's own level alone
        out = io.BytesIO()
        self.io.write_ipc_stream(self.table, out, compression=None if codec == "none" else codec)
        return out.getvalue()

    def read(self, data):
        self.io.read_ipc_stream(io.BytesIO(data)).read_all()


class Worker:
    def __init__(self, library):
        self.library = library
        self.data = None

    def answer(self, request):
        if request["op"] == "open":
            self.library.open(request["path"])
            return {"version": importlib.metadata.version(self.library.package)}
        codec, level = request["codec"], request["level"]
        if request["op"] == "write":
            run = lambda: self.library.write(codec, level)  # noqa: E731
        else:
            self.data = self.library.write(codec, level) if request["fresh"] else self.data
            run = lambda: self.library.read(self.data)  # noqa: E731
        start, cpu = time.perf_counter_ns(), time.process_time_ns()
        for _ in range(request["times"]):
            result = run()
        ns, cpu = time.perf_counter_ns() - start, time.process_time_ns() - cpu
        return {"ns": ns, "cpu": cpu, "bytes": 0 if result is None else len(memoryview(result))}


def main():
    libraries = {"pyarrow": PyArrow, "parquet": Parquet, "polars": Polars, "arro3": Arro3}
    worker = Worker(libraries[sys.argv[1]]())
    for line in sys.stdin:
        try:
            answer = worker.answer(json.loads(line))
        except Unsupported:
            answer = {"unsupported": True}
        except BaseException as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
