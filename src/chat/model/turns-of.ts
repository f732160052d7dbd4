// The visible turns of a conversation: its messages, and at the end the current activity.
import type { AiMessage, AiToolCall, AiToolCallState, AiUsage } from "../../element/index.ts";
import type { TalkAgent } from "../talk-agent.ts";
import { promptOf } from "./prompt.ts";
import { sourcesOf } from "./sources.ts";
import type { Prompt } from "./prompt.ts";
import type { AnswerTurn, CallTurn, Turn } from "./turns.ts";

export interface Talking extends Pick<TalkAgent, "content" | "reasoning" | "loading" | "streaming"> {
  readonly messages: readonly AiMessage[];
  readonly toolCalls: readonly AiToolCallState[];
  readonly usage?: AiUsage | null | undefined;
  /** Sent, and not among the messages yet. */
  readonly sending?: Prompt | undefined;
  /** A tool's display name, also in questions. */
  readonly titleOf: (name: string, approval: AiToolCallState["approval"]) => string;
}

export function turnsOf(talking: Talking): readonly Turn[] {
  const { messages, sending, loading } = talking;
  const asked = messages.findLastIndex(({ role }) => role === "user");
  const turns = messages.flatMap((message, at) => turnsOfMessage(message, at, { ...talking, asked }));
  if (sending) turns.push({ ...sending, kind: "prompt", key: String(messages.length), id: undefined });
  return loading && !sending ? [...turns, ...turnsOfLive(talking, asked)] : turns;
}

interface Around extends Talking {
  /** The index of the last question. */
  readonly asked: number;
}

function turnsOfMessage(message: AiMessage, at: number, around: Around): Turn[] {
  const { role, content, id, from } = message;
  if (role === "user") return [{ ...promptOf(content), from, kind: "prompt", key: String(at), id }];
  if (role !== "assistant") return [];
  const calls = (message.toolCalls ?? []).map((call) => callTurn(call, at, around));
  return [...answerTurns(message, at, around), ...calls];
}

function answerTurns(message: AiMessage, at: number, { messages, asked, loading, usage }: Around): AnswerTurn[] {
  const { text, images } = promptOf(message.content);
  const { reasoning = "", finishReason, partial, id, model } = message;
  const remark = partial ? stoppedRemark : finishReason && remarks[finishReason];
  const next = messages[at + 1];
  const isEnd = next === undefined || next.role === "user";
  const isOver = isEnd && !(loading && at > asked);
  const last = at > asked ? (usage ?? undefined) : undefined;
  if (text === "" && images.length === 0 && reasoning === "" && remark === undefined) return [];
  return [
    {
      kind: "answer",
      key: String(at),
      id,
      text,
      images,
      reasoning,
      isStreaming: false,
      sources: sourcesOf(message),
      remark,
      whole: isOver ? wholeAnswer(messages, at) : undefined,
      isNewest: isOver && at > asked,
      model: isOver ? model : undefined,
      usage: isOver ? (last?.quota ? last : (message.usage ?? last)) : undefined,
    },
  ];
}

const stoppedRemark = "This answer was stopped before its end.";

const remarks: Readonly<Record<string, string>> = {
  length: "The answer reached the model's limit, and stops here.",
  safety: "The model declined to answer.",
};

function wholeAnswer(messages: readonly AiMessage[], end: number): string {
  const asked = messages.slice(0, end).findLastIndex(({ role }) => role === "user");
  const said = messages.slice(asked + 1, end + 1).filter(({ role }) => role === "assistant");
  return said
    .map(({ content }) => promptOf(content).text)
    .filter((text) => text.trim() !== "")
    .join("\n\n");
}

function callTurn(call: AiToolCall, at: number, around: Around): CallTurn {
  const { messages, toolCalls, asked, loading, titleOf } = around;
  const live = at > asked ? toolCalls.find(({ id }) => id === call.id) : undefined;
  const told = resultOf(call, messages, at);
  const result = live?.result ?? (told && promptOf(told.content).text);
  const isGoingOn = live !== undefined && loading;
  const approval = isGoingOn ? live.approval : undefined;
  return {
    kind: "call",
    key: `${at}:${call.id}`,
    id: call.id,
    name: call.name,
    title: titleOf(call.name, approval),
    arguments: call.arguments,
    status: isGoingOn || live?.result !== undefined ? live.status : told ? (told.toolStatus ?? "done") : "stopped",
    approval,
    decidedIn: live?.decidedIn,
    result,
  };
}

/** Only searches this round: another round's call may have the same id. */
function resultOf({ id }: AiToolCall, messages: readonly AiMessage[], at: number): AiMessage | undefined {
  const after = messages.findIndex(({ role }, index) => index > at && role !== "tool");
  return messages.slice(at + 1, after < 0 ? undefined : after).find(({ toolCallId }) => toolCallId === id);
}

/** The text and the calls that still stream in. */
function turnsOfLive(talking: Talking, asked: number): Turn[] {
  const { messages, content, reasoning, streaming, toolCalls } = talking;
  const key = String(messages.length);
  const since = messages.slice(asked + 1);
  // Between two rounds the text of the last one is still there.
  const isSaid =
    !streaming &&
    since.some(({ role, content: said }) => role === "assistant" && promptOf(said).text.startsWith(content));
  const [text, thoughts] = isSaid ? ["", ""] : [content, reasoning];
  const known = new Set(since.flatMap(({ toolCalls: calls = [] }) => calls.map(({ id }) => id)));
  const calls = toolCalls.filter(({ id }) => !known.has(id)).map((call) => liveCall(call, key, talking));
  const isToolAtWork = toolCalls.some(({ status }) => ["streaming", "waiting", "running"].includes(status));
  if (text === "" && thoughts === "" && isToolAtWork) return calls;
  return [{ ...notDone, kind: "answer", key, text, reasoning: thoughts, isStreaming: true }, ...calls];
}

/** Fields that only a finished answer has. */
const notDone = { id: undefined, images: [], sources: [], remark: undefined, whole: undefined, isNewest: false };

function liveCall(call: AiToolCallState, key: string, { titleOf }: Talking): CallTurn {
  const { id, name, arguments: json, status, approval, decidedIn, result } = call;
  return {
    kind: "call",
    key: `${key}:${id}`,
    id,
    name,
    title: titleOf(name, approval),
    arguments: json,
    status,
    approval,
    decidedIn,
    result,
  };
}
