import { expect, test } from "vitest";
import { chunkStreamOf, converseStreamOf, exceptionFrame } from "../event-stream.test-helper.ts";
import { AiCore } from "../index.ts";
import type { AiRequestOptions } from "../index.ts";
import { secret, startBedrock } from "./bedrock.test-helper.ts";
import type { Answer, Asked } from "./bedrock.test-helper.ts";
import { BedrockProvider } from "./bedrock.ts";

function talk(options: Partial<AiRequestOptions>) {
  const core = new AiCore();
  core.provider = "bedrock";
  return { core, send: () => core.send("Where?", { model: "", ...options }) };
}

const look = (runs: object[]) => ({
  name: "look",
  description: "Looks.",
  parameters: { type: "object", properties: { city: { type: "string" } } },
  handler: (args: object) => (runs.push(args), "sunny"),
});
const nova = "eu.amazon.nova-lite-v1:0";
const claude = "global.anthropic.claude-haiku-4-5-20251001-v1:0";

/** First a call, then words. */
function converse({ body }: Asked): Answer {
  const isFirst = (body["messages"] as unknown[]).length === 1;
  const stream = isFirst
    ? converseStreamOf([
        ["messageStart", { role: "assistant" }],
        ["contentBlockStart", { contentBlockIndex: 0, start: { toolUse: { toolUseId: "tooluse_1", name: "look" } } }],
        ["contentBlockDelta", { contentBlockIndex: 0, delta: { toolUse: { input: '{"city":"Rome"}' } } }],
        ["contentBlockStop", { contentBlockIndex: 0 }],
        ["messageStop", { stopReason: "tool_use" }],
        ["metadata", { usage: { inputTokens: 5, outputTokens: 5, totalTokens: 10 } }],
      ])
    : converseStreamOf([
        ["messageStart", { role: "assistant" }],
        ["contentBlockDelta", { contentBlockIndex: 0, delta: { text: "In Rome." } }],
        ["messageStop", { stopReason: "end_turn" }],
        ["metadata", { usage: { inputTokens: 9, outputTokens: 3, totalTokens: 12 } }],
      ]);
  return { stream };
}

test.each([
  ["credentials", `AKIDEXAMPLE:${secret}`],
  ["a session's credentials", `AKIDEXAMPLE:${secret}:a:token==`],
  ["a key of Bedrock's", "ABSKkey"],
])("Converse with %s: the model calls a tool, and answers with its result", async (_, apiKey) => {
  const { baseUrl, requests } = await startBedrock(converse);
  const runs: object[] = [];
  const options = {
    system: "Be kind.",
    maxTokens: 99,
    temperature: 0.5,
    topP: 1,
    stop: ["END"],
    toolChoice: "required",
  };
  const { core, send } = talk({ model: nova, apiKey, baseUrl, tools: [look(runs)], ...(options as object) });
  expect([await send(), core.error, runs]).toEqual(["In Rome.", null, [{ city: "Rome" }]]);
  expect(core.usage).toMatchObject({ totalTokens: 22 });
  expect(requests.map(({ path }) => path)).toEqual(Array(2).fill("/model/eu.amazon.nova-lite-v1%3A0/converse-stream"));
  const { parameters: json } = look([]);
  expect(requests[0]?.body).toEqual({
    messages: [{ role: "user", content: [{ text: "Where?" }] }],
    system: [{ text: "Be kind." }],
    inferenceConfig: { maxTokens: 99, temperature: 0.5, topP: 1, stopSequences: ["END"] },
    toolConfig: {
      tools: [{ toolSpec: { name: "look", description: "Looks.", inputSchema: { json } } }],
      toolChoice: { any: {} },
    },
  });
  expect(requests[1]?.body["messages"]).toEqual([
    { role: "user", content: [{ text: "Where?" }] },
    { role: "assistant", content: [{ toolUse: { toolUseId: "tooluse_1", name: "look", input: { city: "Rome" } } }] },
    {
      role: "user",
      content: [{ toolResult: { toolUseId: "tooluse_1", content: [{ text: "sunny" }], status: "success" } }],
    },
  ]);
});

