import OpenAI, { AzureOpenAI } from "openai";
import { zodResponseFormat } from "openai/helpers/zod";
import { expect, test } from "vitest";
import { z } from "zod";
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
const tools = [{ type: "function" as const, function: { name, description, parameters: schema } }];
const model = "gpt-any";
const user = (content: string) => ({ role: "user" as const, content });

async function connect() {
  const rehearsal = await startRehearsal();
  return { ...rehearsal, client: new OpenAI({ apiKey: token, baseURL: `${rehearsal.url}/openai/v1`, maxRetries: 0 }) };
}

test("OpenAI's SDK is answered at once", async () => {
  const { client } = await connect();
  const answer = await client.chat.completions.create({ model, messages: [user("hello")] });
  expect(answer).toMatchObject({ object: "chat.completion", model: "pagewire-rehearsal", created: 1_773_230_400 });
  expect(answer.choices[0]).toMatchObject({
    index: 0,
    finish_reason: "stop",
    message: { role: "assistant", refusal: null },
  });
  expect(answer.choices[0]?.message.content).toMatch(aboutIt);
  const { prompt_tokens, completion_tokens, total_tokens } = answer.usage ?? {};
  expect(total_tokens).toBe(Number(prompt_tokens) + Number(completion_tokens));
});

test("OpenAI's SDK is streamed text in pieces, then the reason, the usage where it is asked for, and [DONE]", async () => {
  const { client, url } = await connect();
  const request = { model, messages: [user("hello")] };
  const whole = await client.chat.completions.create(request);
  const stream = await client.chat.completions.create({
    ...request,
    stream: true,
    stream_options: { include_usage: true },
  });
  const chunks = await listOf(stream);
  const texts = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "");
  expect(texts.filter(Boolean).length).toBeGreaterThan(10);
  expect(texts.join("")).toBe(whole.choices[0]?.message.content);
  expect(chunks[0]?.choices[0]?.delta.role).toBe("assistant");
  expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe("stop");
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: whole.usage });
  expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
  const plain = await listOf(await client.chat.completions.create({ ...request, stream: true }));
  expect(plain.every((chunk) => chunk.usage === undefined)).toBe(true);
  const raw = await fetch(`${url}/openai/v1/chat/completions`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}` },
    body: JSON.stringify({ ...request, stream: true }),
  });
  expect(raw.headers.get("content-type")).toContain("text/event-stream");
  expect(await raw.text()).toMatch(/\n\ndata: \[DONE\]\n\n$/);
});

test("tools go round with OpenAI's SDK, their arguments streamed in pieces", async () => {
  const { client } = await connect();
  const stream = client.chat.completions.stream({ model, messages: [user(sentence)], tools });
  let pieces = 0;
  stream.on("tool_calls.function.arguments.delta", () => pieces++);
  const first = await stream.finalChatCompletion();
  const message = first.choices[0]?.message;
  const [call] = message?.tool_calls ?? [];
  expect(first.choices[0]?.finish_reason).toBe("tool_calls");
  expect(message?.content).toBeNull();
  expect(JSON.parse(call?.type === "function" ? call.function.arguments : "")).toEqual(expectedArguments);
  expect(pieces).toBeGreaterThan(1);
  const answer = await client.chat.completions.create({
    model,
    tools,
    messages: [
      user(sentence),
      { role: "assistant", content: null, tool_calls: message?.tool_calls ?? [] },
      { role: "tool", tool_call_id: call?.id ?? "", content: result },
    ],
  });
  expect(answer.choices[0]?.message.content).toMatch(reported);
});

test("OpenAI's SDK runs tools by itself", async () => {
  const { client } = await connect();
  const asked: unknown[] = [];
  const runner = client.chat.completions.runTools({
    model,
    stream: true,
    messages: [user(sentence)],
    tools: [
      {
        type: "function",
        function: {
          name,
          description,
          parameters: schema as never,
          parse: JSON.parse,
          function: (given: object) => {
            asked.push(given);
            return result;
          },
        },
      },
    ],
  });
  expect(await runner.finalContent()).toMatch(reported);
  expect(asked).toEqual([expectedArguments]);
});

test("OpenAI's SDK can force, forbid and limit tools", async () => {
  const { client } = await connect();
  const choose = async (tool_choice: OpenAI.ChatCompletionToolChoiceOption) => {
    const answer = await client.chat.completions.create({ model, messages: [user("hello")], tools, tool_choice });
    return answer.choices[0]?.message.tool_calls?.length ?? 0;
  };
  expect(await choose("auto")).toBe(0);
  expect(await choose("required")).toBe(1);
  expect(await choose({ type: "function", function: { name } })).toBe(1);
  const allowed = { mode: "required" as const, tools: [{ type: "function", function: { name } }] };
  expect(await choose({ type: "allowed_tools", allowed_tools: allowed })).toBe(1);
});

test("OpenAI's SDK parses an answer with a schema, streamed or not", async () => {
  const { client } = await connect();
  const shape = z.object({ city: z.string(), days: z.number().int().min(1).max(7), tags: z.array(z.string()).min(1) });
  const request = { model, messages: [user(sentence)], response_format: zodResponseFormat(shape, "forecast") };
  const answer = await client.chat.completions.parse(request);
  expect(answer.choices[0]?.message.parsed).toMatchObject(expectedArguments);
  const streamed = await client.chat.completions.stream(request).finalChatCompletion();
  expect(streamed.choices[0]?.message.parsed).toEqual(answer.choices[0]?.message.parsed);
  const free = await client.chat.completions.create({ ...request, response_format: { type: "json_object" } });
  expect(JSON.parse(free.choices[0]?.message.content ?? "")).toMatchObject({ model: "pagewire-rehearsal" });
});

test("OpenAI's SDK sends images, limits and stop sequences", async () => {
  const { client } = await connect();
  const image = { type: "image_url" as const, image_url: { url: `data:image/png;base64,${pixel}` } };
  const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: "what is it?" }, image] }];
  const answer = await client.chat.completions.create({ model, messages });
  expect(answer.choices[0]?.message.content).toContain("one image (image/png)");
  const cut = await client.chat.completions.create({ model, messages, max_completion_tokens: 3 });
  expect(cut.choices[0]).toMatchObject({ finish_reason: "length", message: { content: "I was given " } });
  const stopped = await client.chat.completions.create({ model, messages, stop: [" given"] });
  expect(stopped.choices[0]).toMatchObject({ finish_reason: "stop", message: { content: "I was" } });
});

test("the same request has the same answer with the same ids, and another one has others", async () => {
  const { client } = await connect();
  const create = (text: string) => client.chat.completions.create({ model, messages: [user(text)], tools });
  expect(await create(sentence)).toEqual(await create(sentence));
  expect((await create(sentence)).id).not.toBe((await create(`${sentence} `)).id);
});

test("Azure's client is answered by deployment and key, streamed with its content filter's words", async () => {
  const { url, asked } = await startRehearsal();
  const client = new AzureOpenAI({ apiKey: token, endpoint: `${url}/azure`, apiVersion: "2024-10-21", maxRetries: 0 });
  const request = { model: "my-deployment", messages: [user(sentence)], tools };
  const answer = await client.chat.completions.create(request);
  expect(asked).toEqual([
    "POST /rehearsal/azure/openai/deployments/my-deployment/chat/completions?api-version=2024-10-21",
  ]);
  expect(answer.choices[0]?.finish_reason).toBe("tool_calls");
  const chunks = await listOf(await client.chat.completions.create({ ...request, stream: true }));
  expect(chunks[0]).toMatchObject({ choices: [], prompt_filter_results: [{ prompt_index: 0 }] });
  const streamed = await client.chat.completions.stream(request).finalChatCompletion();
  const namesOf = ({ choices }: OpenAI.ChatCompletion) =>
    choices[0]?.message.tool_calls?.map((call) => (call.type === "function" ? call.function : undefined));
  expect(namesOf(streamed)).toMatchObject(namesOf(answer) ?? []);
  expect(namesOf(answer)).toHaveLength(1);
});

test("Azure's client without a version finds nothing, and is told so as Azure does", async () => {
  const { url } = await startRehearsal();
  const response = await fetch(`${url}/azure/openai/deployments/x/chat/completions`, {
    method: "POST",
    headers: { "api-key": token },
    body: "{}",
  });
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ error: { code: "404" } });
});

test("OpenAI's SDK is told what is wrong with a request in OpenAI's own words", async () => {
  const { client, url } = await connect();
  const send = (body: object) => client.chat.completions.create({ model, messages: [user("x")], ...body } as never);
  const cases: readonly (readonly [object, object])[] = [
    [{ colour: 1 }, { code: "unknown_parameter", param: "colour", message: "400 Unknown parameter: 'colour'." }],
    [{ messages: undefined }, { code: "missing_required_parameter", param: "messages" }],
    [{ messages: "x" }, { code: "invalid_type", param: "messages" }],
    [{ messages: [{ role: "robot", content: "x" }] }, { code: "invalid_value", param: "messages[0].role" }],
    [{ messages: [user("x"), { role: "tool", tool_call_id: "a", content: "x" }] }, { param: "messages" }],
    [{ temperature: 3 }, { param: "temperature" }],
    [{ n: 2 }, { param: "n" }],
    [{ tools: [{ type: "function", function: { name: "has space" } }] }, { param: "tools" }],
    [{ tools: [...tools, ...tools] }, { param: "tools" }],
    [{ tool_choice: "required" }, { param: "tool_choice" }],
    [{ tools, tool_choice: { type: "function", function: { name: "other" } } }, { param: "tool_choice" }],
    [{ stream_options: { include_usage: true } }, { param: "stream_options" }],
  ];
  for (const [body, expected] of cases)
    await expect(send(body)).rejects.toMatchObject({ status: 400, type: "invalid_request_error", ...expected });
  const stranger = new OpenAI({ apiKey: "wrong", baseURL: `${url}/openai/v1`, maxRetries: 0 });
  await expect(stranger.chat.completions.create({ model, messages: [] })).rejects.toBeInstanceOf(
    OpenAI.AuthenticationError,
  );
});

test("OpenAI's SDK may not leave a call without its result", async () => {
  const { client } = await connect();
  const call = { id: "call_1", type: "function" as const, function: { name, arguments: "{}" } };
  const messages = [user("x"), { role: "assistant" as const, content: null, tool_calls: [call] }, user("y")];
  await expect(client.chat.completions.create({ model, messages })).rejects.toThrow(
    /did not have response messages: call_1/,
  );
});

test("OpenAI's SDK lists the one model that there is", async () => {
  const { client } = await connect();
  expect((await listOf(client.models.list())).map(({ id }) => id)).toEqual(["pagewire-rehearsal"]);
  expect(await client.models.retrieve("pagewire-rehearsal")).toMatchObject({ object: "model" });
  await expect(client.models.retrieve("gpt-x")).rejects.toMatchObject({ status: 404, code: "model_not_found" });
});
