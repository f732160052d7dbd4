// The stream for messages that a hub sends unrequested, in a session of MCP 2025-11-25 or older.
import type { LaneOptions } from "./lane.ts";
import { sessionHeaders } from "./legacy-session.ts";
import type { Session } from "./legacy-session.ts";
import { parseMessage } from "./message.ts";
import type { Message } from "./message.ts";
import { messagesOf } from "./reply.ts";
import type { Cursor } from "./reply.ts";
import { createAttempts } from "./upstream/wait.ts";

export interface SessionStreamOptions extends Pick<LaneOptions, "hub" | "output" | "waiting"> {
  readonly session: Session;
  readonly signal: AbortSignal;
  onMessage(message: Message): void;
  /** Messages were lost. */
  onGap(): void;
}

/**
 * Keeps the stream open until the signal aborts, which rejects. Resolves with the reason if there is no stream: the hub
 * offers none, or does not know the session.
 */
export async function keepStream(options: SessionStreamOptions): Promise<"not-offered" | "unknown-session"> {
  const { waiting, signal } = options;
  const cursor: Cursor = {};
  const attempts = createAttempts(waiting);
  for (;;) {
    const status = await readStream(options, cursor).catch((error: unknown) => {
      // It is reopened after any error.
      if (signal.aborted) throw error;
      return 0;
    });
    if (status === 404) return "unknown-session";
    if (status === 405) return "not-offered";
    if (status === 400 && cursor.lastEventId !== undefined) {
      delete cursor.lastEventId;
      options.onGap();
      continue;
    }
    await attempts.pause(signal, cursor.retry);
  }
}

/** Reads one stream to its end; resolves with the HTTP status. */
async function readStream(options: SessionStreamOptions, cursor: Cursor): Promise<number> {
  const { hub, output, session, signal, onMessage } = options;
  const resumed = cursor.lastEventId === undefined ? {} : { "last-event-id": cursor.lastEventId };
  const headers = { ...sessionHeaders(session), ...resumed };
  const reply = await hub.send({ method: "GET", headers, signal, effort: "wait" });
  const { statusCode = 0 } = reply;
  if (statusCode !== 200) {
    reply.resume();
    return statusCode;
  }
  for await (const text of messagesOf(reply, cursor)) {
    onMessage(parseMessage(text));
    await output.room();
  }
  return statusCode;
}
