import { afterEach, expect, test, vi } from "vitest";
import type { Tool } from "../wire/index.ts";
import { createFakeBrowser } from "./fake-browser.test-helper.ts";
import type { FakeBrowser } from "./fake-browser.test-helper.ts";
import { createMirror } from "./mirror.ts";
import type { Mirror, MirroredTool, RefusedTool } from "./mirror.ts";
import type { FoundContext, ModelContextRegisterToolOptions, ModelContextTool } from "./model-context.ts";
import { ownToolMarks } from "./own-tools.ts";

type Register = (tool: ModelContextTool, options?: ModelContextRegisterToolOptions) => unknown;

const inputSchema = { type: "object" } as const;
const mirrors: Mirror[] = [];

afterEach(() => {
  for (const mirror of mirrors.splice(0)) mirror.close();
});

interface Setting {
  readonly taken?: string[];
  readonly exposedTo?: readonly string[];
  /** Replaces the browser's own. */
  readonly registerTool?: Register;
  readonly browser?: ReturnType<typeof createFakeBrowser>;
}

function setUp({ taken = [], exposedTo, browser = createFakeBrowser(taken), registerTool }: Setting = {}) {
  const told: RefusedTool[] = [];
  const register: Register = registerTool ?? (async (...given) => browser.register(...given));
  const found = { at: "document", context: { registerTool: register } } as FoundContext;
  const mirror = createMirror({ found, exposedTo, onRefused: (refused) => told.push(refused) });
  mirrors.push(mirror);
  return { mirror, told, browser: browser.browser as FakeBrowser };
}

function tool(name: string, more: Partial<Tool> = {}, answer = `ran ${name}`): MirroredTool {
  return { tool: { name, description: name, inputSchema, ...more }, run: async () => answer };
}

test("a set is there when the browser has answered for each tool, which may take a while", async () => {
  const answers: (() => void)[] = [];
  const { mirror } = setUp({ registerTool: () => new Promise<void>((resolve) => answers.push(resolve)) });
  const syncing = mirror.sync([tool("one"), tool("two")]);
  await vi.waitUntil(() => answers.length === 2);
  answers[1]?.();
  await Promise.resolve();
  await Promise.resolve();
  expect(mirror.names()).not.toContain("one");
  answers[0]?.();
  await syncing;
  expect(mirror.names()).toEqual(["one", "two"]);
});

test("a refused tool is reported once, with the browser's reason and advice, and is not among the names", async () => {
  const { mirror, told, browser } = setUp({ taken: ["mine"] });
  const bad = "ns/slash";
  const set = [tool("mine"), tool("good"), tool(bad)];
  await mirror.sync(set);
  await mirror.sync(set);
  expect(mirror.names()).toEqual(["good"]);
  expect(told).toEqual([
    {
      name: "mine",
      message:
        "The browser says: Duplicate tool name. Another script of this page registered a tool of this name: rename one of them, or give a server's a `prefix`.",
    },
    {
      name: bad,
      message: "The browser says: Invalid tool name. A name is 1 to 128 letters, digits, dots, dashes or underscores.",
    },
  ]);
  expect(mirror.refused()).toEqual(told);
  expect(browser.changes).toEqual(["+good"]);
});

test("a browser that throws, at once or an error of no kind, refuses too", async () => {
  const thrown: [unknown, string][] = [
    [new TypeError("The schema is not an object."), "The schema is not an object."],
    [undefined, "A value that is not an error was thrown: undefined"],
    [new DOMException("Denied", "NotAllowedError"), 'a frame needs allow="tools"'],
    [new DOMException("Denied", "SecurityError"), "origin-keyed"],
    [
      new DOMException("Only secure origins are allowed.", "SecurityError"),
      "Tools can be exposed to secure origins only",
    ],
  ];
  for (const [error, words] of thrown) {
    const atOnce: Register = () => {
      throw error;
    };
    const later: Register = () => Promise.reject(error);
    for (const registerTool of [atOnce, later]) {
      const { mirror, told } = setUp({ registerTool });
      await mirror.sync([tool("one")]);
      expect(mirror.names()).toEqual([]);
      expect(told).toEqual([{ name: "one", message: expect.stringContaining(words) as string }]);
    }
  }
});

test("a refused tool is reported again when its definition or the browser's reason changes", async () => {
  let word = "Not now";
  const { mirror, told } = setUp({ registerTool: () => Promise.reject(new Error(word)) });
  await mirror.sync([tool("one")]);
  await mirror.sync([tool("one", { description: "Another" })]);
  word = "Never";
  await mirror.sync([tool("one", { description: "Another" })]);
  await mirror.sync([tool("one", { description: "Another" })]);
  expect(told.map(({ message }) => message)).toEqual([
    "The browser says: Not now",
    "The browser says: Not now",
    "The browser says: Never",
  ]);
});

