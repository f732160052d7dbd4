import { expect, test } from "vitest";
import type { AiRequestOptions } from "./index.ts";
import { createConversation, settled } from "./model.test-helper.ts";
import { call, weather } from "./tools.test-helper.ts";

const kinds: [name: string, options: Partial<AiRequestOptions>, hasCalls?: boolean][] = [
  ["plain", {}],
  ["with tools", { tools: [weather()] }, true],
  [
    "with approval",
    { tools: [weather({ needsApproval: true })], approve: () => Promise.resolve({ approved: true, scope: "once" }) },
    true,
  ],
  ["with calls that nobody declared", {}, true],
  ["with retries", { retries: { attempts: 1, delay: 0 } }],
  ["with a schema", { responseSchema: {} }],
  ["that keeps", { tools: [weather()], onFailure: "keep" }, true],
];

test.each(kinds)("a send %s can be stopped at every step, and then is over", async (_, options, hasCalls) => {
  let isStopped = true;
  for (let step = 0; isStopped; step++) {
    const { core, model, send } = createConversation(options);
    const answer = send("Hi");
    let isOver = false;
    void answer.then(() => (isOver = true));
    let requests = 0;
    for (let passed = 0; passed < step && !isOver; passed++) {
      if (passed % 8 === 7) await settled();
      else await Promise.resolve();
      const request = model.requests[requests];
      if (!request) continue;
      requests += 1;
      if (options.retries && requests === 1) request.fail(new TypeError("fetch failed"));
      else if (hasCalls && requests === 1) call(request, ["weather", { city: "Rome" }]);
      else request.finish({ delta: "{}", finishReason: "stop" });
    }
    core.abort();
    const text = await answer;
    isStopped = text === null;
    const idle = { loading: core.loading, streaming: core.streaming, error: core.error };
    expect(idle).toEqual({ loading: false, streaming: false, error: null });
    const before = core.messages;
    const isUndone = before.length === 0 || options.onFailure === "keep";
    expect(isStopped ? isUndone : before.at(-1)?.content === "{}").toBe(true);
    const { toolCalls } = core;
    await settled();
    expect([core.messages, core.toolCalls]).toEqual([before, toolCalls]);
    const calls = before.flatMap(({ toolCalls = [] }) => toolCalls);
    expect(before.filter(({ role }) => role === "tool")).toHaveLength(calls.length);
    expect(step).toBeLessThan(1000);
  }
});

test("a listener that sends again on an abort loses nothing", async () => {
  const { core, model, send } = createConversation();
  let second: Promise<string | null> | undefined;
  const answer = send("First");
  const request = await model.next();
  request.signal?.addEventListener("abort", () => void (second ??= send("Second")));
  core.abort();
  expect(await answer).toBeNull();
  expect([core.loading, core.messages.map(({ content }) => content)]).toEqual([true, ["Second"]]);
  (await model.next()).finish({ delta: "Two." });
  expect(await second).toBe("Two.");
});

test("where a listener sends on as a newer send stops the one before, the listener's is the newest", async () => {
  const { core, model, send } = createConversation();
  let third: Promise<string | null> | undefined;
  core.addEventListener("ai-agent:loading-changed", () => {
    if (!core.loading) third ??= send("Third");
  });
  const first = send("First");
  await model.next();
  const second = send("Second");
  expect(await Promise.all([first, second])).toEqual([null, null]);
  (await model.next()).finish({ delta: "Three." });
  expect(await third).toBe("Three.");
  expect(model.requests.map(({ body }) => body.messages.map(({ content }) => content))).toEqual([["First"], ["Third"]]);
  expect(core.messages.map(({ content }) => content)).toEqual(["Third", "Three."]);
});

test("a listener that sends on as messages that are set stop an answer adds to those", async () => {
  const { core, model, send } = createConversation();
  let second: Promise<string | null> | undefined;
  const first = send("First");
  await model.next();
  core.addEventListener("ai-agent:loading-changed", () => {
    if (!core.loading) second ??= send("Second");
  });
  core.messages = [{ role: "system", content: "Be brief." }];
  expect(await first).toBeNull();
  (await model.next()).finish({ delta: "Two." });
  expect(await second).toBe("Two.");
  expect(core.messages.map(({ content }) => content)).toEqual(["Be brief.", "Second", "Two."]);
});
