import { holdReading } from "../harness/hold-reading.ts";
import type { RowFamily } from "../harness/row.ts";
import { streamReaders, syncReaders } from "../streams/sse-readers.ts";

const row = "sse";

const about = `An answer of 10,000 tokens as OpenAI streams it, one event for each token and each event a piece of its own;
every event's data goes through JSON.parse, and its text is collected. First from pieces that are there already, then
through a ReadableStream. Each contestant is a process, which reads the answer again and again for a second.

- **floor**: split at line ends, and no other rule of the format. **pagewire**: the parser of \`AiCore\`.
- **eventsource-parser**: its \`createParser\`. **EventSourceParserStream**: its TransformStream, after a
  TextDecoderStream.`;

/** Parsers of event streams. */
export const sse: RowFamily = {
  row,
  title: "Event streams",
  about,
  async measure(bench) {
    const format = "openai";
    return [
      ...(await holdReading(Object.keys(syncReaders), { kind: "sync", format }, { row, size: "synchronous", bench })),
      ...(await holdReading(
        Object.keys(streamReaders),
        { kind: "stream", format },
        { row, size: "ReadableStream", bench },
      )),
    ];
  },
};
