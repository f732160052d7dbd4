import fc from "fast-check";
import { expect, test } from "vitest";
import { PagewireError } from "../wire/index.ts";
import { answerOf, environment, makeToolbox, resultOf, textOf } from "./call.test-helper.ts";

const refusal = async (answer: unknown) => {
  const outcome = await answerOf(() => answer);
  expect(outcome).toMatchObject({ kind: "result", isError: true });
  expect(resultOf(outcome)["_meta"]).toEqual({ "pagewire/code": "result-unsendable" });
  return textOf(outcome);
};

test("a string is the text of the answer", async () => {
  for (const text of ["hello", "", 'quoted "\n\u2028 \ud800', "{}"]) {
    expect(resultOf(await answerOf(() => text))).toEqual({ content: [{ type: "text", text }] });
  }
});

test("nothing is an answer without content", async () => {
  expect(resultOf(await answerOf(() => undefined))).toEqual({ content: [] });
  expect(resultOf(await answerOf(async () => {}))).toEqual({ content: [] });
});

test("an object is structured content and text; other JSON is text", async () => {
  expect(resultOf(await answerOf(() => ({ a: 1 })))).toEqual({
    content: [{ type: "text", text: '{"a":1}' }],
    structuredContent: { a: 1 },
  });
  for (const answer of [[1, 2], 5, true, null]) {
    expect(resultOf(await answerOf(() => answer))).toEqual({
      content: [{ type: "text", text: JSON.stringify(answer) }],
    });
  }
});

test("whatever JSON a handler answers arrives equal, from an async handler too", async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ noUnicodeString: false }), fc.boolean(), async (answer, isAsync) => {
      const outcome = await answerOf(() => (isAsync ? Promise.resolve(answer) : answer));
      const result = resultOf(outcome);
      const sent = JSON.parse(JSON.stringify(answer)) as unknown;
      expect(outcome).toMatchObject({ isError: false });
      expect(typeof answer === "string" ? textOf(outcome) : JSON.parse(textOf(outcome))).toEqual(sent);
      const isObject = typeof answer === "object" && answer !== null && !Array.isArray(answer);
      expect(result["structuredContent"]).toEqual(isObject ? sent : undefined);
    }),
  );
});

test("an MCP result is passed on as it is", async () => {
  const results = [
    { content: [] },
    { content: [{ type: "image", data: "aGk=", mimeType: "image/png" }], _meta: { "a/b": 1 } },
    { content: [{ type: "text", text: "no" }], isError: true },
    { content: [{ type: "new-kind", any: [1] }], structuredContent: { a: 1 } },
    { content: [], isError: true, later: 1 },
    { content: [{ type: "resource", resource: { uri: "app://a", blob: "aGk=" } }] },
    { content: [{ type: "resource_link", uri: "app://a", name: "a" }] },
  ];
  for (const result of results) {
    const outcome = await answerOf(() => result);
    expect(resultOf(outcome)).toEqual(result);
    expect(outcome).toMatchObject({ isError: result.isError === true });
  }
});

test("a result that says that it is complete is sent without that word; no other word may stand there", async () => {
  const { registerResource, registerPrompt, readResource, getPrompt } = makeToolbox();
  const resultType = "complete";
  registerResource({ uri: "app://a", name: "a", read: () => ({ resultType, contents: [] }) });
  registerPrompt({ name: "a", get: () => ({ resultType, messages: [] }) });
  const complete = { resultType, content: [{ type: "text", text: "no" }], isError: true };
  expect(resultOf(await answerOf(() => complete))).toEqual({ content: complete.content, isError: true });
  expect(resultOf(await readResource("app://a", environment()))).toEqual({ contents: [] });
  expect(resultOf(await getPrompt("a", {}, environment()))).toEqual({ messages: [] });
  const outcome = await answerOf(() => ({ content: [], resultType: "task" }));
  expect(textOf(outcome)).toBe(
    'The answer of tool "x" cannot be sent: $.resultType is neither complete nor input_required.',
  );
});

