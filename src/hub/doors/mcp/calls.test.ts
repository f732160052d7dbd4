import { expect, test } from "vitest";
import type { Limits } from "../../../wire/index.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import type { TestHub } from "../../test-support/hub.test-helper.ts";
import { askOnce } from "./test-support/mcp-asking.test-helper.ts";
import type { Asked } from "./test-support/mcp-asking.test-helper.ts";
import { connectClient, connectOlderClient, revisions } from "./test-support/mcp-client.test-helper.ts";
import { connectMcpPage, toolOf } from "./test-support/mcp-page.test-helper.ts";
import type { McpPageOptions, PageCall } from "./test-support/mcp-page.test-helper.ts";

/** The hub ignores unknown fields. */
const ways = revisions.flatMap((revision) => [
  { revision, form: "as it is", aside: {} },
  { revision, form: "with a field of its own", aside: { aside: 1 } },
]);
type Way = (typeof ways)[number];

async function callIn(hub: TestHub, { revision, aside }: Way, params: object = {}): Promise<Asked> {
  return askOnce({ hub, revision }, "tools/call", { name: "work", arguments: {}, ...params, ...aside });
}

/** An answer without the fields that only the newer revision has. */
function plain({ result, error }: Asked): unknown {
  if (!result) return { error };
  const { resultType: _, _meta, ...rest } = result;
  const { "io.modelcontextprotocol/serverInfo": __, ...marks } = { ...(_meta as object | undefined) } as Record<
    string,
    unknown
  >;
  return { ...rest, marks };
}

const results = [
  { content: [{ type: "text", text: "done ä語\u2028" }] },
  {
    content: [
      { type: "image", data: "aGk=", mimeType: "image/png" },
      { type: "audio", data: "aGk=", mimeType: "audio/wav" },
    ],
  },
  {
    content: [
      { type: "resource_link", uri: "a:b", name: "b" },
      { type: "resource", resource: { uri: "a:b", text: "b" } },
    ],
  },
  { content: [{ type: "text", text: '{"a":1}' }], structuredContent: { a: 1, structuredContent: [2] } },
  {
    content: [{ type: "text", text: "no", annotations: { priority: 1 }, _meta: { a: 1 } }],
    isError: true,
    _meta: { "b/c": [1] },
  },
  { content: [{ type: "hologram", data: { x: 1 } }], later: true },
];

test("M10: a result reaches every client as the page wrote it", async () => {
  const hub = await startHub();
  let next: (typeof results)[number] | undefined;
  await connectMcpPage(hub, { handle: (call) => call.result(next, next?.isError ? { isError: true } : {}) });
  const clients = [
    ...(await Promise.all(revisions.map((revision) => connectClient(hub, { revision })))),
    await connectOlderClient(hub),
  ];
  // No SDK client accepts content types that it does not know.
  for (next of results.slice(0, -1)) {
    for (const client of clients) {
      const { _meta, ...result } = await client.callTool({ name: "work", arguments: {} });
      const { _meta: written = {}, ...rest } = next;
      expect(result).toEqual(rest);
      expect(_meta ?? {}).toMatchObject(written);
    }
  }
});

test("a call has the same answer in every revision, even with an unknown field", async () => {
  const hub = await startHub();
  let next: unknown;
  await connectMcpPage(hub, { handle: (call) => call.result(next) });
  for (next of [
    ...results,
    { content: [{ type: "text", text: "語".repeat(50_000) }] },
    { content: [], structuredContent: { a: {} } },
  ]) {
    const answers = [];
    for (const way of ways) answers.push(plain(await callIn(hub, way)));
    const { _meta = {}, ...rest } = next as { _meta?: object };
    for (const answer of answers) expect(answer).toEqual({ ...rest, marks: _meta });
  }
});

interface Scene {
  readonly what: string;
  readonly limits?: Partial<Limits>;
  readonly page?: McpPageOptions;
  readonly prepare?: (hub: TestHub, page: Awaited<ReturnType<typeof connectMcpPage>>) => Promise<void>;
  readonly marks: {
    readonly outcome: string;
    readonly ran: string;
    readonly code: string;
    readonly retryAfter?: number;
  };
}

