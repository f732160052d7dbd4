// OpenAI's chat completions, and Azure's, which differ in little.
import type { JsonObject } from "../../../../wire/index.ts";
import type { RehearsalMessage, RehearsalRequest, RehearsalTool } from "../model/request.ts";
import { Fields } from "./fields.ts";
import type { Asked, Exchange } from "./format.ts";
import { writeChat, writeChatStream } from "./openai-chat-answer.ts";
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

export interface ChatOptions {
  /** Azure names the model in its path, and adds what its content filter says. */
  readonly isAzure: boolean;
}

const parameters =
  "messages model frequency_penalty logit_bias logprobs max_completion_tokens max_tokens metadata modalities n parallel_tool_calls presence_penalty prompt_cache_key prompt_cache_options prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier stop store stream stream_options temperature tool_choice tools top_logprobs top_p user verbosity";

export function readChat({ body }: Asked, { isAzure }: ChatOptions): Exchange {
  const fields = new Fields(body, "", { index: "[]" }).only(parameters);
  if (!isAzure) fields.text("model");
  checkSettings(fields);
  const streams = fields.flag("stream");
  const streamOptions = fields.maybeObject("stream_options")?.only("include_usage include_obfuscation");
  if (streamOptions && !streams) throw fields.wrong("stream_options", "is only allowed when 'stream' is enabled");
  const request = readRequest(fields);
  const options = { isAzure, countsUsage: streamOptions?.flag("include_usage") ?? false };
  return {
    request,
    streams,
    answer: (turn, stamp) => writeChat(turn, stamp, options),
    stream: (turn, stamp) => writeChatStream(turn, stamp, options),
  };
}

function checkSettings(fields: Fields): void {
  fields.number("temperature", { least: 0, most: 2 });
  fields.number("top_p", { least: 0, most: 1 });
  fields.number("presence_penalty", { least: -2, most: 2 });
  fields.number("frequency_penalty", { least: -2, most: 2 });
  fields.number("seed", { whole: true });
  if ((fields.number("n", { least: 1, whole: true }) ?? 1) > 1)
    throw fields.wrong("n", "must be 1: the rehearsal model gives one choice");
  if (fields.flag("logprobs")) throw fields.wrong("logprobs", "is not supported by the rehearsal model");
  if (fields.texts("modalities").some((one) => one !== "text"))
    throw fields.wrong("modalities", "must be ['text']: the rehearsal model only writes");
}

function readRequest(fields: Fields): RehearsalRequest {
  const tools = fields.items("tools").map(readTool);
  checkTools(tools, { pattern: /^[a-zA-Z0-9_-]{1,64}$/, path: "tools" });
  const { choice, allowed } = readOpenAiChoice(fields, tools, { isNested: true });
  const { system, messages } = readMessages(fields);
  const schema = readFormat(fields);
  const limit = fields.number("max_completion_tokens", { least: 1, whole: true });
  const most = limit ?? fields.number("max_tokens", { least: 1, whole: true });
  return {
    system,
    messages,
    tools: allowed,
    toolChoice: choice,
    parallel: !fields.has("parallel_tool_calls") || fields.flag("parallel_tool_calls"),
    ...(schema && { responseSchema: schema }),
    ...(most !== undefined && { maxTokens: most }),
    stop: typeof fields.get("stop") === "string" ? [fields.text("stop")] : fields.texts("stop"),
  };
}

function readTool(fields: Fields): RehearsalTool {
  fields.only("type function").mustBe("type", ["function"]);
  const declared = fields.child("function").only("name description parameters strict");
  return {
    name: declared.text("name"),
    description: declared.maybeText("description") ?? "",
    parameters: parametersOf(declared, "parameters"),
  };
}

/** What the answer must be, for `response_format` and for the other API's `text.format`. */
function readFormat(fields: Fields): JsonObject | undefined {
  const format = fields.maybeObject("response_format");
  const type = format?.mustBe("type", ["text", "json_object", "json_schema"] as const);
  if (!format || type === "text") return undefined;
  if (type === "json_object") return anyObject;
  const described = format.child("json_schema").only("name description schema strict");
  described.text("name");
  return parametersOf(described, "schema");
}

function readMessages(fields: Fields): Pick<RehearsalRequest, "system" | "messages"> {
  const items = fields.items("messages");
  if (!fields.has("messages")) throw new Refusal("missing", "", { path: "messages" });
  if (items.length === 0) throw fields.wrong("messages", "must have at least one message");
  const system: string[] = [];
  const messages: RehearsalMessage[] = [];
  for (const item of items) {
    const role = item.mustBe("role", ["system", "developer", "user", "assistant", "tool"] as const);
    if (role === "user") messages.push({ role, ...readContent(item.only("role content name")) });
    else if (role === "assistant") messages.push(readAssistant(item));
    else if (role === "tool") {
      const callId = item.only("role content tool_call_id").text("tool_call_id");
      const { text } = readContent(item);
      messages.push({ role, results: [{ callId, name: nameOfCall(messages, callId), text, failed: false }] });
    } else system.push(readContent(item.only("role content name")).text);
  }
  const problem = problemWithCalls(messages);
  if (problem?.kind === "unasked")
    throw fields.wrong("messages", "with role 'tool' must be a response to a preceding message with 'tool_calls'");
  if (problem)
    throw fields.wrong(
      "messages",
      `with an assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${problem.ids.join(", ")}`,
    );
  return { system: system.join("\n\n"), messages };
}

function readAssistant(item: Fields): RehearsalMessage {
  item.only("role content name refusal tool_calls annotations audio function_call reasoning_content");
  const calls = item.items("tool_calls").map((call) => {
    call.only("id type function index");
    const called = call.child("function");
    return { id: call.text("id"), name: called.text("name"), arguments: called.text("arguments") };
  });
  if (!item.has("content") && calls.length === 0 && !item.has("refusal"))
    throw new Refusal("missing", "", { path: item.at("content") });
  return { role: "assistant", text: item.has("content") ? readContent(item).text : "", calls };
}

function readContent(item: Fields): { readonly text: string; readonly images: readonly string[] } {
  const content = item.get("content");
  if (typeof content === "string") return { text: content, images: [] };
  if (content === undefined) throw new Refusal("missing", "", { path: item.at("content") });
  const texts: string[] = [];
  const images: string[] = [];
  for (const part of item.items("content")) {
    const type = part.mustBe("type", ["text", "image_url", "refusal"] as const);
    if (type !== "image_url") {
      texts.push(part.text(type));
      continue;
    }
    const url = part.child("image_url").only("url detail").text("url");
    if (!isImageUrl(url)) throw part.wrong("image_url.url", "must be an http, https or data URL");
    images.push(imageType(url));
  }
  return { text: texts.join("\n"), images };
}
