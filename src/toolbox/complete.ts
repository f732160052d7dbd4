import { PagewireError, isJsonObject } from "../wire/index.ts";
import type { Json, JsonObject } from "../wire/index.ts";
import type { OfferHandler, Registered } from "./calls.ts";
import type { TextValues } from "./offer-definitions.ts";
import { unsendable } from "./unsendable.ts";

/** As many values as MCP lets one completion hold. */
const valuesMost = 100;

/** Completes a prompt's argument or a template's variable; parameters and answer are MCP's. */
export function complete(parameters: JsonObject, registered: Registered): OfferHandler {
  const { name, value } = objectIn(parameters["argument"]);
  const others = objectIn(objectIn(parameters["context"])["arguments"]);
  if (typeof name !== "string" || typeof value !== "string" || !hasOnlyText(others)) {
    throw new PagewireError("arguments-malformed", "A completion needs an argument with a name and a value.");
  }
  const definition = definitionFor(objectIn(parameters["ref"]), registered);
  if (!definition) throw new PagewireError("offer-not-found", "There is no such prompt or resource here.");
  const { complete: proposals = {} } = definition;
  const propose = Object.hasOwn(proposals, name) ? proposals[name] : undefined;
  return {
    execute: (context) => (propose ? propose(value, others, context) : []),
    resultOf: completionResult,
  };
}

function completionResult(values: unknown): unknown {
  if (!Array.isArray(values) || !values.every((one) => typeof one === "string")) {
    throw unsendable("a completion", "it is not a list of texts.");
  }
  const { length } = values;
  return { completion: { values: values.slice(0, valuesMost), total: length, hasMore: length > valuesMost } };
}

function definitionFor({ type, name, uri }: JsonObject, registered: Registered) {
  if (type === "ref/prompt" && typeof name === "string") return registered.get("prompts", name)?.definition;
  if (type !== "ref/resource" || typeof uri !== "string") return undefined;
  // A resource has nothing to fill in: its completion is known and empty.
  return registered.get("resourceTemplates", uri)?.definition ?? (registered.get("resources", uri) && { complete: {} });
}

function objectIn(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function hasOnlyText(values: JsonObject): values is TextValues {
  return Object.values(values).every((value) => typeof value === "string");
}