test("a value of the page's own that has content too is not taken for an MCP result", async () => {
  const values = [
    { type: "doc", content: [{ type: "paragraph" }] },
    { content: ["text"] },
    { content: [{ kind: "text" }] },
    { content: "text" },
  ];
  for (const value of values) expect(resultOf(await answerOf(() => value))["structuredContent"]).toEqual(value);
});

test("an MCP result that is malformed is an error that says where", async () => {
  const cases: [object, string][] = [
    [{ content: [{ type: "text", text: 42 }] }, "$.content[0].text is not a text."],
    [{ content: [{ type: "new" }, { type: "image", data: "aGk=" }] }, "$.content[1].mimeType is not a text."],
    [{ content: [{ type: "audio", mimeType: "audio/wav" }] }, "$.content[0].data is not a text."],
    [{ content: [{ type: "resource_link", uri: "app://a" }] }, "$.content[0].name is not a text."],
    [{ content: [{ type: "resource", resource: 5 }] }, "$.content[0].resource is not an object."],
    [{ content: [{ type: "resource", resource: { text: "x" } }] }, "$.content[0].resource.uri is not a text."],
    [{ content: [], isError: "yes" }, "$.isError is neither true nor false."],
    [{ content: [], _meta: 5 }, "$._meta is not an object."],
  ];
  for (const [answer, reason] of cases) {
    expect(await refusal(answer)).toBe(`The answer of tool "x" cannot be sent: ${reason}`);
  }
});

test("the code of whatever a handler throws is handler-failed", async () => {
  const outcome = await answerOf(() => Promise.reject(new PagewireError("tool-not-found", "elsewhere")));
  expect(resultOf(outcome)).toMatchObject({ isError: true, _meta: { "pagewire/code": "handler-failed" } });
  expect(textOf(outcome)).toBe("elsewhere");
});

test("an error is the tool's error with its message, without its stack", async () => {
  const outcome = await answerOf(() => {
    throw new RangeError("there is no such month");
  });
  expect(outcome).toMatchObject({ kind: "result", isError: true });
  expect(resultOf(outcome)).toEqual({
    content: [{ type: "text", text: "there is no such month" }],
    isError: true,
    _meta: { "pagewire/code": "handler-failed" },
  });
});

test("whatever is thrown, or rejected with, is the tool's error", async () => {
  const hostile = {
    get message() {
      throw new Error("gotcha");
    },
    toString() {
      throw new Error("gotcha");
    },
  };
  const named = Object.assign(new Error("x"), { message: { toString: null } });
  const things = [
    undefined,
    null,
    "",
    "text",
    5,
    1n,
    Symbol("s"),
    {},
    hostile,
    named,
    Object.create(null),
    new Error(""),
    () => 1,
  ];
  for (const thing of things) {
    for (const handler of [
      () => Promise.reject(thing),
      () => {
        throw thing;
      },
    ]) {
      const outcome = await answerOf(handler);
      expect(outcome).toMatchObject({ kind: "result", isError: true });
      expect(textOf(outcome)).toMatch(/./);
    }
  }
  await fc.assert(
    fc.asyncProperty(fc.anything({ withBigInt: true, withMap: true, withNullPrototype: true }), async (thing) => {
      expect(await answerOf(() => Promise.reject(thing))).toMatchObject({ kind: "result", isError: true });
    }),
  );
});

test("an object with a message says its message", async () => {
  expect(textOf(await answerOf(() => Promise.reject({ message: "not today", code: 5 })))).toBe("not today");
  expect(textOf(await answerOf(() => Promise.reject("not today")))).toBe("not today");
});

test("the page's author hears of what a handler threw, with its stack", async () => {
  const toolbox = makeToolbox();
  const error = new Error("broken");
  toolbox.registerTool({ name: "x", execute: () => Promise.reject(error) });
  await toolbox.callTool("x", {}, environment());
  expect(toolbox.errors).toEqual([{ stage: 'tool "x"', error }]);
});

