import { ApiError, FunctionCallingConfigMode, GoogleGenAI, Type } from "@google/genai";
import type { Content, GenerateContentConfig } from "@google/genai";
import { expect, test } from "vitest";
import {
  aboutIt,
  expectedArguments,
  listOf,
  pixel,
  reported,
  sentence,
  startRehearsal,
  token,
  weather,
} from "./rehearsal.test-helper.ts";

const { name, description, schema } = weather;
const tools = [{ functionDeclarations: [{ name, description, parametersJsonSchema: schema }] }];
const model = "gemini-any";

async function connect() {
  const rehearsal = await startRehearsal();
  const client = new GoogleGenAI({
    apiKey: token,
    vertexai: false,
    httpOptions: { baseUrl: `${rehearsal.url}/google` },
  });
  return { ...rehearsal, client };
}

test("Google's SDK is answered at once", async () => {
  const { client, asked } = await connect();
  const answer = await client.models.generateContent({
    model,
    contents: "hello",
    config: { systemInstruction: "Be kind." },
  });
  expect(asked).toEqual(["POST /rehearsal/google/v1beta/models/gemini-any:generateContent"]);
  expect(answer.text).toMatch(aboutIt);
  expect(answer.candidates?.[0]).toMatchObject({ finishReason: "STOP", index: 0, content: { role: "model" } });
  expect(answer.modelVersion).toBe("pagewire-rehearsal");
  const { promptTokenCount, candidatesTokenCount, totalTokenCount } = answer.usageMetadata ?? {};
  expect(totalTokenCount).toBe(Number(promptTokenCount) + Number(candidatesTokenCount));
});

test("Google's SDK is streamed text in pieces, the reason and the usage last", async () => {
  const { client } = await connect();
  const whole = await client.models.generateContent({ model, contents: "hello" });
  const chunks = await listOf(await client.models.generateContentStream({ model, contents: "hello" }));
  expect(chunks.length).toBeGreaterThan(10);
  expect(chunks.map(({ text }) => text ?? "").join("")).toBe(whole.text);
  expect(chunks.at(-1)?.candidates?.[0]?.finishReason).toBe("STOP");
  expect(chunks.at(-1)?.usageMetadata).toEqual(whole.usageMetadata);
});

test("without alt=sse a stream is one JSON array", async () => {
  const { url } = await connect();
  const response = await fetch(`${url}/google/v1beta/models/x:streamGenerateContent`, {
    method: "POST",
    headers: { "x-goog-api-key": token },
    body: JSON.stringify({ contents: [{ parts: [{ text: "hello" }] }] }),
  });
  expect(response.headers.get("content-type")).toBe("application/json");
  const chunks = (await response.json()) as readonly { candidates: readonly { finishReason?: string }[] }[];
  expect(chunks.at(-1)?.candidates[0]?.finishReason).toBe("STOP");
});

test("tools go round with Google's SDK", async () => {
  const { client } = await connect();
  const chunks = await listOf(
    await client.models.generateContentStream({ model, contents: sentence, config: { tools } }),
  );
  const [call] = chunks.flatMap((chunk) => chunk.functionCalls ?? []);
  expect(call).toMatchObject({ name, args: expectedArguments });
  const respond = async (id: object) => {
    const functionResponse = { ...id, name, response: { output: { sky: "clear", degrees: 21 } } };
    const contents: Content[] = [
      { role: "user", parts: [{ text: sentence }] },
      { role: "model", parts: [{ functionCall: { ...id, name, args: expectedArguments } }] },
      { role: "user", parts: [{ functionResponse }] },
    ];
    return (await client.models.generateContent({ model, contents, config: { tools } })).text;
  };
  expect(await respond({ id: call?.id })).toMatch(reported);
  expect(await respond({})).toMatch(reported);
});

test("Google's SDK can force and forbid tools, and declare them with Google's own schemas", async () => {
  const { client } = await connect();
  const parameters = {
    type: Type.OBJECT,
    properties: { city: { type: Type.STRING, nullable: true }, days: { type: Type.INTEGER, minimum: 1 } },
    required: ["city"],
  };
  const own = [{ functionDeclarations: [{ name, description, parameters }] }];
  const calls = async (mode: FunctionCallingConfigMode, allowedFunctionNames?: string[]) => {
    const functionCallingConfig = { mode, ...(allowedFunctionNames && { allowedFunctionNames }) };
    const config: GenerateContentConfig = { tools: own, toolConfig: { functionCallingConfig } };
    return (await client.models.generateContent({ model, contents: sentence, config })).functionCalls?.map(
      ({ args }) => args,
    );
  };
  expect(await calls(FunctionCallingConfigMode.NONE)).toBeUndefined();
  expect(await calls(FunctionCallingConfigMode.AUTO)).toEqual([expectedArguments]);
  expect(await calls(FunctionCallingConfigMode.ANY, [name])).toEqual([expectedArguments]);
});

