// A stream of server-sent events, and the bounds on a client that does not read it. Knows nothing of MCP.
import type { ServerResponse } from "node:http";
import type { Limits } from "../../../wire/index.ts";
import { alwaysHeaders, onEnd } from "../../http/exchange.ts";

export interface EventStream {
  readonly isOpen: boolean;
  /** Bytes that its client was not given yet. */
  readonly unread: number;
  /** Sends one event: a text without line breaks. */
  send(text: string, id?: string): void;
  end(): void;
}

export interface EventStreamOptions {
  readonly limits: Pick<Limits, "requestTime" | "queuedBytes">;
  readonly headers?: Readonly<Record<string, string>>;
  /** Hears that its client was cut off, for it does not read. */
  readonly onSlow: () => void;
  /** Hears that something was written, of which much may be unread. */
  readonly onUnread?: (to: ServerResponse) => void;
}

/** How often a silent stream shows those on the way that it lives, in milliseconds. */
const keepAliveTime = 15_000;

const streamHeaders = {
  ...alwaysHeaders,
  // A proxy that compresses a stream of events, or buffers it, holds them back.
  "Cache-Control": `${alwaysHeaders["Cache-Control"]}, no-transform`,
  "X-Accel-Buffering": "no",
  "Content-Type": "text/event-stream",
};

/** Begins a stream at once, before its first event. It lives however long it is silent. */
export function openEventStream(to: ServerResponse, options: EventStreamOptions): EventStream {
  const { limits, headers = {}, onSlow, onUnread } = options;
  let isOpen = true;
  let isCutOff = false;
  const cutOff = () => {
    if (isCutOff) return;
    isCutOff = true;
    isOpen = false;
    to.req.socket.destroy();
    onSlow();
  };
  const write = (text: string) => {
    if (!isOpen) return;
    // One that reads gets events of any size.
    if (to.writableLength > limits.queuedBytes) return cutOff();
    if (to.write(text)) return;
    limitTime(to, limits.requestTime);
    onUnread?.(to);
  };
  const alive = setInterval(() => to.writableLength === 0 && write(": keepalive\n\n"), keepAliveTime);
  alive.unref();
  to.writeHead(200, { ...streamHeaders, ...headers }).flushHeaders();
  to.once("timeout", cutOff);
  to.on("drain", () => to.setTimeout(0));
  onEnd(to, () => {
    isOpen = false;
    clearInterval(alive);
  });
  return {
    get isOpen() {
      return isOpen;
    },
    get unread() {
      return isOpen ? to.writableLength : 0;
    },
    send: (text, id) => write(`event: message\n${id === undefined ? "" : `id: ${id}\n`}data: ${text}\n\n`),
    end() {
      if (!isOpen) return;
      isOpen = false;
      clearInterval(alive);
      limitTime(to, limits.requestTime);
      to.end();
    },
  };
}

/** Node counts this time anew whenever the client takes a part of what waits for it. */
function limitTime(to: ServerResponse, milliseconds: number): void {
  to.setTimeout(Math.min(Math.max(1, milliseconds), longestTime));
}

const longestTime = 2 ** 31 - 1;
