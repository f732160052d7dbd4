// A socket as a core's transport sees it: without the messages that are between the connection and its guard.
import { EventEmitter } from "node:events";
import type { RawData, WebSocket } from "ws";

/** As much of a WebSocket as a transport and its owner need. */
export interface AuthenticatedSocket {
  readonly readyState: number;
  readonly bufferedAmount: number;
  send(data: string): void;
  close(code?: number, reason?: string): void;
  on(type: "message" | "close" | "error", listener: (...details: never[]) => void): unknown;
  off(type: "message" | "close" | "error", listener: (...details: never[]) => void): unknown;
}

/** A view of a socket without the messages that `taken` handles. */
export function createSessionSocket(socket: WebSocket, taken: (text: string) => boolean): AuthenticatedSocket {
  const events = new EventEmitter();
  events.on("error", () => undefined);
  socket.on("message", (data: RawData) => {
    // oxlint-disable-next-line no-base-to-string -- ws gives a Buffer here, its binaryType being as it was
    const text = String(data);
    if (!taken(text)) events.emit("message", text);
  });
  socket.on("close", (code, reason) => events.emit("close", code, reason));
  socket.on("error", (error) => events.emit("error", error));
  return {
    get readyState() {
      return socket.readyState;
    },
    get bufferedAmount() {
      return socket.bufferedAmount;
    },
    send: (data) => socket.send(data),
    close: (code, reason) => socket.close(code, reason),
    on: (type, listener) => events.on(type, listener as () => void),
    off: (type, listener) => events.off(type, listener as () => void),
  };
}
