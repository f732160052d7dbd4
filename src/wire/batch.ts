// Several frames in one message, each behind a separator. Frames are JSON, which never holds the separator raw; one that
// does travels alone, so that nobody's payload can smuggle a frame in.
import type { Message } from "./json.ts";

const separator = "\x1e";

/** How many frames one message may hold, and how many bytes: more than any that `createBatch` makes. */
export const batchFrames = 256;
export const batchBytes = 256 * 1024;

/** How much text, in characters, a frame and a message of several may have; more gains nothing by company. */
const longestFrame = 16_384;
const longestBatch = 4 * longestFrame;

/** The frames of a message. One with more than allowed is given as it is, which is no frame. */
export function splitBatch(text: string): readonly string[] {
  if (!text.startsWith(separator)) return [text];
  const frames = text.slice(1).split(separator, batchFrames + 1);
  return frames.length > batchFrames ? [text] : frames;
}

/** Joins frames into one message. */
export interface Batch {
  /** Adds a frame to those that wait for `flush`. */
  add(frame: Message): void;
  /** Sends what waits. */
  flush(): void;
}

/** A batch whose messages are sent by this function, in the order of their frames. */
export function createBatch(send: (message: Message) => void): Batch {
  let waiting: string[] = [];
  let length = 0;

  function flush(): void {
    const frames = waiting;
    waiting = [];
    length = 0;
    if (frames.length > 1) send(separator + frames.join(separator));
    else if (frames[0]) send(frames[0]);
  }

  return {
    add(frame) {
      if (length + frame.length > longestBatch || waiting.length === batchFrames) flush();
      if (typeof frame === "string" && frame.length <= longestFrame && !frame.includes(separator)) {
        length += frame.length;
        waiting.push(frame);
      } else {
        flush();
        send(frame);
      }
    },
    flush,
  };
}
