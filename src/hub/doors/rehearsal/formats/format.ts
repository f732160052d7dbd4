// What each wire format does: reads its vendor's requests, and writes its answers, its streams and its errors.
import { createHash } from "node:crypto";
import type { Json, JsonObject } from "../../../../wire/index.ts";
import type { RehearsalRequest, RehearsalTurn } from "../model/request.ts";
import type { Refusal } from "./refusal.ts";

/** A request, as far as a format looks at it. */
export interface Asked {
  readonly body: JsonObject;
  readonly query: URLSearchParams;
  header(name: string): string | undefined;
}

/** What an answer says of itself. */
export interface Stamp {
  /** The same for the same request, and different for others. */
  readonly id: string;
  /** In seconds since 1970. */
  readonly created: number;
}

/** A request that was read, and how it is to be answered. */
export interface Exchange {
  readonly request: RehearsalRequest;
  readonly streams: boolean;
  answer(turn: RehearsalTurn, stamp: Stamp): Json;
  /** The pieces of a stream, in order. */
  stream(turn: RehearsalTurn, stamp: Stamp): readonly string[];
  /** What a stream is, where it is no event stream. */
  readonly streamType?: string;
}

export interface Vendor {
  /** The body of an error. */
  error(refusal: Refusal, id: string): Json;
  /** Where its status is not the usual one. */
  status?(refusal: Refusal): number | undefined;
}

export function idOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 24);
}

/** The id of a turn's call. */
export function callId(prefix: string, { id }: Stamp, index: number): string {
  return `${prefix}${id.slice(0, 20)}${String(index).padStart(2, "0")}`;
}

export function asText(value: Json | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}

export function event(data: Json, name?: string): string {
  return `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** Text in small pieces, no character cut in two. */
export function piecesOf(text: string): readonly string[] {
  return text.match(/\s*\S{1,12}\s?|\s+/gu) ?? [];
}
