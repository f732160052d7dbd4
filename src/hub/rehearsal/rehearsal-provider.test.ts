import { expect, test } from "vitest";
import { AiCore } from "../../ai/index.ts";
import type { AiRequestOptions } from "../../ai/index.ts";
import { rehearsalFetch, rehearsalProvider } from "./rehearsal-provider.ts";

const options: AiRequestOptions = { model: "any", fetch: rehearsalFetch };
const basket = {
  name: "get_basket",
  description: "What is in the basket.",
  parameters: { type: "object", properties: {} },
  handler: () => "two teas",
};

function createCore(): AiCore {
  const core = new AiCore();
  core.provider = rehearsalProvider;
  return core;
}

test.each([true, false])("a tool is called and its result shown (stream: %s)", async (stream) => {
  const core = createCore();
  const answer = await core.send("What is in the basket?", { ...options, stream, tools: [basket] });
  expect(answer).toContain("I called `get_basket`:\n\ntwo teas");
  expect(core.usage).toMatchObject({ promptTokens: expect.any(Number) as unknown });
});

test("the pieces of an answer come a moment apart", async () => {
  const core = createCore();
  const seen: string[] = [];
  core.addEventListener("ai-agent:content-changed", () => seen.push(core.content));
  await core.send("Hello", options);
  expect(new Set(seen).size).toBeGreaterThan(5);
});

test("an answer can be stopped while it streams", async () => {
  const core = createCore();
  core.addEventListener("ai-agent:content-changed", () => core.abort());
  expect(await core.send("Hello", options)).toBeNull();
  expect(core.error).toBeNull();
});

test("an answer is cut where its tokens are used up", async () => {
  const core = createCore();
  expect(await core.send("Hello", { ...options, maxTokens: 5 })).toHaveLength(20);
  expect(core.messages.at(-1)).toMatchObject({ finishReason: "length" });
});
