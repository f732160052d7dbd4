import type { Json, JsonObject } from "../../../../wire/index.ts";
import { rehearsalModel } from "../model/about.ts";
import type { RehearsalTurn } from "../model/request.ts";
import { asText, callId, event, piecesOf } from "./format.ts";
import type { Stamp, Vendor } from "./format.ts";
import type { Refusal, RefusalKind } from "./refusal.ts";

export function writeMessage(turn: RehearsalTurn, stamp: Stamp): Json {
  return messageOf(stamp, {
    content: blocksOf(turn, stamp),
    ...endOf(turn),
    usage: usageOf(turn, turn.usage.completion),
  });
}

export function writeMessageStream(turn: RehearsalTurn, stamp: Stamp): readonly string[] {
  const say = (type: string, data: JsonObject = {}): string => event({ type, ...data }, type);
  const begun = messageOf(stamp, { content: [], stop_reason: null, stop_sequence: null, usage: usageOf(turn, 1) });
  const blocks = blocksOf(turn, stamp).flatMap((block, index) => {
    const isText = block["type"] === "text";
    const whole = isText ? asText(block["text"]) : JSON.stringify(block["input"]);
    const start = isText ? { ...block, text: "" } : { ...block, input: {} };
    const deltas = piecesOf(whole).map((piece) =>
      isText ? { type: "text_delta", text: piece } : { type: "input_json_delta", partial_json: piece },
    );
    return [
      say("content_block_start", { index, content_block: start }),
      ...(index === 0 ? [say("ping")] : []),
      ...deltas.map((delta) => say("content_block_delta", { index, delta })),
      say("content_block_stop", { index }),
    ];
  });
  const usage = { output_tokens: turn.usage.completion };
  return [
    say("message_start", { message: begun }),
    ...blocks,
    say("message_delta", { delta: { ...endOf(turn), stop_details: null, container: null }, usage }),
    say("message_stop"),
  ];
}

function messageOf({ id }: Stamp, parts: JsonObject): JsonObject {
  return {
    id: `msg_${id}`,
    type: "message",
    role: "assistant",
    model: rehearsalModel,
    container: null,
    stop_details: null,
    ...parts,
  };
}

function blocksOf(turn: RehearsalTurn, stamp: Stamp): readonly JsonObject[] {
  const calls = turn.calls.map((call, index) => ({
    type: "tool_use",
    id: callId("toolu_", stamp, index),
    name: call.name,
    input: call.arguments,
  }));
  const text: JsonObject = { type: "text", text: turn.text, citations: null };
  return turn.text === "" ? calls : [text, ...calls];
}

function endOf({ finish, stoppedBy }: RehearsalTurn): JsonObject {
  const reasons = { stop: "end_turn", length: "max_tokens", tool_use: "tool_use" };
  const isStopped = stoppedBy !== undefined && finish === "stop";
  return { stop_reason: isStopped ? "stop_sequence" : reasons[finish], stop_sequence: isStopped ? stoppedBy : null };
}

function usageOf({ usage }: RehearsalTurn, output: number): JsonObject {
  return {
    input_tokens: usage.prompt,
    output_tokens: output,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    service_tier: "standard",
  };
}

const errorTypes: Partial<Record<RefusalKind, string>> = {
  credential: "authentication_error",
  forbidden: "permission_error",
  "not-found": "not_found_error",
  "too-large": "request_too_large",
  rate: "rate_limit_error",
  stopping: "overloaded_error",
  internal: "api_error",
};

function wordsOf({ kind, path = "", message }: Refusal): string {
  if (kind === "unknown") return `${path}: Extra inputs are not permitted`;
  if (kind === "missing") return `${path}: Field required`;
  if (kind === "type") return `${path}: Input should be ${message}`;
  return message;
}

export const anthropic: Vendor = {
  error: (refusal, id) => ({
    type: "error",
    error: { type: errorTypes[refusal.kind] ?? "invalid_request_error", message: wordsOf(refusal) },
    request_id: `req_${id}`,
  }),
  status: ({ kind }) => (kind === "stopping" ? 529 : undefined),
};
