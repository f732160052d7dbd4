import {
  PagewireError,
  isBuiltInTool,
  isJsonObject,
  itemNamePattern,
  itemNameProblem,
  parseJsonObject,
  textOf,
  wrongItemField,
} from "../wire/index.ts";
import type {
  JsonObject,
  Limits,
  Offer,
  OfferChange,
  Payload,
  Prompt,
  Resource,
  ResourceTemplate,
  Tool,
} from "../wire/index.ts";

/** Reads what a page offers; refuses by name what agents could not be shown. */
export function parseOffer(payload: Payload, limits: Limits): Offer {
  return offerFrom(objectFrom(payload, limits), limits);
}

/** Reads a change of an offer. */
export function parseOfferChange(payload: Payload, limits: Limits): OfferChange {
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

function objectFrom(payload: Payload, limits: Limits): JsonObject {
  const value = parseJsonObject(textOf(payload), limits.jsonDepth);
  if (!value) throw malformed("An offer must be a JSON object.");
  return value;
}

function offerFrom(value: JsonObject, limits: Limits): Offer {
  return {
    tools: items(value, "tools").map((item) => toolFrom(item, limits)),
    resources: items(value, "resources").map((item) => named<Resource>(item, "uri")),
    resourceTemplates: items(value, "resourceTemplates").map((item) => named<ResourceTemplate>(item, "uriTemplate")),
    prompts: items(value, "prompts").map((item) => promptFrom(item)),
  };
}

function toolFrom(item: JsonObject, limits: Limits): Tool {
  const { name, inputSchema, outputSchema } = named<Tool>(item, "name");
  checkName("tool", name);
  if (isBuiltInTool(name))
    throw new PagewireError("name-taken", `"${name}" is the name of a built-in tool. Choose another.`);
  if (!isJsonObject(inputSchema) || inputSchema["type"] !== "object") {
    throw new PagewireError(
      "schema-invalid",
      `The input schema of tool "${name}" must be a JSON Schema of type object.`,
    );
  }
  if (outputSchema !== undefined && !isJsonObject(outputSchema)) {
    throw new PagewireError("schema-invalid", `The output schema of tool "${name}" must be an object.`);
  }
  for (const schema of [inputSchema, outputSchema]) {
    if (schema && JSON.stringify(schema).length > limits.schemaBytes) {
      throw new PagewireError(
        "schema-too-large",
        `A schema of tool "${name}" is larger than ${limits.schemaBytes} bytes.`,
      );
    }
  }
  return item as unknown as Tool;
}

function promptFrom(item: JsonObject): Prompt {
  const prompt = named<Prompt>(item, "name");
  checkName("prompt", prompt.name);
  return prompt;
}

/** Checks the fields that agents read; what else a page wrote is passed on as it is. */
function named<Item>(item: JsonObject, key: string): Item {
  const wrong = typeof item[key] === "string" ? wrongItemField(item) : key;
  if (wrong) throw malformed(`The field "${wrong}" of an offered item is missing or has the wrong form.`);
  return item as unknown as Item;
}

function checkName(kind: string, name: string): void {
  if (itemNamePattern.test(name)) return;
  throw new PagewireError("name-invalid", `The ${kind} name ${JSON.stringify(name.slice(0, 140))} ${itemNameProblem}.`);
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
