import { createServer } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { AiCore, providerNames } from "../index.ts";
import type { AiMessage, AiRequestOptions } from "../index.ts";
import { vendorStreams } from "../vendor-streams.test-fixture.ts";
import { loadProvider } from "./by-name.ts";
import type { PresetName } from "./presets.ts";
import { streamOf } from "./read-stream.test-helper.ts";

interface Vendor {
  readonly name: PresetName | "vertex";
  /** The address of an answer, where the vendor's API is. */
  readonly address: string;
  /** A part of the title of its stream. */
  readonly title: string;
  /** Fields of a request that the vendor refuses. */
  readonly refuses?: readonly string[];
}

const vertexPath = "/v1/projects/shop/locations/global/publishers/google/models/m:streamGenerateContent?alt=sse";

const vendors: readonly Vendor[] = [
  { name: "ollama", address: "http://127.0.0.1:11434/v1/chat/completions", title: "Ollama's whole calls" },
  { name: "lmstudio", address: "http://127.0.0.1:1234/v1/chat/completions", title: "LM Studio's parts" },
  { name: "openrouter", address: "https://openrouter.ai/api/v1/chat/completions", title: "OpenRouter's comments" },
  {
    name: "mistral",
    address: "https://api.mistral.ai/v1/chat/completions",
    title: "Mistral's thoughts",
    refuses: ["seed", "stream_options", "max_completion_tokens", "reasoning_content", "reasoning"],
  },
  { name: "groq", address: "https://api.groq.com/openai/v1/chat/completions", title: "Groq's x_groq" },
  { name: "deepseek", address: "https://api.deepseek.com/v1/chat/completions", title: "DeepSeek's keep-alive" },
  { name: "xai", address: "https://api.x.ai/v1/chat/completions", title: "xAI's usage" },
  { name: "together", address: "https://api.together.xyz/v1/chat/completions", title: "Together's end" },
  { name: "azure", address: "https://r.openai.azure.com/openai/v1/chat/completions", title: "Azure's first event" },
  { name: "vertex", address: `https://aiplatform.googleapis.com${vertexPath}`, title: "Vertex's call in parts, each" },
];

interface Asked {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
}

