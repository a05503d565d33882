import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedWriter;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.arrow.compression.CommonsCompressionFactory;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.compression.CompressionCodec;
import org.apache.arrow.vector.compression.CompressionUtil;
import org.apache.arrow.vector.compression.NoCompressionCodec;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.ipc.ArrowFileReader;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.arrow.vector.ipc.ArrowWriter;
import org.apache.arrow.vector.ipc.message.IpcOption;
import org.apache.arrow.vector.types.pojo.Field;

/**
 * The driver of Arrow Java. cases/manifest.go has the fields.
 *
 * <pre>java Driver DIR NAME VERSION [refuse]</pre>
 *
 * <p>Data is equal if every value of every batch reads the same, dictionaries included. NAME is that
 * of the results; with "refuse" nothing is done but what takes other settings of the machine to be
 * worth doing again.
 */
public final class Driver {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final BufferAllocator ALLOCATOR = new RootAllocator();
  private static final CompressionCodec.Factory CODECS = CommonsCompressionFactory.INSTANCE;

  private final Path folder;
  private final JsonNode manifest;
  private final BufferedWriter out;
  private final String settings;
  private final String version;
  private final Map<String, Object> references = new HashMap<>();

  private Driver(Path folder, String settings, String version) throws Exception {
    this.folder = folder;
    this.settings = settings;
    this.version = version;
    this.manifest = JSON.readTree(folder.resolve("manifest.json").toFile());
    Files.createDirectories(folder.resolve("results"));
    this.out = Files.newBufferedWriter(folder.resolve("results").resolve("arrow-java-" + settings + ".jsonl"));
  }

  public static void main(String[] args) throws Exception {
    Driver driver = new Driver(Path.of(args[0]), args[1], args[2]);
    boolean all = args.length < 4;
    if (all) {
      driver.read();
    }
    // What is accepted leads anywhere where nothing is checked: not with other settings.
    for (String step : all ? List.of("refuse", "accept", "control") : List.of("refuse", "control")) {
      driver.refuse(step);
    }
    if (all) {
      driver.write();
    }
    driver.out.close();
  }

  private void say(String step, JsonNode c, String outcome, String text, String how) throws Exception {
    ObjectNode line = JSON.createObjectNode();
    line.put("implementation", "arrow-java").put("version", version).put("step", step);
    for (String field : List.of("table", "codec", "format", "form")) {
      line.put(field, c.path(field).asText());
    }
    line.put("outcome", outcome).put("text", text).put("how", how);
    out.write(JSON.writeValueAsString(line) + "\n");
    out.flush();
  }

  private static String brief(Throwable error) {
    String text = error.toString().replace('\n', ' ');
    return text.substring(0, Math.min(400, text.length()));
  }

  private static ArrowReader open(Path path, String format, CompressionCodec.Factory codecs) throws Exception {
    FileInputStream in = new FileInputStream(path.toFile());
    return format.equals("stream")
        ? new ArrowStreamReader(in, ALLOCATOR, codecs)
        : new ArrowFileReader(in.getChannel(), ALLOCATOR, codecs);
  }

  // What a file holds: text for each batch that is the same for equal data alone.
  private List<String> values(Path path, String format) throws Exception {
    List<String> batches = new ArrayList<>();
    try (ArrowReader reader = open(path, format, CODECS)) {
      VectorSchemaRoot root = reader.getVectorSchemaRoot();
      while (reader.loadNextBatch()) {
        StringBuilder text = new StringBuilder(root.getSchema() + " " + root.getRowCount());
        for (FieldVector vector : root.getFieldVectors()) {
          append(text.append('\n'), vector, root.getRowCount());
        }
        for (Map.Entry<Long, Dictionary> d : new TreeMap<>(reader.getDictionaryVectors()).entrySet()) {
          FieldVector vector = d.getValue().getVector();
          append(text.append("\ndictionary ").append(d.getKey()), vector, vector.getValueCount());
        }
        batches.add(text.toString());
      }
    }
    return batches;
  }

