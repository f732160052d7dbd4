import type { Message } from "../wire/index.ts";

/** Returns the message in the data of a port, window or socket; undefined if there is none. */
export function parseMessage(data: unknown): Message | undefined {
  if (typeof data === "string" || data instanceof Uint8Array) return data;
  return data instanceof ArrayBuffer ? new Uint8Array(data) : undefined;
}

/** The message, ready to be cloned. A view would be cloned with all of its buffer, which may hold other data. */
export function ownBytes(message: Message): Message {
  if (typeof message === "string" || message.byteLength === message.buffer.byteLength) return message;
  return message.slice();
}
