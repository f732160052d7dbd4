import { createBatch, encodeText, splitBatch } from "../../wire/index.ts";
import type { FrameFromPage } from "../../wire/index.ts";
import type { Connected } from "./connection.ts";

export interface Outbox {
  /** Sends a frame; says whether there is a link for it. */
  send(frame: FrameFromPage, payload?: string): boolean;
  /** The frames of a message. While there are several, what is sent because of them leaves in one message, too. */
  split(message: string): readonly string[];
  /** Sends what waits. */
  flush(): void;
}

/** A hub that sends several frames in one message takes such messages as well. */
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
