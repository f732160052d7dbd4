import { expect, test } from "vitest";
import type { AiMessage, AiToolCallState } from "../../element/index.ts";
import { turnsOf } from "./turns-of.ts";
import type { Talking } from "./turns-of.ts";

const calls = [{ id: "c1", name: "get_sales", arguments: '{"days":30}' }];
const question: AiMessage = { id: "q", role: "user", content: "How were sales?" };
const round: AiMessage = { id: "a", role: "assistant", content: "Let me look.", toolCalls: calls };

function show(changes: Partial<Talking>) {
  return turnsOf({
    messages: [],
    content: "",
    reasoning: "",
    toolCalls: [],
    loading: false,
    streaming: false,
    titleOf: (name) => name.toUpperCase(),
    ...changes,
  });
}

const live = (status: AiToolCallState["status"], more: Partial<AiToolCallState> = {}): AiToolCallState[] => [
  { id: "c1", name: "get_sales", arguments: '{"days":30}', status, ...more },
];

test("a conversation is its turns, in order: the user's, an app's by its origin, the assistant's; its system text is not", () => {
  const messages: AiMessage[] = [
    { role: "system", content: "Be brief." },
    question,
    { id: "a", role: "assistant", content: "Well." },
    { id: "p", role: "user", content: "And orders?", from: "https://shop.example" },
  ];
  expect(show({ messages })).toMatchObject([
    { kind: "prompt", id: "q", text: "How were sales?", from: undefined },
    { kind: "answer", id: "a", text: "Well.", whole: "Well.", isNewest: false },
    { kind: "prompt", id: "p", text: "And orders?", from: "https://shop.example" },
  ]);
});

test("the newest answer has what is left of a quota, also where its message has its own use, and earlier ones do not", () => {
  const used = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };
  const quota = { period: "day", tokens: 10, left: 8, newAt: "2026-11-30T00:00:00.000Z" } as const;
  const priced = { ...used, cost: 1 };
  const messages: AiMessage[] = [
    question,
    { id: "a", role: "assistant", content: "Well.", usage: priced },
    { ...question, id: "r" },
    { id: "b", role: "assistant", content: "Well, again.", usage: priced },
  ];
  const usageOf = (usage: Talking["usage"]) =>
    show({ messages, usage }).flatMap((turn) => (turn.kind === "answer" ? [turn.usage] : []));
  expect(usageOf({ ...priced, quota })).toEqual([priced, { ...priced, quota }]);
  expect(usageOf(used)).toEqual([priced, priced]);
  expect(usageOf(null)).toEqual([priced, priced]);
});

test("sent, streaming and finished turns have the same keys", () => {
  const sending = show({ sending: { text: "How were sales?", images: [] }, loading: true });
  const streaming = show({ messages: [question], content: "We", loading: true, streaming: true });
  const done = show({ messages: [question, { id: "a", role: "assistant", content: "Well." }] });
  expect(sending.map(({ key }) => key)).toEqual(["0"]);
  expect(streaming.map(({ key }) => key)).toEqual(["0", "1"]);
  expect(done.map(({ key }) => key)).toEqual(["0", "1"]);
  expect(streaming[1]).toMatchObject({ text: "We", isStreaming: true, whole: undefined });
});

test("between two rounds, the text of the first one is shown once, and the last text is not repeated", () => {
  const messages: AiMessage[] = [question, round];
  const running = show({ messages, content: "Let me look.", loading: true, toolCalls: live("running") });
  expect(running.map(({ kind, key }) => [kind, key])).toEqual([
    ["prompt", "0"],
    ["answer", "1"],
    ["call", "1:c1"],
  ]);
  const told: AiMessage[] = [...messages, { role: "tool", toolCallId: "c1", content: "125000" }];
  const waiting = show({ messages: told, content: "Let me look.", loading: true, toolCalls: live("done") });
  expect(waiting.at(-1)).toMatchObject({ kind: "answer", key: "3", text: "", isStreaming: true });
  const parts = [round.content as string, "[A picture was left out.]"].map((text) => ({ type: "text" as const, text }));
  const drawn = show({
    ...{ messages: [question, { ...round, content: parts }], content: "Let me look." },
    ...{ loading: true, toolCalls: live("running") },
  });
  expect(drawn.map(({ kind, key }) => [kind, key])).toEqual([
    ["prompt", "0"],
    ["answer", "1"],
    ["call", "1:c1"],
  ]);
});

