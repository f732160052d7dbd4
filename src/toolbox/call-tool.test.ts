import { expect, test, vi } from "vitest";
import { environment, makeToolbox, resultOf, settled, textOf } from "./call.test-helper.ts";
import { loadCalls } from "./load-calls.ts";
import { loadJsonSchemaValidator } from "./validate-json.ts";
import type { LoadValidator } from "./validate-json.ts";

const sales = {
  name: "get_sales",
  inputSchema: {
    type: "object",
    properties: { days: { type: "number" }, from: { type: "string" } },
    required: ["from"],
  },
} as const;

test("a handler is given the input and the context of the call", async () => {
  const toolbox = makeToolbox();
  const execute = vi.fn<() => string>(() => "done");
  toolbox.registerTool({ ...sales, execute });
  const caller = environment();
  expect(textOf(await toolbox.callTool("get_sales", { from: "May", days: 3 }, caller))).toBe("done");
  expect(execute).toHaveBeenCalledExactlyOnceWith(
    { from: "May", days: 3 },
    expect.objectContaining({ callId: "call-1", agent: { name: "a test" }, deadline: 1000, signal: caller.signal }),
  );
});

test("a call without arguments is one with none", async () => {
  const toolbox = makeToolbox();
  toolbox.registerTool({ name: "a", execute: (input) => input });
  expect(resultOf(await toolbox.callTool("a", undefined, environment()))["structuredContent"]).toEqual({});
});

test("a tool that is not there is refused by its name", async () => {
  expect(await makeToolbox().callTool("nope", {}, environment())).toEqual({
    kind: "refused",
    code: "tool-not-found",
    message: 'There is no tool "nope" here. List the tools again to see what there is.',
  });
});

test("the names that every object has are no tools", async () => {
  const toolbox = makeToolbox();
  for (const name of ["constructor", "__proto__", "toString"]) {
    expect(await toolbox.callTool(name, {}, environment())).toMatchObject({ code: "tool-not-found" });
  }
});

test("arguments that are no JSON object are refused", async () => {
  const toolbox = makeToolbox();
  toolbox.registerTool({ name: "a", execute: () => "ran" });
  for (const input of [null, [], "x", 5, true]) {
    expect(await toolbox.callTool("a", input, environment())).toMatchObject({
      kind: "refused",
      code: "arguments-malformed",
    });
  }
});

test("input that does not match is refused before the handler runs, naming each path and why", async () => {
  const toolbox = makeToolbox();
  const execute = vi.fn<() => void>();
  toolbox.registerTool({ ...sales, execute });
  expect(await toolbox.callTool("get_sales", { days: "three" }, environment())).toEqual({
    kind: "refused",
    code: "input-invalid",
    message: 'Tool "get_sales" refused its input: /from is required; /days must be number.',
  });
  expect(execute).not.toHaveBeenCalled();
});

test("of many problems ten are named and the others counted", async () => {
  const toolbox = makeToolbox();
  const names = Array.from({ length: 14 }, (_, index) => `field${index}`);
  toolbox.registerTool({ name: "a", inputSchema: { type: "object", required: names }, execute: () => "" });
  const outcome = await toolbox.callTool("a", {}, environment());
  expect(outcome).toMatchObject({ kind: "refused", code: "input-invalid" });
  const { message } = outcome as { message: string };
  expect(message).toContain("/field9 is required; and 4 more.");
  expect(message).not.toContain("field10");
});

test("the validator is loaded when a tool first needs it, and once", async () => {
  const loadValidator = vi.fn<LoadValidator>(loadJsonSchemaValidator);
  const toolbox = makeToolbox({ loadValidator });
  toolbox.registerTool({ name: "free", execute: () => "ran" });
  toolbox.registerTool({
    name: "described",
    inputSchema: { $schema: "https://json-schema.org/draft/2020-12/schema", title: "x", properties: {}, required: [] },
    execute: () => "ran",
  });
  toolbox.registerTool({ ...sales, execute: () => "ran" });
  expect(loadValidator).not.toHaveBeenCalled();
  expect(textOf(await toolbox.callTool("free", { any: 1 }, environment()))).toBe("ran");
  expect(textOf(await toolbox.callTool("described", { any: 1 }, environment()))).toBe("ran");
  expect(loadValidator).not.toHaveBeenCalled();
  const calls = [1, 2, 3].map(() => toolbox.callTool("get_sales", { from: "May" }, environment()));
  for (const call of calls) expect(textOf(await call)).toBe("ran");
  expect(loadValidator).toHaveBeenCalledOnce();
});

