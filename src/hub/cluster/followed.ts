import type { TabIdentity } from "../../switchboard/index.ts";
import { epochs, isJsonObject, parseJsonObject, suspensions } from "../../wire/index.ts";
import type { Json, JsonObject, Suspension } from "../../wire/index.ts";

/** A tab as its hub announces it to another. */
export interface Followed {
  readonly identity: TabIdentity;
  /** In milliseconds until now. */
  readonly connectedFor: number;
  readonly focusedAt: number;
  readonly suspension: Suspension | undefined;
  readonly title: string;
  readonly url: string;
  readonly epochs: readonly string[];
  readonly approves: boolean;
  /** The calls that its page still runs. */
  readonly running: readonly string[];
}

const maxDepth = 8;

/** Undefined for what is no announcement. */
export function parseFollowed(text: string): Followed | undefined {
  const { identity, connectedFor, focusedAt, suspension, title, url, approves, ...rest } =
    parseJsonObject(text, maxDepth) ?? {};
  const { running, epochs: known } = rest;
  if (!isIdentity(identity) || !isTime(connectedFor) || !isTime(focusedAt) || !isTexts(running)) return undefined;
  if (!epochs(known) || typeof title !== "string" || typeof url !== "string") return undefined;
  const reason = suspensions.find((each) => each === suspension);
  const about = { title, url, epochs: known, approves: approves === true, running };
  return { identity, connectedFor, focusedAt, suspension: reason, ...about };
}

function isIdentity(value: Json | undefined): value is JsonObject & TabIdentity {
  if (!isJsonObject(value)) return false;
  return [value["tabId"], value["principal"], value["origin"], value["app"]].every((each) => typeof each === "string");
}

function isTime(value: Json | undefined): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function isTexts(value: Json | undefined): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}
