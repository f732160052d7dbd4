import Anthropic from "@anthropic-ai/sdk";
import { expect, test } from "vitest";
import {
  aboutIt,
  expectedArguments,
  listOf,
  pixel,
  reported,
  result,
  sentence,
  startRehearsal,
  token,
  weather,
} from "./rehearsal.test-helper.ts";

const { name, description, schema } = weather;
const tools: Anthropic.Tool[] = [{ name, description, input_schema: schema as unknown as Anthropic.Tool.InputSchema }];
const model = "claude-any";
const max_tokens = 1024;
const user = (content: Anthropic.MessageParam["content"]): Anthropic.MessageParam => ({ role: "user", content });

async function connect() {
  const rehearsal = await startRehearsal();
  return {
    ...rehearsal,
    client: new Anthropic({ apiKey: token, baseURL: `${rehearsal.url}/anthropic`, maxRetries: 0 }),
  };
}

const textOf = ({ content }: Anthropic.Message): string =>
  content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");

test("Anthropic's SDK is answered at once", async () => {
  const { client } = await connect();
  const answer = await client.messages.create({ model, max_tokens, system: "Be kind.", messages: [user("hello")] });
  expect(answer).toMatchObject({
    type: "message",
    role: "assistant",
    model: "pagewire-rehearsal",
    stop_reason: "end_turn",
    stop_sequence: null,
  });
  expect(textOf(answer)).toMatch(aboutIt);
  expect(answer.usage.input_tokens).toBeGreaterThan(0);
  expect(answer.usage.output_tokens).toBe(Math.ceil(textOf(answer).length / 4));
});