/** A server that takes what the vendor takes, and streams what it streams: first the recording, then words. */
async function startVendor({ name, address, title, refuses = [] }: Vendor) {
  const { text } = vendorStreams.find((stream) => stream.title.startsWith(title)) ?? {};
  const end =
    name === "vertex"
      ? { candidates: [{ content: { parts: [{ text: "Sunny." }] }, finishReason: "STOP" }] }
      : undefined;
  const words = end
    ? streamOf([end])
    : streamOf([{ choices: [{ delta: { content: "Sunny." }, finish_reason: "stop" }] }, "[DONE]"]);
  const requests: Asked[] = [];
  const server = createServer((request, response) => {
    let json = "";
    request.on("data", (piece: Buffer) => (json += piece.toString()));
    request.on("end", () => {
      const body = JSON.parse(json) as Asked["body"];
      requests.push({ path: request.url ?? "", headers: request.headers, body });
      const messages = (body["messages"] ?? body["contents"]) as object[];
      const fields = [...Object.keys(body), ...messages.flatMap((message) => Object.keys(message))];
      const isRight = request.url === new URL(address).pathname + new URL(address).search;
      const wrong = isRight ? fields.filter((field) => refuses.includes(field)) : [`no ${request.url}`];
      if (wrong.length > 0) return response.writeHead(isRight ? 422 : 404).end(JSON.stringify({ detail: wrong }));
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      const bytes = Buffer.from(requests.length === 1 ? (text as string) : words);
      // In two pieces, wherever that is.
      response.write(bytes.subarray(0, bytes.length / 2));
      return response.end(bytes.subarray(bytes.length / 2));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  return { requests, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const hello: AiMessage[] = [{ role: "user", content: "Hi" }];

async function requestOf(name: string, options: Partial<AiRequestOptions> = {}, messages = hello) {
  const provider = await loadProvider(name as PresetName);
  const { url, headers, body } = provider.buildRequest(messages, { model: "m", apiKey: "sk-1", ...options });
  return { url, headers, body: JSON.parse(body) as Record<string, unknown> };
}

test.each(vendors)(
  "$name: the model calls a tool and answers, at a server that takes and sends what the vendor does",
  async (vendor) => {
    const { name, address } = vendor;
    const { requests, origin } = await startVendor(vendor);
    const core = new AiCore();
    core.provider = name;
    const runs: object[] = [];
    const handler = (args: object) => (runs.push(args), "sunny");
    const tools = [{ name: "look", description: "Looks.", parameters: { type: "object" }, handler }];
    const prefix = new URL(address).pathname.replace(/\/(chat\/completions|publishers\/.*)$/, "");
    const given = {
      model: "m",
      apiKey: "sk-1",
      baseUrl: origin + prefix,
      seed: 7,
      tools,
      toolChoice: "required" as const,
    };
    const answer = await core.send("Where?", given);
    expect(core.error).toBeNull();
    // Together's recording has no call.
    const isAnswer = name === "together";
    expect([answer, ...runs.slice(0, 1)]).toMatchObject(isAnswer ? ["Rome."] : ["Sunny.", { city: "Rome" }]);
    expect(requests).toHaveLength(isAnswer ? 1 : 2);
    for (const { headers } of requests) expect(headers.authorization).toBe("Bearer sk-1");
    expect(requests[0]?.body).toMatchObject(name === "vertex" ? {} : { model: "m", stream: true });
  },
);

test.each(vendors)("$name has its address by itself, and by any form of it", async ({ name, address }) => {
  const whole = new URL(address);
  const own = { azure: whole.origin, vertex: whole.origin + whole.pathname }[name as string];
  expect((await requestOf(name, own ? { baseUrl: own } : {})).url).toBe(address);
  for (const query of name === "vertex" ? [] : ["", "?team=1"])
    expect((await requestOf(name, { baseUrl: address + query })).url).toBe(address + query);
});

test.each(providerNames.split(", "))("the provider %s is there by its name", async (name) => {
  const core = new AiCore();
  core.provider = name;
  let asked = "";
  const fetch = async (url: unknown) => ((asked = String(url)), new Response("{}", { status: 400 }));
  const options = { model: "m", baseUrl: "http://vendor.test/v1", fetch: fetch as typeof globalThis.fetch };
  expect(await core.send("Hi", options)).toBeNull();
  expect(core.error).toMatchObject({ status: 400 });
  expect(asked).toMatch(/^http:\/\/vendor\.test\/v1\//);
});

test("a server on this machine needs no key, and gets none", async () => {
  for (const name of ["ollama", "lmstudio"])
    expect((await requestOf(name, { apiKey: "" })).headers).toEqual({ "Content-Type": "application/json" });
});

test("usage is asked for where the service has that, and as the options say", async () => {
  for (const { name } of vendors.filter((vendor) => !["vertex", "mistral"].includes(vendor.name)))
    expect((await requestOf(name, { baseUrl: "http://vendor.test" })).body["stream_options"]).toEqual({
      include_usage: true,
    });
  expect((await requestOf("groq", { streamOptions: "never" })).body).not.toHaveProperty("stream_options");
});

test("Mistral has its own names for a seed and a forced call, and its own ids of calls", async () => {
  const toolCalls = [
    { id: "call_a_long_id_of_another", name: "look", arguments: "{}" },
    { id: "D681PevKs", name: "look", arguments: "{}" },
  ];
  const messages: AiMessage[] = [
    ...hello,
    { role: "assistant", content: "", reasoning: "Hm", toolCalls },
    ...toolCalls.map(({ id }): AiMessage => ({ role: "tool", content: "1", toolCallId: id })),
  ];
  const look = { name: "look", description: "", parameters: {} };
  const { body } = await requestOf("mistral", { seed: 7, tools: [look], toolChoice: "required" }, messages);
  expect(body).toMatchObject({ random_seed: 7, tool_choice: "any" });
  const [, assistant, one, other] = body["messages"] as { tool_calls?: { id: string }[]; tool_call_id?: string }[];
  const ids = assistant?.tool_calls?.map(({ id }) => id);
  expect(ids).toEqual([one?.tool_call_id, other?.tool_call_id]);
  expect(ids).toEqual([expect.stringMatching(/^[a-z0-9]{9}$/), "D681PevKs"]);
  expect((await requestOf("mistral", { toolChoice: "required" })).body).not.toHaveProperty("tool_choice");
  const { files } = await loadProvider("mistral");
  const file = { kind: "pdf", mediaType: "application/pdf", name: "a.pdf", url: "", data: "JVBERi0=" } as const;
  expect((files as (file: object, options: object) => object)(file, {})).toEqual({
    type: "document_url",
    document_url: "data:application/pdf;base64,JVBERi0=",
    document_name: "a.pdf",
  });
});

test("tools are declared in the parts of JSON Schema that the model's vendor takes", async () => {
  const parameters = { oneOf: [{ type: "object", properties: { städte: { type: "array" } } }] };
  const tools = [{ name: "look", description: "Looks.", parameters }];
  for (const [name, model] of [
    ["mistral", "m"],
    ["vertex", "gemini-2.5-flash"],
    ["vertex", "claude-haiku-4-5"],
    ["bedrock", "amazon.nova-lite-v1:0"],
    ["bedrock", "anthropic.claude-haiku-4-5-20251001-v1:0"],
  ] as const) {
    const declared = JSON.stringify((await requestOf(name, { model, tools })).body);
    expect(declared).toContain("Looks.");
    expect(declared).not.toMatch(/(input_schema|parameters|parametersJsonSchema|json)":\{"oneOf"/);
  }
});

test("DeepSeek takes no schema, and gets it in the prompt", async () => {
  const schema = { type: "object", properties: { city: { type: "string" } } };
  const { body } = await requestOf("deepseek", { responseSchema: schema, system: "Be kind." });
  expect(body["response_format"]).toEqual({ type: "json_object" });
  expect((body["messages"] as object[])[0]).toEqual({
    role: "system",
    content: `Be kind.\n\nAnswer with JSON that matches this JSON Schema, and nothing else: ${JSON.stringify(schema)}`,
  });
});

test("whole answers have the same differences", async () => {
  const mistral = await loadProvider("mistral");
  const content = [
    { type: "thinking", thinking: [{ type: "text", text: "Hm." }] },
    { type: "text", text: "Rome." },
  ];
  const answer = (finish_reason: string) => ({ choices: [{ message: { content }, finish_reason }] });
  expect(mistral.parseResponse(answer("model_length"))).toEqual({
    content: "Rome.",
    reasoning: "Hm.",
    finishReason: "length",
  });
  expect(() => mistral.parseResponse(answer("error"))).toThrow("Mistral failed: it gave up the answer (error).");
});

test("Azure's resource may be given as the portal shows it, and has to be given", async () => {
  const at = async (baseUrl: string) => (await requestOf("azure", { baseUrl })).url;
  const whole = "https://r.openai.azure.com/openai/v1/chat/completions";
  for (const ending of ["", "/", "/openai", "/openai/", "/openai/v1", "/openai/v1/", "/openai/v1/chat/completions"])
    expect(await at(`https://r.openai.azure.com${ending}`)).toBe(whole);
  expect(await at("https://r.openai.azure.com/?api-version=preview")).toBe(`${whole}?api-version=preview`);
  expect(await at("https://r.services.ai.azure.com/api/projects/p/openai/v1")).toBe(
    "https://r.services.ai.azure.com/api/projects/p/openai/v1/chat/completions",
  );
  expect(await at("/api/azure")).toBe("/api/azure/openai/v1/chat/completions");
  await expect(requestOf("azure")).rejects.toThrow("The provider azure needs baseUrl");
});

test("Vertex takes a token or a key, and Claude in Anthropic's format", async () => {
  const key = await requestOf("vertex", { apiKey: "AIzaKey", model: "gemini-2.5-flash", stream: false });
  expect(key.url).toBe(
    "https://aiplatform.googleapis.com/v1/publishers/google/models/gemini-2.5-flash:generateContent",
  );
  expect(key.headers).toEqual({ "Content-Type": "application/json", "x-goog-api-key": "AIzaKey" });
  const claude = await requestOf("vertex", { model: "claude-haiku-4-5@20251001" });
  expect(claude.url).toMatch(/\/publishers\/anthropic\/models\/claude-haiku-4-5@20251001:streamRawPredict$/);
  expect(claude.headers).toEqual({ "Content-Type": "application/json", Authorization: "Bearer sk-1" });
  expect(claude.body).toMatchObject({ anthropic_version: "vertex-2023-10-16", stream: true, max_tokens: 4096 });
  expect(claude.body).not.toHaveProperty("model");
  const vertex = await loadProvider("vertex");
  expect(vertex.parseResponse({ content: [{ type: "text", text: "a" }], stop_reason: "end_turn" }).content).toBe("a");
  expect(
    vertex.parseResponse({ candidates: [{ content: { parts: [{ text: "b" }] }, finishReason: "STOP" }] }).content,
  ).toBe("b");
});

test("services whose names are the user's own say that they have no list", async () => {
  for (const [name, words] of [
    ["azure", "name a deployment"],
    ["vertex", "name the one that you want"],
  ] as const) {
    const core = new AiCore();
    core.provider = name;
    await expect(core.models({ baseUrl: "http://vendor.test" })).rejects.toThrow(words);
  }
});