test("Claude is asked in Anthropic's own format, without the fields that Bedrock refuses", async () => {
  const stream = chunkStreamOf([
    { type: "message_start", message: { id: "msg_1", content: [], usage: { input_tokens: 5 } } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "In Rome." } },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 3 } },
    { type: "message_stop" },
  ]);
  const { baseUrl, requests } = await startBedrock(() => ({ stream }));
  const { core, send } = talk({ model: claude, apiKey: `AKIDEXAMPLE:${secret}`, baseUrl: `${baseUrl}/` });
  expect([await send(), core.error]).toEqual(["In Rome.", null]);
  expect(requests[0]?.path).toBe(`/model/${encodeURIComponent(claude)}/invoke-with-response-stream`);
  expect(requests[0]?.body).toEqual({
    anthropic_version: "bedrock-2023-05-31",
    max_tokens: 4096,
    messages: [{ role: "user", content: [{ type: "text", text: "Where?" }] }],
  });
});

test("answers that do not stream are read in both formats, with a schema too", async () => {
  const answerTool = "__wc_bindable_structured_response__";
  const { baseUrl, requests } = await startBedrock(({ path, body }) => {
    if (path.endsWith("/invoke"))
      return {
        json: { type: "message", content: [{ type: "text", text: "Rome." }], stop_reason: "end_turn", usage: {} },
      };
    const content = body["toolConfig"]
      ? [{ toolUse: { toolUseId: "1", name: answerTool, input: { city: "Rome" } } }]
      : [{ text: "Rome." }];
    const stopReason = body["toolConfig"] ? "tool_use" : "end_turn";
    return {
      json: {
        output: { message: { role: "assistant", content } },
        stopReason,
        usage: { inputTokens: 1, outputTokens: 1 },
      },
    };
  });
  const given = { apiKey: "ABSKkey", baseUrl, stream: false };
  expect(await talk({ ...given, model: claude }).send()).toBe("Rome.");
  expect(await talk({ ...given, model: nova }).send()).toBe("Rome.");
  const schema = { type: "object", properties: { city: { type: "string" } } };
  const { core, send } = talk({ ...given, model: nova, stream: true, responseSchema: schema });
  expect(await send()).toBe('{"city":"Rome"}');
  expect(core.messages.at(-1)?.finishReason).toBe("stop");
  expect(requests.map(({ path }) => path.split("/").pop())).toEqual(["invoke", "converse", "converse"]);
});

test("a failure is an HTTP error: of a signature before the stream, and inside it", async () => {
  const { baseUrl } = await startBedrock(() => ({ stream: exceptionFrame("throttlingException", "Too many tokens.") }));
  const wrong = talk({ model: nova, apiKey: `AKIDEXAMPLE:${secret}x`, baseUrl });
  expect(await wrong.send()).toBeNull();
  expect(wrong.core.error).toMatchObject({ status: 403, body: expect.stringContaining("does not match") });
  const busy = talk({ model: nova, apiKey: "ABSKkey", baseUrl });
  expect(await busy.send()).toBeNull();
  expect(busy.core.error).toMatchObject({ status: 429, body: expect.stringContaining("Too many tokens.") });
});

test("the region of a signature is that of the address", async () => {
  const regions: [string, string][] = [
    ["https://bedrock-runtime.eu-central-1.amazonaws.com", "eu-central-1"],
    ["https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com/", "us-gov-west-1"],
    ["https://vpce-1.bedrock-runtime.ap-southeast-2.vpce.amazonaws.com", "ap-southeast-2"],
    ["", "us-east-1"],
    ["http://127.0.0.1:9999", "us-east-1"],
  ];
  for (const [baseUrl, region] of regions) {
    let headers: Record<string, string> = {};
    const fetch = async (_: unknown, init?: RequestInit) => (
      (headers = init?.headers as typeof headers),
      Response.json({})
    );
    await talk({
      model: nova,
      apiKey: `AKIDEXAMPLE:${secret}`,
      baseUrl,
      fetch: fetch as typeof globalThis.fetch,
    }).send();
    expect(headers["Authorization"]).toContain(`/${region}/bedrock/aws4_request,`);
    expect(JSON.stringify(headers)).not.toContain(secret);
  }
});