  private static void append(StringBuilder out, FieldVector vector, int rows) {
    for (int i = 0; i < rows; i++) {
      append(out.append(' '), vector.getObject(i));
    }
  }

  private static void append(StringBuilder out, Object value) {
    if (value instanceof byte[] bytes) {
      out.append(HexFormat.of().formatHex(bytes));
    } else if (value instanceof List<?> list) {
      out.append('[');
      list.forEach(v -> append(out.append(' '), v));
      out.append(']');
    } else if (value instanceof Map<?, ?> map) {
      out.append('{');
      map.forEach((k, v) -> append(out.append(' ').append(k).append(':'), v));
      out.append('}');
    } else {
      out.append(value);
    }
  }

  private static String difference(List<String> want, List<String> got) {
    if (want.size() != got.size()) {
      return got.size() + " batches, not " + want.size();
    }
    for (int i = 0; i < want.size(); i++) {
      if (!want.get(i).equals(got.get(i))) {
        return "batch " + i + " differs";
      }
    }
    return "";
  }

  // The values of a reference, or what keeps Java from reading it.
  private Object reference(String path) {
    return references.computeIfAbsent(path, p -> {
      try {
        return values(folder.resolve(p), p.endsWith(".arrows") ? "stream" : "file");
      } catch (Throwable error) {
        return error;
      }
    });
  }

  @SuppressWarnings("unchecked")
  private String[] compare(Object want, Path path, String format) {
    try {
      String difference = difference((List<String>) want, values(path, format));
      return new String[] {difference.isEmpty() ? "equal" : "different", difference};
    } catch (Throwable error) {
      return new String[] {"failed", brief(error)};
    }
  }

  private void read() throws Exception {
    for (JsonNode c : manifest.get("read")) {
      String format = c.get("format").asText();
      Object want = reference(c.get("reference").asText());
      if (want instanceof Throwable error) {
        say("read", c, "unsupported", brief(error), "");
        continue;
      }
      Path path = folder.resolve(c.get("path").asText());
      String[] result = compare(want, path, format);
      Path peer = folder.resolve("written").resolve("pyarrow").resolve(c.get("codec").asText()).resolve(path.getFileName());
      if (!result[0].equals("equal") && Files.exists(peer) && !compare(want, peer, format)[0].equals("equal")) {
        result = new String[] {"theirs", "so with the file of pyarrow: " + result[1]};
      }
      say("read", c, result[0], result[1], "");
      if (result[0].equals("equal") && c.get("table").asText().equals("plain")) {
        say("values", c, rows(path, format) ? "equal" : "different", "", "");
      }
    }
  }

  // Whether the table "plain" has the rows of the manifest.
  private boolean rows(Path path, String format) throws Exception {
    try (ArrowReader reader = open(path, format, CODECS)) {
      VectorSchemaRoot root = reader.getVectorSchemaRoot();
      for (JsonNode batch : manifest.get("values")) {
        if (!reader.loadNextBatch() || root.getRowCount() != batch.size()) {
          return false;
        }
        for (int i = 0; i < batch.size(); i++) {
          for (Field field : root.getSchema().getFields()) {
            Object value = root.getVector(field.getName()).getObject(i);
            if (field.getDictionary() != null) {
              value = reader.lookup(field.getDictionary().getId()).getVector().getObject(((Number) value).intValue());
            }
            if (!JSON.readTree(JSON.writeValueAsString(plain(value))).equals(batch.get(i).get(field.getName()))) {
              return false;
            }
          }
        }
      }
      return !reader.loadNextBatch();
    }
  }

  private static Object plain(Object value) {
    if (value instanceof List<?> list) {
      return list.stream().map(Driver::plain).toList();
    }
    return value == null || value instanceof Number ? value : value.toString();
  }

