import { afterEach, expect, test, vi } from "vitest";
import { PagewireError } from "../../../wire/index.ts";
import { call, makePage, resultOf } from "../actions.test-helper.ts";
import type { MadeCall } from "../actions.test-helper.ts";
import { actionRefused } from "./action.ts";
import type { ActionHandler } from "./action.ts";
import { registerAction } from "./register-action.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

function callOf(handler: ActionHandler): MadeCall & { readonly errors: readonly unknown[] } {
  const page = makePage();
  registerAction("x", handler, page);
  return { ...call(page, "x"), errors: page.errors };
}

const chunksOf = ({ heard }: MadeCall) => heard.map(([kind, level, text, logger]) => [kind, level, logger, text]);
const asChunk = (text: string) => ["log", "info", "pagewire.chunk", text];

test("what an async iterator yields is sent as it comes, in order, and what it returns is the result", async () => {
  let go = () => {};
  const gate = new Promise<void>((resolve) => (go = resolve));
  const made = callOf(async function* () {
    yield "one ";
    await gate;
    yield "two";
    return { words: 2 };
  });
  await vi.waitFor(() => expect(chunksOf(made)).toEqual([asChunk("one ")]));
  go();
  expect(await resultOf(made)).toEqual({
    content: [{ type: "text", text: '{"words":2}' }],
    structuredContent: { words: 2 },
    _meta: { "pagewire/chunks": 2 },
  });
  expect(chunksOf(made)).toEqual([asChunk("one "), asChunk("two")]);
});

test("a handler may also send pieces itself, and give an iterator later", async () => {
  const own = callOf((_input, { chunk }) => {
    chunk("a");
    chunk("b");
    return "ab";
  });
  expect(await resultOf(own)).toEqual({ content: [{ type: "text", text: "ab" }], _meta: { "pagewire/chunks": 2 } });
  expect(chunksOf(own)).toEqual([asChunk("a"), asChunk("b")]);
  const later = callOf(() =>
    Promise.resolve(
      (async function* () {
        yield "late";
      })(),
    ),
  );
  expect(await resultOf(later)).toEqual({ content: [], _meta: { "pagewire/chunks": 1 } });
});

test("a long piece is sent in parts that never cut a character in two, and together are the piece", async () => {
  const text = `${"a".repeat(256 * 1024 - 1)}😀${"b".repeat(300_000)}`;
  const made = callOf(async function* () {
    yield text;
    yield "";
  });
  const { _meta } = await resultOf(made);
  const parts = made.heard.map(([, , part]) => part as string);
  expect(parts.join("")).toBe(text);
  expect(parts.map((part) => Buffer.from(part).toString() === part)).toEqual([true, true, true]);
  expect(_meta).toEqual({ "pagewire/chunks": 3 });
});

test("an MCP result stays one and other JSON is text, with the number of pieces beside what it says itself", async () => {
  const finish = (answer: unknown) =>
    resultOf(
      callOf((_input, { chunk }) => {
        chunk(".");
        return answer;
      }),
    );
  expect(await finish({ content: [], isError: true, _meta: { "a/b": 1 } })).toEqual({
    content: [],
    isError: true,
    _meta: { "a/b": 1, "pagewire/chunks": 1 },
  });
  expect(await finish([1, 2])).toEqual({
    content: [{ type: "text", text: "[1,2]" }],
    _meta: { "pagewire/chunks": 1 },
  });
  expect(await finish(new Map())).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("Map") }] });
});

test("a piece that is no text fails the action by name, and its iterator is told", async () => {
  let isEnded = false;
  const made = callOf(async function* () {
    try {
      yield 5;
    } finally {
      isEnded = true;
    }
  });
  const { isError, content } = await resultOf(made);
  expect([isError, isEnded, made.heard]).toEqual([true, true, []]);
  expect(content[0]).toMatchObject({
    text: 'The action "x" gave a piece that is not a text. Give texts, and return the value.',
  });
});

test("a call that ends first aborts the signal and lets the generator clean up", async () => {
  const log: string[] = [];
  const made = callOf(async function* (_input, { signal }) {
    signal.addEventListener("abort", () => log.push("aborted"));
    try {
      yield "one";
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      yield "too late";
    } finally {
      log.push("cleaned up");
    }
  });
  await vi.waitFor(() => expect(made.heard).toHaveLength(1));
  made.cancel();
  expect(await made.outcome).toEqual({ kind: "aborted" });
  await vi.waitFor(() => expect(log).toEqual(["aborted", "cleaned up"]));
  expect(chunksOf(made)).toEqual([asChunk("one")]);
});

test("an iterator that still waits for its next piece is told by return(), once", async () => {
  const said: string[] = [];
  const made = callOf(() => ({
    [Symbol.asyncIterator]: () => ({
      next() {
        said.push("next");
        return new Promise(() => {});
      },
      async return() {
        said.push("return");
        return { done: true, value: undefined };
      },
    }),
  }));
  await vi.waitFor(() => expect(said).toEqual(["next"]));
  made.cancel();
  expect(await made.outcome).toEqual({ kind: "aborted" });
  made.cancel();
  expect(said).toEqual(["next", "return"]);
});

test("what goes wrong while it cleans up is told to the page, and an iterator without return() needs none", async () => {
  const reported: unknown[] = [];
  vi.stubGlobal("reportError", (error: unknown) => reported.push(error));
  const error = new Error("stuck");
  const iterator = (end: object) => () => ({
    [Symbol.asyncIterator]: () => ({ next: async () => ({ done: false, value: 1 }), ...end }),
  });
  const broken = callOf(iterator({ return: () => Promise.reject(error) }));
  expect((await resultOf(broken)).isError).toBe(true);
  await vi.waitFor(() => expect(reported).toEqual([error]));
  expect((await resultOf(callOf(iterator({})))).isError).toBe(true);
  expect(reported).toEqual([error]);
});

test("an action that the page or the browser does not allow keeps its code, and is no failure of the page's", async () => {
  for (const code of ["action-refused", "action-unavailable"] as const) {
    const made = callOf(() => {
      throw new PagewireError(code, "Not now.");
    });
    expect(await resultOf(made)).toEqual({
      content: [{ type: "text", text: "Not now." }],
      isError: true,
      _meta: { "pagewire/code": code },
    });
    expect(made.errors).toEqual([]);
  }
});

test("an action that refuses before it has done anything did not run, and one that had sent a piece did", async () => {
  const made = callOf(() => {
    throw actionRefused("Not here.");
  });
  expect(await made.outcome).toEqual({ kind: "refused", code: "action-refused", message: "Not here." });
  expect(made.errors).toEqual([]);
  const begun = callOf((_input, { chunk }) => {
    chunk("begun");
    throw actionRefused("Not here.");
  });
  expect(await resultOf(begun)).toMatchObject({ isError: true, _meta: { "pagewire/code": "action-refused" } });
});

test("whatever else a handler or its iterator throws is the handler's failure, told to the page", async () => {
  const problems = [new Error("broken"), new PagewireError("tool-not-found", "Another call's.")];
  for (const problem of problems) {
    const made = callOf(async function* () {
      yield "begun";
      throw problem;
    });
    expect(await resultOf(made)).toMatchObject({
      isError: true,
      content: [{ text: problem.message }],
      _meta: { "pagewire/code": "handler-failed" },
    });
    expect(made.errors).toEqual([problem]);
  }
});
