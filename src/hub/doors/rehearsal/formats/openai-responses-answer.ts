import type { Json, JsonObject } from "../../../../wire/index.ts";
import { rehearsalModel } from "../model/about.ts";
import type { RehearsalTurn } from "../model/request.ts";
import { asText, callId, event, piecesOf } from "./format.ts";
import type { Stamp } from "./format.ts";

type Status = "in_progress" | "completed" | "incomplete";

export function writeResponse(turn: RehearsalTurn, stamp: Stamp, asked: JsonObject): Json {
  return responseOf(turn, stamp, { asked, status: statusOf(turn), output: outputOf(turn, stamp) });
}

export function writeResponseStream(turn: RehearsalTurn, stamp: Stamp, asked: JsonObject): readonly string[] {
  const events: string[] = [];
  const say: Say = (type, data) => void events.push(event({ type, sequence_number: events.length, ...data }, type));
  const begun = responseOf(turn, stamp, { asked, status: "in_progress", output: [] });
  say("response.created", { response: begun });
  say("response.in_progress", { response: begun });
  const items = outputOf(turn, stamp);
  for (const [output_index, item] of items.entries()) {
    if (item["type"] === "message") sayMessage(say, turn.text, { item, output_index });
    else sayCall(say, { item, output_index });
  }
  const status = statusOf(turn);
  const ended = responseOf(turn, stamp, { asked, status, output: items });
  say(status === "incomplete" ? "response.incomplete" : "response.completed", { response: ended });
  return events;
}

type Say = (type: string, data: JsonObject) => void;

interface Item {
  readonly item: JsonObject;
  readonly output_index: number;
}

function sayMessage(say: Say, text: string, { item, output_index }: Item): void {
  const place = { item_id: asText(item["id"]), output_index, content_index: 0 };
  say("response.output_item.added", { output_index, item: { ...item, status: "in_progress", content: [] } });
  say("response.content_part.added", { ...place, part: textPart("") });
  for (const delta of piecesOf(text)) say("response.output_text.delta", { ...place, delta, logprobs: [] });
  say("response.output_text.done", { ...place, text, logprobs: [] });
  say("response.content_part.done", { ...place, part: textPart(text) });
  say("response.output_item.done", { output_index, item });
}

function sayCall(say: Say, { item, output_index }: Item): void {
  const place = { item_id: asText(item["id"]), output_index };
  const written = asText(item["arguments"]);
  say("response.output_item.added", { output_index, item: { ...item, status: "in_progress", arguments: "" } });
  for (const delta of piecesOf(written)) say("response.function_call_arguments.delta", { ...place, delta });
  say("response.function_call_arguments.done", { ...place, name: asText(item["name"]), arguments: written });
  say("response.output_item.done", { output_index, item });
}

function outputOf(turn: RehearsalTurn, stamp: Stamp): readonly JsonObject[] {
  const message: JsonObject = {
    id: `msg_${stamp.id}`,
    type: "message",
    status: statusOf(turn),
    role: "assistant",
    content: [textPart(turn.text)],
  };
  const calls = turn.calls.map((call, index) => ({
    id: callId("fc_", stamp, index),
    type: "function_call",
    status: "completed",
    call_id: callId("call_", stamp, index),
    name: call.name,
    arguments: JSON.stringify(call.arguments),
  }));
  return [...(turn.text !== "" || calls.length === 0 ? [message] : []), ...calls];
}

function textPart(text: string): JsonObject {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}

function statusOf({ finish }: RehearsalTurn): Status {
  return finish === "length" ? "incomplete" : "completed";
}

interface ResponseParts {
  readonly asked: JsonObject;
  readonly status: Status;
  readonly output: readonly JsonObject[];
}

function responseOf(turn: RehearsalTurn, { id, created }: Stamp, { asked, status, output }: ResponseParts): JsonObject {
  const { usage } = turn;
  const isDone = status !== "in_progress";
  return {
    id: `resp_${id}`,
    object: "response",
    created_at: created,
    status,
    background: false,
    completed_at: isDone ? created : null,
    error: null,
    incomplete_details: status === "incomplete" ? { reason: "max_output_tokens" } : null,
    instructions: asked["instructions"] ?? null,
    max_output_tokens: asked["max_output_tokens"] ?? null,
    metadata: asked["metadata"] ?? {},
    model: rehearsalModel,
    output,
    parallel_tool_calls: asked["parallel_tool_calls"] ?? true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    service_tier: "default",
    store: false,
    temperature: asked["temperature"] ?? 1,
    text: asked["text"] ?? { format: { type: "text" } },
    tool_choice: asked["tool_choice"] ?? "auto",
    tools: asked["tools"] ?? [],
    top_p: asked["top_p"] ?? 1,
    truncation: "disabled",
    usage: isDone
      ? {
          input_tokens: usage.prompt,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens: usage.completion,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: usage.prompt + usage.completion,
        }
      : null,
    user: asked["user"] ?? null,
  };
}
