// Anthropic's messages.

import type {
  RehearsalCall,
  RehearsalChoice,
  RehearsalMessage,
  RehearsalRequest,
  RehearsalResult,
  RehearsalTool,
} from "../model/request.ts";
import { writeMessage, writeMessageStream } from "./anthropic-answer.ts";
import { Fields } from "./fields.ts";
import type { Asked, Exchange } from "./format.ts";
import { checkChoice, checkTools, imageType, nameOfCall, parametersOf, problemWithCalls } from "./read-tools.ts";
import { Refusal } from "./refusal.ts";

const shared = "messages model cache_control output_config system thinking tool_choice tools speed";
const parameters = `${shared} max_tokens container diagnostics inference_geo metadata service_tier stop_sequences stream temperature top_k top_p`;

export function readMessages(asked: Asked): Exchange {
  const fields = readTop(asked, parameters);
  fields.number("temperature", { least: 0, most: 1 });
  fields.number("top_p", { least: 0, most: 1 });
  fields.number("top_k", { least: 0, whole: true });
  const most = fields.number("max_tokens", { least: 1, whole: true });
  if (most === undefined) throw new Refusal("missing", "", { path: "max_tokens" });
  const request = { ...readRequest(fields), maxTokens: most, stop: fields.texts("stop_sequences") };
  return {
    request,
    streams: fields.flag("stream"),
    answer: writeMessage,
    stream: writeMessageStream,
  };
}

/** A request whose tokens are only counted. */
export function readForCount(asked: Asked): RehearsalRequest {
  return readRequest(readTop(asked, shared));
}

function readTop({ body, header }: Asked, known: string): Fields {
  if (header("anthropic-version") === undefined)
    throw new Refusal("value", "anthropic-version: header is required", {});
  const fields = new Fields(body, "", { index: "." }).only(known);
  fields.text("model");
  return fields;
}

function readRequest(fields: Fields): RehearsalRequest {
  const tools = fields.items("tools").map(readTool);
  checkTools(tools, { pattern: /^[a-zA-Z0-9_-]{1,128}$/, path: "tools" });
  const { choice, parallel } = readChoice(fields);
  checkChoice(choice, tools, "tool_choice");
  const system = fields.get("system");
  const format = fields.maybeObject("output_config")?.only("effort format task_budget").maybeObject("format");
  format?.only("type schema").word("type", ["json_schema"] as const);
  return {
    system:
      typeof system === "string"
        ? system
        : fields
            .items("system")
            .map((block) => block.text("text"))
            .join("\n\n"),
    messages: readTurns(fields),
    tools,
    toolChoice: choice,
    parallel,
    ...(format && { responseSchema: parametersOf(format, "schema") }),
    stop: [],
  };
}

function readTool(fields: Fields): RehearsalTool {
  fields.word("type", ["custom"] as const);
  fields.only(
    "type name description input_schema cache_control strict eager_input_streaming input_examples allowed_callers defer_loading",
  );
  if (!fields.has("input_schema")) throw new Refusal("missing", "", { path: fields.at("input_schema") });
  return {
    name: fields.text("name"),
    description: fields.maybeText("description") ?? "",
    parameters: parametersOf(fields, "input_schema"),
  };
}

function readChoice(fields: Fields): { readonly choice: RehearsalChoice; readonly parallel: boolean } {
  const choice = fields.maybeObject("tool_choice")?.only("type name disable_parallel_tool_use");
  if (!choice) return { choice: "auto", parallel: true };
  const type = choice.mustBe("type", ["auto", "any", "tool", "none"] as const);
  const parallel = !choice.flag("disable_parallel_tool_use");
  if (type === "tool") return { choice: { name: choice.text("name") }, parallel };
  return { choice: type === "none" ? "none" : type === "any" ? "required" : "auto", parallel };
}

function readTurns(fields: Fields): readonly RehearsalMessage[] {
  if (!fields.has("messages")) throw new Refusal("missing", "", { path: "messages" });
  const items = fields.items("messages");
  if (items.length === 0)
    throw new Refusal("value", "messages: at least one message is required", { path: "messages" });
  const messages: RehearsalMessage[] = [];
  for (const item of items) {
    item.only("role content");
    if (item.get("role") === "system")
      throw new Refusal(
        "value",
        'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
      );
    const role = item.mustBe("role", ["user", "assistant"] as const);
    messages.push(role === "user" ? readUser(item, messages) : readAssistant(item));
  }
  const problem = problemWithCalls(messages);
  if (problem?.kind === "unasked")
    throw new Refusal(
      "value",
      `messages.${problem.index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${problem.ids.join(", ")}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
    );
  if (problem)
    throw new Refusal(
      "value",
      `messages.${problem.index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${problem.ids.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
    );
  return messages;
}

function blocksOf(item: Fields): readonly Fields[] | string {
  const content = item.get("content");
  if (typeof content === "string") return content;
  if (content === undefined) throw new Refusal("missing", "", { path: item.at("content") });
  return item.items("content");
}

/** Results stand for the whole message: what is said beside them is no new question. */
function readUser(item: Fields, before: readonly RehearsalMessage[]): RehearsalMessage {
  const blocks = blocksOf(item);
  if (typeof blocks === "string") return { role: "user", text: blocks, images: [] };
  const texts: string[] = [];
  const images: string[] = [];
  const results: RehearsalResult[] = [];
  for (const block of blocks) {
    const type = block.mustBe("type", ["text", "image", "tool_result"] as const);
    if (type === "text") texts.push(block.text("text"));
    else if (type === "image") images.push(readImage(block.child("source")));
    else results.push(readResult(block, before));
  }
  return results.length > 0 ? { role: "tool", results } : { role: "user", text: texts.join("\n"), images };
}

function readImage(source: Fields): string {
  const type = source.mustBe("type", ["base64", "url", "file"] as const);
  if (type === "url") return imageType(source.text("url"));
  if (type === "file") return `an image of the file ${source.text("file_id")}`;
  source.text("data");
  return source.mustBe("media_type", ["image/jpeg", "image/png", "image/gif", "image/webp"] as const);
}

function readResult(block: Fields, before: readonly RehearsalMessage[]): RehearsalResult {
  block.only("type tool_use_id content is_error cache_control");
  const callId = block.text("tool_use_id");
  const content = block.has("content") ? blocksOf(block) : "";
  const text =
    typeof content === "string"
      ? content
      : content.map((part) => part.maybeText("text") ?? `(${part.text("type")})`).join("\n");
  return { callId, name: nameOfCall(before, callId), text, failed: block.flag("is_error") };
}

function readAssistant(item: Fields): RehearsalMessage {
  const blocks = blocksOf(item);
  if (typeof blocks === "string") return { role: "assistant", text: blocks, calls: [] };
  const texts: string[] = [];
  const calls: RehearsalCall[] = [];
  for (const block of blocks) {
    const type = block.mustBe("type", ["text", "tool_use", "thinking", "redacted_thinking"] as const);
    if (type === "text") texts.push(block.text("text"));
    if (type === "tool_use")
      calls.push({
        id: block.text("id"),
        name: block.text("name"),
        arguments: JSON.stringify(block.child("input").object),
      });
  }
  return { role: "assistant", text: texts.join("\n"), calls };
}
