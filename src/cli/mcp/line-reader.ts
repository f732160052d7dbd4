// Lines of UTF-8 out of a stream of bytes, however these were cut. It keeps no more than one line of the longest size.

export interface LineReaderOptions {
  /** The longest line, in bytes. */
  readonly longest: number;
  onLine(line: string): void;
  /** A line was not UTF-8. */
  onNotText(): void;
  /** A line was too long and is not kept, but for how it began and how it ended. */
  onTooLong(begin: string, end: string): void;
}

export interface LineReader {
  read(chunk: Uint8Array): void;
}

const newline = 0x0a;
/** How much is kept of each end of a line that is too long. */
const END_BYTES = 512;

export function createLineReader({ longest, onLine, onNotText, onTooLong }: LineReaderOptions): LineReader {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let parts: Uint8Array[] = [];
  let bytes = 0;
  let ends: { readonly begin: Buffer; readonly end: Buffer } | undefined;

  function add(part: Uint8Array): void {
    bytes += part.length;
    if (bytes <= longest) return void parts.push(part);
    // Copies, because a piece of a line would keep all of it.
    const all = ends === undefined ? Buffer.concat([...parts, part]) : Buffer.concat([ends.end, part]);
    ends = {
      begin: ends?.begin ?? Buffer.from(all.subarray(0, END_BYTES)),
      end: Buffer.from(all.subarray(-END_BYTES)),
    };
    parts = [];
  }

  function endLine(): void {
    const line = ends === undefined ? decode() : "";
    if (ends !== undefined) onTooLong(ends.begin.toString(), ends.end.toString());
    else if (line === undefined) onNotText();
    else if (line.trim() !== "") onLine(line.endsWith("\r") ? line.slice(0, -1) : line);
    parts = [];
    bytes = 0;
    ends = undefined;
  }

  function decode(): string | undefined {
    try {
      return decoder.decode(Buffer.concat(parts));
    } catch {
      // The decoder has no other way to say that these bytes are no text.
      return undefined;
    }
  }

  return {
    read(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
        add(chunk.subarray(start, end));
        endLine();
        start = end + 1;
      }
      add(chunk.subarray(start));
    },
  };
}