test("a refused tool comes as soon as the browser takes it", async () => {
  const taken = ["one"];
  const { mirror, told, browser } = setUp({ taken });
  await mirror.sync([tool("one")]);
  taken.pop();
  await mirror.sync([tool("one")]);
  expect([mirror.names(), mirror.refused(), told.length]).toEqual([["one"], [], 1]);
  expect(browser.changes).toEqual(["+one"]);
});

test("what did not change is left alone, and its calls reach the newest handler", async () => {
  const { mirror, browser } = setUp();
  await mirror.sync([tool("one"), tool("two"), tool("three")]);
  await mirror.sync([tool("four"), tool("two", {}, "newer"), tool("three", { description: "Other" })]);
  expect(browser.changes).toEqual(["+one", "+two", "+three", "-one", "-three", "+four", "+three"]);
  expect(mirror.names()).toEqual(["four", "two", "three"]);
  expect(await browser.call("two")).toBe("newer");
});

test("each part of a definition that the browser is given makes it another, and nothing else does", async () => {
  const { mirror, browser } = setUp();
  const parts: Partial<Tool>[] = [
    { title: "One" },
    { description: "Does one thing" },
    { inputSchema: { type: "object", required: ["days"] } },
    { outputSchema: { type: "object" } },
    { annotations: { readOnlyHint: true } },
  ];
  for (const part of parts) await mirror.sync([tool("one", part)]);
  expect(browser.changes.filter((change) => change === "+one")).toHaveLength(parts.length);
  const before = browser.changes.length;
  await mirror.sync([tool("one", { ...parts.at(-1), icons: [{ src: "one.png" }], _meta: { mine: true } })]);
  expect(browser.changes).toHaveLength(before);
});

test("the browser is given the definition as it is, a title of the hints, and the name in place of an empty description", async () => {
  const { mirror, browser } = setUp();
  const schema = {
    type: "object",
    $defs: { a: { type: "string" } },
    properties: { a: { $ref: "#/$defs/a" } },
  } as const;
  await mirror.sync([
    tool("one", { title: "One", inputSchema: schema, outputSchema: schema, annotations: { destructiveHint: true } }),
    { tool: { name: "two", description: "", inputSchema, annotations: { title: "Two" } }, run: async () => "" },
    { tool: { name: "three", inputSchema }, run: async () => "" },
  ]);
  const execute = expect.any(Function) as () => void;
  expect([...browser.tools.values()]).toEqual([
    {
      name: "one",
      title: "One",
      description: "one",
      inputSchema: schema,
      outputSchema: schema,
      annotations: { consequentialHint: true },
      execute,
    },
    { name: "two", title: "Two", description: "two", inputSchema, execute },
    { name: "three", description: "three", inputSchema, execute },
  ]);
  expect(browser.tools.get("one")?.inputSchema).toBe(schema);
});

test("the origins that may see the tools go with each, and none where none were named", async () => {
  const given: unknown[] = [];
  const registerTool: Register = (_tool, options) => given.push(options);
  const signal = expect.any(AbortSignal) as AbortSignal;
  await setUp({ registerTool, exposedTo: ["https://agent.example"] }).mirror.sync([tool("one")]);
  await setUp({ registerTool }).mirror.sync([tool("one")]);
  expect(given).toEqual([{ signal, exposedTo: ["https://agent.example"] }, { signal }]);
});

test("the second tool of a name, and a tool that is not JSON, are not registered, and reported once", async () => {
  const { mirror, told, browser } = setUp();
  const circular: Record<string, unknown> = { type: "object" };
  circular["self"] = circular;
  const set = [
    tool("one"),
    tool("one", { description: "Another" }),
    tool("round", { inputSchema: circular as Tool["inputSchema"] }),
    tool("big", { inputSchema: { type: "object", most: 7n } as unknown as Tool["inputSchema"] }),
  ];
  await mirror.sync(set);
  await mirror.sync(set);
  expect(browser.changes).toEqual(["+one"]);
  expect(browser.tools.get("one")?.description).toBe("one");
  expect(told).toEqual([
    { name: "one", message: "An earlier tool has this name. Rename one of them." },
    { name: "round", message: expect.stringContaining("not JSON: Converting circular") as string },
    { name: "big", message: expect.stringContaining("not JSON: Do not know how to serialize a BigInt") as string },
  ]);
});

