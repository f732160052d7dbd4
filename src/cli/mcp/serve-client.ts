// Serves one client on two streams, from its first line until it disconnects.
import { defaultLimits } from "../../wire/index.ts";
import type { Io } from "../common/io.ts";
import { createExchanges } from "./upstream/exchange.ts";
import { createHubHttp } from "./upstream/hub-http.ts";
import type { HubSource } from "./upstream/hub-source.ts";
import { createOutput } from "./lane.ts";
import { createProxy } from "./proxy.ts";
import type { Waiting } from "./upstream/wait.ts";

// Splits a stream of bytes into lines of UTF-8, regardless of chunk boundaries. Buffers at most one line of the max
// size.

interface LineReaderOptions {
  /** The longest line, in bytes. */
  readonly longest: number;
  onLine(line: string): void;
  /** A line was not UTF-8. */
  onNotText(): void;
  /** A line was too long and is dropped, except for its two ends. */
  onTooLong(begin: string, end: string): void;
}

interface LineReader {
  read(chunk: Uint8Array): void;
}

const newline = 0x0a;
/** Bytes kept of each end of a line that is too long. */
const keptEndBytes = 512;

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
      begin: ends?.begin ?? Buffer.from(all.subarray(0, keptEndBytes)),
      end: Buffer.from(all.subarray(-keptEndBytes)),
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
      // The decoder throws for bytes that are not UTF-8.
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

interface ClientWatch {
  /** Resolves at the first sign. */
  readonly isGone: Promise<void>;
  stop(): void;
}

interface ClientWatchOptions {
  readonly io: Pick<Io, "stdin" | "stdout" | "stderr" | "onInterrupt">;
  /** The process that started this one; another one once that has ended. */
  parentId(): number;
}

const pollInterval = 1000;

function watchClient({ io, parentId }: ClientWatchOptions): ClientWatch {
  const { stdin, stdout, stderr } = io;
  const parent = parentId();
  let stop = () => {};
  const isGone = new Promise<void>((resolve) => {
    const gone = () => resolve();
    for (const event of ["end", "close", "error"]) stdin.on(event, gone);
    // By default a lost output ends the process at once; here the session is ended first.
    stdout.removeAllListeners("error").on("error", gone);
    // A client that closes stderr is still served.
    stderr.removeAllListeners("error").on("error", () => {});
    const removeListener = io.onInterrupt(gone, "SIGHUP");
    const timer = setInterval(() => (parentId() === parent && isRunning(parent)) || gone(), pollInterval);
    stop = () => {
      removeListener();
      clearInterval(timer);
    };
  });
  return { isGone, stop: () => stop() };
}

/** On Windows a process keeps the number of a parent that has ended. */
function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

export interface ServeClientOptions {
  readonly io: Io;
  readonly source: HubSource;
  readonly waiting: Waiting;
  /** The process that started this one. */
  parentId(): number;
  note(text: string): void;
}

/** Resolves when the client has disconnected and no request is in flight, with whether it has read all output. */
export async function serveClient(options: ServeClientOptions): Promise<"all-read" | "not-all-read"> {
  const { io, source, waiting, note, parentId } = options;
  const exchanges = createExchanges(() => source.disconnected?.());
  const output = createOutput(io.stdout);
  const hub = createHubHttp({ exchanges, source, waiting });
  const proxy = createProxy({ hub, output, waiting, note });
  const client = watchClient({ io, parentId });
  const lines = createLineReader({
    longest: defaultLimits.frameBytes,
    onLine: proxy.line,
    onNotText: proxy.notText,
    onTooLong: proxy.tooLong,
  });
  if (io.stdin.isTTY === true) note("Waiting for an MCP client on stdin, which is a terminal. Ctrl-C ends it.");
  io.stdin.on("data", lines.read);
  await client.isGone;
  io.stdin.off("data", lines.read);
  client.stop();
  await proxy.close();
  exchanges.close();
  return output.isBehind ? "not-all-read" : "all-read";
}
