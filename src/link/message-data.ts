import type { Message } from "../wire/index.ts";

/** Reads what a port, window or socket delivered as a message; undefined when it is none. */
export function parseMessage(data: unknown): Message | undefined {
  if (typeof data === "string" || data instanceof Uint8Array) return data;
  return data instanceof ArrayBuffer ? new Uint8Array(data) : undefined;
}

/** The message, ready to be cloned. A view is cloned with all of its buffer, which may hold what others wrote. */
export function ownBytes(message: Message): Message {
  if (typeof message === "string" || message.byteLength === message.buffer.byteLength) return message;
  return message.slice();
}