const failing = (
  outcome: "tool-error" | "rejected" | "cancelled" | "expired",
  ran: "yes" | "no" | "maybe",
  code: string,
): Scene => ({
  what: `the page says: ${outcome}`,
  page: { handle: (call: PageCall) => call.fail({ outcome, ran, code, message: "It is so." }) },
  marks: { outcome, ran, code },
});

const scenes: readonly Scene[] = [
  failing("tool-error", "yes", "handler-failed"),
  failing("rejected", "no", "input-invalid"),
  failing("cancelled", "maybe", "cancelled"),
  failing("expired", "maybe", "key-expired"),
  {
    what: "too many calls run",
    limits: { callsPerTab: 0 },
    marks: { outcome: "rejected", ran: "no", code: "calls-too-many", retryAfter: 1000 },
  },
  {
    what: "the page leaves before it took the call",
    page: { handle: (call) => call.leave(), acks: false },
    marks: { outcome: "not-delivered", ran: "no", code: "not-delivered" },
  },
  {
    what: "the page leaves while the tool runs",
    page: { handle: (call) => call.leave() },
    marks: { outcome: "outcome-unknown", ran: "maybe", code: "outcome-unknown" },
  },
  {
    what: "the tab was away and does not come back",
    limits: { graceTime: 3000 },
    async prepare(hub, page) {
      page.socket.terminate();
      await page.closed;
      await untilState(hub, "away");
    },
    marks: { outcome: "page-gone", ran: "no", code: "tab-gone" },
  },
  {
    what: "the tab is frozen",
    async prepare(_, page) {
      page.send({ type: "suspended", reason: "frozen" });
      await page.settled();
    },
    marks: { outcome: "page-suspended", ran: "no", code: "tab-suspended" },
  },
  {
    what: "the time is up",
    limits: { callTimeMost: 2000 },
    marks: { outcome: "deadline-exceeded", ran: "maybe", code: "deadline-exceeded" },
  },
];

async function untilState(hub: TestHub, state: string): Promise<void> {
  for (;;) {
    const { result } = await askOnce({ hub, revision: "2026-07-28" }, "tools/call", { name: "list_browser_tabs" });
    if (JSON.stringify(result).includes(`"state":"${state}"`)) return;
  }
}

test.each(scenes)("M12: when $what, the call has a result that says so, the same in both eras", async (scene) => {
  const answers = await Promise.all(
    ways.map(async (way) => {
      const hub = await startHub({ limits: scene.limits ?? {} });
      const page = await connectMcpPage(hub, scene.page);
      await scene.prepare?.(hub, page);
      return plain(await callIn(hub, way));
    }),
  );
  const marks = Object.fromEntries(Object.entries(scene.marks).map(([name, value]) => [`pagewire/${name}`, value]));
  for (const answer of answers) {
    expect(answer).toEqual({
      content: [{ type: "text", text: expect.stringMatching(/\.$/) as string }],
      isError: true,
      marks,
    });
    expect(answer).toEqual(answers[0]);
  }
});

test.each(ways)("M13: the same key is the same call, with the mark of a replay ($revision, $form)", async (way) => {
  const hub = await startHub();
  const page = await connectMcpPage(hub, { handle: (call) => call.say(`number ${page.calls.length}`) });
  for (const [index, key] of [
    { idempotencyKey: "a-key" },
    { _meta: { "pagewire/idempotencyKey": "b-key" } },
  ].entries()) {
    const first = plain(await callIn(hub, way, key));
    expect(first).toEqual({ content: [{ type: "text", text: `number ${index + 1}` }], marks: {} });
    expect(plain(await callIn(hub, way, key))).toEqual({ ...(first as object), marks: { "pagewire/replay": true } });
    expect(plain(await callIn(hub, way, { ...key, arguments: { other: 1 } }))).toMatchObject({
      isError: true,
      marks: { "pagewire/outcome": "rejected", "pagewire/code": "key-conflict", "pagewire/ran": "no" },
    });
  }
  expect(page.calls.map(({ key }) => key)).toEqual(["a-key", "b-key"]);
});