test("a call is as its answer tells while that goes on, and afterwards as the conversation has it", () => {
  const messages: AiMessage[] = [question, round];
  const status = (changes: Partial<Talking>) => {
    const turn = show(changes).find(({ kind }) => kind === "call");
    return turn?.kind === "call" ? [turn.status, turn.result] : undefined;
  };
  expect(show({ messages: [question], loading: true, streaming: true, toolCalls: live("streaming") })).toMatchObject([
    { kind: "prompt" },
    { kind: "call", key: "1:c1", status: "streaming", title: "GET_SALES" },
  ]);
  expect(status({ messages, loading: true, toolCalls: live("running") })).toEqual(["running", undefined]);
  expect(status({ messages, loading: true, toolCalls: live("done", { result: "7" }) })).toEqual(["done", "7"]);
  const content = '{"error":"The user did not allow the tool \\"get_sales\\" to run."}';
  const told: AiMessage = { role: "tool", toolCallId: "c1", content };
  for (const toolStatus of ["failed", "refused", "stopped"] as const)
    expect(status({ messages: [...messages, { ...told, toolStatus }] })).toEqual([toolStatus, content]);
  // A tool's result must not be mistaken for the outcome of its call.
  expect(status({ messages: [...messages, told] })).toEqual(["done", content]);
  expect(status({ messages })).toEqual(["stopped", undefined]);
});

test("calls of two rounds with the same id each have their own result", () => {
  const tool = (content: string): AiMessage => ({ role: "tool", toolCallId: "c1", content });
  const messages: AiMessage[] = [question, round, tool("1"), { ...round, id: "b" }, tool("2")];
  const results = show({ messages }).flatMap((turn) => (turn.kind === "call" ? [turn.result] : []));
  expect(results).toEqual(["1", "2"]);
});

test("the end of an answer has all that it says, and only the newest one can be asked for again", () => {
  const messages: AiMessage[] = [
    question,
    round,
    { role: "tool", toolCallId: "c1", content: "1" },
    { id: "b", role: "assistant", content: "They were good." },
  ];
  const answers = show({ messages }).filter(({ kind }) => kind === "answer");
  expect(answers).toMatchObject([
    { whole: undefined, isNewest: false },
    { whole: "Let me look.\n\nThey were good.", isNewest: true },
  ]);
  const next = show({ messages: [...messages, { ...question, id: "q2" }], loading: true });
  expect(next.filter((turn) => turn.kind === "answer" && turn.isNewest)).toEqual([]);
});

test("an answer that was stopped says so, also when its conversation is opened later", () => {
  const messages: AiMessage[] = [question, { id: "a", role: "assistant", content: "They were", partial: true }];
  expect(show({ messages })).toMatchObject([
    { kind: "prompt" },
    { kind: "answer", text: "They were", remark: expect.stringContaining("stopped") },
  ]);
});

test("an answer that reached the model's limit, or that the model declined, says so", () => {
  const remarkOf = (finishReason: "length" | "safety" | "stop") => {
    const [turn] = show({ messages: [{ id: "a", role: "assistant", content: "", finishReason }] });
    return turn?.kind === "answer" ? turn.remark : undefined;
  };
  expect([remarkOf("length"), remarkOf("safety"), remarkOf("stop")]).toEqual([
    expect.stringContaining("limit"),
    expect.stringContaining("declined"),
    undefined,
  ]);
});
