import { cutOff, linkCloseCodes, linkCloseReason, pageLimits, sizeOf } from "../wire/index.ts";
import type { CloseReason, Limits, Message } from "../wire/index.ts";
import { createCarriedLink } from "./carried-link.ts";
import type { Link } from "./link.ts";
import { parseMessage } from "./message-data.ts";

/** The fields of a socket's events that a link needs. */
export interface SocketEvent {
  readonly type: string;
  readonly data?: unknown;
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly error?: unknown;
}

/** The part of a WebSocket that a link needs: a browser's, Node's, or one of the package `ws`. */
export interface SocketLike {
  readonly readyState: number;
  readonly bufferedAmount: number;
  binaryType: string;
  send(data: string | Uint8Array<ArrayBuffer>): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: "open" | "message" | "error" | "close", listener: (event: SocketEvent) => void): void;
}

export interface SocketLinkOptions {
  readonly limits?: Pick<Limits, "queuedBytes">;
}

/** A link over a WebSocket, open or still connecting; messages wait until it is open. */
export function createSocketLink(socket: SocketLike, { limits = pageLimits }: SocketLinkOptions = {}): Link {
  const CONNECTING = 0;
  const unsent: Message[] = [];
  let unsentBytes = 0;
  const { link, receive, end } = createCarriedLink({
    get queuedBytes() {
      return socket.bufferedAmount + unsentBytes;
    },
    send(message) {
      if (socket.readyState === CONNECTING) {
        unsent.push(message);
        unsentBytes += sizeOf(message);
      } else {
        // Bytes in shared memory cannot be sent: the socket throws, and the link closes with that error.
        socket.send(message as string | Uint8Array<ArrayBuffer>);
      }
      if (socket.bufferedAmount + unsentBytes > limits.queuedBytes) link.close(linkCloseReason("too-slow"));
    },
    close({ code, reason }) {
      socket.close(sendableCode(code), reason);
    },
  });

  socket.binaryType = "arraybuffer";
  socket.addEventListener("open", () => {
    unsentBytes = 0;
    unsent.splice(0).forEach(link.send);
  });
  socket.addEventListener("message", ({ data }) => {
    const message = parseMessage(data);
    // Other data cannot arrive, since the socket uses array buffers.
    if (message !== undefined) receive(message);
  });
  // Without a listener `ws` would throw errors; the close that follows has the details.
  socket.addEventListener("error", () => undefined);
  socket.addEventListener("close", (event) => end(reasonOf(event)));
  return link;
}

/** Scripts may only close with 1000 or a custom code; the reason keeps the original one. */
function sendableCode(code: number): number {
  return code >= 3000 && code <= 4999 ? code : linkCloseCodes.normal;
}

function reasonOf({ code = cutOff.code, reason = "" }: SocketEvent): CloseReason {
  return code === cutOff.code ? cutOff : { code, reason };
}
