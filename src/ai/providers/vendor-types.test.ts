// Our requests match the vendor SDKs' request types: compiled as literals, so that an extra or misnamed field is an
// error.
import { execFile } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { IAiProvider } from "../provider.ts";
import { createAnswer } from "../answer.ts";
import { givingFiles } from "../give-files.ts";
import type { Ask } from "../run.ts";
import type { AiContentPart, AiMessage, AiRequestOptions } from "../types.ts";
import * as anthropic from "./anthropic.test-fixture.ts";
import { AnthropicProvider } from "./anthropic.ts";
import { AzureOpenAiProvider } from "./azure-openai.ts";
import { conversation, options, schema, weather } from "./conversation.test-fixture.ts";
import * as google from "./google.test-fixture.ts";
import { GoogleProvider } from "./google.ts";
import { OpenAiProvider } from "./openai.ts";
import * as responses from "./openai-responses.test-fixture.ts";
import { OpenAiResponsesProvider } from "./openai-responses.ts";

const repository = fileURLToPath(new URL("../../../", import.meta.url));
const execute = promisify(execFile);

/** The vendor's enums are strings on the wire, and JSON Schemas its schemas; REST has the fields of `config` at its top.
 *  Anthropic's SDK leaves out what its newest models do not take. */
const types = `
import type { MessageCreateParams } from "@anthropic-ai/sdk/resources/messages";
import type { Content, GenerationConfig, Tool, ToolConfig } from "@google/genai";
import type { ChatCompletionCreateParams } from "openai/resources/chat/completions";
import type { ResponseCreateParams } from "openai/resources/responses/responses";

type Wire<Value> = Value extends string ? \`\${Value}\` : Value extends readonly (infer Item)[] ? Wire<Item>[]
  : Value extends object ? { [Name in keyof Value]: Name extends "parameters" | "responseSchema" ? unknown : Wire<Value[Name]> } : Value;

type Google = Wire<{ contents: Content[]; systemInstruction?: Content; generationConfig?: GenerationConfig; tools?: Tool[]; toolConfig?: ToolConfig }>;
type OpenAi = ChatCompletionCreateParams;
type Azure = Omit<ChatCompletionCreateParams, "model">;
type Anthropic = MessageCreateParams & { temperature?: number; top_p?: number };
type Responses = ResponseCreateParams;
`;

const thinking = (provider: IAiProvider, data: unknown): AiMessage => ({
  role: "assistant",
  ...provider.parseResponse(data),
});

const vendors: readonly (readonly [
  type: string,
  provider: IAiProvider,
  answer: AiMessage[],
  more: Partial<AiRequestOptions>,
])[] = [
  ["OpenAi", new OpenAiProvider(), [], { stop: ["END"], seed: 7 }],
  ["Azure", new AzureOpenAiProvider(), [], { stop: ["END"], seed: 7 }],
  [
    "Anthropic",
    new AnthropicProvider(),
    [thinking(new AnthropicProvider(), anthropic.message(anthropic.thinkingBlocks, "tool_use"))],
    { stop: ["END"] },
  ],
  [
    "Google",
    new GoogleProvider(),
    [thinking(new GoogleProvider(), google.chunk(google.signedParts, "STOP"))],
    { stop: ["END"], seed: 7 },
  ],
  [
    "Responses",
    new OpenAiResponsesProvider(),
    [thinking(new OpenAiResponsesProvider(), responses.response(responses.output))],
    {},
  ],
];

const files: AiMessage = {
  role: "user",
  content: [
    { type: "file", name: "a.pdf", url: "data:application/pdf;base64,JVBERi0=" },
    { type: "file", name: "a.wav", url: "data:audio/wav;base64,UklGRg==" },
    { type: "file", name: "a.md", url: "data:text/markdown;base64,IyBUZWE=" },
  ],
};

/** The conversation with those files that the API takes, as AiCore gives it to the provider. */
async function withFiles(provider: IAiProvider, answer: readonly AiMessage[]): Promise<AiMessage[]> {
  const audio = ["openai", "google"].includes(String(provider.files));
  const content = (files.content as AiContentPart[]).filter((part) => audio || !/audio/.test(JSON.stringify(part)));
  let given: readonly AiMessage[] = [];
  const keep: Ask = async ({ messages }) => {
    given = messages;
    return createAnswer();
  };
  const options = { model: "a-model", baseUrl: "http://127.0.0.1" };
  await givingFiles(keep, provider)({ messages: [...conversation, ...answer, { ...files, content }], options });
  return [...given];
}

const requests: readonly Partial<AiRequestOptions>[] = [
  {},
  options,
  { tools: [weather], toolChoice: { name: "get_weather" }, stream: false },
  { tools: [weather], toolChoice: "none" },
  { responseSchema: schema, responseSchemaName: "review" },
  { reasoning: { effort: "low" }, model: "o4-mini", maxTokens: 9 },
  { reasoning: { budgetTokens: 2000 } },
];

test("the requests of every provider are what the vendor's SDK takes", async () => {
  const all = await Promise.all(
    vendors.map(async ([type, provider, answer, own]) => {
      const messages = await withFiles(provider, answer);
      return requests.map((more) => {
        const all = { model: "a-model", baseUrl: "http://127.0.0.1", ...own, ...more };
        return `({ body: ${provider.buildRequest(messages, all).body} }) satisfies { body: ${type} };`;
      });
    }),
  );
  const bodies = all.flat();
  const folder = join(repository, ".cache", `vendor-types-${process.pid}`);
  await mkdir(folder, { recursive: true });
  try {
    await writeFile(join(folder, "bodies.ts"), [types, ...bodies].join("\n"));
    const flags = [
      "--strict",
      "--noEmit",
      "--skipLibCheck",
      "--module",
      "nodenext",
      "--target",
      "es2023",
      "--types",
      "node",
    ];
    const compiler = join(repository, "node_modules", "typescript", "bin", "tsc");
    const printed = await execute(process.execPath, [compiler, "--ignoreConfig", ...flags, "bodies.ts"], {
      cwd: folder,
    }).then(
      ({ stdout }) => stdout,
      (error: { stdout: string }) => error.stdout,
    );
    expect(printed).toBe("");
  } finally {
    await rm(folder, { recursive: true });
  }
});