test("a schema of a megabyte is registered, and left alone where it is the same", async () => {
  const { mirror, browser } = setUp();
  const large = () => tool("one", { inputSchema: { type: "object", description: "x".repeat(2 ** 20) } });
  await mirror.sync([large()]);
  await mirror.sync([large()]);
  expect(browser.changes).toEqual(["+one"]);
});

test("closing takes everything away at once, also while the browser is asked, and can be done twice", async () => {
  const { mirror, told, browser } = setUp({ browser: createFakeBrowser() });
  await mirror.sync([tool("one"), tool("two")]);
  mirror.close();
  expect([browser.tools.size, mirror.names()]).toEqual([0, []]);
  mirror.close();
  await mirror.sync([tool("three")]);
  expect(browser.tools.size).toBe(0);

  const signals: AbortSignal[] = [];
  const never: Register = (_tool, options) => {
    if (options?.signal) signals.push(options.signal);
    return new Promise(() => {});
  };
  const silent = setUp({ registerTool: never });
  const syncing = silent.mirror.sync([tool("one")]);
  const next = silent.mirror.sync([tool("two")]);
  await vi.waitUntil(() => signals.length === 1);
  silent.mirror.close();
  await Promise.all([syncing, next]);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  expect([...told, ...silent.told]).toEqual([]);
});

test("closing after the document was removed makes no call to the browser, which would crash", async () => {
  const { mirror, browser } = setUp();
  await mirror.sync([tool("one")]);
  vi.stubGlobal("document", { defaultView: null });
  mirror.close();
  vi.unstubAllGlobals();
  expect(browser.changes).toEqual(["+one"]);
  expect([mirror.names(), ownToolMarks(globalThis).size]).toEqual([[], 0]);
});

test("sets follow one another in the order of the calls, also after a listener that throws", async () => {
  const { browser, register } = createFakeBrowser(["bad"]);
  const context = { registerTool: async (...given: Parameters<typeof register>) => register(...given) };
  const onRefused = () => {
    throw new Error("The listener failed.");
  };
  const mirror = createMirror({ found: { at: "document", context }, onRefused });
  mirrors.push(mirror);
  const failing = mirror.sync([tool("bad")]);
  const syncs = [mirror.sync([tool("one")]), mirror.sync([tool("two")]), mirror.sync([tool("one"), tool("two")])];
  await expect(failing).rejects.toThrow("The listener failed.");
  await Promise.all(syncs);
  expect(browser.changes).toEqual(["+one", "-one", "+two", "+one"]);
  expect(mirror.names()).toEqual(["one", "two"]);
});

test("an earlier browser gives nothing back, and tools go from it by a signal or by their name", async () => {
  const { browser, register } = createFakeBrowser();
  const removed: string[] = [];
  const unregisterTool = async (name: string) => {
    removed.push(name);
    throw new Error("There is no such tool.");
  };
  for (const context of [{ registerTool: register }, { registerTool: register, unregisterTool }]) {
    const mirror = createMirror({ found: { at: "navigator", context }, onRefused: () => {} });
    await mirror.sync([tool("one"), tool("two")]);
    expect(mirror.names()).toEqual(["one", "two"]);
    await mirror.sync([tool("two")]);
    mirror.close();
    expect(browser.tools.size).toBe(0);
  }
  expect(removed).toEqual(["one", "two"]);
});

test("the names that Pagewire registered are marked until the browser has them no more", async () => {
  const { mirror } = setUp({ taken: ["theirs"] });
  await mirror.sync([tool("one"), tool("theirs"), tool("two")]);
  expect([...ownToolMarks(globalThis)]).toEqual([
    ["one", true],
    ["two", true],
  ]);
  await mirror.sync([tool("two")]);
  expect([...ownToolMarks(globalThis).keys()]).toEqual(["two"]);
  mirror.close();
  expect(ownToolMarks(globalThis).size).toBe(0);
});

test("of two mirrors with one name the second is refused, and leaves the first one's mark", async () => {
  const browser = createFakeBrowser();
  const first = setUp({ browser });
  const second = setUp({ browser });
  await first.mirror.sync([tool("one", {}, "first")]);
  await second.mirror.sync([tool("one", {}, "second")]);
  expect([second.mirror.names(), second.told.length]).toEqual([[], 1]);
  second.mirror.close();
  expect(ownToolMarks(globalThis).get("one")).toBe(true);
  expect(await browser.browser.call("one")).toBe("first");
});
