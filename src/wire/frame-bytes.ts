// Frames for whoever routes them, and so may hold them as bytes. Bytes stay bytes: nothing is copied into text and back.
import { encodeText, splitText } from "./frame.ts";
import type { Message, Payload } from "./frame.ts";

const NEWLINE = 10;
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Joins a header and a payload into one message. */
export function encodeFrame(header: object, payload: Payload = ""): Message {
  if (typeof payload === "string" || payload.length === 0) return encodeText(header, String(payload));
  const start = encoder.encode(`${JSON.stringify(header)}\n`);
  const message = new Uint8Array(start.length + payload.length);
  message.set(start);
  message.set(payload, start.length);
  return message;
}

/** Splits a message into its header line and its payload, which is empty where there is none. */
export function splitFrame(message: Message): { readonly line: Message; readonly payload: Payload } {
  if (typeof message === "string") return splitText(message);
  const end = message.indexOf(NEWLINE);
  return end < 0
    ? { line: message, payload: "" }
    : { line: message.subarray(0, end), payload: message.subarray(end + 1) };
}

/** The text of a message or payload; throws where bytes are not UTF-8. */
export function textOf(message: Message): string {
  return typeof message === "string" ? message : decoder.decode(message);
}
