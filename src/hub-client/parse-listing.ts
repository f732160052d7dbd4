// Parses the hub's own payloads. Parts from a page are checked only as far as this program relies on them.
import { isJsonObject, outcomeNames, parseJson, textOf } from "../wire/index.ts";
import type { CallEvent, Json, JsonObject, Offer, Payload, TabInfo } from "../wire/index.ts";

/** The payload as JSON; undefined when it is not, nests too deep or is not UTF-8. */
export function parsePayload(payload: Payload, deepest: number): Json | undefined {
  try {
    return parseJson(textOf(payload), deepest);
  } catch {
    return undefined;
  }
}

export function parseTabs(value: Json | undefined): readonly TabInfo[] | undefined {
  return isListOf(value, isTab) ? value : undefined;
}

export function parseOffer(value: Json | undefined): Offer | undefined {
  if (!isJsonObject(value)) return undefined;
  const { tools, resources, resourceTemplates, prompts } = value;
  const isOffer =
    isListOf(tools, (item) => hasStrings(item, "name") && isJsonObject(item["inputSchema"])) &&
    isListOf(resources, (item) => hasStrings(item, "uri", "name")) &&
    isListOf(resourceTemplates, (item) => hasStrings(item, "uriTemplate", "name")) &&
    isListOf(prompts, (item) => hasStrings(item, "name"));
  return isOffer ? ({ tools, resources, resourceTemplates, prompts } as unknown as Offer) : undefined;
}

export function parseCallEvent(value: Json | undefined): CallEvent | undefined {
  return isCallEvent(value) ? value : undefined;
}

const tabStates = ["connected", "away", "suspended", "silent"];
const callEvents = ["started", "acked", "progress", "ended"];

function isTab(value: unknown): value is TabInfo {
  return (
    isJsonObject(value) &&
    hasStrings(value, "tabId", "app", "origin", "title", "url", "lastSeen") &&
    tabStates.includes(value["state"] as string) &&
    typeof value["isActive"] === "boolean" &&
    isListOf(value["tools"], (name): name is string => typeof name === "string")
  );
}

function isCallEvent(value: unknown): value is CallEvent {
  if (!isJsonObject(value) || !hasStrings(value, "id", "method", "name", "agent")) return false;
  const { event, tabId, app, progress, total, outcome, milliseconds } = value;
  return (
    callEvents.includes(event as string) &&
    [tabId, app].every((text) => text === undefined || typeof text === "string") &&
    [progress, total, milliseconds].every((count) => count === undefined || Number.isFinite(count)) &&
    (outcome === undefined || (outcomeNames as readonly unknown[]).includes(outcome))
  );
}

function isListOf<Item>(value: unknown, isItem: (item: unknown) => item is Item): value is readonly Item[];
function isListOf(value: unknown, isItem: (item: JsonObject) => boolean): value is readonly JsonObject[];
function isListOf(value: unknown, isItem: (item: never) => boolean): boolean {
  return Array.isArray(value) && value.every((item) => isItem(item as never));
}

function hasStrings(value: unknown, ...names: readonly string[]): value is JsonObject {
  return isJsonObject(value) && names.every((name) => typeof value[name] === "string");
}
