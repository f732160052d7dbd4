import { expect, test, vi } from "vitest";
import { AiCore } from "./core.ts";
import type { AiRequestOptions, IAiProvider } from "./core.ts";

const gone = vi.hoisted(() => () => Promise.reject(new Error("404")));
vi.mock("./whole-answer.ts", gone);
vi.mock("./elaborate.ts", gone);
vi.mock("./providers/openai.ts", gone);

const provider: IAiProvider = {
  buildRequest: () => ({ url: "https://model.test/", headers: {}, body: "{}" }),
  parseResponse: () => ({ content: "Hi." }),
  parseStreamChunk: (_event, data) => (data === "[DONE]" ? { done: true } : { delta: data, done: false }),
};

const tool = { name: "look", description: "Looks.", parameters: { type: "object" } };
const answers = (body: string, init?: ResponseInit) => () => Promise.resolve(new Response(body, init));

test.each<[string, string | IAiProvider, Partial<AiRequestOptions>]>([
  ["a whole answer", provider, { stream: false, fetch: answers("{}") }],
  ["an HTTP error", provider, { fetch: answers("no", { status: 500 }) }],
  ["tools", provider, { tools: [tool] }],
  ["a provider by its name", "openai", {}],
])("where what %s needs cannot be loaded, the send ends with an error that says what to do", async (...given) => {
  const [, chosen, options] = given;
  const core = new AiCore();
  core.provider = chosen;
  expect(await core.send("Hi", { model: "m", ...options })).toBeNull();
  expect(core.error).toMatchObject({
    message: expect.stringMatching(/could not be loaded \(.+\): see that all of Pagewire's files are served/s),
  });
  expect([core.messages, core.loading]).toEqual([[], false]);
});

test("an answer that streams needs none of them", async () => {
  const core = new AiCore();
  core.provider = provider;
  const headers = { "Content-Type": "text/event-stream" };
  const fetch = answers("data: Hi.\n\ndata: [DONE]\n\n", { headers });
  expect(await core.send("Hi", { model: "m", fetch })).toBe("Hi.");
});
