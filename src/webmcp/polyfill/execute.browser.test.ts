import { describe, expect, inject, onTestFinished, test, vi } from "vitest";
import type { RegisteredTool } from "../model-context.ts";
import { contextOf, drawn, ending, next, register } from "./polyfill.test-helper.ts";

const isNative = inject("native");

const run = (tool: unknown, ...rest: unknown[]) =>
  ending(contextOf().executeTool(tool as RegisteredTool, ...(rest as [object])));

/** The result of a call to a tool that returns this value. */
async function answerOf(give: () => unknown): Promise<unknown> {
  const { tool } = await register({ execute: give });
  return run(tool);
}

const circular: Record<string, unknown> = {};
circular["itself"] = circular;

test("the list has plain objects of the same fields, by name", async () => {
  await register({ name: "b" });
  await register({ name: "a.b", title: "T" });
  await register({ name: "Z" });
  await register({ name: "a-b", title: 5 as never });
  await register({ name: "10" });
  const tools = await contextOf().getTools();
  expect(tools.map(({ name }) => name)).toEqual(["10", "Z", "a-b", "a.b", "b"]);
  const plain = { description: "d", name: "a.b", origin, title: "T", window };
  expect(Object.entries(tools[3] ?? {})).toEqual(Object.entries(plain));
  expect([tools[2]?.title, tools[4]?.title, Object.getPrototypeOf(tools[0])]).toEqual(["5", "", Object.prototype]);
  expect(tools[0]).not.toBe((await contextOf().getTools())[0]);
});

describe("what is executed", () => {
  test("a tool that looks like a listed one is one", async () => {
    const { tool } = await register();
    const look = { name: tool.name, description: "", origin, window };
    expect(await run(look)).toBe("done");
    expect(await run({ ...look, title: "other", origin: location.href })).toBe("done");
    expect(await run({ ...look, origin: "https://other.example" })).toEqual({ error: "UnknownError" });
    expect(await run({ ...look, origin: "garbage" })).toEqual({ error: "NotSupportedError" });
    expect(await run({ ...look, name: "nowhere" })).toEqual({ error: "UnknownError" });
    for (const member of ["name", "description", "origin", "window"]) {
      expect(await run({ ...look, [member]: undefined })).toEqual({ error: "TypeError" });
    }
    const wrong = [tool.name, undefined, null, { ...look, window: {} }, { ...look, inputSchema: "{}" }];
    for (const each of wrong) expect(await run(each)).toEqual({ error: "TypeError" });
  });

  test("a tool that was taken away is an UnknownError", async () => {
    const { tool, remove } = await register();
    remove();
    expect(await run(tool)).toEqual({ error: "UnknownError" });
  });

  test("the input is an object or a list, of which the tool is given a copy by JSON", async () => {
    const given: unknown[] = [];
    const { tool } = await register({ execute: (input) => void given.push(input) });
    const input = { date: new Date(0), missing: undefined, deep: { a: [1] } };
    for (const each of [input, [1, 2], undefined, new Map()]) await run(tool, each);
    expect(given).toEqual([{ date: "1970-01-01T00:00:00.000Z", deep: { a: [1] } }, [1, 2], {}, {}]);
    const primitives = [null, "{}", 5, true, Symbol("a")];
    const unsendable = [circular, { a: 1n }, () => {}, { toJSON: () => undefined }];
    for (const each of [...primitives, ...unsendable]) expect(await run(tool, each)).toEqual({ error: "TypeError" });
    expect(await run(tool, {}, "options")).toEqual({ error: "TypeError" });
    expect(await run(tool, {}, { signal: {} })).toEqual({ error: "TypeError" });
    expect(await run(tool, {}, null)).toBe("undefined");
    expect(given).toHaveLength(5);
  });

  test("the tool is given a signal, has no this, and begins after the script that called it", async () => {
    const log: unknown[] = [];
    const { tool } = await register({
      execute(this: unknown, ...given: readonly unknown[]) {
        const { signal } = given[1] as { signal: AbortSignal };
        log.push(this, given.length, Object.keys(given[1] as object), signal instanceof AbortSignal, signal.aborted);
      },
    });
    const ended = run(tool);
    log.push("called");
    await ended;
    expect(log).toEqual(["called", undefined, 2, ["signal"], true, false]);
  });
});

