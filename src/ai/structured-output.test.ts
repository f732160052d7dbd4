import { expect, test } from "vitest";
import { createConversation, nextEvent, record } from "./model.test-helper.ts";
import { parsePartialJson } from "./elaborate.ts";

const responseSchema = { type: "object", properties: { rating: { type: "integer" } } };

test("the schema reaches the provider, and the answer is the JSON text", async () => {
  const { core, model, send } = createConversation({ responseSchema, responseSchemaName: "review" });
  const answer = send("Rate it.");
  const request = await model.next();
  expect(request.body).toMatchObject({ responseSchema, responseSchemaName: "review" });
  request.finish({ delta: '{"rating"' }, { delta: ":5}", finishReason: "stop" });
  expect(await answer).toBe('{"rating":5}');
  expect(core.content).toBe('{"rating":5}');
  expect(core.object).toEqual({ rating: 5 });
});

test("while a structured answer streams, object is its known part", async () => {
  const { core, model, send } = createConversation();
  const heard = record(core, "object-changed");
  const answer = send("Rate it.", { responseSchema });
  const request = await model.next();
  request.stream({ delta: '{"summary":"Very g' });
  expect(await nextEvent(core, "object-changed")).toEqual({ summary: "Very g" });
  request.say({ delta: 'ood","rating":' });
  expect(await nextEvent(core, "object-changed")).toEqual({ summary: "Very good" });
  request.finish({ delta: '4,"tags":["pizza"]}' });
  await answer;
  expect(heard.at(-1)).toEqual(["object-changed", { summary: "Very good", rating: 4, tags: ["pizza"] }]);
  const again = send("Hi");
  expect(core.object).toBeNull();
  (await model.next()).finish({ delta: "Hello." });
  await again;
  expect(core.object).toBeNull();
});

test("a structured answer that comes whole gives its object, and streaming stays false", async () => {
  const { core, model, send } = createConversation({ responseSchema });
  const heard = record(core, "streaming-changed");
  const answer = send("Rate it.");
  (await model.next()).json({ content: '{"rating":3}', finishReason: "stop" });
  expect(await answer).toBe('{"rating":3}');
  expect(core.object).toEqual({ rating: 3 });
  expect(heard).toEqual([]);
});

test("the answer is not compared with the schema: what is no JSON is given as it is, without an object", async () => {
  const { core, model, send } = createConversation({ responseSchema });
  const answer = send("Rate it.");
  (await model.next()).finish({ delta: "I would rather not." });
  expect(await answer).toBe("I would rather not.");
  expect([core.object, core.error]).toEqual([null, null]);
});

test.each<[string, unknown]>([
  ["", undefined],
  ["{", {}],
  ['{"a', {}],
  ['{"a"', {}],
  ['{"a":', {}],
  ['{"a":1', {}],
  ['{"a":1,', { a: 1 }],
  ['{"a":1.', {}],
  ['{"a":tr', {}],
  ['{"a":true}', { a: true }],
  ['{"a":null ', { a: null }],
  ['{"a":"x', { a: "x" }],
  ['{"a":"x\\', { a: "x" }],
  ['{"a":"x\\u00', { a: "x" }],
  ['{"a":"\\u00e9\\"', { a: 'é"' }],
  ['{"a":"x\\\\u00', { a: "x\\u00" }],
  ['{"a":[1,2,{"b":"c"', { a: [1, 2, { b: "c" }] }],
  ['{"a":[1,', { a: [1] }],
  ['{"a":[],"b":{}', { a: [], b: {} }],
  ['{"a":{"b":[true],"c', { a: { b: [true] } }],
  ['[{"a":1},', [{ a: 1 }]],
  ['"text', "text"],
  ['{"a":1}', { a: 1 }],
  ['{"a":1} and more to say', { a: 1 }],
  ["}", undefined],
  ["no json", undefined],
])("of %j, %j is known", (json, known) => {
  expect(parsePartialJson(json)).toEqual(known);
});

test("what is known only grows, wherever the text is cut", () => {
  const whole = { title: 'A "quoted" \\ title\n', list: [1, [true, null], { deep: "x" }], empty: {}, last: -1.5e3 };
  const json = JSON.stringify(whole, null, 1);
  let before = "";
  for (let cut = 1; cut <= json.length; cut++) {
    const known = JSON.stringify(parsePartialJson(json.slice(0, cut)));
    expect(known.length).toBeGreaterThanOrEqual(before.length);
    before = known;
  }
  expect(before).toBe(JSON.stringify(whole));
});