test("Google's SDK gets schemas of both kinds, images and limits", async () => {
  const { client } = await connect();
  const json = { responseMimeType: "application/json" };
  const plain = await client.models.generateContent({
    model,
    contents: sentence,
    config: { ...json, responseJsonSchema: schema },
  });
  expect(JSON.parse(plain.text ?? "")).toEqual(expectedArguments);
  const responseSchema = { type: Type.OBJECT, properties: { city: { type: Type.STRING } }, required: ["city"] };
  const own = await client.models.generateContent({ model, contents: sentence, config: { ...json, responseSchema } });
  expect(JSON.parse(own.text ?? "")).toEqual({ city: "New York" });
  const contents = [
    { role: "user", parts: [{ inlineData: { mimeType: "image/png", data: pixel } }, { text: "what is it?" }] },
  ];
  expect((await client.models.generateContent({ model, contents })).text).toContain("one image (image/png)");
  const cut = await client.models.generateContent({ model, contents, config: { maxOutputTokens: 3 } });
  expect(cut.candidates?.[0]).toMatchObject({
    finishReason: "MAX_TOKENS",
    content: { parts: [{ text: "I was given " }] },
  });
});

test("Google's API is told what is wrong with a request in Google's own words", async () => {
  const { client, url } = await connect();
  const contents = [{ role: "user", parts: [{ text: "x" }] }];
  const cases: readonly (readonly [object, RegExp])[] = [
    [{ contents, colour: 1 }, /Unknown name "colour": Cannot find field/],
    [{ contents, generationConfig: { colour: 1 } }, /Unknown name "colour" at 'generationConfig'/],
    [{}, /contents is not specified/],
    [{ contents: [{ role: "robot", parts: [{ text: "x" }] }] }, /Please use a valid role: user, model/],
    [{ contents, tools: [{ googleSearch: {} }] }, /Unknown name "googleSearch"/],
    [
      { contents: [{ role: "model", parts: [{ functionCall: { name } }] }, ...contents] },
      /number of function response parts/,
    ],
  ];
  for (const [body, expected] of cases) {
    const response = await fetch(`${url}/google/v1beta/models/x:generateContent`, {
      method: "POST",
      headers: { "x-goog-api-key": token },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { code: 400, status: "INVALID_ARGUMENT", message: expect.stringMatching(expected) as unknown },
    });
  }
  const stranger = new GoogleGenAI({ apiKey: "wrong", vertexai: false, httpOptions: { baseUrl: `${url}/google` } });
  await expect(stranger.models.generateContent({ model, contents: "x" })).rejects.toMatchObject({ status: 401 });
  await expect(client.models.get({ model: "gemini-x" })).rejects.toBeInstanceOf(ApiError);
});

test("Google's fields are taken in snake case too", async () => {
  const { url } = await connect();
  const response = await fetch(`${url}/google/v1beta/models/x:generateContent`, {
    method: "POST",
    headers: { "x-goog-api-key": token },
    body: JSON.stringify({
      system_instruction: { parts: [{ text: "Be kind." }] },
      contents: [{ parts: [{ text: sentence }, { inline_data: { mime_type: "image/png", data: pixel } }] }],
      tools: [
        {
          function_declarations: [
            { name, parameters: { type: "OBJECT", properties: { city: { type: "STRING" } }, required: ["city"] } },
          ],
        },
      ],
      tool_config: { function_calling_config: { mode: "ANY", allowed_function_names: [name] } },
    }),
  });
  expect(await response.json()).toMatchObject({
    candidates: [{ content: { parts: [{ functionCall: { name, args: { city: "New York" } } }] } }],
  });
});

test("Google's SDK counts tokens and lists the one model that there is", async () => {
  const { client } = await connect();
  const { totalTokens } = await client.models.countTokens({ model, contents: "hello there" });
  const answer = await client.models.generateContent({ model, contents: "hello there" });
  expect(answer.usageMetadata?.promptTokenCount).toBe(totalTokens);
  const models = await listOf(await client.models.list());
  expect(models.map((one) => one.name)).toEqual(["models/pagewire-rehearsal"]);
  expect((await client.models.get({ model: "pagewire-rehearsal" })).displayName).toBe("Pagewire's rehearsal model");
});
