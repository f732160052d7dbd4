import { expect, test, vi } from "vitest";
import { AiCore } from "../index.ts";
import type { AiTool } from "../index.ts";
import { fromAiSdk } from "./from-ai-sdk.ts";

type Part = Readonly<Record<string, unknown>>;

function streamOf(parts: readonly Part[]): ReadableStream<Part> {
  return new ReadableStream<Part>({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

/** A model that streams these parts, one answer for each request. */
function modelOf(specificationVersion: string, ...answers: readonly Part[][]) {
  const asked: Record<string, unknown>[] = [];
  const next = (options: Record<string, unknown>) => {
    asked.push(options);
    return answers[asked.length - 1] ?? [];
  };
  const doStream = vi.fn<(options: Record<string, unknown>) => Promise<{ stream: ReadableStream<Part> }>>((options) =>
    Promise.resolve({ stream: streamOf(next(options)) }),
  );
  const doGenerate = (options: Record<string, unknown>) => Promise.resolve(next(options)[0]);
  return { asked, model: { specificationVersion, provider: "test", modelId: "small", doStream, doGenerate } };
}

const usage = {
  inputTokens: { total: 7, noCache: 4, cacheRead: 3, cacheWrite: 0 },
  outputTokens: { total: 5, text: 3, reasoning: 2 },
};
const stop = { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage };
const calls = { type: "finish", finishReason: { unified: "tool-calls", raw: "tool_calls" }, usage };
const signature = { anthropic: { signature: "s1" } };

function coreOf(model: Parameters<typeof fromAiSdk>[0]): AiCore {
  const core = new AiCore();
  core.provider = fromAiSdk(model);
  return core;
}

test("a streamed answer has its text, thoughts, usage and sources", async () => {
  const { model } = modelOf("v3", [
    { type: "stream-start", warnings: [] },
    { type: "reasoning-start", id: "r" },
    { type: "reasoning-delta", id: "r", delta: "Hm." },
    { type: "reasoning-end", id: "r" },
    { type: "text-start", id: "t" },
    { type: "text-delta", id: "t", delta: "Hel" },
    { type: "text-delta", id: "t", delta: "lo" },
    { type: "source", sourceType: "url", id: "s", url: "https://a.example/", title: "A" },
    { type: "text-end", id: "t" },
    stop,
  ]);
  const core = coreOf(model);
  expect(await core.send("Hi", { model: "any" })).toBe("Hello");
  expect(core.reasoning).toBe("Hm.");
  expect(core.usage).toEqual({
    ...{ promptTokens: 7, completionTokens: 5, totalTokens: 12, cachedTokens: 3, reasoningTokens: 2 },
  });
  expect(core.messages.at(-1)).toMatchObject({ citations: [{ url: "https://a.example/", title: "A" }] });
});

const pixel = "R0lGODlhAQABAAAAACwAAAAAAQABAAA=";
const pixelUrl = `data:image/gif;base64,${pixel}`;
const pixelBytes = Uint8Array.from(atob(pixel), (character) => character.charCodeAt(0));

const far = new URL("https://a.example/x.gif");

test.each([
  { version: "v2", data: pixel, url: pixelUrl, sent: pixel },
  { version: "v3", data: pixelBytes, url: pixelUrl, sent: pixel },
  { version: "v3", data: far.href, url: far.href, sent: far },
  { version: "v4", data: { type: "data", data: pixelBytes }, url: pixelUrl, sent: { type: "data", data: pixel } },
  { version: "v4", data: { type: "url", url: far }, url: far.href, sent: { type: "url", url: far } },
])("a picture is kept with the answer, and sent back as the model takes it: $version, $sent", async (picture) => {
  const { version, data, url, sent } = picture;
  const providerMetadata = { google: { thoughtSignature: "s" } };
  const file = { type: "file", mediaType: "image/gif", data, providerMetadata };
  const other = { type: "file", mediaType: "text/html", data: pixel };
  const said = { type: "text-delta", id: "t", delta: "A cup." };
  const { model, asked } = modelOf(version, [said, other, file, stop], [stop]);
  const core = coreOf(model);
  expect(await core.send("Draw", { model: "any" })).toBe("A cup.");
  expect(core.messages.at(-1)?.content).toEqual([
    { type: "text", text: "A cup." },
    { type: "image", url },
  ]);
  await core.send("Again", { model: "any" });
  const [, answer] = (asked[1] as { prompt: { content: Part[] }[] }).prompt;
  expect(answer?.content).toMatchObject([{}, { type: "file", data: sent, providerOptions: providerMetadata }]);
});

test("a whole answer has its pictures, too", async () => {
  const file = { type: "file", mediaType: "image/gif", data: pixelBytes };
  const whole = { content: [{ type: "text", text: "A cup." }, file, file], finishReason: "stop", usage };
  const { model } = modelOf("v3", [whole]);
  const core = coreOf(model);
  expect(await core.send("Draw", { model: "any", stream: false })).toBe("A cup.");
  expect(core.messages.at(-1)?.content).toEqual([
    { type: "text", text: "A cup." },
    { type: "image", url: pixelUrl },
  ]);
});

test("a tool runs once with its whole arguments, and the model gets its own parts back with their metadata", async () => {
  const { model, asked } = modelOf(
    "v3",
    [
      { type: "reasoning-start", id: "r" },
      { type: "reasoning-delta", id: "r", delta: "Look it up." },
      { type: "reasoning-end", id: "r", providerMetadata: signature },
      { type: "tool-input-start", id: "c1", toolName: "get_stock" },
      { type: "tool-input-delta", id: "c1", delta: '{"shelf":' },
      { type: "tool-input-delta", id: "c1", delta: '"A"}' },
      { type: "tool-input-end", id: "c1" },
      { type: "tool-call", toolCallId: "c1", toolName: "get_stock", input: '{"shelf":"A"}' },
      calls,
    ],
    [{ type: "text-delta", id: "t", delta: "42" }, stop],
  );
  const handler = vi.fn<(input: unknown) => string>(() => "42 pieces");
  const tool: AiTool = { name: "get_stock", description: "Stock.", parameters: { type: "object" }, handler };
  const core = coreOf(model);
  expect(await core.send("How many?", { model: "any", system: "Be brief.", tools: [tool], maxTokens: 9 })).toBe("42");
  expect(handler.mock.calls).toEqual([[{ shelf: "A" }, expect.anything()]]);
  expect(asked[0]).toMatchObject({
    prompt: [
      { role: "system", content: "Be brief." },
      { role: "user", content: [{ type: "text", text: "How many?" }] },
    ],
    maxOutputTokens: 9,
    tools: [{ type: "function", name: "get_stock", description: "Stock.", inputSchema: { type: "object" } }],
    toolChoice: { type: "auto" },
  });
  expect((asked[1] as { readonly prompt: unknown[] }).prompt.slice(2)).toEqual([
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "Look it up.", providerOptions: signature },
        { type: "tool-call", toolCallId: "c1", toolName: "get_stock", input: { shelf: "A" } },
      ],
    },
    {
      role: "tool",
      content: [
        { type: "tool-result", toolCallId: "c1", toolName: "get_stock", output: { type: "text", value: "42 pieces" } },
      ],
    },
  ]);
});

