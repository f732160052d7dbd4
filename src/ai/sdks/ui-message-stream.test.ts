import { expect, test } from "vitest";
import { createConversation } from "../model.test-helper.ts";
import { call, weather } from "../tools.test-helper.ts";
import { createChatTransport } from "./chat-transport.ts";
import { toUIMessageStream } from "./ui-message-stream.ts";
import type { UIMessageChunk } from "./ui-message-stream.ts";

async function all(stream: ReadableStream<UIMessageChunk>): Promise<UIMessageChunk[]> {
  const chunks: UIMessageChunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

const dynamic = true;
const user = (text: string) => ({ id: "u", role: "user", parts: [{ type: "text", text }] });
const submit = { trigger: "submit-message", abortSignal: undefined };

test("an answer's thoughts, text and sources are chunks, each block begun and ended", async () => {
  const { core, model, send } = createConversation();
  const chunks = all(toUIMessageStream(core, () => send()));
  const request = await model.next();
  request.stream({ reasoningDelta: "Hm." }, { delta: "Hello" });
  request.finish({ delta: " you", citations: [{ url: "https://a.example/", title: "A" }], finishReason: "stop" });
  const texts = (await chunks).filter(({ type }) => type === "text-delta").map(({ delta }) => delta);
  expect(texts.join("")).toBe("Hello you");
  expect((await chunks).filter(({ type }) => type !== "text-delta")).toEqual([
    { type: "start" },
    { type: "start-step" },
    { type: "reasoning-start", id: "reasoning-1" },
    { type: "reasoning-delta", id: "reasoning-1", delta: "Hm." },
    { type: "reasoning-end", id: "reasoning-1" },
    { type: "text-start", id: "text-2" },
    { type: "text-end", id: "text-2" },
    { type: "source-url", sourceId: "source-1", url: "https://a.example/", title: "A" },
    { type: "finish-step" },
    { type: "finish" },
  ]);
});

test("pictures are files: each once, also those of the rounds before the last", async () => {
  const { core, model, send } = createConversation({ tools: [weather({ handler: () => "blue" })] });
  const gif = "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=";
  const far = "https://a.example/x.png";
  const chunks = all(toUIMessageStream(core, () => send()));
  const first = await model.next();
  first.stream({ images: [{ type: "image", url: gif }] });
  call(first, ["weather", { city: "Tokyo" }]);
  (await model.next()).finish({ delta: "Blue.", images: [{ type: "image", url: far }], finishReason: "stop" });
  expect((await chunks).filter(({ type }) => type === "file")).toEqual([
    { type: "file", url: gif, mediaType: "image/gif" },
    { type: "file", url: far, mediaType: "image/*" },
  ]);
});

test.each([
  ["a result", () => "blue", { type: "tool-output-available", output: "blue", dynamic }],
  [
    "a failure",
    () => Promise.reject(new Error("No sky.")),
    { type: "tool-output-error", errorText: "No sky.", dynamic },
  ],
])(
  "a tool call has its input and %s, and the text of each round is a block of its own",
  async (_what, handler, end) => {
    const { core, model, send } = createConversation({ tools: [weather({ handler })] });
    const chunks = all(toUIMessageStream(core, () => send()));
    call(await model.next(), ["weather", { city: "Tokyo" }]);
    (await model.next()).finish({ delta: "One moment. Blue.", finishReason: "stop" });
    const of = (kind: string) => chunks.then((list) => list.filter(({ type }) => type.startsWith(kind)));
    const tool = { toolCallId: "c0", toolName: "weather", dynamic };
    expect((await of("tool-")).filter(({ type }) => type !== "tool-input-delta")).toEqual([
      { type: "tool-input-start", ...tool },
      { type: "tool-input-available", ...tool, input: { city: "Tokyo" } },
      { toolCallId: "c0", ...end },
    ]);
    expect((await of("text-start")).map(({ id }) => id)).toHaveLength(2);
    expect((await of("text-delta")).map(({ delta }) => delta).join("|")).toBe("One moment.|One moment. Blue.");
  },
);

test.each([
  ["the same", "Yes.", "Yes."],
  ["longer by its end", "Yes.", "Yes. It is blue."],
  ["shorter", "Yes. It is blue.", "Yes."],
])("an answer that does not stream is written whole where it is %s as the one before", async (_how, before, after) => {
  const { core, model, send } = createConversation({ stream: false });
  for (const content of [before, after]) {
    const chunks = all(toUIMessageStream(core, () => send()));
    (await model.next()).json({ content, reasoning: content, finishReason: "stop" });
    for (const kind of ["text", "reasoning"]) {
      const deltas = (await chunks).filter(({ type }) => type === `${kind}-delta`).map(({ delta }) => delta);
      expect([kind, ...deltas]).toEqual([kind, content]);
    }
  }
});

test.each([true, false])(
  "each round's text is written, also where rounds say the same (stream: %s)",
  async (stream) => {
    const { core, model, send } = createConversation({ stream, tools: [weather()] });
    const chunks = all(toUIMessageStream(core, () => send()));
    const rounds = ["Hm.", "Hm.", "Hm. Blue.", "Hm. Blue."];
    for (const [at, content] of rounds.entries()) {
      const toolCalls = at === 3 ? [] : [{ id: `c${at}`, name: "weather", arguments: '{"city":"Rome"}' }];
      const request = await model.next();
      if (stream) request.finish({ delta: content, toolCallDeltas: toolCalls.map((call) => ({ ...call, index: 0 })) });
      else request.json({ content, toolCalls });
    }
    const texts: string[] = [];
    for (const { type, delta } of await chunks) {
      if (type === "text-start") texts.push("");
      if (type === "text-delta") texts.push(`${texts.pop()}${String(delta)}`);
    }
    expect(texts).toEqual(rounds);
    expect((await chunks).filter(({ type }) => type === "tool-output-available")).toHaveLength(3);
  },
);

test("a call that waits for the user ends the stream with the question, and the next one goes on with the answer", async () => {
  const { core, model, options } = createConversation({ tools: [weather({ needsApproval: true })] });
  const { sendMessages } = createChatTransport(core, options);
  const first = sendMessages({ ...submit, messages: [user("Weather?")] }).then(all);
  call(await model.next(), ["weather", { city: "Tokyo" }]);
  expect((await first).slice(-3)).toEqual([
    { type: "tool-approval-request", approvalId: "c0", toolCallId: "c0" },
    { type: "finish-step" },
    { type: "finish" },
  ]);
  const approval = { id: "c0", approved: true };
  const part = { type: "dynamic-tool", state: "approval-responded", toolCallId: "c0", approval };
  const answered = { id: "a", role: "assistant", parts: [part] };
  const second = sendMessages({ ...submit, messages: [user("Weather?"), answered] }).then(all);
  (await model.next()).finish({ delta: "Blue.", finishReason: "stop" });
  const kinds = (await second).map(({ type }) => type);
  expect(kinds).not.toContain("tool-input-start");
  expect(kinds.filter((kind) => kind.startsWith("tool-"))).toEqual(["tool-output-available"]);
  expect((await second).find(({ type }) => type === "text-delta")).toMatchObject({ delta: "Blue." });
});

test("a refused call is denied", async () => {
  const { core, model, options } = createConversation({ tools: [weather({ needsApproval: true })] });
  const { sendMessages } = createChatTransport(core, options);
  const first = sendMessages({ ...submit, messages: [user("Weather?")] }).then(all);
  call(await model.next(), ["weather", { city: "Tokyo" }]);
  await first;
  const approval = { id: "c0", approved: false };
  const part = { type: "dynamic-tool", state: "approval-responded", toolCallId: "c0", approval };
  const second = sendMessages({ ...submit, messages: [{ id: "a", role: "assistant", parts: [part] }] }).then(all);
  (await model.next()).finish({ delta: "Then not.", finishReason: "stop" });
  expect(await second).toContainEqual({ type: "tool-output-denied", toolCallId: "c0" });
});

test("a failure is an error chunk, and a stop an abort chunk", async () => {
  const { core, model, send } = createConversation();
  const failed = all(toUIMessageStream(core, () => send()));
  (await model.next()).respond(new Response("slow down", { status: 429 }));
  expect(await failed).toContainEqual({ type: "error", errorText: expect.stringMatching(/^HTTP 429 .*slow down$/) });
  const stop = new AbortController();
  const stopped = all(toUIMessageStream(core, () => send(), { signal: stop.signal }));
  await model.next();
  stop.abort();
  expect(await stopped).toContainEqual({ type: "abort" });
  const refused = all(toUIMessageStream(core, () => Promise.reject(new TypeError("model is missing."))));
  expect(await refused).toContainEqual({ type: "error", errorText: "model is missing." });
});

test("a reader that goes stops the answer", async () => {
  const { core, model, send } = createConversation();
  const reader = toUIMessageStream(core, () => send()).getReader();
  const request = await model.next();
  request.stream({ delta: "Hello" });
  await reader.cancel();
  expect(request.signal?.aborted).toBe(true);
  expect(core.loading).toBe(false);
});

test("the last message's files are sent with its text, and a message that is no question is refused", async () => {
  const { core, model, options } = createConversation();
  const { sendMessages } = createChatTransport(core, options);
  const png = { type: "file", mediaType: "image/png", url: "data:image/png;base64,iVBORw==" };
  const sent = { ...user("What is it?"), parts: [...user("What is it?").parts, png] };
  void sendMessages({ ...submit, messages: [sent] });
  expect((await model.next()).body.messages.at(-1)?.content).toEqual([
    { type: "text", text: "What is it?" },
    { type: "image", mediaType: "image/png", url: png.url },
  ]);
  const chunks = await sendMessages({ ...submit, messages: [{ id: "a", role: "assistant", parts: [] }] }).then(all);
  expect(chunks).toContainEqual(expect.objectContaining({ type: "error" }));
});
