import { expect, test } from "vitest";
import { createConversation, nextEvent } from "./model.test-helper.ts";
import { call, weather } from "./tools.test-helper.ts";

test("AI76: calls without an id, or with one that another has, are given one that stays", async () => {
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

test("AI76: a call with the id of a call of an earlier round is given another one", async () => {
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
