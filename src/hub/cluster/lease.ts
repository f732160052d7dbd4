// A hub's lease: how the others describe it, and the last numbers of its messages.
import type { JsonObject } from "../../wire/index.ts";
import { parseJsonObject } from "../../wire/index.ts";
import type { Counts } from "./losses.ts";

/** A hub as others know it. */
export interface HubInfo extends JsonObject {
  readonly id: string;
  readonly name: string;
}

export const leaseText = (about: JsonObject, counts: Counts): string =>
  `${JSON.stringify(about)}\n${JSON.stringify(counts)}`;

export function parseLease(text: string): { readonly about: string; readonly counts: Counts } {
  const [about = "", counts = ""] = text.split("\n");
  return { about, counts: parseCounts(counts) };
}

export const parseCounts = (text: string): Counts => parseJsonObject(text, 1) ?? {};

/** A hub's name, by its description of itself. */
export function nameIn(about: string): string | undefined {
  const known = parseJsonObject(about, 4);
  return typeof known?.["name"] === "string" ? known["name"] : undefined;
}
