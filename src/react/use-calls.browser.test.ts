import { act, createElement } from "react";
import type { ReactNode } from "react";
import { expect, test } from "vitest";
import type { PageCallEvent } from "../page/index.ts";
import type { PageCalls } from "./call-record.ts";
import { below, createScreen, createTestPage } from "./react.test-helper.ts";
import { useCalls } from "./use-calls.ts";

let calls: PageCalls;

function Calls(): ReactNode {
  calls = useCalls();
  return null;
}

const call = (id: string, event: Partial<PageCallEvent>) =>
  ({ event: "started", id, method: "tools/call", name: "work", agent: "tester", ...event }) as const;

async function open() {
  const page = createTestPage();
  const screen = createScreen();
  await screen.show(below(page, createElement(Calls)));
  const happen = (...events: PageCallEvent[]) => act(async () => events.forEach(page.happen));
  return { page, screen, happen };
}

test("useCalls has what runs now, with its arguments and how far it is", async () => {
  const { happen } = await open();
  expect(calls).toEqual({ running: [], ended: [] });
  await happen(call("a", { arguments: { n: 1 } }), call("b", { arguments: { n: 2 } }));
  await happen(call("a", { event: "progress", progress: 1, total: 3 }));
  const known = { method: "tools/call", name: "work", agent: "tester" };
  expect(calls.running).toEqual([
    { ...known, id: "a", arguments: { n: 1 }, progress: 1, total: 3 },
    { ...known, id: "b", arguments: { n: 2 } },
  ]);
});

test("useCalls has what ended last, the newest first, at most 50 and without arguments", async () => {
  const { happen } = await open();
  for (let id = 0; id < 60; id++) {
    await happen(
      call(`${id}`, { arguments: { n: id } }),
      call(`${id}`, { event: "ended", outcome: "ok", milliseconds: id }),
    );
  }
  expect([calls.running.length, calls.ended.length]).toEqual([0, 50]);
  expect(calls.ended.slice(0, 2).map(({ id, outcome, milliseconds }) => [id, outcome, milliseconds])).toEqual([
    ["59", "ok", 59],
    ["58", "ok", 58],
  ]);
  expect(calls.ended.filter((ended) => "arguments" in ended)).toEqual([]);
});

test("calls from before a component was there are known to it, those of another page are not", async () => {
  const page = createTestPage();
  const screen = createScreen();
  await screen.show(below(page));
  page.happen(call("a", {}));
  page.happen(call("b", { event: "ended", outcome: "ok" }));
  await screen.show(below(page, createElement(Calls)));
  expect([calls.running, calls.ended].map((some) => some.map(({ id }) => id))).toEqual([["a"], ["b"]]);
  await screen.show(below(createTestPage(), createElement(Calls)));
  expect(calls).toEqual({ running: [], ended: [] });
});