test("M13: a key is the same key in both forms, for every client and in every revision", async () => {
  const hub = await startHub();
  const page = await connectMcpPage(hub, { handle: (call) => call.say("once") });
  for (const way of ways) {
    for (const key of [{ idempotencyKey: "key" }, { _meta: { "pagewire/idempotencyKey": "key" } }]) {
      expect(plain(await callIn(hub, way, key))).toMatchObject({ content: [{ text: "once" }] });
    }
  }
  expect(page.calls).toHaveLength(1);
});

test.each(ways)("M13: a key of the wrong form is refused, and nothing runs ($revision, $form)", async (way) => {
  const hub = await startHub();
  const page = await connectMcpPage(hub, { handle: (call) => call.say("ran") });
  for (const key of ["", "two words", "x".repeat(129), 1, {}]) {
    for (const form of [{ idempotencyKey: key }, { _meta: { "pagewire/idempotencyKey": key } }]) {
      expect((await callIn(hub, way, form)).error?.code, JSON.stringify(form)).toBe(-32602);
    }
  }
  expect(page.calls).toEqual([]);
});

test.each(ways)(
  "M14: a call goes to the tab that it names, by its argument or through call_tab_tool ($revision, $form)",
  async (way) => {
    const hub = await startHub();
    const pages = [];
    for (const tab of ["1", "2"]) pages.push(await connectMcpPage(hub, { tab, handle: (call) => call.say(tab) }));
    for (const [index, page] of pages.entries()) {
      const { tabId } = page;
      const text = String(index + 1);
      const inTab = { name: "call_tab_tool", arguments: { tabId, name: "work", arguments: { a: 1 } } };
      expect(plain(await callIn(hub, way, { arguments: { tabId, a: 1 } }))).toMatchObject({ content: [{ text }] });
      expect(plain(await callIn(hub, way, inTab))).toMatchObject({ content: [{ text }] });
      expect(page.calls.map(({ payload }) => payload)).toEqual([{ a: 1 }, { a: 1 }]);
    }
    expect(plain(await callIn(hub, way, { arguments: { tabId: "nowhere" } }))).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining(pages[0]?.tabId ?? "") as string }],
      marks: { "pagewire/code": "tab-not-found", "pagewire/ran": "no" },
    });
  },
);

test.each(ways)(
  "M14: a name that two apps have is refused with the names to choose from ($revision, $form)",
  async (way) => {
    const hub = await startHub();
    for (const app of ["shop", "bank"]) await connectMcpPage(hub, { app, tab: app, handle: (call) => call.say(app) });
    expect(plain(await callIn(hub, way))).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/bank__work.*shop__work|shop__work.*bank__work/) as string }],
      marks: { "pagewire/code": "tool-ambiguous", "pagewire/ran": "no" },
    });
    expect(plain(await callIn(hub, way, { name: "bank__work" }))).toMatchObject({ content: [{ text: "bank" }] });
  },
);

test.each(ways)(
  "M15: a tool that does not exist is a mistake in the request, and so is a request of another form ($revision, $form)",
  async (way) => {
    const hub = await startHub();
    const page = await connectMcpPage(hub);
    const { error } = await callIn(hub, way, { name: "rest" });
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining("work") as string });
    for (const params of [
      { name: 1 },
      { name: undefined },
      { arguments: [1] },
      { arguments: "{}" },
      { arguments: null },
    ]) {
      expect((await callIn(hub, way, params)).error?.code, JSON.stringify(params)).toBe(-32602);
    }
    expect(page.calls).toEqual([]);
  },
);

test("M15: arguments reach the page as the client wrote them, and a call without any has an empty object", async () => {
  const hub = await startHub();
  const page = await connectMcpPage(hub, { offer: { tools: [toolOf("work")] }, handle: (call) => call.say("x") });
  const given = { a: [1, { b: null }], ä語: "\u2028", nested: { tab: true } };
  for (const way of ways) {
    await callIn(hub, way, { arguments: given });
    await callIn(hub, way, { arguments: undefined });
  }
  expect(page.calls.map(({ payload }) => payload)).toEqual(ways.flatMap(() => [given, {}]));
});
