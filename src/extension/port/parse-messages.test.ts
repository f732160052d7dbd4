import fc from "fast-check";
import { expect, test } from "vitest";
import {
  askedMost,
  parseFromOwnPage,
  parseFromPage,
  parseToPage,
  savedMost,
  shownToolsMost,
} from "./parse-messages.ts";

const tool = { name: "buy", description: "Buys.", readOnly: false };
const settings = {
  tab: "t-1",
  hub: "http://h",
  paused: false,
  site: { calls: "ask", polyfill: true, reading: false },
  saved: {},
};

test("messages of every type are read, without the fields that nobody knows", () => {
  const fromPage = [
    { type: "open", link: 1 },
    { type: "message", link: 1, text: "{}" },
    { type: "close", link: 1, code: 1000, reason: "" },
    { type: "save", name: "calls", value: "{}" },
    { type: "state", state: { status: "connected", message: "m", tabId: "t", via: { kind: "service-worker" } } },
    { type: "tools", tools: [tool], note: "n" },
    { type: "call", call: { event: "ended", id: "1", method: "tools/call", name: "buy", agent: "a", outcome: "ok" } },
    { type: "ask", ask: "1", question: { kind: "fields", parameters: { message: "?" } } },
    { type: "ask-over", ask: "1" },
    { type: "capture", capture: "1" },
  ];
  for (const message of fromPage) expect(parseFromPage({ ...message, extra: 1 })).toEqual(message);
  for (const message of [
    { type: "settings", ...settings },
    { type: "failed", link: 1, message: "m" },
    { type: "answer", ask: "1", answer: { action: "allow", lasts: "once" } },
    { type: "leave" },
  ])
    expect(parseToPage({ ...message, extra: 1 })).toEqual(message);
  for (const message of [
    { type: "pair", address: "a", code: "c", browser: "b" },
    { type: "asking", origin: "https://a" },
    { type: "site", origin: "https://a", site: { reading: true } },
    { type: "answer", ask: "1", answer: { action: "fields", result: { action: "accept" } } },
    { type: "answer", ask: "1", answer: { action: "refuse" } },
  ])
    expect(parseFromOwnPage({ ...message, extra: 1 })).toEqual(message);
});

test("whatever else arrives is ignored, and never thrown about", () => {
  const wrong = [
    { type: "open", link: "1" },
    { type: "open", link: Infinity },
    { type: "constructor" },
    { type: "__proto__" },
    { type: "state", state: { status: "toString", message: "m" } },
    { type: "ask", ask: "1", question: { kind: "call", tool: "buy" } },
    { type: "save", name: "x", value: "y".repeat(savedMost + 1) },
    { type: "ask", ask: "1", question: { kind: "fields", parameters: { a: "x".repeat(askedMost) } } },
  ];
  for (const message of wrong) expect(parseFromPage(message)).toBeUndefined();
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const read = [parseFromPage, parseToPage, parseFromOwnPage].flatMap((parse) => parse(value) ?? []);
      expect(read.every(({ type }) => typeof type === "string")).toBe(true);
    }),
  );
});

test("of ten thousand tools the popup gets the first, with their texts cut", () => {
  const tools = Array.from({ length: 10_000 }, (_, index) => ({
    ...tool,
    name: `tool${index}`,
    description: "d".repeat(10_000),
  }));
  const message = parseFromPage({ type: "tools", tools });
  expect(message?.type === "tools" && message.tools.length).toBe(shownToolsMost);
  expect(JSON.stringify(message).length).toBeLessThan(shownToolsMost * 700);
});

test("a full memory of calls is saved, although JSON escapes what it holds", () => {
  const results = Array.from({ length: 1000 }, (_, index) => [`key ${index}`, { id: "1", answer: '"'.repeat(1000) }]);
  const message = { type: "save", name: "calls", value: JSON.stringify([["epoch"], ...results]) };
  expect(parseFromPage(message)).toEqual(message);
});
