// The driver of the JavaScript apache-arrow, which has no codecs of its own:
// they are registered here. cases/manifest.go has the fields.
//
//     node driver.mjs DIR
//
// Data is equal if every value of every batch is, bit for bit in numbers.

import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import * as arrow from 'apache-arrow';
import * as zstd from '@bokuweb/zstd-wasm';

const require = createRequire(import.meta.url);
const lz4 = require('lz4js');
const version = JSON.parse(fs.readFileSync(new URL('node_modules/apache-arrow/package.json', import.meta.url))).version;

await zstd.init();
arrow.compressionRegistry.set(arrow.CompressionType.LZ4_FRAME, {
  encode: (data) => new Uint8Array(lz4.compress(data)),
  decode: (data) => new Uint8Array(lz4.decompress(data)),
});
arrow.compressionRegistry.set(arrow.CompressionType.ZSTD, {
  encode: (data) => zstd.compress(data),
  decode: (data) => zstd.decompress(data),
});
const codecs = { none: null, lz4: arrow.CompressionType.LZ4_FRAME, zstd: arrow.CompressionType.ZSTD };

const name = 'apache-arrow';
const folder = process.argv[2];
const manifest = JSON.parse(fs.readFileSync(path.join(folder, 'manifest.json')));
fs.mkdirSync(path.join(folder, 'results'), { recursive: true });
const out = fs.openSync(path.join(folder, 'results', name + '.jsonl'), 'w');

function say(step, c, outcome, text = '', how = '') {
  fs.writeSync(out, JSON.stringify({
    implementation: name, version, step, table: c.table, codec: c.codec ?? '', format: c.format ?? '',
    form: c.form ?? '', how, outcome, text,
  }) + '\n');
}

const short = (error) => String(error).replaceAll('\n', ' ').slice(0, 400);
const bytes = (file) => new Uint8Array(fs.readFileSync(path.join(folder, file)));

// values returns text that is the same for equal data alone.
function values(batch) {
  const columns = batch.schema.fields.map((field, j) => {
    const column = batch.getChildAt(j);
    return Array.from({ length: batch.numRows }, (_, i) => text(column.get(i)));
  });
  return `${batch.schema} ${batch.numRows} ${JSON.stringify(columns)}`;
}

function text(value) {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
  if (ArrayBuffer.isView(value)) return `${value.constructor.name}(${Array.from(value).join()})`;
  if (value instanceof Date) return `Date(${value.getTime()})`;
  if (value instanceof arrow.MapRow || (typeof value === 'object' && Symbol.iterator in value)) {
    return `[${Array.from(value, text).join()}]`;
  }
  if (typeof value === 'object') return `{${Object.entries(value).map((e) => e.map(text).join(':')).join()}}`;
  return `${typeof value}(${String(value)})`;
}

function read(file) {
  const batches = [...arrow.RecordBatchReader.from(bytes(file)).open()];
  return { batches, values: batches.map(values) };
}

function difference(want, got) {
  if (want.values.length !== got.values.length) return `${got.values.length} batches, not ${want.values.length}`;
  const i = want.values.findIndex((v, i) => v !== got.values[i]);
  return i < 0 ? null : `batch ${i} differs`;
}

function rows(batches) {
  const plain = (v) => (typeof v === 'bigint' ? Number(v) : v instanceof arrow.Vector ? Array.from(v, plain) : v);
  return batches.flatMap((batch) => Array.from(batch, (row) => {
    const object = row.toJSON();
    return Object.fromEntries(Object.keys(object).sort().map((k) => [k, plain(object[k])]));
  }));
}

const references = new Map();
function reference(file) {
  if (!references.has(file)) {
    try {
      references.set(file, read(file));
    } catch (error) {
      references.set(file, { unsupported: short(error) });
    }
  }
  return references.get(file);
}

function compare(want, file) {
  let got;
  try {
    got = read(file);
  } catch (error) {
    return ['failed', short(error)];
  }
  const d = difference(want, got);
  return d ? ['different', d] : ['equal', '', got];
}

const sorted = (row) => Object.fromEntries(Object.keys(row).sort().map((k) => [k, row[k]]));
const expected = JSON.stringify(manifest.values.flat().map(sorted));
for (const c of manifest.read) {
  const want = reference(c.reference);
  if (want.unsupported) {
    say('read', c, 'unsupported', want.unsupported);
    continue;
  }
  let [outcome, why, got] = compare(want, c.path);
  const peer = path.join('written', 'pyarrow', c.codec, path.basename(c.path));
  if (outcome !== 'equal' && fs.existsSync(path.join(folder, peer)) && compare(want, peer)[0] !== 'equal') {
    [outcome, why] = ['theirs', 'so with the file of pyarrow: ' + why];
  }
  say('read', c, outcome, why);
  if (outcome === 'equal' && c.table === 'plain') {
    say('values', c, JSON.stringify(rows(got.batches)) === expected ? 'equal' : 'different');
  }
}

function attempts(c) {
  const ways = {
    'RecordBatchReader': (data, got) => {
      for (const batch of arrow.RecordBatchReader.from(data).open()) got.push(batch);
    },
    'tableFromIPC': (data) => arrow.tableFromIPC(data),
  };
  if (c.format === 'file') {
    c.flags.forEach((flagged, i) => {
      if (flagged) ways[`batch ${i}`] = (data) => arrow.RecordBatchReader.from(data).open().readRecordBatch(i).numRows;
    });
  }
  return Object.entries(ways);
}

for (const step of ['refuse', 'accept', 'control']) {
  for (const c of manifest[step]) {
    for (const [how, attempt] of attempts(c)) {
      const got = [];
      try {
        attempt(bytes(c.path), got);
      } catch (error) {
        if (got.length > c.plain) say(step, c, 'accepted', `${got.length} batches, then ${short(error)}`, how);
        else say(step, c, 'refused', short(error), how);
        continue;
      }
      say(step, c, 'accepted', `${got.length} batches`, how);
    }
  }
}

for (const c of manifest.write) {
  const table = reference(c.reference);
  if (table.unsupported) continue;
  for (const [codec, compressionType] of Object.entries(codecs)) {
    for (const format of c.file ? ['stream', 'file'] : ['stream']) {
      const said = { table: c.table, codec, format };
      try {
        const Writer = format === 'stream' ? arrow.RecordBatchStreamWriter : arrow.RecordBatchFileWriter;
        const writer = new Writer({ autoDestroy: true, writeLegacyIpcFormat: false, compressionType });
        for (const batch of table.batches) writer.write(batch);
        const data = writer.finish().toUint8Array(true);
        const to = path.join(folder, 'written', name, codec);
        fs.mkdirSync(to, { recursive: true });
        fs.writeFileSync(path.join(to, c.table + (format === 'stream' ? '.arrows' : '.arrow')), data);
        say('write', said, 'written');
      } catch (error) {
        say('write', said, 'unsupported', short(error));
      }
    }
  }
}
fs.closeSync(out);