test("if a part cannot be loaded, the call is refused with the reason, and the next call retries", async () => {
  const parts = { loadValidator: loadJsonSchemaValidator, loadCalls };
  for (const part of ["loadValidator", "loadCalls"] as const) {
    const load = vi.fn<() => Promise<never>>(parts[part] as () => Promise<never>);
    load.mockRejectedValueOnce(new TypeError("Failed to fetch"));
    const execute = vi.fn<() => string>(() => "ran");
    const toolbox = makeToolbox({ [part]: load });
    toolbox.registerTool({ ...sales, execute });
    const outcome = await toolbox.callTool("get_sales", { from: "May" }, environment());
    expect(outcome).toMatchObject({ kind: "refused", code: "part-missing" });
    expect(outcome).toMatchObject({
      message: expect.stringContaining("could not be loaded (Failed to fetch)") as string,
    });
    expect(execute).not.toHaveBeenCalled();
    expect(textOf(await toolbox.callTool("get_sales", { from: "May" }, environment()))).toBe("ran");
    expect(load).toHaveBeenCalledTimes(2);
  }
});

test("a loader that throws at once is no different", async () => {
  const toolbox = makeToolbox({
    loadCalls: () => {
      throw new Error("blocked");
    },
  });
  expect(await toolbox.callTool("a", {}, environment())).toMatchObject({ kind: "refused", code: "part-missing" });
});

test("a JSON Schema that cannot be used refuses the call and names what is wrong with it", async () => {
  const toolbox = makeToolbox();
  const execute = vi.fn<() => void>();
  toolbox.registerTool({
    name: "a",
    inputSchema: { type: "object", properties: { x: { $ref: "https://example.com/x.json" } } },
    execute,
  });
  const outcome = await toolbox.callTool("a", { x: 1 }, environment());
  expect(outcome).toMatchObject({ kind: "refused", code: "schema-invalid" });
  expect(outcome).toMatchObject({
    message: expect.stringMatching(
      /^The inputSchema of tool "a" cannot be used: .*https:\/\/example.com\/x.json/,
    ) as string,
  });
  expect(execute).not.toHaveBeenCalled();
});

test("what aborts the call's signal ends the call at once, whatever its handler does", async () => {
  const toolbox = makeToolbox();
  let seen: AbortSignal | undefined;
  toolbox.registerTool({
    name: "a",
    execute: (_input, { signal }) => {
      seen = signal;
      return new Promise(() => {});
    },
  });
  const controller = new AbortController();
  const call = toolbox.callTool("a", {}, environment({ signal: controller.signal }));
  await vi.waitUntil(() => seen);
  controller.abort();
  expect(await call).toEqual({ kind: "aborted" });
  expect(seen?.aborted).toBe(true);
});

test("an answer or error that comes after the abort is dropped", async () => {
  for (const late of [() => "late", () => Promise.reject(new Error("late"))]) {
    const toolbox = makeToolbox();
    const controller = new AbortController();
    toolbox.registerTool({
      name: "a",
      execute: (_input, { signal }) =>
        new Promise((resolve, reject) => {
          signal.addEventListener("abort", () => {
            Promise.resolve(late()).then(resolve, reject);
          });
          controller.abort();
        }),
    });
    expect(await toolbox.callTool("a", {}, environment({ signal: controller.signal }))).toEqual({ kind: "aborted" });
    await settled();
    expect(toolbox.errors).toEqual([]);
  }
});

