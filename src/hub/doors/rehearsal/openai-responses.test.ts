import OpenAI from "openai";
import { zodTextFormat } from "openai/helpers/zod";
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
const tools = [{ type: "function" as const, name, description, parameters: schema, strict: false }];
const model = "gpt-any";

async function connect(): Promise<OpenAI> {
  const { url } = await startRehearsal();
  return new OpenAI({ apiKey: token, baseURL: `${url}/openai/v1`, maxRetries: 0 });
}

test("Responses are given at once, with instructions or a conversation", async () => {
  const client = await connect();
  const answer = await client.responses.create({ model, instructions: "Be kind.", input: "hello" });
  expect(answer).toMatchObject({ object: "response", status: "completed", model: "pagewire-rehearsal", error: null });
  expect(answer.output_text).toMatch(aboutIt);
  expect(answer.usage?.total_tokens).toBe(Number(answer.usage?.input_tokens) + Number(answer.usage?.output_tokens));
  const again = await client.responses.create({
    model,
    input: [
      { role: "developer", content: "Be kind." },
      {
        role: "user",
        content: [
          { type: "input_text", text: "hello" },
          { type: "input_image", detail: "auto", image_url: `data:image/png;base64,${pixel}` },
        ],
      },
    ],
  });
  expect(again.output_text).toContain("one image (image/png)");
});

test("Responses stream every event of a text, numbered from nought", async () => {
  const client = await connect();
  const events = await listOf(await client.responses.create({ model, input: "hello", stream: true }));
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
  const types = events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]);
  expect(types).toEqual([
    "response.created",
    "response.in_progress",
    "response.output_item.added",
    "response.content_part.added",
    "response.output_text.delta",
    "response.output_text.done",
    "response.content_part.done",
    "response.output_item.done",
    "response.completed",
  ]);
  const streamed = await client.responses.stream({ model, input: "hello" }).finalResponse();
  expect(streamed.output_text).toMatch(aboutIt);
});

test("tools go round in Responses, their arguments streamed in pieces", async () => {
  const client = await connect();
  const stream = client.responses.stream({ model, input: sentence, tools });
  let pieces = 0;
  stream.on("response.function_call_arguments.delta", () => pieces++);
  const first = await stream.finalResponse();
  const [call] = first.output.filter((item) => item.type === "function_call");
  expect(JSON.parse(call?.arguments ?? "")).toEqual(expectedArguments);
  expect(pieces).toBeGreaterThan(1);
  const answer = await client.responses.create({
    model,
    tools,
    input: [
      { role: "user", content: sentence },
      { type: "function_call", call_id: call?.call_id ?? "", name, arguments: call?.arguments ?? "" },
      { type: "function_call_output", call_id: call?.call_id ?? "", output: result },
    ],
  });
  expect(answer.output_text).toMatch(reported);
  const forced = await client.responses.create({ model, input: "x", tools, tool_choice: { type: "function", name } });
  expect(forced.output.map(({ type }) => type)).toContain("function_call");
});

test("Responses with a schema are parsed, and one that is cut says so", async () => {
  const client = await connect();
  const shape = z.object({ city: z.string(), days: z.number() });
  const answer = await client.responses.parse({
    model,
    input: sentence,
    text: { format: zodTextFormat(shape, "forecast") },
  });
  expect(answer.output_parsed).toEqual(expectedArguments);
  const cut = await client.responses.create({ model, input: "x", max_output_tokens: 16 });
  expect(cut).toMatchObject({ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } });
  const events = await listOf(
    await client.responses.create({ model, input: "x", max_output_tokens: 16, stream: true }),
  );
  expect(events.at(-1)?.type).toBe("response.incomplete");
});

test("Responses refuse in OpenAI's own words what they do not know or keep", async () => {
  const client = await connect();
  const send = (body: object) => client.responses.create({ model, input: "x", ...body } as never);
  const cases: readonly (readonly [object, object])[] = [
    [{ colour: 1 }, { code: "unknown_parameter", param: "colour" }],
    [{ input: undefined }, { code: "missing_required_parameter", param: "input" }],
    [{ input: [{ type: "mystery" }] }, { code: "invalid_value", param: "input[0].type" }],
    [{ tools: [{ type: "web_search" }] }, { code: "invalid_value", param: "tools[0].type" }],
    [{ previous_response_id: "resp_1" }, { code: "previous_response_not_found" }],
    [{ background: true }, { param: "background" }],
  ];
  for (const [body, expected] of cases) await expect(send(body)).rejects.toMatchObject({ status: 400, ...expected });
});

test("Responses do not take a call without its output, or an output without its call", async () => {
  const client = await connect();
  const call = { type: "function_call" as const, call_id: "c1", name, arguments: "{}" };
  const output = { type: "function_call_output" as const, call_id: "c2", output: "x" };
  await expect(client.responses.create({ model, input: [call] })).rejects.toThrow(
    "No tool output found for function call c1.",
  );
  await expect(client.responses.create({ model, input: [output] })).rejects.toThrow(
    /No tool call found .* call_id c2\./,
  );
});
