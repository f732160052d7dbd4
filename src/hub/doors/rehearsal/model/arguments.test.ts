import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../../../../wire/index.ts";
import { ask, fill, said, today, validate } from "./ask.test-helper.ts";
import { rehearse } from "./rehearse.ts";
import { schemas, sentences } from "./schemas.test-helper.ts";

const toolOf = (parameters: JsonObject) => ({ name: "do_it", description: "Does it.", parameters });

test("whatever the schema and the sentence, a call's arguments satisfy the schema", () => {
  let calls = 0;
  fc.assert(
    fc.property(schemas, sentences, (parameters, sentence) => {
      const turn = ask(`do it ${sentence}`, { tools: [toolOf(parameters)] });
      for (const call of turn.calls) expect(validate(parameters, call.arguments)).toEqual([]);
      expect(turn.calls.length > 0 || /To use `do_it` I need|I cannot call `do_it`/.test(turn.text)).toBe(true);
      calls += turn.calls.length;
    }),
    { numRuns: 400 },
  );
  expect(calls).toBeGreaterThan(50);
});

test("a forced tool is called with lawful arguments, whatever the sentence says", () => {
  fc.assert(
    fc.property(schemas, sentences, (parameters, sentence) => {
      const [call] = ask(sentence, { tools: [toolOf(parameters)], toolChoice: { name: "do_it" } }).calls;
      expect(call?.name).toBe("do_it");
      expect(validate(parameters, call?.arguments)).toEqual([]);
    }),
    { numRuns: 400 },
  );
});

test("an answer with a schema is JSON that satisfies it", () => {
  fc.assert(
    fc.property(schemas, sentences, (responseSchema, sentence) => {
      const { text, calls } = ask(sentence, { responseSchema });
      expect(calls).toEqual([]);
      expect(validate(responseSchema, JSON.parse(text))).toEqual([]);
    }),
    { numRuns: 400 },
  );
});

const text = { type: "string" };
const integer = { type: "integer" };

test("numbers go where their unit, their neighbour or their name says", () => {
  expect(fill({ days: integer, limit: integer }, "the top 5 of the last 30 days")).toEqual({ days: 30, limit: 5 });
  expect(fill({ days: integer }, "the last two weeks")).toEqual({ days: 14 });
  expect(fill({ weeks: integer }, "the next 3 weeks")).toEqual({ weeks: 3 });
  expect(fill({ width: integer, height: integer }, "height 20 and width: 30")).toEqual({ width: 30, height: 20 });
  expect(fill({ price: { type: "number" } }, "price = 1,250.50")).toEqual({ price: 1250.5 });
  expect(fill({ amount: { type: "number" } }, "amount 2.5k")).toEqual({ amount: 2500 });
  expect(fill({ people: integer }, "seven people")).toEqual({ people: 7 });
});

test("days, times and stretches of days become ISO text", () => {
  const date = { type: "string", format: "date" };
  expect(fill({ date }, "on 3 March 2026")).toEqual({ date: "2026-03-03" });
  expect(fill({ due: date }, "by next Friday")).toEqual({ due: "2026-03-13" });
  expect(fill({ from: date, to: date }, "from 2026-01-01 to 2026-01-31")).toEqual({
    from: "2026-01-01",
    to: "2026-01-31",
  });
  expect(fill({ startDate: date, endDate: date }, "the last 30 days")).toEqual({
    startDate: "2026-02-09",
    endDate: "2026-03-10",
  });
  expect(fill({ start: { type: "string", format: "date-time" } }, "tomorrow at 3pm")).toEqual({
    start: "2026-03-12T15:00:00Z",
  });
});