  // Each way of reading has to end in an error, and to hand out no batch before it but those that
  // are plain. A file's batches are also loaded one by one.
  private void refuse(String step) throws Exception {
    Map<String, CompressionCodec.Factory> factories =
        Map.of("with codecs", CODECS, "as it comes", NoCompressionCodec.Factory.INSTANCE);
    for (JsonNode c : manifest.get(step)) {
      for (String how : factories.keySet()) {
        if (step.equals("control") && !c.get("codec").asText().equals("none") && factories.get(how) != CODECS) {
          continue;
        }
        refuse(step, c, how, factories.get(how), -1);
        JsonNode flags = c.get("flags");
        for (int i = 0; c.get("format").asText().equals("file") && i < flags.size(); i++) {
          if (flags.get(i).asBoolean()) {
            refuse(step, c, how, factories.get(how), i);
          }
        }
      }
    }
  }

  private void refuse(String step, JsonNode c, String how, CompressionCodec.Factory codecs, int block) throws Exception {
    how += ", " + settings + (block < 0 ? "" : ", batch " + block);
    int batches = 0;
    String text;
    try (ArrowReader reader = open(folder.resolve(c.get("path").asText()), c.get("format").asText(), codecs)) {
      if (block >= 0) {
        ArrowFileReader file = (ArrowFileReader) reader;
        file.loadRecordBatch(file.getRecordBlocks().get(block));
        batches = 1 + c.get("plain").asInt();
      }
      while (block < 0 && reader.loadNextBatch()) {
        batches++;
      }
      text = batches + " batches";
      batches = Integer.MAX_VALUE;
    } catch (Throwable error) {
      text = brief(error);
    }
    say(step, c, batches > c.get("plain").asInt() ? "accepted" : "refused", text, how);
  }

  private void write() throws Exception {
    Map<String, CompressionUtil.CodecType> codecs = new TreeMap<>(Map.of(
        "none", CompressionUtil.CodecType.NO_COMPRESSION,
        "lz4", CompressionUtil.CodecType.LZ4_FRAME,
        "zstd", CompressionUtil.CodecType.ZSTD));
    for (JsonNode c : manifest.get("write")) {
      if (reference(c.get("reference").asText()) instanceof Throwable) {
        continue;
      }
      for (String codec : codecs.keySet()) {
        for (String format : c.get("file").asBoolean() ? List.of("stream", "file") : List.of("stream")) {
          ObjectNode said = JSON.createObjectNode();
          said.put("table", c.get("table").asText()).put("codec", codec).put("format", format);
          Path path = folder.resolve("written").resolve("arrow-java").resolve(codec)
              .resolve(c.get("table").asText() + (format.equals("stream") ? ".arrows" : ".arrow"));
          Files.createDirectories(path.getParent());
          try {
            write(folder.resolve(c.get("reference").asText()), path, format, codecs.get(codec));
            say("write", said, "written", "", "");
          } catch (Throwable error) {
            Files.deleteIfExists(path);
            say("write", said, "unsupported", brief(error), "");
          }
        }
      }
    }
  }

  private static void write(Path from, Path to, String format, CompressionUtil.CodecType codec) throws Exception {
    try (ArrowReader reader = open(from, "stream", CODECS);
        FileOutputStream file = new FileOutputStream(to.toFile())) {
      VectorSchemaRoot root = reader.getVectorSchemaRoot();
      IpcOption option = IpcOption.DEFAULT;
      CompressionCodec.Factory codecs =
          codec == CompressionUtil.CodecType.NO_COMPRESSION ? NoCompressionCodec.Factory.INSTANCE : CODECS;
      try (ArrowWriter writer = format.equals("stream")
          ? new ArrowStreamWriter(root, reader, file.getChannel(), option, codecs, codec, Optional.empty())
          : new ArrowFileWriter(root, reader, file.getChannel(), null, option, codecs, codec, Optional.empty())) {
        while (reader.loadNextBatch()) {
          writer.writeBatch();
        }
        writer.end();
      }
    }
  }
}
