import {
  PagewireError,
  isBuiltInTool,
  isJsonObject,
  itemProblem,
  keyFields,
  parseJsonObject,
  textOf,
} from "../wire/index.ts";
import type { JsonObject, SwitchboardLimits, Offer, OfferChange, Payload } from "../wire/index.ts";
import { isPlainJson, readableItem } from "./readable-item.ts";

/** Parses a page's offer; throws a named error if agents could not be shown it. */
export function parseOffer(payload: Payload, limits: SwitchboardLimits): Offer {
  const text = textOf(payload);
  return offerFrom(objectFrom(text, limits), { limits, isPlain: isPlainJson(text) });
}

export function parseOfferChange(payload: Payload, limits: SwitchboardLimits): OfferChange {
  const text = textOf(payload);
  const { add = {}, remove = {} } = objectFrom(text, limits);
  if (!isJsonObject(add) || !isJsonObject(remove))
    throw malformed("An offer change must have the objects add and remove.");
  return {
    add: offerFrom(add, { limits, isPlain: isPlainJson(text) }),
    remove: {
      tools: names(remove, "tools"),
      resources: names(remove, "resources"),
      resourceTemplates: names(remove, "resourceTemplates"),
      prompts: names(remove, "prompts"),
    },
  };
}

function objectFrom(text: string, limits: SwitchboardLimits): JsonObject {
  const value = parseJsonObject(text, limits.jsonDepth);
  if (!value) throw malformed("An offer must be a JSON object.");
  return value;
}

interface Reading {
  readonly limits: SwitchboardLimits;
  /** Whether it contains only visible characters. */
  readonly isPlain: boolean;
}

function offerFrom(value: JsonObject, { limits, isPlain }: Reading): Offer {
  const read = <Kind extends keyof Offer>(kind: Kind) =>
    items(value, kind).map((item) => {
      const sound = checked(kind, item, limits);
      return isPlain ? sound : readableItem(kind, sound);
    }) as unknown as Offer[Kind];
  return {
    tools: read("tools"),
    resources: read("resources"),
    resourceTemplates: read("resourceTemplates"),
    prompts: read("prompts"),
  };
}

const words = { tools: "tool", resources: "resource", resourceTemplates: "resource template", prompts: "prompt" };

function checked(kind: keyof Offer, item: JsonObject, limits: SwitchboardLimits): JsonObject {
  const given = item[keyFields[kind]];
  const key = typeof given === "string" ? given : "";
  const shown = JSON.stringify(key.slice(0, 140));
  const wrong = itemProblem(kind, item, limits);
  if (wrong) throw new PagewireError(wrong.code, `The ${words[kind]} ${shown} ${wrong.problem}.`);
  if (kind === "tools" && isBuiltInTool(key))
    throw new PagewireError("name-taken", `${shown} is the name of a built-in tool. Choose another.`);
  return item;
}

function items(value: JsonObject, kind: string): readonly JsonObject[] {
  const found = value[kind] ?? [];
  if (!Array.isArray(found) || !found.every(isJsonObject))
    throw malformed(`The ${kind} of an offer must be a list of objects.`);
  return found;
}

function names(value: JsonObject, kind: string): readonly string[] {
  const found = value[kind] ?? [];
  if (!Array.isArray(found) || !found.every((name) => typeof name === "string")) {
    throw malformed(`The removed ${kind} must be a list of names.`);
  }
  return found;
}

function malformed(message: string): PagewireError {
  return new PagewireError("frame-malformed", message);
}
