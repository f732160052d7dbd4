// A frame is text: one line of JSON header, then, after a newline, the payload as its author wrote it.
// This module splits and joins the two and never looks inside a payload.

/** A payload as it travels: JSON text, or its UTF-8 bytes where a carrier hands out bytes. */
export type Payload = string | Uint8Array;

/** A whole frame as a link carries it. */
export type Message = string | Uint8Array;

/** Joins a header and a payload that is text. */
export function encodeText(header: object, payload = ""): string {
  const line = JSON.stringify(header);
  return payload === "" ? line : `${line}\n${payload}`;
}

/** Splits text into its header line and its payload, which is empty where there is none. */
export function splitText(text: string): { readonly line: string; readonly payload: string } {
  const end = text.indexOf("\n");
  return end < 0 ? { line: text, payload: "" } : { line: text.slice(0, end), payload: text.slice(end + 1) };
}

/** The size of a message or payload in bytes; for text, at most three times too small and never too large. */
export function sizeOf(message: Message): number {
  return message.length;
}