describe("answers", () => {
  test.each<[string, unknown, string]>([
    ["text", "hello", "hello"],
    ["no text", "", "Operation succeeded"],
    ["nothing", undefined, "undefined"],
    ["null", null, "null"],
    ["a number", -0, "0"],
    ["no number", Number.NaN, "NaN"],
    ["a BigInt", 1n, "1"],
    ["false", false, "false"],
    ["an object", { a: [1, { b: "c" }] }, '{"a":[1,{"b":"c"}]}'],
    ["a date", new Date(0), '"1970-01-01T00:00:00.000Z"'],
    ["a map", new Map([[1, 2]]), "{}"],
    ["bytes", new Uint8Array([1]), '{"0":1}'],
    ["an element", document.createElement("p"), "{}"],
    ["a function", () => 1, "undefined"],
    ["what is undefined as JSON", { toJSON: () => undefined }, "undefined"],
    ["what is no text as JSON", { toJSON: () => "" }, '""'],
    ["a symbol within", { a: Symbol("a"), b: 1 }, '{"b":1}'],
    [
      "an MCP result",
      { content: [{ type: "text", text: "x" }], isError: true },
      '{"content":[{"type":"text","text":"x"}],"isError":true}',
    ],
  ])("%s as text", async (_, value, expected) => {
    expect(await answerOf(() => value)).toBe(expected);
    expect(await answerOf(async () => value)).toBe(expected);
  });

  test("five megabytes of text", async () => {
    const text = "x".repeat(5_000_000);
    expect((await answerOf(() => text)) === text).toBe(true);
  });

  test.each<[string, () => unknown]>([
    [
      "throws",
      () => {
        throw new Error("kaboom");
      },
    ],
    [
      "throws nothing",
      () => {
        throw undefined;
      },
    ],
    ["rejects", () => Promise.reject(new Error("kaboom"))],
    ["gives what contains itself", () => circular],
    ["gives a BigInt within", () => ({ a: 1n })],
  ])("a tool that %s is an UnknownError", async (_, execute) => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    onTestFinished(() => void vi.restoreAllMocks());
    expect(await answerOf(execute)).toEqual({ error: "UnknownError" });
  });

  test("the error and the console have the reason; Chromium 156 has it only in its console", async () => {
    const heard = vi.spyOn(console, "error").mockImplementation(() => {});
    onTestFinished(() => heard.mockRestore());
    const fault = new RangeError("kaboom");
    const { tool } = await register({ execute: () => Promise.reject(fault) });
    const error = (await contextOf()
      .executeTool(tool)
      .catch((thrown: unknown) => thrown)) as Error;
    expect(error).toBeInstanceOf(DOMException);
    expect([error.message.includes("kaboom"), error.cause === fault]).toEqual([!isNative, !isNative]);
    expect(heard.mock.calls).toEqual(isNative ? [] : [["WebMCP tool execution failed:", fault]]);
    // A Symbol crashes Chromium 156.
    const symbol = isNative ? Symbol("a").description : Symbol("a");
    expect(await answerOf(() => symbol)).toEqual(isNative ? "a" : { error: "UnknownError" });
  });
});

describe("events and aborts", () => {
  /** Logs a context's call events until the test ends. */
  function logged(): string[] {
    const log: string[] = [];
    const context = contextOf();
    for (const type of ["toolactivated", "toolcancel"] as const) {
      context[`on${type}`] = ({ constructor, toolName, bubbles, cancelable }: Event & { toolName?: string }) =>
        log.push([type, toolName, constructor.name, bubbles, cancelable].join(" "));
      onTestFinished(() => void (context[`on${type}`] = null));
    }
    return log;
  }

  test("toolactivated comes when the tool began, and before its answer", async () => {
    const log = logged();
    const { tool } = await register({ execute: () => void log.push("began") });
    await contextOf()
      .executeTool(tool)
      .then(() => log.push("answered"));
    expect(log).toEqual(["began", `toolactivated ${tool.name} ToolActivatedEvent false false`, "answered"]);
  });

  test("an abort rejects at once with the caller's reason; then the tool's signal aborts, and toolcancel comes", async () => {
    const log = logged();
    const { tool } = await register({
      execute: (_, options) =>
        new Promise(() => {
          log.push("began");
          options?.signal?.addEventListener("abort", () => log.push(`${options.signal?.reason}`.slice(0, 10)));
        }),
    });
    const caller = new AbortController();
    const activated = next("toolactivated");
    const ended = contextOf()
      .executeTool(tool, {}, { signal: caller.signal })
      .catch((reason) => log.push(reason));
    await activated;
    caller.abort("enough");
    await Promise.all([ended, next("toolcancel")]);
    expect(log).toEqual([
      "began",
      `toolactivated ${tool.name} ToolActivatedEvent false false`,
      "enough",
      "AbortError",
      `toolcancel ${tool.name} ToolCancelEvent false false`,
    ]);
  });

  test("an abort before the call runs nothing, and one right after it reaches the tool", async () => {
    const log: string[] = [];
    const { tool } = await register({
      execute: (_, options) => {
        log.push("began");
        options?.signal?.addEventListener("abort", () => log.push("aborted"));
        return "late";
      },
    });
    expect(await run(tool, {}, { signal: AbortSignal.abort("before") })).toEqual({ rejected: "before" });
    await drawn();
    expect(log).toEqual([]);
    const { tool: slow } = await register({
      execute: (_, options) =>
        new Promise((resolve) => options?.signal?.addEventListener("abort", () => resolve(log.push("heard")))),
    });
    const caller = new AbortController();
    const ended = run(slow, {}, { signal: caller.signal });
    const cancelled = next("toolcancel");
    caller.abort("after");
    expect(await ended).toEqual({ rejected: "after" });
    await cancelled;
    expect(log).toEqual(["heard"]);
  });

  test("calls of one tool run side by side, and an abort is of one", async () => {
    const signals: AbortSignal[] = [];
    const { tool } = await register({
      execute: (input, options) => {
        if (options?.signal) signals.push(options.signal);
        return (input as { waits?: boolean }).waits ? new Promise(() => {}) : next("toolcancel").then(() => "second");
      },
    });
    const caller = new AbortController();
    const first = run(tool, { waits: true }, { signal: caller.signal });
    const second = run(tool, {});
    await next("toolactivated");
    if (signals.length < 2) await next("toolactivated");
    caller.abort("first");
    expect(await first).toEqual({ rejected: "first" });
    expect(await second).toBe("second");
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  });

  test("a tool that is taken away, also by itself, still answers", async () => {
    let remove = () => {};
    const signals: (AbortSignal | undefined)[] = [];
    const registered = await register({
      execute: async (_, options) => {
        remove();
        signals.push(options?.signal);
        await drawn();
        return "done";
      },
    });
    ({ remove } = registered);
    expect(await run(registered.tool)).toBe("done");
    expect(signals[0]?.aborted).toBe(false);
  });
});
