import { expect, test } from "vitest";
import { fakeJoin, fakeWindow, settled } from "./fake-model-context.test-helper.ts";
import type { FakeTool } from "./fake-model-context.test-helper.ts";

async function resultOf(given: unknown): Promise<unknown> {
  const { call } = await fakeJoin({ tools: [{ name: "tool", execute: () => given }] });
  const outcome = await call("tool");
  return "payload" in outcome ? JSON.parse(outcome.payload) : outcome;
}

const throwing = (error: unknown): FakeTool => ({
  name: "tool",
  execute() {
    throw error;
  },
});

test("the input is checked against the tool's schema before the browser is asked", async () => {
  const inputs: object[] = [];
  const inputSchema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
  const { call } = await fakeJoin({
    tools: [{ name: "tool", inputSchema, execute: (input) => inputs.push(input) && "done" }],
  });
  expect(await call("tool", { n: "one" })).toMatchObject({ kind: "refused", code: "input-invalid" });
  expect(await call("tool", { n: 1 })).toMatchObject({ kind: "result", isError: false });
  expect(inputs).toEqual([{ n: 1 }]);
});

test("a context that parses its input gets it as JSON", async () => {
  const input = { n: 1, toString: "own" };
  const execute = (given: unknown) => JSON.stringify(JSON.parse(given as string));
  const { call } = await fakeJoin({ tools: [{ name: "tool", execute }] });
  expect(await call("tool", input)).toMatchObject({
    isError: false,
    payload: expect.stringContaining(`"structuredContent":${JSON.stringify(input)}`),
  });
});

test("with the schema of another origin's frame it is not compared, which could take for ever", async () => {
  const { context, own, call, tools } = await fakeJoin();
  const window = fakeWindow({ parent: own });
  const inputSchema = { type: "object", properties: { q: { type: "string", pattern: "^(a+)+$" } }, required: ["q"] };
  context.change({ name: "pay", window, inputSchema, execute: (input) => JSON.stringify(input) });
  await settled();
  expect(tools()).toMatchObject([{ name: "pay", inputSchema }]);
  const input = { q: `${"a".repeat(50)}!` };
  expect(await call("pay", input)).toMatchObject({
    isError: false,
    payload: expect.stringContaining(`"structuredContent":${JSON.stringify(input)}`),
  });
});

test("an object that a mirrored tool's result has only as text becomes structured content again", async () => {
  const content = [{ type: "text", text: '{"total":7}' }];
  expect(await resultOf(JSON.stringify({ content }))).toEqual({ content, structuredContent: { total: 7 } });
  const error = { content, isError: true };
  expect(await resultOf(JSON.stringify(error))).toEqual(error);
});

test("text is text, an object is given as such beside its text, and an MCP result is passed on as it is", async () => {
  expect(await resultOf("hello")).toEqual({ content: [{ type: "text", text: "hello" }] });
  expect(await resultOf("42")).toEqual({ content: [{ type: "text", text: "42" }] });
  expect(await resultOf("[1,2]")).toEqual({ content: [{ type: "text", text: "[1,2]" }] });
  expect(await resultOf("")).toEqual({ content: [{ type: "text", text: "" }] });
  const precise = '{"id": 12345678901234567890}';
  expect(await resultOf(precise)).toMatchObject({ content: [{ type: "text", text: precise }], structuredContent: {} });
  const results = [
    { content: [{ type: "text", text: "no stock" }], isError: true },
    { content: [{ type: "image", data: "AAAA", mimeType: "image/webp" }], structuredContent: { a: 1 } },
    { content: [], structuredContent: { a: 1 }, _meta: { "app/note": "kept" } },
  ];
  for (const result of results) expect(await resultOf(JSON.stringify(result))).toEqual(result);
  const document = { content: ["a paragraph"], title: "Notes" };
  expect(await resultOf(JSON.stringify(document))).toMatchObject({ structuredContent: document });
});

test("a result that asks for input is an ordinary object: no user is asked, because the tool could not get the answer", async () => {
  const inputRequests = { key: { method: "elicitation/create", params: { mode: "form", message: "Your password?" } } };
  const asking = { content: [], resultType: "input_required", inputRequests };
  expect(await resultOf(JSON.stringify(asking))).toEqual({
    content: [{ type: "text", text: JSON.stringify(asking) }],
    structuredContent: asking,
  });
  const complete = { content: [{ type: "text", text: "done" }], resultType: "complete" };
  expect(await resultOf(JSON.stringify(complete))).toEqual({ content: complete.content });
});

test("an object that nests too deeply for an answer is still given as text", async () => {
  const deep = `${'{"a":'.repeat(100)}1${"}".repeat(100)}`;
  expect(await resultOf(deep)).toEqual({ content: [{ type: "text", text: deep }] });
});

test("a tool that navigated to another page reports that", async () => {
  expect(await resultOf(null)).toEqual({
    content: [
      { type: "text", text: 'The tool "tool" led to another page, which may have other tools. List them again.' },
    ],
  });
});

test("a tool that throws gives an error that points to the reason, with the browser's error as its cause", async () => {
  for (const [error, said] of [
    [
      new DOMException("Tool was executed but the invocation failed. For example, …", "UnknownError"),
      /"tool" failed\. The browser does not tell why: its console has the reason\. A tool that returns \{isError: true, content\}/,
    ],
    [new DOMException("The site has a programming error: …", "UnknownError"), /^The site has a programming error/],
    [new DOMException('{"path":"/n","reason":"required"}', "DataError"), /refused the arguments: .*"\/n"/],
    [new Error("a script that stands in for a browser"), /^a script that stands in/],
    [undefined, /not an error was thrown: undefined/],
  ] as const) {
    const { call } = await fakeJoin({ tools: [throwing(error)] });
    const outcome = await call("tool");
    expect(outcome).toMatchObject({ kind: "result", isError: true });
    const { content, _meta } = JSON.parse("payload" in outcome ? outcome.payload : "") as {
      content: [{ text: string }];
      _meta: object;
    };
    expect(content[0].text).toMatch(said);
    expect(_meta).toEqual({ "pagewire/code": "handler-failed" });
  }
});

test("a call of a tool that disappears meanwhile fails as removed, and may have run", async () => {
  const { call, context } = await fakeJoin({
    tools: [
      {
        name: "tool",
        execute() {
          context.change();
          throw new DOMException("unknown transient reason", "UnknownError");
        },
      },
    ],
  });
  expect(await call("tool")).toMatchObject({
    isError: true,
    payload: expect.stringMatching(/taken away during the call.*It may have run\./),
  });
  await settled();
  expect(await call("tool")).toMatchObject({ kind: "refused", code: "tool-not-found" });
});

test("a tool that takes itself away while it runs still answers", async () => {
  const { call, context, names } = await fakeJoin({
    tools: [
      {
        name: "once",
        async execute() {
          context.change();
          await settled();
          return "done";
        },
      },
    ],
  });
  expect(await call("once")).toMatchObject({ isError: false, payload: expect.stringContaining("done") });
  expect(names()).toEqual([]);
});

test("a call that is cancelled ends at once, and the tool's signal aborts with its reason", async () => {
  let seen: AbortSignal | undefined;
  const { call } = await fakeJoin({
    tools: [{ name: "slow", execute: (_input, signal) => new Promise(() => (seen = signal)) }],
  });
  const cancelling = new AbortController();
  const outcome = call("slow", {}, cancelling.signal);
  await expect.poll(() => seen).toBeDefined();
  cancelling.abort(new Error("enough"));
  expect(await outcome).toEqual({ kind: "aborted" });
  expect(seen?.reason).toEqual(new Error("enough"));
});
