import { createBatch, encodeText, splitBatch } from "../../wire/index.ts";
import type { FrameFromPage } from "../../wire/index.ts";
import type { Connected } from "./connection.ts";

export interface Outbox {
  send(frame: FrameFromPage, payload?: string): boolean;
  /** Splits a message into frames. If there are several, the responses are batched into one message, too. */
  split(message: string): readonly string[];
  /** Sends what is queued. */
  flush(): void;
}

/** Batches frames only for hubs that send batches themselves. */
export function createOutbox(hub: Connected, afterTask: (run: () => void) => void): Outbox {
  const batch = createBatch((frames) => hub.link?.send(frames));
  let isGathering = false;

  return {
    send(frame, payload) {
      const text = encodeText(frame, payload);
      if (isGathering) {
        batch.add(text);
        return true;
      }
      const { link } = hub;
      if (!link?.open) return false;
      link.send(text);
      return true;
    },
    split(message) {
      const frames = splitBatch(message);
      if (frames.length > 1) {
        isGathering = true;
        // The calls of a message are acked together, before any handler runs; results leave when the task ends.
        queueMicrotask(batch.flush);
        afterTask(() => {
          isGathering = false;
          batch.flush();
        });
      }
      return frames;
    },
    flush: batch.flush,
  };
}
