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

/** Reads what a page offers; refuses by name what agents could not be shown. */
export function parseOffer(payload: Payload, limits: SwitchboardLimits): Offer {
  return offerFrom(objectFrom(payload, limits), limits);
}

/** Reads a change of an offer. */
export function parseOfferChange(payload: Payload, limits: SwitchboardLimits): OfferChange {
  const { add = {}, remove = {} } = objectFrom(payload, limits);
  if (!isJsonObject(add) || !isJsonObject(remove))
    throw malformed("An offer change must have the objects add and remove.");
  return {
    add: offerFrom(add, limits),
    remove: {
      tools: names(remove, "tools"),
      resources: names(remove, "resources"),
      resourceTemplates: names(remove, "resourceTemplates"),
      prompts: names(remove, "prompts"),
    },
  };
}

function objectFrom(payload: Payload, limits: SwitchboardLimits): JsonObject {
  const value = parseJsonObject(textOf(payload), limits.jsonDepth);
  if (!value) throw malformed("An offer must be a JSON object.");
  return value;
}

function offerFrom(value: JsonObject, limits: SwitchboardLimits): Offer {
  const read = <Kind extends keyof Offer>(kind: Kind) =>
    items(value, kind).map((item) => checked(kind, item, limits)) as unknown as Offer[Kind];
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
