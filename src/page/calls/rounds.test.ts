import { expect, test } from "vitest";
import type { CallContext, ToolDefinition } from "../../toolbox/index.ts";
import { createFakeBrowser } from "../test-support/fake-browser.test-helper.ts";
import { call, callFrame, connectedPage, deferred, endings } from "../test-support/page-under-test.test-helper.ts";

const asks = ["elicitation/create"] as const;
const sure = { method: "elicitation/create", params: { message: "Sure?", requestedSchema: { type: "object" } } };
const question = { resultType: "input_required", inputRequests: { sure }, requestState: "first" };
const answered = { inputResponses: { sure: { action: "accept" } }, requestState: "first" };
const done = '{"content":[{"type":"text","text":"done"}]}';

/** A tool that asks in its first run, and records its input of each run. */
function asking() {
  const runs: { readonly input: unknown; readonly context: CallContext }[] = [];
  const tool: ToolDefinition = {
    name: "work",
    execute(input, context) {
      runs.push({ input, context });
      return context.input ? "done" : question;
    },
  };
  return { tool, runs };
}

test("P46: a caller that takes rounds is given what a handler asks, as its result, and calls again with the answers", async () => {
  const { tool, runs } = asking();
  const page = await connectedPage({ tools: [tool] });
  await call(page, page.hub, { asks, rounds: true, input: { days: 7 } });
  expect(page.hub.heard("result")).toEqual([
    { type: "result", id: "c1", inputRequired: true, payload: JSON.stringify(question) },
  ]);
  await call(page, page.hub, { id: "c2", asks, rounds: true, input: { days: 7 }, answered });
  expect(page.hub.heard("result")[1]).toEqual({ type: "result", id: "c2", payload: done });
  expect(runs.map(({ input, context }) => [input, context.asks, context.input])).toEqual([
    [{ days: 7 }, asks, undefined],
    [{ days: 7 }, asks, { responses: { sure: { action: "accept" } }, state: "first" }],
  ]);
  expect(page.events.filter(({ event }) => event === "started").map((event) => event.arguments)).toEqual([
    { days: 7 },
    { days: 7 },
  ]);
});

test("P46: answers and state may each be missing", async () => {
  const { tool, runs } = asking();
  const page = await connectedPage({ tools: [tool] });
  await call(page, page.hub, { id: "c1", answered: {} });
  await call(page, page.hub, { id: "c2", answered: { requestState: "first" } });
  await call(page, page.hub, { id: "c3", answered: { inputResponses: {} } });
  expect(runs.map(({ context }) => context.input)).toEqual([
    { responses: {} },
    { responses: {}, state: "first" },
    { responses: {} },
  ]);
});

test("P46: for another caller the page asks, here by its dialog, and the call goes on", async () => {
  const { tool, runs } = asking();
  const page = await connectedPage({ tools: [tool] });
  await call(page, page.hub);
  expect(page.dialog.map(({ parameters }) => parameters)).toEqual([sure.params]);
  page.dialog[0]?.answer({ action: "decline" });
  await page.browser.clock.advance(0);
  expect(endings(page.hub)).toEqual([done]);
  expect(runs[1]?.context.input).toEqual({ responses: { sure: { action: "decline" } }, state: "first" });
});

test("a key goes on through the rounds of its call, and its outcome is that of the last", async () => {
  const { tool, runs } = asking();
  const page = await connectedPage({ tools: [tool] });
  const keyed = { key: "k", asks, rounds: true };
  await call(page, page.hub, { ...keyed, id: "c1" });
  await call(page, page.hub, { ...keyed, id: "c2", answered });
  await call(page, page.hub, { ...keyed, id: "c3", answered });
  await call(page, page.hub, { ...keyed, id: "c4", answered: { inputResponses: {} } });
  await call(page, page.hub, { ...keyed, id: "c5" });
  // Arguments that look like a call with its answers are still just arguments.
  await call(page, page.hub, { ...keyed, id: "c6", input: { arguments: {}, ...answered } });
  expect([endings(page.hub, "c2"), endings(page.hub, "c3")]).toEqual([[done], [done]]);
  expect(page.hub.heard("failure")).toMatchObject(["c4", "c5", "c6"].map((id) => ({ id, code: "key-conflict" })));
  expect(runs).toHaveLength(2);
});

test("while a round runs, its key is not free for another", async () => {
  const { promise, resolve } = deferred<object>();
  const page = await connectedPage({ tools: [{ name: "work", execute: () => promise }] });
  await call(page, page.hub, { key: "k", asks, rounds: true });
  await call(page, page.hub, { id: "c2", key: "k", asks, rounds: true, answered });
  expect(page.hub.heard("failure")).toMatchObject([{ id: "c2", code: "key-conflict" }]);
  resolve(question);
  await page.browser.clock.advance(0);
  expect(endings(page.hub)).toEqual([JSON.stringify(question)]);
});

