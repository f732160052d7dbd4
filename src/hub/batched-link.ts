import type { Link } from "../link/index.ts";
import { createBatch, splitBatch, textOf } from "../wire/index.ts";
import type { Message } from "../wire/index.ts";
import { atEndOfTurn } from "./end-of-turn.ts";

/** A link that takes messages of several frames, and sends them once it may. */
export interface BatchedLink extends Link {
  /** From now on, frames of one turn of the event loop leave in one message. */
  startBatching(): void;
}

const SEPARATOR_CODE = 0x1e;

/** Wraps the link of a peer that sends several frames in one message only where it is sent such itself. */
export function createBatchedLink(link: Link): BatchedLink {
  const batch = createBatch((message) => link.send(message));
  let isBatching = false;
  let isDue = false;

  function flush(): void {
    isDue = false;
    batch.flush();
  }

  return {
    get open() {
      return link.open;
    },
    get queuedBytes() {
      return link.queuedBytes;
    },
    startBatching() {
      isBatching = true;
    },
    send(message) {
      if (!isBatching) return link.send(message);
      batch.add(message);
      if (!isDue) atEndOfTurn(flush);
      isDue = true;
    },
    close(reason) {
      batch.flush();
      link.close(reason);
    },
    start({ message, closed }) {
      link.start({
        closed,
        message(whole) {
          if (!isBatching || !isBatch(whole)) return message(whole);
          const frames = splitBatch(textOf(whole)).map(copyOf);
          // The first frame that is refused closes the link.
          for (const frame of frames) if (link.open) message(frame);
        },
      });
    },
  };
}

function isBatch(message: Message): boolean {
  return (typeof message === "string" ? message.charCodeAt(0) : message[0]) === SEPARATOR_CODE;
}

/** A part of a text holds all of it in memory, and a frame's payload may be kept for long. */
function copyOf(part: string): string {
  return Buffer.from(part).toString();
}
