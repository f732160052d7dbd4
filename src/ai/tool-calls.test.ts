import { expect, test, vi } from "vitest";
import { createConversation, nextEvent } from "./model.test-helper.ts";
import { call, weather } from "./tools.test-helper.ts";

test("calls without an id, or with one that another has, are given one that stays", async () => {
  const { core, model, send } = createConversation({ tools: [weather()] });
  const answer = send("Hi");
  const request = await model.next();
  const argumentsDelta = '{"city":"Rome"}';
  request.stream({ toolCallDeltas: [{ index: 0, name: "weather", argumentsDelta }] });
  await nextEvent(core, "tool-calls-changed");
  const [streamed] = core.toolCalls;
  request.finish({
    toolCallDeltas: [
      { index: 1, id: "same", name: "weather", argumentsDelta },
      { index: 2, id: "same", name: "weather", argumentsDelta },
    ],
  });
  const second = await model.next();
  const ids = second.body.messages[1]?.toolCalls?.map(({ id }) => id) ?? [];
  expect(ids[0]).toBe(streamed?.id);
  expect(new Set(ids).size).toBe(3);
  expect(ids).toContain("same");
  expect(second.body.messages.slice(2).map(({ toolCallId }) => toolCallId)).toEqual(ids);
  second.finish({ delta: "Blue." });
  await answer;
});

test("a call with the id of a call of an earlier round is given another one", async () => {
  const { core, model, send } = createConversation({ tools: [weather()] });
  const answer = send("Hi");
  call(await model.next(), ["weather", { city: "Rome" }]);
  call(await model.next(), ["weather", { city: "Oslo" }]);
  const third = await model.next();
  const results = third.body.messages.filter(({ role }) => role === "tool").map(({ toolCallId }) => toolCallId);
  expect(new Set(results).size).toBe(2);
  expect(core.toolCalls.map(({ id }) => id)).toEqual(results);
  third.finish({ delta: "Blue." });
  await answer;
});

test("a call without arguments runs with none, unless the answer was cut off before them", async () => {
  const runs: object[] = [];
  const tools = [weather({ parameters: { type: "object" }, handler: (args) => void runs.push(args) })];
  const told = [];
  for (const finishReason of [undefined, "stop", "tool_use", "length", "safety", "other"] as const) {
    const { model, send } = createConversation({ tools });
    void send("Hi");
    const end = finishReason && { finishReason };
    (await model.next()).finish({ toolCallDeltas: [{ index: 0, id: "c0", name: "weather" }], ...end });
    told.push((await model.next()).body.messages.at(-1)?.content);
  }
  const error = 'The model was cut off before it gave the arguments of the tool "weather".';
  expect(runs).toEqual([{}, {}, {}]);
  expect(told.slice(3)).toEqual(Array.from({ length: 3 }, () => JSON.stringify({ error })));
});

test("arguments that an event gives whole count, whatever parts of them came", async () => {
  const handler = vi.fn<() => void>();
  const { model, send } = createConversation({ tools: [weather({ handler })] });
  void send("Hi");
  const index = 0;
  (await model.next()).finish({
    toolCallDeltas: [
      { index, id: "c0", name: "weather", argumentsDelta: '{"ci' },
      { index, arguments: '{"city":"Rome"}' },
      { index, arguments: "" },
    ],
  });
  await model.next();
  expect(handler.mock.calls).toEqual([[{ city: "Rome" }, expect.anything()]]);
});
