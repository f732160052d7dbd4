// Several messages in one over a port, as a list: a separate message costs two windows more than a short call does.
import type { PortLike } from "../link/index.ts";
import { batchFrames } from "../wire/index.ts";
import type { Envelope, FromAgent, FromParent } from "./messages.ts";

/** Max characters of a message that is sent with others. */
const longestText = 16_384;

/** Sends messages over a port. */
export interface PortBatch {
  /** Whether the other side accepts several messages in one, and the arguments of a call as text. */
  readonly batches: boolean;
  post(message: Envelope<FromAgent> | Envelope<FromParent>): void;
  /** Posts the queued messages, and closes the port. */
  close(): void;
}

/** Sends the calls, or results, of one turn in one message if the other side accepts that. Their order stays. */
export function createPortBatch(port: Pick<PortLike, "postMessage" | "close">, batches: boolean): PortBatch {
  let waiting: unknown[] = [];

  function flush(): void {
    const all = waiting;
    waiting = [];
    if (all.length > 0) port.postMessage(all.length > 1 ? all : all[0]);
  }

  return {
    batches,
    post(message) {
      const { json } = message.payload as { readonly json?: string };
      if (batches && json !== undefined && json.length <= longestText) {
        if (waiting.push(message) === 1) queueMicrotask(flush);
        if (waiting.length === batchFrames) flush();
        return;
      }
      flush();
      port.postMessage(message);
    },
    close() {
      flush();
      port.close();
    },
  };
}

/** The messages in a port's data; a list over the limit is dropped whole. */
export function messagesIn(data: unknown): readonly unknown[] {
  return Array.isArray(data) && data.length <= batchFrames ? data : [data];
}