test("what JSON cannot hold is an error that says where it is and what", async () => {
  class Secret {
    readonly #value = 1;
    value = () => this.#value;
  }
  class Empty {}
  const cases: [unknown, string][] = [
    [{ items: [0, 0, 0, { amount: 1n }] }, "$.items[3].amount is a BigInt."],
    [{ a: () => 1 }, "$.a is a Function."],
    [async () => {}, "$ is an AsyncFunction."],
    [{ "a b": Symbol("s") }, "$.a b is a Symbol."],
    [{ a: NaN }, "$.a is NaN."],
    [[Infinity], "$[0] is Infinity."],
    [new Map([["a", 1]]), "$ is a Map."],
    [{ a: [new Set()] }, "$.a[0] is a Set."],
    [{ bytes: new Uint8Array(2) }, "$.bytes is an Uint8Array."],
    [{ late: Promise.resolve() }, "$.late is a Promise."],
    [{ error: new Error("x") }, "$.error is an Error."],
    [{ pattern: /x/ }, "$.pattern is a RegExp."],
    [new Empty(), "$ is an Empty without fields."],
    [new Secret(), "$.value is a Function."],
    [{ content: [{ type: "text", text: 1n }] }, "$.content[0].text is a BigInt."],
  ];
  for (const [answer, reason] of cases) {
    expect(await refusal(answer)).toBe(`The answer of tool "x" cannot be sent: ${reason}`);
  }
});

test("what contains itself, nests without end or cannot be read is an error too", async () => {
  const circle: { list: unknown[] } = { list: [] };
  circle.list.push({ back: circle });
  expect(await refusal(circle)).toContain("$.list[0].back contains itself.");
  let deep: unknown[] = [];
  for (let level = 0; level < 100_000; level++) deep = [deep];
  expect(await refusal(deep)).toContain("is nested too deeply.");
  const endless = () => ({ toJSON: () => ({ next: endless() }) });
  expect(await refusal(endless())).toContain("is nested too deeply.");
  const unreadable = {
    get a() {
      throw new Error("not allowed to look");
    },
  };
  expect(await refusal(unreadable)).toContain("not allowed to look");
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  expect(await refusal({ proxy })).toContain("cannot be sent");
});

test("a value that occurs twice, dates, toJSON and plain instances are sent as JSON does", async () => {
  const shared = { n: 1 };
  class Row {
    readonly id = 7;
    get total() {
      return 1;
    }
  }
  const answer = {
    twice: [shared, shared, { shared }],
    at: new Date(0),
    url: new URL("https://example.com/"),
    row: new Row(),
    bare: Object.assign(Object.create(null) as object, { a: 1 }),
    missing: undefined,
    list: [undefined],
  };
  expect(resultOf(await answerOf(() => answer))["structuredContent"]).toEqual({
    twice: [{ n: 1 }, { n: 1 }, { shared: { n: 1 } }],
    at: "1970-01-01T00:00:00.000Z",
    url: "https://example.com/",
    row: { id: 7 },
    bare: { a: 1 },
    list: [null],
  });
});

test("holes, boxed values and a field named __proto__ are sent as JSON does", async () => {
  const answer = {
    // oxlint-disable-next-line no-sparse-arrays
    holes: [1, , 3],
    boxed: [new Number(1), new String("a"), new Boolean(false)],
    own: JSON.parse('{"__proto__":{"a":1}}') as unknown,
    replaced: { toJSON: (name: string) => `by ${name}` },
    listed: [{ toJSON: (name: string) => `by ${name}` }],
  };
  const outcome = await answerOf(() => answer);
  expect(textOf(outcome)).toBe(JSON.stringify(answer));
  expect(JSON.stringify(resultOf(outcome)["structuredContent"])).toBe(JSON.stringify(answer));
});

test("getters and toJSON are asked once", async () => {
  let reads = 0;
  const answer = {
    get a() {
      reads++;
      return { toJSON: () => ++reads };
    },
  };
  expect(resultOf(await answerOf(() => answer))["structuredContent"]).toEqual({ a: 2 });
});

