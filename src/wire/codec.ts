// A frame is text: one line of JSON as the header, then, after a newline, the payload as its author wrote it.
// This module splits and joins the two and never looks inside a payload.
// Pages read text; a program that routes frames may keep them as bytes, which then stay bytes.
import { wrongField } from "./fields.ts";
import type { Fielded, Fields } from "./fields.ts";
import { isJsonObject } from "./json.ts";
import type { JsonObject, Message, Payload } from "./json.ts";
import type { PageLimits } from "./page-limits.ts";

/** The frames of one side by type, each with the fields of its header. Types and parsing derive from it. */
export type FrameTable = Readonly<Record<string, Fields>>;

type FrameOf<Table extends FrameTable> = {
  [Type in keyof Table & string]: { readonly type: Type } & Fielded<Table[Type]>;
}[keyof Table & string];

export type FrameIn<Table extends FrameTable> = FrameOf<{ -readonly [Type in keyof Table]: Table[Type] }>;

export function encodeText(header: object, payload = ""): string {
  const line = JSON.stringify(header);
  return payload === "" ? line : `${line}\n${payload}`;
}

/** Splits text into its header line and its payload, which may be empty. */
export function splitText(text: string): { readonly line: string; readonly payload: string } {
  const end = text.indexOf("\n");
  return end < 0 ? { line: text, payload: "" } : { line: text.slice(0, end), payload: text.slice(end + 1) };
}

/** The size of a message or payload in bytes; for text, up to three times too small and never too large. */
export function sizeOf(message: Message): number {
  return message.length;
}

const NEWLINE = 10;
const encoder = /* @__PURE__ */ new TextEncoder();
const decoder = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

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

/** The text of a message or payload; throws if bytes are not UTF-8. */
export function textOf(message: Message): string {
  return typeof message === "string" ? message : decoder.decode(message);
}

/** A parsed message: a frame, a type of a newer version, or a reason to close. */
export type Parsed<Table extends FrameTable, Kind extends Payload = Payload> =
  | { readonly kind: "frame"; readonly frame: FrameIn<Table>; readonly payload: Kind }
  | { readonly kind: "unknown"; readonly type: string }
  | Refused;

type RefusalName = "frame-malformed" | "frame-too-large";

/** Why a message was refused. */
export interface Refused {
  readonly kind: "refused";
  readonly close: RefusalName;
  readonly message: string;
}

/** The limits for a frame. */
export type FrameLimits = Pick<PageLimits, "frameBytes" | "headerBytes">;

/** Parses text as one of a table's frames. Never throws. */
export function parseText<Table extends FrameTable>(
  table: Table,
  text: string,
  limits: FrameLimits,
): Parsed<Table, string> {
  const end = text.indexOf("\n");
  const line = end < 0 ? text : text.slice(0, end);
  if (text.length > limits.frameBytes) return tooLarge("frameBytes", limits);
  if (line.length > limits.headerBytes) return tooLarge("headerBytes", limits);
  let header: unknown;
  try {
    header = JSON.parse(line);
  } catch {
    // Not JSON: refused below.
  }
  const type = isJsonObject(header) && header["type"];
  if (typeof type !== "string") return refuse("frame-malformed", "The frame has no header with a type.");
  const fields = Object.hasOwn(table, type) && table[type];
  if (!fields) return { kind: "unknown", type };
  const wrong = wrongField(fields, header as JsonObject);
  if (wrong) return refuse("frame-malformed", `The field "${wrong}" of a ${type} frame is wrong.`);
  return { kind: "frame", frame: header as FrameIn<Table>, payload: end < 0 ? "" : text.slice(end + 1) };
}

function tooLarge(limit: keyof FrameLimits, limits: FrameLimits): Refused {
  return refuse("frame-too-large", `The limit ${limit} of ${limits[limit]} bytes is exceeded.`);
}

function refuse(close: RefusalName, message: string): Refused {
  return { kind: "refused", close, message };
}

/** Parses a message as one of a table's frames; the payload stays unparsed. Never throws. */
export function parseFrame<Table extends FrameTable>(
  table: Table,
  message: Message,
  limits: FrameLimits,
): Parsed<Table> {
  if (typeof message === "string") return parseText(table, message, limits);
  const { line, payload } = splitFrame(message);
  if (message.length > limits.frameBytes) return tooLarge("frameBytes", limits);
  if (line.length > limits.headerBytes) return tooLarge("headerBytes", limits);
  const parsed = parseText(table, decode(line), limits);
  return parsed.kind === "frame" ? { kind: "frame", frame: parsed.frame, payload } : parsed;
}

/** The text of a header line; an empty one if it is not UTF-8. */
function decode(line: Message): string {
  try {
    return textOf(line);
  } catch {
    return "";
  }
}
