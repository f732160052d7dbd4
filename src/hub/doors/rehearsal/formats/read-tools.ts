// What all formats make sure of in the same way: tools, a forced choice among them, and results for every call.
import { isJsonObject } from "../../../../wire/index.ts";
import type { JsonObject } from "../../../../wire/index.ts";
import { findCall } from "../model/find-call.ts";
import type { RehearsalChoice, RehearsalMessage, RehearsalTool } from "../model/request.ts";
import type { Fields } from "./fields.ts";
import { Refusal } from "./refusal.ts";

/** A schema for arguments; without one a tool takes none. */
export function parametersOf(fields: Fields, name: string): JsonObject {
  const schema = fields.get(name) ?? {};
  if (!isJsonObject(schema)) throw new Refusal("type", "an object", { path: fields.at(name) });
  const whole: JsonObject = { type: "object", ...(schema as JsonObject) };
  if (whole["type"] === "object") return whole;
  throw fields.wrong(name, `must be a JSON Schema of type 'object', not '${JSON.stringify(whole["type"])}'`);
}

export interface ToolNames {
  readonly pattern: RegExp;
  readonly path: string;
}

/** Refuses tools whose names the vendor would refuse, or that have the same one. */
export function checkTools(tools: readonly RehearsalTool[], { pattern, path }: ToolNames): void {
  const known = new Set<string>();
  for (const { name } of tools) {
    if (!pattern.test(name))
      throw new Refusal(
        "value",
        `The tool name '${name.slice(0, 128)}' does not match the pattern '${pattern.source}'.`,
        { path },
      );
    if (known.has(name)) throw new Refusal("value", `Tool names must be unique; '${name}' is there twice.`, { path });
    known.add(name);
  }
}

/** Refuses a choice that no tool can satisfy. */
export function checkChoice(choice: RehearsalChoice, tools: readonly RehearsalTool[], path: string): void {
  if (choice === "auto" || choice === "none") return;
  if (tools.length === 0) throw new Refusal("value", `'${path}' is only allowed when tools are specified.`, { path });
  if (typeof choice === "object" && !tools.some(({ name }) => name === choice.name))
    throw new Refusal("value", `The tool '${choice.name}' of '${path}' is not among the tools.`, { path });
}

export interface ReadChoice {
  readonly choice: RehearsalChoice;
  readonly allowed: readonly RehearsalTool[];
}

/** OpenAI's `tool_choice`. Chat completions nest what is chosen in a field that has the name of its type. */
export function readOpenAiChoice(
  fields: Fields,
  tools: readonly RehearsalTool[],
  { isNested }: { readonly isNested: boolean },
): ReadChoice {
  const value = fields.get("tool_choice");
  if (value === undefined || typeof value === "string") {
    const choice = fields.word("tool_choice", ["auto", "none", "required"] as const) ?? "auto";
    checkChoice(choice, tools, "tool_choice");
    return { choice, allowed: tools };
  }
  const nameOf = (chosen: Fields) => (isNested ? chosen.child("function") : chosen).text("name");
  const chosen = fields.child("tool_choice");
  if (chosen.word("type", ["function", "allowed_tools"] as const) === "function") {
    const choice = { name: nameOf(chosen) };
    checkChoice(choice, tools, "tool_choice");
    return { choice, allowed: tools };
  }
  const some = isNested ? chosen.child("allowed_tools").only("mode tools") : chosen;
  const names = some.items("tools").map(nameOf);
  const choice = some.word("mode", ["auto", "required"] as const) ?? "auto";
  return { choice, allowed: tools.filter(({ name }) => names.includes(name)) };
}

export interface CallProblem {
  readonly kind: "unanswered" | "unasked";
  readonly ids: readonly string[];
  /** Which of the messages. */
  readonly index: number;
}

/** Whether every call is followed by its result, and every result comes after its call. */
export function problemWithCalls(messages: readonly RehearsalMessage[]): CallProblem | undefined {
  let open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") {
      const unasked = message.results.map((result) => result.callId).filter((id) => !open.has(id));
      if (unasked.length > 0) return { kind: "unasked", ids: unasked, index };
      for (const result of message.results) open.delete(result.callId);
      continue;
    }
    if (open.size > 0) return { kind: "unanswered", ids: [...open], index };
    open = new Set(message.role === "assistant" ? message.calls.map(({ id }) => id) : []);
  }
  return open.size > 0 ? { kind: "unanswered", ids: [...open], index: messages.length } : undefined;
}

/** The name of the tool that a call id belongs to. */
export function nameOfCall(messages: readonly RehearsalMessage[], id: string): string {
  return findCall(messages, id)?.name ?? "tool";
}

/** The type of an image by its URL. */
export function imageType(url: string): string {
  const data = /^data:([\w.+-]+\/[\w.+-]+)[;,]/i.exec(url)?.[1];
  if (data !== undefined) return data.toLowerCase();
  const ending = /\.(png|jpe?g|gif|webp|svg|avif)(?:[?#]|$)/i.exec(url)?.[1]?.toLowerCase();
  return ending === undefined ? "an image by its address" : `image/${ending === "jpg" ? "jpeg" : ending}`;
}

/** Whether an image's URL is one that vendors take. */
export function isImageUrl(url: string): boolean {
  return /^https?:\/\//i.test(url) || /^data:[\w.+-]+\/[\w.+-]+(;[\w=.-]+)*,/i.test(url);
}

/** The schema of an answer that may be any object. */
export const anyObject: JsonObject = {
  type: "object",
  properties: { answer: { type: "string" }, model: { const: "pagewire-rehearsal" } },
  required: ["answer", "model"],
};