test("an answer that does not fit a frame is an error that names its size and the limit", async () => {
  const limits = { frameBytes: 1000, headerBytes: 100 };
  const fits = "x".repeat(900 - JSON.stringify({ content: [{ type: "text", text: "" }] }).length);
  expect(textOf(await answerOf(() => fits, { limits }))).toBe(fits);
  for (const [text, size] of [
    [`${fits}x`, 901],
    ["€".repeat(400), 1239],
  ] as const) {
    const outcome = await answerOf(() => text, { limits });
    expect(outcome).toMatchObject({ isError: true });
    expect(resultOf(outcome)["_meta"]).toEqual({ "pagewire/code": "result-too-large" });
    expect(textOf(outcome)).toContain(
      `takes ${size} bytes, and 900 is the most (limit frameBytes). Return less, or a part of it.`,
    );
  }
});

test("the message of an error is cut to what a frame's header holds", async () => {
  const text = textOf(await answerOf(() => Promise.reject(new Error("x".repeat(1_000_000)))));
  expect(text).toMatch(/^x+…$/);
  expect(text).toHaveLength(4096);
});

const totals = {
  name: "x",
  outputSchema: {
    type: "object",
    properties: { total: { type: "number" }, at: { type: "string" } },
    required: ["total"],
  },
};

test("with an output schema the answer is checked as the JSON that it becomes", async () => {
  const toolbox = makeToolbox();
  toolbox.registerTool({ ...totals, execute: () => ({ total: 1, at: new Date(0), left: undefined }) });
  const result = resultOf(await toolbox.callTool("x", {}, environment()));
  expect(result["structuredContent"]).toEqual({ total: 1, at: "1970-01-01T00:00:00.000Z" });
});

test("an answer that does not match the output schema is an error that names each path", async () => {
  const answers: unknown[] = [{ total: "1" }, { content: [], structuredContent: { total: "1" } }];
  for (const answer of answers) {
    const toolbox = makeToolbox();
    toolbox.registerTool({ ...totals, execute: () => answer });
    const outcome = await toolbox.callTool("x", {}, environment());
    expect(outcome).toMatchObject({ isError: true });
    expect(resultOf(outcome)["_meta"]).toEqual({ "pagewire/code": "output-invalid" });
    expect(textOf(outcome)).toBe('The answer of tool "x" does not match its outputSchema: /total must be number.');
  }
});

test("an answer without structured content does not match an output schema; an error need not", async () => {
  for (const answer of [undefined, "text", { content: [] }]) {
    const toolbox = makeToolbox();
    toolbox.registerTool({ ...totals, execute: () => answer });
    expect(resultOf(await toolbox.callTool("x", {}, environment()))["_meta"]).toEqual({
      "pagewire/code": "output-invalid",
    });
  }
  const toolbox = makeToolbox();
  const error = { content: [{ type: "text", text: "no" }], isError: true };
  toolbox.registerTool({ ...totals, execute: () => error });
  expect(resultOf(await toolbox.callTool("x", {}, environment()))).toEqual(error);
});

test("an output schema of another type lets any JSON be structured content", async () => {
  const toolbox = makeToolbox();
  toolbox.registerTool({
    name: "x",
    outputSchema: { type: "array", items: { type: "number" } },
    execute: () => [1, 2],
  });
  expect(resultOf(await toolbox.callTool("x", {}, environment()))).toEqual({
    content: [{ type: "text", text: "[1,2]" }],
    structuredContent: [1, 2],
  });
});

test("the page's author hears what was behind an answer that cannot be sent", async () => {
  const toolbox = makeToolbox();
  const cause = new Error("not allowed to look");
  toolbox.registerTool({
    name: "x",
    execute: () => ({
      get a() {
        throw cause;
      },
    }),
  });
  await toolbox.callTool("x", {}, environment());
  expect(toolbox.errors[0]?.error).toMatchObject({ code: "result-unsendable", cause });
});
