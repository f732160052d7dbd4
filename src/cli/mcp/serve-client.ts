// One client on two streams, from its first line until it is gone.
import { defaultLimits } from "../../wire/index.ts";
import type { Io } from "../io.ts";
import { watchClient } from "./client-watch.ts";
import { createExchanges } from "./exchange.ts";
import { createHubHttp } from "./hub-http.ts";
import type { HubSource } from "./hub-source.ts";
import { createLineReader } from "./line-reader.ts";
import { createOutput } from "./output.ts";
import { createProxy } from "./proxy.ts";
import type { Waiting } from "./wait.ts";

export interface ServeClientOptions {
  readonly io: Io;
  readonly source: HubSource;
  readonly waiting: Waiting;
  /** The process that started this one. */
  parentId(): number;
  note(text: string): void;
}

/** Resolves when the client is gone and nothing is under way for it; says whether it has read all that it was sent. */
export async function serveClient(options: ServeClientOptions): Promise<"all-read" | "not-all-read"> {
  const { io, source, waiting, note, parentId } = options;
  const exchanges = createExchanges(() => source.alone?.());
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
