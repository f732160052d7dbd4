import { PagewireError, isJsonObject } from "../wire/index.ts";
import type { JsonObject, Prompt } from "../wire/index.ts";
import type { OfferHandler, Registered } from "./calls.ts";
import type { TextValues } from "./offer-definitions.ts";
import { checkBlock, checkEach, checkObject, demand } from "./mcp-result.ts";
import { unsendable } from "./unsendable.ts";

/** Gets a prompt, once its required arguments are there. */
export function getPrompt(prompt: string, input: unknown, registered: Registered): OfferHandler {
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
    resultOf: (answer) => promptResult(answer, name),
    check: (result) => checkEach("messages", result, checkMessage),
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

function checkMessage({ role, content }: JsonObject, path: string): void {
  demand(role === "user" || role === "assistant", `${path}.role is neither user nor assistant.`);
  checkObject(content, `${path}.content`, checkBlock);
}
