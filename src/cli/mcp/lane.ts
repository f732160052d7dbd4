import type { HubHttp } from "./upstream/hub-http.ts";
import type { Waiting } from "./upstream/wait.ts";
import type { Writable } from "node:stream";

/** The shared dependencies of both lanes. */
export interface LaneOptions {
  readonly hub: HubHttp;
  readonly output: Output;
  readonly waiting: Waiting;
  /** Prints a line for the user. */
  note(text: string): void;
}

/** The stream to the client: one message a line, and nothing else. */
interface Output {
  /** Sends a message. It must not hold a newline. */
  send(text: string): void;
  /** Resolves when the client has read enough that there is room for more. */
  room(): Promise<void>;
  /** Whether the client has unread output. */
  readonly isBehind: boolean;
}

export function createOutput(stream: Writable): Output {
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const resolve of waiting) resolve();
    waiting.clear();
  };
  for (const event of ["drain", "close", "error"]) stream.on(event, wake);

  return {
    send(text) {
      if (stream.writable) stream.write(`${text}\n`);
    },
    async room() {
      if (!stream.writable || !stream.writableNeedDrain) return;
      await new Promise<void>((resolve) => waiting.add(resolve));
    },
    get isBehind() {
      return stream.writableLength > 0;
    },
  };
}
