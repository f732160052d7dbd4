// With Chromium's own model context and, where it has none, with the polyfill.
import { expect, onTestFinished, test, vi } from "vitest";
import type { ModelContextTool } from "./model-context.ts";
import { contextOf, ending, newName, next, register, toolNamed } from "./polyfill/polyfill.test-helper.ts";
import { reportToolErrors } from "./report-tool-errors.ts";

function report(): () => void {
  const stop = reportToolErrors();
  onTestFinished(stop);
  return stop;
}

/** The console's text for what a tool threw, which stays there. */
function muteConsole() {
  const error = vi.spyOn(console, "error").mockImplementation(() => {});
  onTestFinished(() => error.mockRestore());
  return error;
}

const failed = (text: string) => ({ isError: true, content: [{ type: "text", text }] });

async function call(tool: Partial<ModelContextTool>, input: object = {}): Promise<unknown> {
  const { tool: registered } = await register(tool);
  return contextOf().executeTool(registered, input);
}

const callJson = async (tool: Partial<ModelContextTool>): Promise<unknown> =>
  JSON.parse((await call(tool)) as string) as unknown;

class ShelfError extends Error {}

test.each<readonly [string, unknown, string]>([
  ["an error", new ShelfError("The shelf is empty."), "The shelf is empty."],
  ["an error without a message", new ShelfError(), "Error"],
  ["an error of another kind", new DOMException("No disk.", "QuotaExceededError"), "No disk."],
  ["a text", "no shelf", "no shelf"],
  ["a number", 7, "A value that is not an error was thrown: 7"],
  ["undefined", undefined, "A value that is not an error was thrown: undefined"],
  ["a symbol", Symbol("s"), "A value that is not an error was thrown: Symbol(s)"],
  ["an AbortError of the tool's own", new DOMException("Too slow.", "AbortError"), "Too slow."],
  ["a long text", "x".repeat(5000), "x".repeat(4096)],
])("a tool that throws or rejects with %s returns an MCP error result", async (_, thrown, text) => {
  const error = muteConsole();
  report();
  const throwing = () => {
    throw thrown;
  };
  for (const execute of [throwing, () => Promise.reject(thrown)]) {
    expect(await callJson({ execute })).toEqual(failed(text));
    expect(error).toHaveBeenLastCalledWith("WebMCP tool execution failed:", thrown);
  }
});

test("a tool that does not fail answers as before, with its input, its signal and its own this", async () => {
  report();
  let seen: readonly unknown[] = [];
  const execute: ModelContextTool["execute"] = function (this: unknown, ...given) {
    seen = [this, given[0], given[1]?.signal instanceof AbortSignal];
    return { found: 3 };
  };
  expect(await call({ execute }, { shelf: "A" })).toBe('{"found":3}');
  expect(seen).toEqual([undefined, { shelf: "A" }, true]);
});

test("what else a tool has is kept, also where it is frozen, inherited, or of private fields", async () => {
  muteConsole();
  report();
  class Tool {
    readonly #shelf = "A";
    readonly annotations = { readOnlyHint: true };
    constructor(readonly name: string) {}
    get description(): string {
      return `Counts shelf ${this.#shelf}.`;
    }
    get title(): string {
      return `Shelf ${this.#shelf}`;
    }
    get inputSchema(): object {
      return { type: "object", title: this.#shelf };
    }
    execute(): never {
      throw new Error("The shelf is empty.");
    }
  }
  for (const tool of [new Tool(newName()), Object.freeze(new Tool(newName()))]) {
    const removal = new AbortController();
    onTestFinished(() => removal.abort());
    await contextOf().registerTool(tool, { signal: removal.signal });
    const listed = await toolNamed(tool.name);
    expect(listed).toMatchObject({
      title: "Shelf A",
      description: "Counts shelf A.",
      inputSchema: { type: "object", title: "A" },
      annotations: { readOnlyHint: true },
    });
    const answer = await contextOf().executeTool(listed);
    expect(JSON.parse(answer ?? "")).toEqual(failed("The shelf is empty."));
  }
});

test("a call that its caller cancels stays cancelled", async () => {
  muteConsole();
  report();
  const { tool } = await register({
    execute: (_, options) =>
      new Promise((_resolve, reject) => {
        options?.signal?.addEventListener("abort", () => reject(options.signal?.reason));
      }),
  });
  const caller = new AbortController();
  const ended = ending(contextOf().executeTool(tool, {}, { signal: caller.signal }));
  await next("toolactivated");
  const cancelled = next("toolcancel");
  caller.abort("enough");
  expect(await ended).toEqual({ rejected: "enough" });
  await cancelled;
});

test("what registerTool refuses it refuses as before, and a signal removes the tool", async () => {
  const context = contextOf();
  const tool = { name: newName(), description: "d", execute() {} };
  const throwing = {
    ...tool,
    get name(): string {
      throw new RangeError("no name");
    },
  };
  const tries: ReadonlyArray<readonly [unknown, object?]> = [
    [undefined],
    ["text"],
    [{}],
    [{ ...tool, execute: "text" }],
    [{ ...tool, description: "" }],
    [{ ...tool, name: "no name" }],
    [throwing],
    [tool, { signal: AbortSignal.abort("too late") }],
  ];
  const refusals = () =>
    Promise.all(tries.map(([given, options]) => ending(context.registerTool(given as ModelContextTool, options))));
  const before = await refusals();
  report();
  expect(await refusals()).toEqual(before);
  const removal = new AbortController();
  await context.registerTool(tool, { signal: removal.signal });
  expect(await ending(context.registerTool(tool))).toEqual({ error: "InvalidStateError" });
  removal.abort();
  expect((await context.getTools()).map(({ name }) => name)).not.toContain(tool.name);
});

test("it can be called any number of times, wraps once, and holds until each caller has ended it", async () => {
  muteConsole();
  const [first, second] = [report(), report()];
  const wrapped = contextOf().registerTool;
  for (let count = 0; count < 3; count += 1) report()();
  expect(contextOf().registerTool === wrapped).toBe(true);
  first();
  first();
  const execute = () => Promise.reject(new Error("The shelf is empty."));
  expect(await callJson({ execute })).toEqual(failed("The shelf is empty."));
  second();
  expect(await ending(call({ execute }))).toEqual({ error: "UnknownError" });
});

test("a script that takes the wrapped function away is followed by the next call", async () => {
  muteConsole();
  report();
  Reflect.deleteProperty(contextOf(), "registerTool");
  report();
  expect(await callJson({ execute: () => Promise.reject(new Error("empty")) })).toEqual(failed("empty"));
});

test("tools that were registered before, and after it has ended, are as they were", async () => {
  muteConsole();
  const execute = () => Promise.reject(new Error("The shelf is empty."));
  const { tool: early } = await register({ execute });
  const stop = report();
  const { tool } = await register({ execute });
  stop();
  const { tool: late } = await register({ execute });
  expect(await ending(contextOf().executeTool(early))).toEqual({ error: "UnknownError" });
  expect(await ending(contextOf().executeTool(late))).toEqual({ error: "UnknownError" });
  expect(JSON.parse((await contextOf().executeTool(tool)) ?? "")).toEqual(failed("The shelf is empty."));
});