test("a tool has a name and a schema that the models of all vendors take, and its handler runs", async () => {
  const { model, asked } = modelOf(
    "v3",
    [{ type: "tool-call", toolCallId: "c1", toolName: "_1st_look", input: '{"sku":"A"}' }, calls],
    [{ type: "text-delta", id: "t", delta: "There." }, stop],
  );
  const handler = vi.fn<(input: unknown) => string>(() => "42 pieces");
  const oneOf = [{ properties: { sku: {} } }, { properties: { shelf: {} }, required: ["shelf"] }];
  const tool: AiTool = { name: "1st.look", description: "Looks.", parameters: { type: "object", oneOf }, handler };
  expect(await coreOf(model).send("Where?", { model: "any", tools: [tool] })).toBe("There.");
  expect(asked[0]).toMatchObject({
    tools: [{ name: "_1st_look", inputSchema: { properties: { sku: {}, shelf: {} } } }],
  });
  expect(JSON.stringify(asked[0]?.["tools"])).not.toContain("oneOf");
  expect(handler.mock.calls).toEqual([[{ sku: "A" }, expect.anything()]]);
});

test.each([
  ["v2", { effort: "low" }, "effort"],
  ["v3", { effort: "low" }, "effort"],
  ["v3", { budgetTokens: 0 }, "budgetTokens"],
  ["v4", { budgetTokens: 99, effort: "low" }, "budgetTokens"],
] as const)("a model of %s is not asked with %o, which its call has no place for", async (version, reasoning, name) => {
  const { model, asked } = modelOf(version, [stop]);
  const core = coreOf(model);
  expect(await core.send("Hi", { model: "any", reasoning })).toBeNull();
  expect(core.error).toMatchObject({
    message: expect.stringMatching(`takes no reasoning.${name}: use body.providerOptions`),
  });
  expect(asked).toEqual([]);
});