test("listed values, yes and no, addresses and shaped words are found anywhere", () => {
  expect(fill({ region: { enum: ["Europe", "North America"] } }, "only north america")).toEqual({
    region: "North America",
  });
  expect(fill({ size: { enum: ["small", "large"] } }, "a LARGE one")).toEqual({ size: "large" });
  expect(fill({ groupBy: { enum: ["day", "region"] } }, "sales by region")).toEqual({ groupBy: "region" });
  expect(fill({ includeTax: { type: "boolean" } }, "with tax")).toEqual({ includeTax: true });
  expect(fill({ includeTax: { type: "boolean" } }, "without tax")).toEqual({ includeTax: false });
  expect(fill({ to: { type: "string", format: "email" } }, "for ada@example.com please")).toEqual({
    to: "ada@example.com",
  });
  expect(fill({ url: { type: "string", format: "uri" } }, "open https://example.com/a?b=1.")).toEqual({
    url: "https://example.com/a?b=1",
  });
  expect(fill({ orderId: { type: "string", pattern: "^H\\d+$" } }, "order H20418")).toEqual({ orderId: "H20418" });
});

test("text comes from quotes, names, and what follows a fitting word", () => {
  expect(fill({ city: text }, "the weather in New York today")).toEqual({ city: "New York" });
  expect(fill({ origin: text, destination: text }, "from Berlin to Rome")).toEqual({
    origin: "Berlin",
    destination: "Rome",
  });
  expect(fill({ from: text, to: text }, "from Berlin to Rome")).toEqual({ from: "Berlin", to: "Rome" });
  expect(fill({ customer: text }, "orders for Ada Lovelace")).toEqual({ customer: "Ada Lovelace" });
  expect(fill({ message: text }, 'send "See you at 9" now')).toEqual({ message: "See you at 9" });
  expect(fill({ title: text, body: text }, 'title: Hello, body: "Good day"')).toEqual({
    title: "Hello",
    body: "Good day",
  });
  expect(fill({ topic: text }, "something about the price of tea")).toEqual({ topic: "price of tea" });
});

test("lists and objects are filled too", () => {
  expect(fill({ tags: { type: "array", items: text } }, "tags: red, green and blue")).toEqual({
    tags: ["red", "green", "blue"],
  });
  expect(fill({ ids: { type: "array", items: integer } }, "ids 3, 5 and 8")).toEqual({ ids: [3, 5, 8] });
  const address = { type: "object", properties: { city: text, zip: text }, required: ["city"] };
  expect(fill({ address }, "ship it to the address in Berlin, zip 10115")).toEqual({
    address: { city: "Berlin", zip: "10115" },
  });
  const items = {
    type: "array",
    items: { type: "object", properties: { quantity: integer, size: { enum: ["S", "L"] } } },
  };
  expect(fill({ items }, "quantity 3, size L")).toEqual({ items: [{ quantity: 3, size: "L" }] });
});

test("no word of the sentence is used twice", () => {
  expect(fill({ days: integer, limit: integer, count: integer }, "30 days")).toEqual({ days: 30 });
});

test("a value that is needed and not said is asked for by name, kind and bounds", () => {
  const days = { type: "integer", maximum: 360, description: "Days to look back." };
  const parameters = { type: "object", properties: { days, city: text }, required: ["days", "city"] };
  const { text: question, calls } = ask("do it", { tools: [toolOf(parameters)] });
  expect(calls).toEqual([]);
  expect(question).toContain(
    "To use `do_it` I need `days` (a whole number to 360; Days to look back), and `city` (text).",
  );
});

test("what was said but is not lawful is asked for again", () => {
  const parameters = { type: "object", properties: { days: { type: "integer", minimum: 1, maximum: 60, default: 7 } } };
  const { text: question, calls } = ask("do it for 900 days", { tools: [toolOf(parameters)] });
  expect(calls).toEqual([]);
  expect(question).toContain("I need `days` (a whole number from 1 to 60)");
  const listed = { type: "object", properties: { days: { enum: [7, 30, null] } }, required: ["days"] };
  expect(ask("do it for 45 days", { tools: [toolOf(listed)] }).text).toContain("I need `days` (one of 7, 30, nothing)");
});

test("the answer to the question completes the call", () => {
  const tools = [toolOf({ type: "object", properties: { days: integer, city: text }, required: ["days", "city"] })];
  const asked = ask("do it in Paris", { tools });
  const turn = rehearse(
    {
      system: "",
      messages: [said("do it in Paris"), { role: "assistant", text: asked.text, calls: [] }, said("12")],
      tools,
      toolChoice: "auto",
      parallel: true,
      stop: [],
    },
    { today, validate },
  );
  expect(turn.calls).toEqual([{ name: "do_it", arguments: { days: 12, city: "Paris" } }]);
});