test("Anthropic's SDK is streamed every event under its name", async () => {
  const { client, url } = await connect();
  const request = { model, max_tokens, messages: [user("hello")] };
  const stream = client.messages.stream(request);
  const texts: string[] = [];
  stream.on("text", (text) => texts.push(text));
  const answer = await stream.finalMessage();
  expect(texts.length).toBeGreaterThan(10);
  expect(answer).toMatchObject({ ...(await client.messages.create(request)), id: answer.id });
  const raw = await fetch(`${url}/anthropic/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": token, "anthropic-version": "2023-06-01" },
    body: JSON.stringify({ ...request, stream: true }),
  });
  const names = [...(await raw.text()).matchAll(/^event: (.*)$/gm)].map(([, one]) => one);
  expect(names.filter((one, index) => one !== names[index - 1])).toEqual([
    "message_start",
    "content_block_start",
    "ping",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
  ]);
});

test("tools go round with Anthropic's SDK, their input streamed in pieces", async () => {
  const { client } = await connect();
  const stream = client.messages.stream({ model, max_tokens, tools, messages: [user(sentence)] });
  let pieces = 0;
  stream.on("inputJson", () => pieces++);
  const first = await stream.finalMessage();
  const [call] = first.content.filter((block) => block.type === "tool_use");
  expect(first.stop_reason).toBe("tool_use");
  expect(call?.input).toEqual(expectedArguments);
  expect(pieces).toBeGreaterThan(1);
  const answer = await client.messages.create({
    model,
    max_tokens,
    tools,
    messages: [
      user(sentence),
      { role: "assistant", content: first.content },
      user([{ type: "tool_result", tool_use_id: call?.id ?? "", content: [{ type: "text", text: result }] }]),
    ],
  });
  expect(textOf(answer)).toMatch(reported);
});

test("Anthropic's SDK can force one tool, any, or none, and only one at a time", async () => {
  const { client } = await connect();
  const choose = async (tool_choice: Anthropic.ToolChoice, text = "hello") => {
    const answer = await client.messages.create({ model, max_tokens, tools, tool_choice, messages: [user(text)] });
    return answer.content.filter(({ type }) => type === "tool_use").length;
  };
  expect(await choose({ type: "auto" })).toBe(0);
  expect(await choose({ type: "any" })).toBe(1);
  expect(await choose({ type: "tool", name })).toBe(1);
  expect(await choose({ type: "none" }, sentence)).toBe(0);
  const both = "weather in Rome and weather in Paris";
  expect(await choose({ type: "auto" }, both)).toBe(2);
  expect(await choose({ type: "auto", disable_parallel_tool_use: true }, both)).toBe(1);
});

test("Anthropic's SDK gets schemas, images, limits and stop sequences", async () => {
  const { client } = await connect();
  const format = { type: "json_schema" as const, schema: { ...schema, additionalProperties: false } };
  const shaped = await client.messages.create({
    model,
    max_tokens,
    output_config: { format },
    messages: [user(sentence)],
  });
  expect(JSON.parse(textOf(shaped))).toEqual(expectedArguments);
  const image = {
    type: "image" as const,
    source: { type: "base64" as const, media_type: "image/png" as const, data: pixel },
  };
  const messages = [user([image, { type: "text", text: "what is it?" }])];
  expect(textOf(await client.messages.create({ model, max_tokens, messages }))).toContain("one image (image/png)");
  const cut = await client.messages.create({ model, max_tokens: 3, messages });
  expect(cut).toMatchObject({ stop_reason: "max_tokens", content: [{ text: "I was given " }] });
  const stopped = await client.messages.create({ model, max_tokens, messages, stop_sequences: [" given"] });
  expect(stopped).toMatchObject({
    stop_reason: "stop_sequence",
    stop_sequence: " given",
    content: [{ text: "I was" }],
  });
});

test("a result that Anthropic's SDK marks as an error is reported as one", async () => {
  const { client } = await connect();
  const content: Anthropic.ContentBlockParam[] = [{ type: "tool_use", id: "t1", name, input: {} }];
  const failed = user([{ type: "tool_result", tool_use_id: "t1", is_error: true, content: "No such city." }]);
  const answer = await client.messages.create({
    model,
    max_tokens,
    tools,
    messages: [user("x"), { role: "assistant", content }, failed],
  });
  expect(textOf(answer)).toContain("it failed: No such city.");
});

test("Anthropic's SDK is told what is wrong with a request in Anthropic's own words", async () => {
  const { client, url } = await connect();
  const send = (body: object) => client.messages.create({ model, max_tokens, messages: [user("x")], ...body } as never);
  const cases: readonly (readonly [object, RegExp])[] = [
    [{ colour: 1 }, /colour: Extra inputs are not permitted/],
    [{ max_tokens: undefined }, /max_tokens: Field required/],
    [{ messages: [{ role: "system", content: "x" }] }, /Unexpected role \\"system\\"/],
    [{ messages: [user([{ type: "video" } as never])] }, /messages\.0\.content\.0\.type must be one of/],
    [{ tools: [{ name: "x" }] }, /tools\.0\.input_schema: Field required/],
    [{ temperature: 2 }, /temperature must be less than or equal to 1/],
  ];
  for (const [body, expected] of cases) {
    const refused = expect(send(body)).rejects;
    await refused.toBeInstanceOf(Anthropic.BadRequestError);
    await expect(send(body)).rejects.toThrow(expected);
    await expect(send(body)).rejects.toMatchObject({
      error: { type: "error", error: { type: "invalid_request_error" } },
    });
  }
  const stranger = new Anthropic({ apiKey: "wrong", baseURL: `${url}/anthropic`, maxRetries: 0 });
  await expect(stranger.messages.create({ model, max_tokens, messages: [] })).rejects.toMatchObject({
    status: 401,
    error: { error: { type: "authentication_error" } },
  });
});

test("Anthropic's SDK may not leave a call without its result", async () => {
  const { client } = await connect();
  const content: Anthropic.ContentBlockParam[] = [{ type: "tool_use", id: "t1", name, input: {} }];
  const messages: Anthropic.MessageParam[] = [user("x"), { role: "assistant", content }, user("y")];
  await expect(client.messages.create({ model, max_tokens, messages })).rejects.toThrow(
    /without `tool_result` blocks immediately after: t1/,
  );
});

test("Anthropic's SDK counts tokens and lists the one model that there is", async () => {
  const { client } = await connect();
  const messages = [user("hello there")];
  const { input_tokens } = await client.messages.countTokens({ model, messages });
  expect((await client.messages.create({ model, max_tokens, messages })).usage.input_tokens).toBe(input_tokens);
  expect((await listOf(client.models.list())).map(({ id }) => id)).toEqual(["pagewire-rehearsal"]);
  await expect(client.models.retrieve("claude-x")).rejects.toBeInstanceOf(Anthropic.NotFoundError);
});
