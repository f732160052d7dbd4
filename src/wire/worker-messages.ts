// The messages between a page and the worker that holds its links, besides those links.
import { identifier, list, number, sentence, target, token, wrongField } from "./fields.ts";
import type { FrameIn, FrameTable } from "./codec.ts";
import { isJsonObject } from "./json.ts";

/** The versions of these messages that this copy speaks, best first. */
export const workerVersions: readonly [number, ...number[]] = [1];

export const toWorker = {
  /** The first message. The page holds the lock named `page` for as long as it lives. */
  hello: { versions: list(number, 16), page: identifier },
  /** Open a link to this address; its port comes with the message. */
  carry: { id: identifier, url: target },
  /** Serve the tools of the token's principal to an MCP client; its port comes with the message. Answered as `carry` is. */
  mcp: { id: identifier, token },
  ping: {},
} as const satisfies FrameTable;

export const fromWorker = {
  /** The worker holds the lock named `worker` for as long as it lives. */
  hello: { version: number, worker: identifier },
  /** The page is too old or too new for this worker. */
  refused: { versions: list(number, 16) },
  carried: { id: identifier },
  failed: { id: identifier, message: sentence },
  pong: {},
  /** The hub at this address is reachable again. */
  reached: { url: target },
} as const satisfies FrameTable;

export type MessageToWorker = FrameIn<typeof toWorker>;
export type MessageFromWorker = FrameIn<typeof fromWorker>;

/** Parses a port's message; undefined if it is none of these. */
export function parseWorkerMessage<Table extends FrameTable>(table: Table, data: unknown): FrameIn<Table> | undefined {
  if (!isJsonObject(data)) return undefined;
  const { type } = data;
  const fields = typeof type === "string" && Object.hasOwn(table, type) ? table[type] : undefined;
  return fields && wrongField(fields, data) === undefined ? (data as unknown as FrameIn<Table>) : undefined;
}
