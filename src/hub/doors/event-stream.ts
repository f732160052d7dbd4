// A stream of server-sent events that cuts off clients which do not read. Independent of MCP.
import type { ServerResponse } from "node:http";
import type { Limits } from "../../wire/index.ts";
import { alwaysHeaders, onEnd } from "../http/exchange.ts";

export interface EventStream {
  readonly isOpen: boolean;
  /** Bytes that the client has not received. */
  readonly unread: number;
  /** Sends one event: text without line breaks. */
  send(text: string, id?: string): void;
  end(): void;
}

export interface EventStreamOptions {
  readonly limits: Pick<Limits, "requestTime" | "queuedBytes">;
  readonly headers?: Readonly<Record<string, string>>;
  /** Called when the client was cut off because it does not read. */
  readonly onSlow: () => void;
  /** Called after a write, with the response's backlog possibly large. */
  readonly onUnread?: (to: ServerResponse) => void;
}

/** The interval of keep-alive comments for proxies, in milliseconds. */
const keepAliveTime = 15_000;

const streamHeaders = {
  ...alwaysHeaders,
  // A proxy that compresses or buffers the stream would delay events.
  "Cache-Control": `${alwaysHeaders["Cache-Control"]}, no-transform`,
  "X-Accel-Buffering": "no",
  "Content-Type": "text/event-stream",
};

/** Sends the headers at once. The stream has no idle timeout. */
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
    // A client that reads gets events of any size.
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

/** Node restarts this timeout whenever the client reads. */
function limitTime(to: ServerResponse, milliseconds: number): void {
  to.setTimeout(Math.min(Math.max(1, milliseconds), maxTime));
}

const maxTime = 2 ** 31 - 1;
