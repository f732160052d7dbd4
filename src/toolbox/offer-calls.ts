// Runs resources, prompts and completions: they are rarer than tools, so this is loaded with the first such call.
import { PagewireError, isJsonObject } from "../wire/index.ts";
import type { Json, JsonObject, Prompt } from "../wire/index.ts";
import type { CallContext } from "./context.ts";
import type { MaybePromise, ResourceAnswer, TextValues } from "./definitions.ts";
import type { Entry } from "./entry.ts";
import type { Registry } from "./registry.ts";
import { checkBlock, checkEach, checkTexts, demand, mcpResult } from "./results.ts";
import type { CheckResult } from "./results.ts";
import type { Handler } from "./run-call.ts";
import { matchUriTemplate } from "./uri-template.ts";

type Registered = Pick<Registry<Entry>, "get" | "all">;

/** Converts a handler's return value to an MCP result; `check` is specific to the kind of result. */
function finishWith(resultOf: (answer: unknown) => unknown, check?: CheckResult): Handler["finish"] {
  return (answer, sending) => ({ payload: mcpResult(resultOf(answer), sending, check), isError: false });
}

interface Reader {
  readonly mimeType: string | undefined;
  read(context: CallContext): MaybePromise<ResourceAnswer>;
}

/** Reads a resource, by its own URI or by the first template that describes it. */
export function readResource(uri: string, registered: Registered): Handler {
  const name = `resource "${uri}"`;
  const reader = readerOf(uri, registered);
  if (!reader) throw new PagewireError("offer-not-found", `There is no ${name} here.`);
  return {
    execute: (context) => reader.read(context),
    finish: finishWith((answer) => {
      const content = typeof answer === "string" ? { text: answer } : answer;
      if (!isJsonObject(content)) throw unsendable(name, "it is neither text nor an object.");
      const { contents, text, blob } = content;
      if (Array.isArray(contents)) return content;
      if (typeof (text ?? blob) !== "string") throw unsendable(name, "it has no text, no blob and no contents.");
      return { contents: [{ uri, mimeType: reader.mimeType, ...content }] };
    }),
  };
}

function readerOf(uri: string, registered: Registered): Reader | undefined {
  const resource = registered.get("resources", uri);
  if (resource) {
    return { mimeType: resource.item.mimeType, read: (context) => resource.definition.read(uri, context) };
  }
  for (const { item, definition } of registered.all("resourceTemplates")) {
    const variables = matchUriTemplate(item.uriTemplate, uri);
    if (variables) return { mimeType: item.mimeType, read: (context) => definition.read(uri, variables, context) };
  }
  return undefined;
}

/** Gets a prompt, once its required arguments are there. */
export function getPrompt(prompt: string, input: unknown, registered: Registered): Handler {
  const name = `prompt "${prompt}"`;
  const entry = registered.get("prompts", prompt);
  if (!entry) throw new PagewireError("offer-not-found", `There is no ${name} here.`);
  if (!isJsonObject(input)) {
    throw new PagewireError("arguments-malformed", `The arguments of ${name} are not a JSON object.`);
  }
  const problems = problemsIn(input, entry.item);
  if (problems.length > 0) {
    throw new PagewireError("input-invalid", `The ${name} refused its arguments: ${problems.join("; ")}.`);
  }
  return {
    execute: (context) => entry.definition.get(input as TextValues, context),
    finish: finishWith(
      (answer) => promptResult(answer, name),
      (result) => checkEach("messages", result, checkMessage),
    ),
  };
}

function problemsIn(values: JsonObject, { arguments: declared = [] }: Prompt): readonly string[] {
  const missing = declared.filter(({ name, required }) => required && values[name] === undefined);
  const wrong = Object.keys(values).filter((name) => typeof values[name] !== "string");
  return [...missing.map(({ name }) => `/${name} is required`), ...wrong.map((name) => `/${name} must be string`)];
}

function promptResult(answer: unknown, name: string): unknown {
  if (typeof answer === "string") return { messages: [{ role: "user", content: { type: "text", text: answer } }] };
  if (Array.isArray(answer)) return { messages: answer };
  if (isJsonObject(answer) && Array.isArray(answer["messages"])) return answer;
  throw unsendable(name, "it is neither text nor messages.");
}

function checkMessage(message: Json | undefined, path: string): void {
  checkTexts(message, path);
  const { role, content } = message;
  demand(role === "user" || role === "assistant", `${path}.role is neither user nor assistant.`);
  checkBlock(content, `${path}.content`);
}

/** MCP's max number of values in a completion. */
const valuesMost = 100;

/** Completes a prompt's argument or a template's variable; parameters and answer are MCP's. */
export function complete(parameters: JsonObject, registered: Registered): Handler {
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
    finish: finishWith(completionResult),
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
  // A plain resource has no variables: its completion is empty.
  return registered.get("resourceTemplates", uri)?.definition ?? (registered.get("resources", uri) && { complete: {} });
}

function objectIn(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function hasOnlyText(values: JsonObject): values is TextValues {
  return Object.values(values).every((value) => typeof value === "string");
}

/** The error for a return value of no allowed type. */
export function unsendable(name: string, reason: string): PagewireError {
  return new PagewireError("result-unsendable", `The answer of ${name} cannot be sent: ${reason}`);
}
