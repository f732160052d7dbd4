import type { Json, JsonObject } from "../../../../wire/index.ts";
import { rehearsalModel } from "../model/about.ts";
import type { RehearsalTurn } from "../model/request.ts";
import { callId, event, piecesOf } from "./format.ts";
import type { Stamp } from "./format.ts";

export interface ChatAnswerOptions {
  readonly isAzure: boolean;
  /** Whether a stream ends with a chunk that says how many tokens were used. */
  readonly countsUsage: boolean;
}

const finishReasons = { stop: "stop", length: "length", tool_use: "tool_calls" } as const;

export function writeChat(turn: RehearsalTurn, stamp: Stamp, { isAzure }: ChatAnswerOptions): Json {
  const calls = turn.calls.map((call, index) => ({
    id: callId("call_", stamp, index),
    type: "function",
    function: { name: call.name, arguments: JSON.stringify(call.arguments) },
  }));
  const choice: JsonObject = {
    index: 0,
    message: {
      role: "assistant",
      content: calls.length > 0 && turn.text === "" ? null : turn.text,
      refusal: null,
      annotations: [],
      ...(calls.length > 0 && { tool_calls: calls }),
    },
    logprobs: null,
    finish_reason: finishReasons[turn.finish],
    ...(isAzure && { content_filter_results: {} }),
  };
  return {
    ...headOf(stamp, "chat.completion"),
    choices: [choice],
    usage: usageOf(turn),
    ...(isAzure && { prompt_filter_results: [noFilter] }),
  };
}

export function writeChatStream(turn: RehearsalTurn, stamp: Stamp, options: ChatAnswerOptions): readonly string[] {
  const { isAzure, countsUsage } = options;
  const head = headOf(stamp, "chat.completion.chunk");
  const chunk = (delta: JsonObject, finish: string | null = null): string =>
    event({
      ...head,
      choices: [
        { index: 0, delta, logprobs: null, finish_reason: finish, ...(isAzure && { content_filter_results: {} }) },
      ],
      ...(countsUsage && { usage: null }),
    });
  const first = { id: "", object: "", created: 0, model: "", choices: [], prompt_filter_results: [noFilter] };
  const calls = turn.calls.flatMap((call, index) => {
    const part = (text: string): string => chunk({ tool_calls: [{ index, function: { arguments: text } }] });
    const opening = {
      index,
      id: callId("call_", stamp, index),
      type: "function",
      function: { name: call.name, arguments: "" },
    };
    return [chunk({ tool_calls: [opening] }), ...piecesOf(JSON.stringify(call.arguments)).map(part)];
  });
  const content = turn.text === "" && turn.calls.length > 0 ? null : "";
  return [
    ...(isAzure ? [event(first)] : []),
    chunk({ role: "assistant", content, refusal: null }),
    ...piecesOf(turn.text).map((text) => chunk({ content: text })),
    ...calls,
    chunk({}, finishReasons[turn.finish]),
    ...(countsUsage ? [event({ ...head, choices: [], usage: usageOf(turn) })] : []),
    "data: [DONE]\n\n",
  ];
}

const noFilter = { prompt_index: 0, content_filter_results: {} };

function headOf({ id, created }: Stamp, object: string): JsonObject {
  return {
    id: `chatcmpl-${id}`,
    object,
    created,
    model: rehearsalModel,
    service_tier: "default",
    system_fingerprint: "fp_pagewire_rehearsal",
  };
}

function usageOf({ usage }: RehearsalTurn): JsonObject {
  return {
    prompt_tokens: usage.prompt,
    completion_tokens: usage.completion,
    total_tokens: usage.prompt + usage.completion,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