test("a handler does not begin after the abort", async () => {
  const controller = new AbortController();
  const execute = vi.fn<() => void>();
  let hand: (validate: never) => void = () => {};
  const toolbox = makeToolbox({
    loadValidator: () => {
      controller.abort();
      return new Promise((resolve) => {
        hand = resolve as typeof hand;
      });
    },
  });
  toolbox.registerTool({ ...sales, execute });
  const outcome = await toolbox.callTool("get_sales", {}, environment({ signal: controller.signal }));
  expect(outcome).toEqual({ kind: "aborted" });
  hand((() => []) as never);
  await settled();
  expect(execute).not.toHaveBeenCalled();
  expect(await toolbox.callTool("get_sales", {}, environment({ signal: AbortSignal.abort() }))).toEqual(outcome);
  expect(execute).not.toHaveBeenCalled();
});

test("nor is anything waited for when the signal has aborted before the call", async () => {
  const toolbox = makeToolbox({ loadCalls: () => new Promise(() => {}) });
  const outcome = await toolbox.callTool("a", {}, environment({ signal: AbortSignal.abort() }));
  expect(outcome).toEqual({ kind: "aborted" });
});

test("a tool that is replaced or removed while it runs finishes what it does", async () => {
  const toolbox = makeToolbox();
  let finish: (answer: string) => void = () => {};
  const { remove } = toolbox.registerTool({
    name: "a",
    execute: () =>
      new Promise<string>((resolve) => {
        finish = resolve;
      }),
  });
  const call = toolbox.callTool("a", {}, environment());
  await settled();
  remove();
  finish("done");
  expect(textOf(await call)).toBe("done");
});

test("concurrent calls do not receive each other's events", async () => {
  const toolbox = makeToolbox();
  toolbox.registerTool({
    name: "a",
    execute: async (input, { progress }) => {
      progress((input as { n: number }).n);
      await settled();
      return input;
    },
  });
  const callers = [1, 2, 3].map((n) => ({ n, caller: environment() }));
  const calls = callers.map(({ n, caller }) => toolbox.callTool("a", { n }, caller));
  for (const [index, outcome] of (await Promise.all(calls)).entries()) {
    const { n, caller } = callers[index] as (typeof callers)[number];
    expect(resultOf(outcome)["structuredContent"]).toEqual({ n });
    expect(caller.heard).toEqual([["progress", n, undefined, undefined]]);
  }
});

test("problems with input fit a frame's header, whatever characters its names hold", async () => {
  const toolbox = makeToolbox();
  toolbox.registerTool({
    name: "a",
    inputSchema: { type: "object", additionalProperties: false },
    execute: () => "ran",
  });
  const outcome = await toolbox.callTool("a", { ["\u0001".repeat(3000)]: 1 }, environment());
  expect(outcome).toMatchObject({ kind: "refused", code: "input-invalid" });
  expect(JSON.stringify(outcome).length).toBeLessThan(8300);
});

test("the validator that an answer needs is loaded before the handler runs", async () => {
  const loadValidator = vi.fn<LoadValidator>(loadJsonSchemaValidator);
  loadValidator.mockRejectedValueOnce(new TypeError("Failed to fetch"));
  const toolbox = makeToolbox({ loadValidator });
  const execute = vi.fn<() => { n: number }>(() => ({ n: 1 }));
  toolbox.registerTool({ name: "a", outputSchema: { type: "object", required: ["n"] }, execute });
  expect(await toolbox.callTool("a", {}, environment())).toMatchObject({ kind: "refused", code: "part-missing" });
  expect(execute).not.toHaveBeenCalled();
  expect(resultOf(await toolbox.callTool("a", {}, environment()))["structuredContent"]).toEqual({ n: 1 });
});

test("a call that ran is reported as one that ran, even if onError throws", async () => {
  const toConsole = vi.spyOn(console, "error").mockImplementation(() => {});
  const toolbox = makeToolbox({
    onError: () => {
      throw new Error("no log today");
    },
  });
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  for (const thrown of [new Error("broken"), proxy]) {
    toolbox.registerTool({ name: "a", execute: () => Promise.reject(thrown) });
    const outcome = await toolbox.callTool("a", {}, environment());
    expect(outcome).toMatchObject({ kind: "result", isError: true });
    expect(resultOf(outcome)).toMatchObject({ _meta: { "pagewire/code": "handler-failed" } });
  }
  expect(toConsole).toHaveBeenCalledTimes(2);
  toConsole.mockRestore();
});