test("who asks for something else instead of answering gets that", () => {
  const weather = {
    name: "get_weather",
    description: "",
    parameters: { type: "object", properties: { city: text }, required: ["city"] },
  };
  const forecast = { name: "run_forecast", description: "", parameters: { type: "object" } };
  const tools = [weather, forecast];
  const asked = ask("weather", { tools });
  const after = (answer: string) =>
    ask(answer, {
      tools,
      messages: [said("weather"), { role: "assistant", text: asked.text, calls: [] }, said(answer)],
    });
  for (const answer of ["new york", "in new york please"])
    expect(after(answer).calls).toEqual([{ name: "get_weather", arguments: { city: "new york" } }]);
  expect(after("run the forecast").calls).toEqual([{ name: "run_forecast", arguments: {} }]);
  for (const sentence of ["Never mind.", "cancel", "what else can you do?"]) {
    const turn = after(sentence);
    expect([turn.calls, turn.text]).toEqual([[], expect.stringContaining(`You said: “${sentence}”`)]);
  }
});

test("what a schema names itself is taken: its default, nothing, the first listed, the least; what was not said is told", () => {
  const properties = {
    unit: { enum: ["metric", "imperial"], default: "imperial" },
    region: { enum: ["Europe", null] },
    size: { enum: ["S", "L"] },
    days: { type: "integer", minimum: 3 },
  };
  const parameters = { type: "object", properties, required: Object.keys(properties) };
  const turn = ask("do it", { tools: [toolOf(parameters)] });
  expect(turn.calls).toEqual([{ name: "do_it", arguments: { unit: "imperial", region: null, size: "S", days: 3 } }]);
  expect(turn.text).toBe('You did not say `size`, `days` for `do_it`, so I take what its schema allows first: "S", 3.');
});

test("the words that ask for a tool, and the place where a thing goes, are no part of what is said", () => {
  const add = (name: string, sentence: string) => {
    const properties = { text: { type: "string" }, quantity: integer };
    const parameters = { type: "object", properties, required: ["text"] } as unknown as JsonObject;
    return ask(sentence, { tools: [{ name, description: "", parameters }] }).calls[0]?.arguments;
  };
  expect(add("add_todo", "add a todo buy milk")).toEqual({ text: "buy milk" });
  expect(add("add_todo", "Add milk to my shopping list")).toEqual({ text: "milk" });
  expect(add("add_todo", "add milk to my list of todos")).toEqual({ text: "milk" });
  expect(add("add_item", "add an item: milk")).toEqual({ text: "milk" });
  for (const sentence of ["add hand grinders to the cart, quantity 2", "add two hand grinders to the cart"])
    expect(add("add_to_cart", sentence)).toEqual({ text: "hand grinders", quantity: 2 });
});

test("an answer with a schema takes what the tools gave, by the names of its fields", () => {
  const responseSchema = {
    type: "object",
    properties: { revenue: { type: "number" }, city: text },
    required: ["revenue", "city"],
  };
  const messages = [
    said("the revenue in Paris"),
    { role: "assistant" as const, text: "", calls: [{ id: "a", name: "do_it", arguments: "{}" }] },
    {
      role: "tool" as const,
      results: [{ callId: "a", name: "do_it", text: '{"total":{"revenue":12.5}}', failed: false }],
    },
  ];
  const turn = ask("", { messages, tools: [toolOf({ type: "object" })], responseSchema });
  expect(JSON.parse(turn.text)).toEqual({ revenue: 12.5, city: "Paris" });
});

test("what an answer asks with yes or no is no where nobody spoke of it", () => {
  const responseSchema = {
    type: "object",
    properties: { name: text, vegetarian: { type: "boolean" } },
    required: ["name", "vegetarian"],
  };
  const answer = (sentence: string): unknown => JSON.parse(ask(sentence, { responseSchema }).text);
  expect(answer("Ada Lovelace")).toEqual({ name: "Ada Lovelace", vegetarian: false });
  expect(answer("Ada Lovelace, vegetarian")).toEqual({ name: "Ada Lovelace", vegetarian: true });
});