test("an effort, where the model's version has it, and options of the model's vendor reach the model", async () => {
  const { model, asked } = modelOf("v4", [stop]);
  const providerOptions = { anthropic: { thinking: { type: "enabled", budgetTokens: 99 } } };
  await coreOf(model).send("Hi", { model: "any", reasoning: { effort: "low" }, body: { providerOptions } });
  expect(asked).toMatchObject([{ reasoning: "low", providerOptions }]);
});

test("an answer that does not stream is the same answer", async () => {
  const { model } = modelOf("v2", [
    {
      content: [
        { type: "reasoning", text: "Hm." },
        { type: "text", text: "Hello" },
      ],
      finishReason: "stop",
      usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 },
    },
  ]);
  const core = coreOf(model);
  expect(await core.send("Hi", { model: "any", stream: false })).toBe("Hello");
  expect(core.usage).toEqual({ promptTokens: 1, completionTokens: 2, totalTokens: 3 });
});

test("pictures and files come in the form of the model's version", async () => {
  const png = "data:image/png;base64,iVBORw==";
  for (const [version, data, address] of [
    ["v2", "iVBORw==", new URL("https://a.example/a.pdf")],
    ["v3", "iVBORw==", new URL("https://a.example/a.pdf")],
    ["v4", { type: "data", data: "iVBORw==" }, { type: "url", url: new URL("https://a.example/a.pdf") }],
  ] as const) {
    const { model, asked } = modelOf(version, [stop]);
    const file = { type: "file", url: "https://a.example/a.pdf", mediaType: "application/pdf", name: "a.pdf" } as const;
    await coreOf(model).send([{ type: "image", url: png }, file], { model: "any" });
    expect(asked[0]?.["prompt"]).toEqual([
      {
        role: "user",
        content: [
          { type: "file", mediaType: "image/png", data },
          { type: "file", mediaType: "application/pdf", filename: "a.pdf", data: address },
        ],
      },
    ]);
  }
});

test.each([
  ["in its stream", [{ type: "error", error: new Error("no power") }], "The model failed: no power"],
  ["by ending early", [{ type: "text-delta", id: "t", delta: "He" }], "The answer was cut off before it was complete."],
])("a model that fails %s is an error", async (_how, parts, message) => {
  const { model } = modelOf("v3", parts);
  const core = coreOf(model);
  expect(await core.send("Hi", { model: "any" })).toBeNull();
  expect(core.error).toMatchObject({ message });
});

test("an HTTP error of the model's API keeps its status, and is tried again like one", async () => {
  const { model } = modelOf("v3", [], [{ type: "text-delta", id: "t", delta: "Now" }, stop]);
  const failed = Object.assign(new Error("Too many"), { statusCode: 429, responseBody: '{"slow":true}' });
  model.doStream.mockRejectedValueOnce(failed).mockResolvedValueOnce({
    stream: streamOf([{ type: "text-delta", id: "t", delta: "Now" }, stop]),
  });
  const core = coreOf(model);
  expect(await core.send("Hi", { model: "any" })).toBeNull();
  expect(core.error).toEqual({ status: 429, statusText: "", body: '{"slow":true}' });
  expect(await core.send("Hi", { model: "any", retries: { attempts: 1, delay: 1 } })).toBe("Now");
});

test("a stop reaches the model", async () => {
  const { model } = modelOf("v3");
  let signal: AbortSignal | undefined;
  model.doStream.mockImplementation((options) => {
    signal = options["abortSignal"] as AbortSignal;
    return Promise.resolve({ stream: new ReadableStream() });
  });
  const core = coreOf(model);
  const answer = core.send("Hi", { model: "any" });
  await vi.waitFor(() => expect(core.streaming).toBe(true));
  core.abort();
  expect(await answer).toBeNull();
  expect(signal?.aborted).toBe(true);
});

test("what is no language model is refused", () => {
  expect(() => fromAiSdk("gpt-5" as never)).toThrow("fromAiSdk takes a language model of the AI SDK 5, 6 or 7");
});
