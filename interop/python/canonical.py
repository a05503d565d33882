"""Equality bit for bit, by pyarrow: the bytes of a stream without compression,
in which everything that is not data is zero."""

import pyarrow as pa


def stream(schema, batches):
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return sink.getvalue().to_pybytes()


def difference(want, got):
    """want and got are (schema, batches)."""
    if not want[0].equals(got[0], check_metadata=True):
        return f"schema {got[0]}, not {want[0]}"
    if len(want[1]) != len(got[1]):
        return f"{len(got[1])} batches, not {len(want[1])}"
    for i, (w, g) in enumerate(zip(want[1], got[1])):
        if stream(want[0], [w]) != stream(got[0], [g]):
            return f"batch {i} differs"
    return None


def rows(table):
    return [row for batch in table[1] for row in batch.to_pylist()]
