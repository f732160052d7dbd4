// OpenAI's Responses. Nothing is stored, so each request brings its whole conversation.
import type { JsonObject } from "../../../../wire/index.ts";
import type { RehearsalMessage, RehearsalRequest, RehearsalTool } from "../model/request.ts";
import { Fields } from "./fields.ts";
import type { Asked, Exchange } from "./format.ts";
import { writeResponse, writeResponseStream } from "./openai-responses-answer.ts";
import {
  anyObject,
  checkTools,
  imageType,
  isImageUrl,
  nameOfCall,
  parametersOf,
  problemWithCalls,
  readOpenAiChoice,
} from "./read-tools.ts";
import { Refusal } from "./refusal.ts";

const parameters =
  "background context_management conversation include input instructions max_output_tokens metadata model parallel_tool_calls previous_response_id prompt_cache_key prompt_cache_options prompt_cache_retention reasoning safety_identifier service_tier store stream stream_options temperature text tool_choice tools top_logprobs top_p truncation user";

export function readResponses({ body }: Asked): Exchange {
  const fields = new Fields(body, "", { index: "[]" }).only(parameters);
  fields.text("model");
  fields.number("temperature", { least: 0, most: 2 });
  fields.number("top_p", { least: 0, most: 1 });
  refuseStored(fields);
  const streams = fields.flag("stream");
  if (fields.has("stream_options") && !streams)
    throw fields.wrong("stream_options", "is only allowed when 'stream' is enabled");
  const request = readRequest(fields);
  return {
    request,
    streams,
    answer: (turn, stamp) => writeResponse(turn, stamp, fields.object),
    stream: (turn, stamp) => writeResponseStream(turn, stamp, fields.object),
  };
}

function refuseStored(fields: Fields): void {
  const previous = fields.maybeText("previous_response_id");
  if (previous !== undefined)
    throw new Refusal("value", `Previous response with id '${previous}' not found.`, {
      path: "previous_response_id",
      code: "previous_response_not_found",
    });
  for (const name of ["conversation", "context_management"])
    if (fields.has(name)) throw fields.wrong(name, "is not supported: the rehearsal model keeps nothing");
  if (fields.flag("background")) throw fields.wrong("background", "is not supported by the rehearsal model");
}

function readRequest(fields: Fields): RehearsalRequest {
  const tools = fields.items("tools").map(readTool);
  checkTools(tools, { pattern: /^[a-zA-Z0-9_-]{1,64}$/, path: "tools" });
  const { choice, allowed } = readOpenAiChoice(fields, tools, { isNested: false });
  const { system, messages } = readInput(fields);
  const schema = readFormat(fields);
  const most = fields.number("max_output_tokens", { least: 16, whole: true });
  return {
    system: [fields.maybeText("instructions") ?? "", ...system].filter(Boolean).join("\n\n"),
    messages,
    tools: allowed,
    toolChoice: choice,
    parallel: !fields.has("parallel_tool_calls") || fields.flag("parallel_tool_calls"),
    ...(schema && { responseSchema: schema }),
    ...(most !== undefined && { maxTokens: most }),
    stop: [],
  };
}

function readTool(fields: Fields): RehearsalTool {
  fields.mustBe("type", ["function"]);
  fields.only("type name description parameters strict");
  return {
    name: fields.text("name"),
    description: fields.maybeText("description") ?? "",
    parameters: parametersOf(fields, "parameters"),
  };
}

function readFormat(fields: Fields): JsonObject | undefined {
  const format = fields.maybeObject("text")?.only("format verbosity").maybeObject("format");
  const type = format?.mustBe("type", ["text", "json_object", "json_schema"] as const);
  if (!format || type === "text") return undefined;
  if (type === "json_object") return anyObject;
  format.only("type name description schema strict").text("name");
  return parametersOf(format, "schema");
}

function readInput(fields: Fields): {
  readonly system: readonly string[];
  readonly messages: readonly RehearsalMessage[];
} {
  const input = fields.get("input");
  if (input === undefined) throw new Refusal("missing", "", { path: "input" });
  if (typeof input === "string") return { system: [], messages: [{ role: "user", text: input, images: [] }] };
  const system: string[] = [];
  const messages: RehearsalMessage[] = [];
  for (const item of fields.items("input")) {
    const type = item.has("role") && !item.has("type") ? "message" : item.text("type");
    if (type === "message") readMessage(item, system, messages);
    else if (type === "function_call") addCall(item, messages);
    else if (type === "function_call_output") {
      const callId = item.text("call_id");
      const { text } = readContent(item, "output");
      messages.push({ role: "tool", results: [{ callId, name: nameOfCall(messages, callId), text, failed: false }] });
    } else if (type !== "reasoning")
      throw item.wrong("type", `must not be '${type.slice(0, 64)}': the rehearsal model does not know that item`);
  }
  const problem = problemWithCalls(messages);
  if (problem?.kind === "unasked")
    throw new Refusal("value", `No tool call found for function call output with call_id ${problem.ids.join(", ")}.`, {
      path: "input",
    });
  if (problem)
    throw new Refusal("value", `No tool output found for function call ${problem.ids.join(", ")}.`, { path: "input" });
  return { system, messages };
}

function readMessage(item: Fields, system: string[], messages: RehearsalMessage[]): void {
  const role = item.mustBe("role", ["system", "developer", "user", "assistant"] as const);
  const { text, images } = readContent(item, "content");
  if (role === "user") messages.push({ role, text, images });
  else if (role === "assistant") messages.push({ role, text, calls: [] });
  else system.push(text);
}

/** Calls that stand together were made in one turn, with the text before them. */
function addCall(item: Fields, messages: RehearsalMessage[]): void {
  const call = { id: item.text("call_id"), name: item.text("name"), arguments: item.text("arguments") };
  const last = messages.at(-1);
  if (last?.role === "assistant") messages[messages.length - 1] = { ...last, calls: [...last.calls, call] };
  else messages.push({ role: "assistant", text: "", calls: [call] });
}

function readContent(item: Fields, name: string): { readonly text: string; readonly images: readonly string[] } {
  const content = item.get(name);
  if (typeof content === "string") return { text: content, images: [] };
  if (content === undefined) throw new Refusal("missing", "", { path: item.at(name) });
  const texts: string[] = [];
  const images: string[] = [];
  for (const part of item.items(name)) {
    const types = ["input_text", "output_text", "refusal", "input_image"] as const;
    const type = part.mustBe("type", types);
    if (type !== "input_image") {
      texts.push(part.text(type === "refusal" ? "refusal" : "text"));
      continue;
    }
    const url = part.text("image_url");
    if (!isImageUrl(url)) throw part.wrong("image_url", "must be an http, https or data URL");
    images.push(imageType(url));
  }
  return { text: texts.join("\n"), images };
}
