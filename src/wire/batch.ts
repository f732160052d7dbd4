// Several frames in one message, each after a separator. Frames are JSON, which never contains the raw separator; a frame
// that does is sent alone, so that no payload can inject a frame.
import type { Message } from "./json.ts";

const separator = "\x1e";

/** The max frames and bytes of one received message: more than `createBatch` ever makes. */
export const batchFrames = 256;
export const batchBytes = 256 * 1024;

/** The max characters of a frame in a batch, and of a batch; larger ones gain nothing from batching. */
const longestFrame = 16_384;
const longestBatch = 4 * longestFrame;

/** The frames of a message. A message over the limit is returned whole, and does not parse as a frame. */
export function splitBatch(text: string): readonly string[] {
  if (!text.startsWith(separator)) return [text];
  const frames = text.slice(1).split(separator, batchFrames + 1);
  return frames.length > batchFrames ? [text] : frames;
}

/** Joins frames into one message. */
export interface Batch {
  /** Queues a frame until `flush`. */
  add(frame: Message): void;
  /** Sends the queued frames. */
  flush(): void;
}

/** A batch that sends its messages with this function, in the order of their frames. */
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
