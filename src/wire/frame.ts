// A frame is text: one line of JSON header, then, after a newline, the payload as its author wrote it.
// This module splits and joins the two and never looks inside a payload.

/** A payload as it travels: JSON text, or its UTF-8 bytes where a carrier hands out bytes. */
export type Payload = string | Uint8Array;

/** A whole frame as a link carries it. */
export type Message = string | Uint8Array;

const NEWLINE = 10;
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Joins a header and a payload into one message; bytes stay bytes. */
export function encodeFrame(header: object, payload?: Payload): Message {
  const line = JSON.stringify(header);
  if (payload === undefined || payload.length === 0) return line;
  if (typeof payload === "string") return `${line}\n${payload}`;
  const start = encoder.encode(`${line}\n`);
  const message = new Uint8Array(start.length + payload.length);
  message.set(start);
  message.set(payload, start.length);
  return message;
}

/** Splits a message into its header line and its payload, which is empty where there is none. */
export function splitFrame(message: Message): { readonly line: Message; readonly payload: Payload } {
  if (typeof message === "string") {
    const end = message.indexOf("\n");
    return end < 0 ? { line: message, payload: "" } : { line: message.slice(0, end), payload: message.slice(end + 1) };
  }
  const end = message.indexOf(NEWLINE);
  return end < 0
    ? { line: message, payload: "" }
    : { line: message.subarray(0, end), payload: message.subarray(end + 1) };
}

/** The text of a message or payload; throws where bytes are not UTF-8. */
export function textOf(message: Message): string {
  return typeof message === "string" ? message : decoder.decode(message);
}

/** The size of a message or payload in bytes; for text, at most three times too small and never too large. */
export function sizeOf(message: Message): number {
  return message.length;
}