test("the address may be the whole one, and options of the request go on top", () => {
  const bedrock = new BedrockProvider();
  const body = (more: object) =>
    bedrock.buildRequest([{ role: "user", content: "Hi" }], { model: nova, apiKey: "ABSKkey", ...more });
  const whole = "https://bedrock-runtime.eu-west-1.amazonaws.com/model/other/converse";
  expect(body({ baseUrl: whole }).url).toBe(
    `https://bedrock-runtime.eu-west-1.amazonaws.com/model/${encodeURIComponent(nova)}/converse-stream`,
  );
  const more = { body: { performanceConfig: { latency: "optimized" } }, headers: { "X-Own": "1" } };
  expect(body(more).headers).toEqual({
    "Content-Type": "application/json",
    Authorization: "Bearer ABSKkey",
    "X-Own": "1",
  });
  expect(JSON.parse(body(more).body)).toMatchObject({ performanceConfig: { latency: "optimized" } });
  expect(() => body({ seed: 7 })).toThrow("The provider bedrock has no seed");
  expect(() => body({ toolChoice: "none" })).toThrow("Bedrock's Converse has no toolChoice none");
});

test("pictures and PDF are given in Converse's form, and a signed thought goes back as it came", () => {
  const bedrock = new BedrockProvider();
  const files = bedrock.files as (file: object, options: object) => unknown;
  const file = { kind: "pdf", mediaType: "application/pdf", name: "März: plan_2.pdf", url: "", data: "JVBERi0=" };
  const document = { format: "pdf", name: "M rz plan 2", source: { bytes: "JVBERi0=" } };
  expect(files(file, { model: nova })).toEqual({ document });
  expect(files(file, { model: claude })).toMatchObject({ type: "document" });
  expect(files({ ...file, kind: "audio" }, { model: nova })).toBeUndefined();
  const reader = bedrock.createStreamReader();
  const read = (name: string, fields: object) => reader.read(name, JSON.stringify(fields));
  read("contentBlockDelta", { contentBlockIndex: 0, delta: { reasoningContent: { text: "Hm" } } });
  read("contentBlockDelta", { contentBlockIndex: 0, delta: { reasoningContent: { signature: "c2ln" } } });
  read("contentBlockDelta", { contentBlockIndex: 1, delta: { text: "Rome." } });
  const hints = read("messageStop", { stopReason: "end_turn" })?.providerHints ?? {};
  const { body } = bedrock.buildRequest(
    [
      {
        role: "user",
        content: [
          { type: "image", url: "data:image/png;base64,AAAA" },
          { type: "text", text: " " },
        ],
      },
      { role: "assistant", content: "Rome.", providerHints: hints },
      { role: "user", content: "Sure?" },
    ],
    { model: nova },
  );
  expect(JSON.parse(body).messages).toEqual([
    { role: "user", content: [{ image: { format: "png", source: { bytes: "AAAA" } } }] },
    {
      role: "assistant",
      content: [{ reasoningContent: { reasoningText: { text: "Hm", signature: "c2ln" } } }, { text: "Rome." }],
    },
    { role: "user", content: [{ text: "Sure?" }] },
  ]);
});

test("texts that show nothing are no blocks of Converse's: a model's are left out, and a tool's result is a word", () => {
  const toolCalls = [{ id: "t1", name: "look", arguments: "{}" }];
  const laidOut = {
    bedrock: { parts: [{ text: 2 }, { block: { reasoningContent: {} } }, { text: 2 }, { call: true }] },
  };
  const { body } = new BedrockProvider().buildRequest(
    [
      { role: "system", content: " " },
      { role: "user", content: "Where?" },
      { role: "assistant", content: "\n\n", toolCalls },
      { role: "tool", content: " ", toolCallId: "t1" },
      { role: "assistant", content: " \nHm", toolCalls, providerHints: laidOut },
      { role: "tool", content: "", toolCallId: "t1" },
      { role: "assistant", content: "\n" },
      { role: "user", content: "Well?" },
    ],
    { model: nova },
  );
  const call = { toolUse: { toolUseId: "t1", name: "look", input: {} } };
  const done = { toolResult: { toolUseId: "t1", content: [{ text: "Done." }], status: "success" } };
  expect(JSON.parse(body)).not.toHaveProperty("system");
  expect(JSON.parse(body).messages).toEqual([
    { role: "user", content: [{ text: "Where?" }] },
    { role: "assistant", content: [call] },
    { role: "user", content: [done] },
    { role: "assistant", content: [{ reasoningContent: {} }, { text: "Hm" }, call] },
    { role: "user", content: [done, { text: "Well?" }] },
  ]);
});
