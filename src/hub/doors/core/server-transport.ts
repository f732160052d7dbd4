import type { ClientMessage, ServerTransport } from "../../../bindable/remote.ts";
import type { Link } from "../../../link/index.ts";
import { nothingAsked } from "./route-client.ts";
import { PagewireError, parseJsonObject, textOf } from "../../../wire/index.ts";
import type { Limits, Message } from "../../../wire/index.ts";

export interface ServerTransportOptions {
  readonly limits: Pick<Limits, "jsonDepth" | "strangerTime">;
  readonly turnAway: (error: PagewireError) => void;
  /** Receives the peer's session on each of its requests. */
  readonly asks: (session: string) => void;
}

/**
 * Transports a core's messages over a link. Disconnects a peer that is silent for too long or sends something
 * unreadable.
 */
export function createServerTransport(link: Link, { limits, turnAway, asks }: ServerTransportOptions): ServerTransport {
  let closed: () => void = () => {};
  let session: string | undefined;
  const timer = setTimeout(() => {
    turnAway(nothingAsked());
  }, limits.strangerTime);

  function read(message: Message): ClientMessage {
    const parsed = parseJsonObject(textIn(message), limits.jsonDepth);
    if (parsed) return parsed as unknown as ClientMessage;
    throw new PagewireError("frame-malformed", "A message is not a JSON object, or nests too deep.");
  }

  return {
    get bufferedAmount() {
      return link.queuedBytes;
    },
    send(message) {
      if ("type" in message && message.type === "sync") {
        session = message.capabilities?.pagewire?.session;
        if (session !== undefined) asks(session);
      }
      link.send(JSON.stringify(message));
    },
    onMessage(listener) {
      link.start({
        message(message) {
          clearTimeout(timer);
          try {
            const asked = read(message);
            if (asked.type === "cmd" && session !== undefined) asks(session);
            listener(asked);
          } catch (error) {
            if (!PagewireError.isInstance(error)) throw error;
            turnAway(error);
          }
        },
        closed() {
          clearTimeout(timer);
          closed();
        },
      });
    },
    onClose(handler) {
      closed = () => handler();
    },
    close: (code, reason) => link.close({ code, reason }),
  };
}

function textIn(message: Message): string {
  try {
    return textOf(message);
  } catch {
    return "";
  }
}