test("the same frame never runs twice, whether or not it brings answers; it is answered again, also after a reload", async () => {
  const browser = createFakeBrowser();
  const storage = new Map<string, string>();
  const { tool, runs } = asking();
  const keyed = { key: "k", asks, rounds: true };
  const before = await connectedPage({ tools: [tool] }, { browser, storage });
  await call(before, before.hub, keyed);
  await call(before, before.hub, keyed);
  await before.document.happen((listener) => listener.gone(false));
  before.document.die();

  const after = await connectedPage({ tools: [tool] }, { browser, storage });
  await call(after, after.hub, { ...keyed, resume: true });
  expect(runs).toHaveLength(1);
  expect(before.hub.heard("result")).toHaveLength(2);
  expect(after.hub.heard("result")).toEqual(before.hub.heard("result").slice(1));
  await call(after, after.hub, { ...keyed, id: "c2", answered });
  expect(endings(after.hub, "c2")).toEqual([done]);
});

test("what a call brings along in another form is refused as malformed arguments are, and nothing runs", async () => {
  const { tool, runs } = asking();
  const page = await connectedPage({ tools: [tool], limits: { jsonDepth: 8 } });
  const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
  const wrong = [
    "",
    "{",
    "[]",
    "{}",
    '{"arguments":[]}',
    '{"arguments":{},"inputResponses":[]}',
    '{"arguments":{},"inputResponses":null}',
    '{"arguments":{},"requestState":1}',
    '{"arguments":{},"requestState":null}',
    `{"arguments":${nested(9)}}`,
  ];
  for (const [index, payload] of wrong.entries()) {
    await page.hub.say(callFrame(page.browser, { id: `c${index}`, answered: {} }), payload);
    expect(page.hub.heard("failure")[index]).toMatchObject({
      outcome: "rejected",
      code: "arguments-malformed",
      ran: "no",
    });
  }
  await page.hub.say(callFrame(page.browser, { id: "deep", answered: {} }), `{"arguments":${nested(8)}}`);
  expect([runs.length, endings(page.hub, "deep")]).toEqual([1, [done]]);
});

test("the caller's roots are asked for where it has some; the page has none", async () => {
  const roots = { resultType: "input_required", inputRequests: { roots: { method: "roots/list" } } };
  const execute: ToolDefinition["execute"] = (_input, { input }) => (input ? JSON.stringify(input) : roots);
  const page = await connectedPage({ tools: [{ name: "work", execute }] });
  await call(page, page.hub, { asks: ["roots/list"] });
  const [asked] = page.hub.heard("ask");
  expect(asked).toMatchObject({ method: "roots/list", payload: "{}" });
  await page.hub.say({ type: "answer", id: "c1", ask: asked?.ask ?? "" }, '{"roots":[]}');
  expect(endings(page.hub)[0]).toContain(JSON.stringify('{"responses":{"roots":{"roots":[]}}}'));
  await call(page, page.hub, { id: "c2", asks });
  expect(endings(page.hub, "c2")).toEqual([expect.stringContaining("ask-unsupported")]);
  expect(page.dialog).toEqual([]);
});

test("a question that is no form is not asked in the page", async () => {
  const params = { mode: "url", url: "https://shop.example/", message: "Sign in?" };
  const signIn = { resultType: "input_required", inputRequests: { in: { method: "elicitation/create", params } } };
  const page = await connectedPage({ tools: [{ name: "work", execute: () => signIn }] });
  await call(page, page.hub);
  expect(endings(page.hub)).toEqual([expect.stringContaining("ask-unsupported")]);
  expect(page.dialog).toEqual([]);
});

test("a resource that has new contents is told to the hub, once however often it was said", async () => {
  const page = await connectedPage();
  for (const uri of ["shop://cart", "shop://stock", "shop://cart"]) page.page.resourceUpdated(uri);
  page.page.toolbox.resourceUpdated("shop://stock");
  await page.browser.clock.advance(0);
  expect(page.hub.heard("updated").map(({ uri }) => uri)).toEqual(["shop://cart", "shop://stock"]);
  page.page.resourceUpdated("shop://cart");
  await page.browser.clock.advance(0);
  expect(page.hub.heard("updated")).toHaveLength(3);
});

test("without a hub nobody is told, and nothing is kept for later; what is no URI is refused", async () => {
  const page = await connectedPage();
  await page.hub.close();
  page.page.resourceUpdated("shop://cart");
  await page.browser.clock.advance(500);
  const again = await page.browser.hub.welcome();
  expect(again.types).toEqual(["hello", "offer"]);
  expect(() => page.page.resourceUpdated("cart")).toThrow('The uri "cart" is not a URI');
});
