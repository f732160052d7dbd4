import { expect, test } from "vitest";
import { AiCore } from "../index.ts";
import type { AiProviderName } from "../index.ts";
import * as anthropic from "./anthropic.test-fixture.ts";
import * as google from "./google.test-fixture.ts";
import * as openai from "./openai.test-fixture.ts";
import * as responses from "./openai-responses.test-fixture.ts";
import { namedStreamOf, streamOf } from "./read-stream.test-helper.ts";

/** An answer's first half, and the rest up to its finish reason; and how its provider reports a failure. */
interface Format {
  readonly provider: AiProviderName;
  readonly begun: string;
  readonly finish: string;
  readonly failure: string;
  readonly status: number;
  readonly text: string;
}

const chat = {
  begun: streamOf(openai.textStream.slice(0, 3)),
  finish: streamOf(openai.textStream.slice(3, 4)),
  failure: streamOf([openai.failure]),
  status: 500,
  text: "Hello there",
};

const formats: readonly Format[] = [
  { provider: "openai", ...chat },
  { provider: "azure-openai", ...chat, begun: streamOf([openai.filterChunk]) + chat.begun },
  {
    provider: "openai-responses",
    begun: namedStreamOf(
      responses.stream.filter((event) => !("output_index" in event && event.output_index > 1)).slice(0, -1),
    ),
    finish: namedStreamOf([{ type: "response.completed", response: responses.response(responses.output.slice(0, 2)) }]),
    failure: namedStreamOf([{ type: "response.failed", response: responses.failed }]),
    status: 500,
    text: "I will look.",
  },
  {
    provider: "anthropic",
    begun: namedStreamOf(anthropic.textStream.slice(0, -2)),
    finish: namedStreamOf(anthropic.textStream.slice(-2, -1)),
    failure: namedStreamOf([anthropic.overloaded]),
    status: 529,
    text: "Hello there",
  },
  {
    provider: "google",
    begun: streamOf([google.chunk([{ text: "Hello there" }])]),
    finish: streamOf([google.chunk([{ text: "" }], "STOP")]),
    failure: streamOf([google.failure]),
    status: 503,
    text: "Hello there",
  },
];

const earlier = [
  { id: "1", role: "user", content: "Hello" },
  { id: "2", role: "assistant", content: "Yes?" },
] as const;

/** Sends a question after an earlier turn; the connection then stays open. */
async function askFor({ provider }: Format, response: Response) {
  const core = new AiCore();
  core.provider = provider;
  core.messages = [...earlier];
  const answer = await core.send("Hi", { model: "a-model", baseUrl: "http://model.test", fetch: async () => response });
  expect([core.loading, core.streaming]).toEqual([false, false]);
  return { core, answer };
}

function streaming(...pieces: string[]): Response {
  const body = new ReadableStream({
    pull(controller) {
      const piece = pieces.shift();
      if (piece) controller.enqueue(new TextEncoder().encode(piece));
    },
  });
  return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
}

test.each(formats)("$provider refuses before the stream: its HTTP error, and nothing is added", async (format) => {
  const { failure: body, status } = format;
  const { core, answer } = await askFor(format, new Response(body, { status, statusText: "Busy" }));
  expect(answer).toBeNull();
  expect(core.error).toEqual({ status, statusText: "Busy", body });
  expect(core.messages).toEqual(earlier);
  expect(core.content).toBe("");
});

test.each(formats)("$provider fails inside the stream: its error, and the turn is undone", async (format) => {
  const { begun, failure, status, text } = format;
  const { core, answer } = await askFor(format, streaming(begun, failure));
  expect(answer).toBeNull();
  expect(core.error).toMatchObject({ status, body: expect.any(String) });
  expect(core.messages).toEqual(earlier);
  expect(core.content).toBe(text);
});

test.each(formats)("$provider fails after the reason to finish: the answer is there", async (format) => {
  const { begun, finish, failure, text } = format;
  const { core, answer } = await askFor(format, streaming(begun, finish, failure));
  expect(answer).toBe(text);
  expect(core.error).toBeNull();
  expect(core.messages.slice(2)).toMatchObject([{ content: "Hi" }, { content: text, finishReason: "stop" }]);
});
