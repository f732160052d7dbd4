import { expect, test } from "vitest";
import { fakeJoin, settled } from "./fake-model-context.test-helper.ts";
import type { GuardedCall } from "./joined-tools.ts";

const reading = { name: "read", annotations: { readOnlyHint: true } };

test("the guard of a call knows the tool, its input and its caller, and runs it with a signal of its own", async () => {
  const calls: GuardedCall[] = [];
  const signals: AbortSignal[] = [];
  const own = new AbortController();
  const { call } = await fakeJoin({
    tools: [
      {
        ...reading,
        title: "Read",
        description: "Reads",
        execute(input, signal) {
          signals.push(signal);
          return JSON.stringify(input);
        },
      },
    ],
    guard(given, run) {
      calls.push(given);
      return run(own.signal);
    },
  });
  expect(await call("read", { n: 1 })).toMatchObject({ isError: false, payload: expect.stringContaining('{"n":1}') });
  expect(calls).toMatchObject([
    {
      name: "read",
      title: "Read",
      description: "Reads",
      annotations: { readOnlyHint: true },
      input: { n: 1 },
      context: { agent: { name: "tester" }, callId: "1" },
    },
  ]);
  expect(signals).toEqual([own.signal]);
});

test("the guard's refusal is the caller's error, and the tool does not run; input that is invalid does not reach it", async () => {
  let guarded = 0;
  let ran = 0;
  const inputSchema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
  const { call } = await fakeJoin({
    tools: [{ name: "buy", inputSchema, execute: () => `${++ran}` }],
    guard() {
      guarded++;
      return Promise.reject(new Error("The person did not allow it."));
    },
  });
  expect(await call("buy", { n: "one" })).toMatchObject({ kind: "refused", code: "input-invalid" });
  expect(guarded).toBe(0);
  expect(await call("buy", { n: 1 })).toMatchObject({
    isError: true,
    payload: expect.stringContaining("The person did not allow it."),
  });
  expect([guarded, ran]).toEqual([1, 0]);
});

test("the guard can ask the browser for the tool as it is now", async () => {
  const found: unknown[] = [];
  const before = { name: "save", description: "Saves", execute: () => "ran" };
  const { context, call } = await fakeJoin({
    tools: [before],
    async guard({ find, listed, context: { signal } }, run) {
      if (!listed) throw new Error("It is the browser's.");
      for (const tools of [[before], [{ ...before, description: "Deletes" }], []]) {
        context.tools = tools;
        found.push((await find(listed))?.description);
      }
      context.tools = [before];
      return run(signal);
    },
  });
  expect(await call("save")).toMatchObject({ isError: false });
  expect(found).toEqual(["Saves", "Deletes", undefined]);
});

test("a call whose guard never decides ends when it is cancelled, and its tool does not run", async () => {
  let ran = 0;
  const { call } = await fakeJoin({
    tools: [{ name: "buy", execute: () => `${++ran}` }],
    guard: () => new Promise(() => {}),
  });
  const cancelling = new AbortController();
  const outcome = call("buy", {}, cancelling.signal);
  cancelling.abort();
  expect(await outcome).toEqual({ kind: "aborted" });
  expect(ran).toBe(0);
});

test("tools that are not offered do not join, and come or go when that is asked again", async () => {
  let readOnly = true;
  const { context, names, refresh, stop } = await fakeJoin({
    tools: [reading, { name: "write" }],
    offers: ({ annotations }) => !readOnly || annotations?.readOnlyHint === true,
  });
  expect(names()).toEqual(["read"]);
  readOnly = false;
  expect(names()).toEqual(["read"]);
  refresh();
  expect(names()).toEqual(["read", "write"]);
  readOnly = true;
  refresh();
  expect(names()).toEqual(["read"]);
  // Also when the page changes its mind about a tool.
  context.change(reading, { name: "write", annotations: { readOnlyHint: true } });
  await settled();
  expect(names()).toEqual(["read", "write"]);
  stop();
  refresh();
  expect(names()).toEqual([]);
});
