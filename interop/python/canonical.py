"""Equality of what pyarrow has, (schema, batches), for those implementations
that hand their data to it."""

import pyarrow as pa


def difference(want, got):
    """Where the data differs, or None."""
    if not want[0].equals(got[0], check_metadata=True):
        return f"schema {got[0]}, not {want[0]}"
    if len(want[1]) != len(got[1]):
        return f"{len(got[1])} batches, not {len(want[1])}"
    for i, (w, g) in enumerate(zip(want[1], got[1])):
        if w.num_rows != g.num_rows:
            return f"batch {i}: {g.num_rows} rows, not {w.num_rows}"
        if w.equals(g):
            continue  # some types have no arrays in Python
        for j in range(len(want[0])):
            if not same(w.column(j), g.column(j)):
                return f"batch {i}, column {want[0].field(j).name!r}"
    return None


def same(want, got):
    """To equals no NaN is like another. Here they are if they are the same bits,
    or in nested values read the same."""
    return want.equals(got) or stored(want) == stored(got) or repr(want.to_pylist()) == repr(got.to_pylist())


def stored(array):
    """The bytes of the array alone, without those that lie behind its end."""
    array = pa.concat_arrays([array, array.slice(0, 0)])
    sink = pa.BufferOutputStream()
    batch = pa.record_batch([array], names=["x"])
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return sink.getvalue().to_pybytes()


def rows(table):
    return [row for batch in table[1] for row in batch.to_pylist()]
