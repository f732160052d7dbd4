import { expect, test } from "vitest";
import type { CallContext, ToolDefinition } from "../../toolbox/index.ts";
import { createFakeBrowser } from "../test-support/fake-browser.test-helper.ts";
import { call, callFrame, connectedPage, deferred, endings } from "../test-support/page-under-test.test-helper.ts";

const done = '{"content":[{"type":"text","text":"done"}]}';

/** A tool that records its runs, and ends when the test resolves it. */
function work() {
  const runs: { readonly input: unknown; readonly context: CallContext }[] = [];
  const { promise, resolve } = deferred<string>();
  const tool: ToolDefinition = {
    name: "work",
    execute(input, context) {
      runs.push({ input, context });
      return promise;
    },
  };
  return { tool, runs, finish: () => resolve("done") };
}

test("P20: a call is acked before its handler runs, and ends with the handler's answer", async () => {
  const typesAtStart: string[] = [];
  const tool: ToolDefinition = { name: "work", execute: () => void typesAtStart.push(...page.hub.types) };
  const page = await connectedPage({ tools: [tool] });
  await call(page, page.hub);
  expect(typesAtStart).toContain("ack");
  expect(page.hub.types.slice(-2)).toEqual(["ack", "result"]);
  expect(endings(page.hub)).toEqual(['{"content":[]}']);
});

test("P20: a handler is given its input, and says who calls and until when it has time", async () => {
  const { tool, runs } = work();
  const page = await connectedPage({ tools: [tool] });
  await call(page, page.hub, { input: { days: 7 }, left: 5000 });
  expect(runs).toHaveLength(1);
  const [{ input, context } = { input: undefined, context: undefined }] = runs;
  expect(input).toEqual({ days: 7 });
  expect(context).toMatchObject({
    callId: "c1",
    agent: { name: "tester", version: "1.0" },
    deadline: page.browser.clock.now() + 1_800_000_005_000,
  });
});

test("a handler is given the trace that its call came with, and no other", async () => {
  const { tool, runs } = work();
  const page = await connectedPage({ tools: [tool] });
  const trace = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", tracestate: "a=b" };
  await call(page, page.hub, { trace });
  await call(page, page.hub, { id: "c2" });
  expect(runs.map(({ context }) => context.trace)).toEqual([trace, undefined]);
});

test("P21: a call that comes twice runs once, and both are answered", async () => {
  const { tool, runs, finish } = work();
  const page = await connectedPage({ tools: [tool] });
  await call(page, page.hub);
  await call(page, page.hub);
  finish();
  await page.browser.clock.advance(0);
  await call(page, page.hub);
  expect(runs).toHaveLength(1);
  expect(page.hub.heard("ack")).toHaveLength(2);
  expect(endings(page.hub)).toEqual([done, done]);
});

test("P21: a call that runs when its link is cut answers on the next link, under the id it is asked for by then", async () => {
  const { tool, runs, finish } = work();
  const page = await connectedPage({ tools: [tool] });
  await call(page, page.hub, { key: "k" });
  await page.hub.close({ code: 1006, reason: "cut off" });
  await page.browser.clock.advance(500);
  const again = await page.browser.hub.welcome();
  expect(again.heard("hello")[0]?.running).toEqual(["c1"]);
  await call(page, again, { id: "c2", key: "k" });
  finish();
  await page.browser.clock.advance(0);
  expect(runs).toHaveLength(1);
  expect([endings(again, "c2"), endings(again, "c1")]).toEqual([[done], []]);
});

test("P21: an answer that found no link is given when it is asked for", async () => {
  const { tool, finish } = work();
  const page = await connectedPage({ tools: [tool] });
  await call(page, page.hub);
  await page.hub.close({ code: 1006, reason: "cut off" });
  finish();
  await page.browser.clock.advance(500);
  const again = await page.browser.hub.welcome();
  expect(again.heard("hello")[0]?.running).toEqual([]);
  await call(page, again, { resume: true });
  expect(endings(again)).toEqual([done]);
});

test("P21: a call that is only asked for and that this page never saw does not run", async () => {
  const { tool, runs } = work();
  const page = await connectedPage({ tools: [tool] });
  await call(page, page.hub, { resume: true });
  expect([runs.length, endings(page.hub)]).toEqual([0, ["outcome-unknown"]]);
  expect(page.hub.heard("failure")[0]).toMatchObject({ ran: "maybe" });
});

test("P22: a call that waited longer than its time is refused and never runs, however the clocks differ", async () => {
  for (const ahead of [0, 1e9, -1e9]) {
    const { tool, runs } = work();
    const page = await connectedPage({ tools: [tool] });
    const { clock } = page.browser;
    await page.hub.say({ type: "welcome", version: 1, tab: "tab", at: clock.now() + ahead, heartbeat: 15_000 });
    const at = clock.now() + ahead;
    await clock.advance(3000);
    await call(page, page.hub, { id: "late", at, left: 3000 });
    await call(page, page.hub, { id: "early", at, left: 3001 });
    expect([endings(page.hub, "late"), endings(page.hub, "early")]).toEqual([["deadline-exceeded"], []]);
    expect(page.hub.heard("failure")[0]).toMatchObject({ ran: "no" });
    expect(runs.map(({ context }) => context.callId)).toEqual(["early"]);
  }
});

test("P23: a call whose time is up is aborted and answered at once, also when its handler goes on", async () => {
  const { tool, runs, finish } = work();
  const page = await connectedPage({ tools: [tool] });
  await call(page, page.hub, { left: 5000 });
  await page.browser.clock.advance(4999);
  expect(endings(page.hub)).toEqual([]);
  await page.browser.clock.advance(1);
  expect(endings(page.hub)).toEqual(["deadline-exceeded"]);
  expect(page.hub.heard("failure")[0]).toMatchObject({ ran: "maybe" });
  expect(runs[0]?.context.signal.reason).toMatchObject({ code: "deadline-exceeded" });
  finish();
  await page.browser.clock.advance(0);
  expect(endings(page.hub)).toHaveLength(1);
});

test("P23: a call does not begin in a page that stood still, between the ack and the handler, until its time was up", async () => {
  const { tool, runs } = work();
  const checked = deferred<{ value: object }>();
  const jsonSchema = { input: () => ({ type: "object" }), output: () => ({ type: "object" }) };
  const inputSchema = { "~standard": { version: 1, vendor: "test", validate: () => checked.promise, jsonSchema } };
  const page = await connectedPage({ tools: [{ ...tool, inputSchema }] });
  await call(page, page.hub, { left: 5000 });
  expect([page.hub.types.at(-1), runs]).toEqual(["ack", []]);
  const { clock } = page.browser;
  // As in the back/forward cache: time goes by, and no timer runs.
  Object.assign(clock, { now: () => 60_000 });
  checked.resolve({ value: {} });
  await clock.advance(0);
  expect([endings(page.hub), runs]).toEqual([["deadline-exceeded"], []]);
});

test("P23: the time that a call spent on its way counts", async () => {
  const { tool } = work();
  const page = await connectedPage({ tools: [tool] });
  const at = page.browser.clock.now();
  await page.browser.clock.advance(2000);
  await call(page, page.hub, { at, left: 5000 });
  await page.browser.clock.advance(3000);
  expect(endings(page.hub)).toEqual(["deadline-exceeded"]);
});

test("P23: a call that is cancelled is aborted with the reason and answered at once", async () => {
  const { tool, runs } = work();
  const page = await connectedPage({ tools: [tool] });
  await call(page, page.hub);
  await page.hub.say({ type: "cancel", id: "c1", reason: "Not needed." });
  expect(page.hub.heard("failure")).toMatchObject([{ outcome: "cancelled", message: "Not needed.", ran: "maybe" }]);
  expect(runs[0]?.context.signal.reason).toMatchObject({ code: "cancelled", message: "Not needed." });
  await page.hub.say({ type: "cancel", id: "c1" });
  expect(endings(page.hub)).toEqual(["cancelled"]);
});

test("P24: a cancel that overtakes its call keeps it from running, with a key and without", async () => {
  for (const key of [undefined, "k"]) {
    const { tool, runs } = work();
    const page = await connectedPage({ tools: [tool] });
    await page.hub.say({ type: "cancel", id: "c1" });
    await call(page, page.hub, key === undefined ? {} : { key });
    expect(page.hub.heard("failure")).toMatchObject([{ outcome: "cancelled", ran: "no" }]);
    await call(page, page.hub, { id: "c2", ...(key === undefined ? {} : { key }) });
    expect(runs.map(({ context }) => context.callId)).toEqual(["c2"]);
  }
});

test("P24: a cancel that comes after the end changes nothing", async () => {
  const page = await connectedPage({ tools: [{ name: "work", execute: () => "done" }] });
  await call(page, page.hub);
  await page.hub.say({ type: "cancel", id: "c1" });
  await call(page, page.hub);
  expect(endings(page.hub)).toEqual([done, done]);
});

test("P25: after a reload a call that had finished has its result and does not run again", async () => {
  const browser = createFakeBrowser();
  const storage = new Map<string, string>();
  const { tool, runs, finish } = work();
  const before = await connectedPage({ tools: [tool] }, { browser, storage });
  await call(before, before.hub, { id: "c1", key: "finished" });
  finish();
  await browser.clock.advance(0);
  await before.document.happen((listener) => listener.gone(false));
  before.document.die();

  const after = await connectedPage({ tools: [tool] }, { browser, storage });
  await call(after, after.hub, { id: "c3", key: "finished" });
  expect(runs).toHaveLength(1);
  expect(endings(after.hub, "c3")).toEqual([done]);
});

test("P25: a call that a reload interrupted is unknown", async () => {
  const browser = createFakeBrowser();
  const storage = new Map<string, string>();
  const { tool, runs } = work();
  const before = await connectedPage({ tools: [tool] }, { browser, storage });
  await call(before, before.hub, { key: "k" });
  await before.document.happen((listener) => listener.gone(false));
  before.document.die();
  const after = await connectedPage({ tools: [tool] }, { browser, storage });
  await call(after, after.hub, { id: "c2", key: "k" });
  expect([runs.length, endings(after.hub, "c2")]).toEqual([1, ["outcome-unknown"]]);
  expect(after.hub.heard("failure")[0]).toMatchObject({ ran: "maybe" });
});

test("P26: a key with other arguments, while its call runs and after", async () => {
  const { tool, runs, finish } = work();
  const page = await connectedPage({ tools: [tool, { name: "other", execute: () => "other" }] });
  await call(page, page.hub, { key: "k", input: { days: 7 } });
  await call(page, page.hub, { id: "c2", key: "k", input: { days: 8 } });
  await call(page, page.hub, { id: "c3", key: "k", name: "other", input: { days: 7 } });
  finish();
  await page.browser.clock.advance(0);
  await call(page, page.hub, { id: "c4", key: "k", input: {} });
  await call(page, page.hub, { id: "c5", key: "k", input: { days: 7 } });
  expect(page.hub.heard("failure")).toMatchObject(
    ["c2", "c3", "c4"].map((id) => ({ id, outcome: "rejected", code: "key-conflict", ran: "no" })),
  );
  expect([runs.length, endings(page.hub), endings(page.hub, "c5")]).toEqual([1, [done], [done]]);
});

test("P26: a key whose call never ran may be used again, and the frame that was refused still does not run", async () => {
  const page = await connectedPage();
  await call(page, page.hub, { key: "k" });
  page.page.registerTool({ name: "work", execute: () => "done" });
  await call(page, page.hub, { key: "k" });
  await call(page, page.hub, { id: "c2", key: "k" });
  expect([endings(page.hub), endings(page.hub, "c2")]).toEqual([["rejected", "rejected"], [done]]);
});

test("P29: for another principal the same tab remembers nothing", async () => {
  let count = 0;
  const page = await connectedPage({ tools: [{ name: "work", execute: () => String(++count) }] });
  await call(page, page.hub, { key: "k" });
  await page.hub.close();
  await page.browser.clock.advance(500);
  const again = await page.browser.hub.welcome("another-tab-at-hub");
  await call(page, again, { id: "c2", key: "k" });
  await again.close();
  await page.browser.clock.advance(1000);
  const back = await page.browser.hub.welcome();
  await call(page, back, { id: "c3", key: "k" });
  expect(endings(again, "c2")[0]).toContain('"2"');
  expect(endings(back, "c3")[0]).toContain('"1"');
});

test("progress and logs carry the id of their call, also after another id took its place", async () => {
  const { tool, runs } = work();
  const page = await connectedPage({ tools: [tool] });
  await call(page, page.hub, { key: "k" });
  runs[0]?.context.progress(1, 4, "begun");
  runs[0]?.context.log("warning", { rows: 7 }, "shop");
  await call(page, page.hub, { id: "c2", key: "k" });
  runs[0]?.context.progress(2);
  await page.browser.clock.advance(0);
  expect(page.hub.heard("progress")).toMatchObject([
    { id: "c1", progress: 1, total: 4, message: "begun" },
    { id: "c2", progress: 2 },
  ]);
  expect(page.hub.heard("log")).toMatchObject([{ id: "c1", level: "warning", logger: "shop", payload: '{"rows":7}' }]);
});

test("what a handler says in a wrong form loses that part and costs nobody the connection", async () => {
  const { tool, runs } = work();
  const page = await connectedPage({ tools: [tool] });
  await call(page, page.hub);
  const { context } = runs[0] ?? {};
  context?.progress(1, NaN, 7 as unknown as string);
  context?.log("warn" as "warning", "careful", "x".repeat(200));
  context?.log("info", "fine", 7 as unknown as string);
  await page.browser.clock.advance(0);
  expect(page.hub.heard("progress")).toEqual([{ type: "progress", id: "c1", progress: 1, payload: "" }]);
  expect(page.hub.heard("log")).toMatchObject([{ level: "info", logger: "x".repeat(128) }, { level: "info" }]);
  expect(page.hub.closing).toBeUndefined();
});

test("onCall tells who calls with what, how far it is and how it ended", async () => {
  const { tool, runs, finish } = work();
  const page = await connectedPage({ tools: [tool] });
  await call(page, page.hub, { input: { days: 7 } });
  runs[0]?.context.progress(1, 4);
  await page.browser.clock.advance(250);
  finish();
  await page.browser.clock.advance(0);
  const same = { id: "c1", method: "tools/call", name: "work", agent: "tester", agentVersion: "1.0" };
  expect(page.events).toEqual([
    { ...same, event: "started", arguments: { days: 7 } },
    { ...same, event: "progress", progress: 1, total: 4 },
    { ...same, event: "ended", outcome: "ok", milliseconds: 250 },
  ]);
});

test("a call has one id at every moment, also when another hub gave it another one", async () => {
  const { tool, finish } = work();
  const page = await connectedPage({ tools: [tool] });
  await call(page, page.hub, { id: "c1", key: "k" });
  await call(page, page.hub, { id: "c2", key: "k" });
  finish();
  await page.browser.clock.advance(0);
  expect(page.events.map(({ event, id }) => [event, id])).toEqual([
    ["started", "c1"],
    ["ended", "c1"],
  ]);
  expect(page.hub.heard("result")).toMatchObject([{ id: "c2" }]);
});

test("each way to end has its own name", async () => {
  const throwing: ToolDefinition = {
    name: "throwing",
    execute() {
      throw new Error("broken");
    },
  };
  const page = await connectedPage({ tools: [work().tool, throwing] });
  await call(page, page.hub, { id: "c1", name: "throwing" });
  await call(page, page.hub, { id: "c2", name: "missing" });
  await call(page, page.hub, { id: "c3", left: 10 });
  await page.browser.clock.advance(10);
  await page.hub.say(callFrame(page.browser, { id: "c4" }), "[]");
  const ended = page.events.filter(({ event }) => event === "ended").map(({ id, outcome }) => [id, outcome]);
  expect(ended).toEqual([
    ["c1", "tool-error"],
    ["c2", "rejected"],
    ["c3", "deadline-exceeded"],
    ["c4", "rejected"],
  ]);
  expect(page.errors.map(({ stage }) => stage)).toEqual(['tool "throwing"']);
});

test("arguments that are no JSON object, or nest too deeply, are refused and run nothing", async () => {
  const { tool, runs } = work();
  const page = await connectedPage({ tools: [tool], limits: { jsonDepth: 8 } });
  const wrong = ["[]", "null", "{", '"text"', `${'{"a":'.repeat(9)}1${"}".repeat(9)}`];
  for (const [index, payload] of wrong.entries()) {
    await page.hub.say(callFrame(page.browser, { id: `c${index}` }), payload);
    expect(page.hub.heard("failure")[index]).toMatchObject({ outcome: "rejected", code: "arguments-malformed" });
  }
  await page.hub.say(callFrame(page.browser, { id: "without" }));
  expect(runs.map(({ input }) => input)).toEqual([{}]);
});

test("resources, prompts and completions are called as tools are", async () => {
  const page = await connectedPage();
  page.page.registerResource({ uri: "shop://cart", name: "cart", read: () => "empty" });
  page.page.registerPrompt({
    name: "greet",
    arguments: [{ name: "name" }],
    get: ({ name }) => `Greet ${name}.`,
    complete: { name: () => ["Ada"] },
  });
  const argument = { name: "name", value: "A" };
  await call(page, page.hub, { id: "c1", method: "resources/read", name: "shop://cart" });
  await call(page, page.hub, { id: "c2", method: "prompts/get", name: "greet", input: { name: "Ada" } });
  const input = { ref: { type: "ref/prompt", name: "greet" }, argument };
  await call(page, page.hub, { id: "c3", method: "completion/complete", name: "greet", input });
  await call(page, page.hub, { id: "c4", method: "resources/read", name: "shop://nothing" });
  await expect.poll(() => endings(page.hub, "c4")).toEqual(["rejected"]);
  expect(endings(page.hub, "c1")[0]).toContain('"text":"empty"');
  expect(endings(page.hub, "c2")[0]).toContain("Greet Ada.");
  expect(endings(page.hub, "c3")[0]).toContain('["Ada"]');
});

test("P15: closing the page aborts what runs", async () => {
  const { tool, runs } = work();
  const page = await connectedPage({ tools: [tool] });
  await call(page, page.hub);
  page.page.close();
  expect(runs[0]?.context.signal.aborted).toBe(true);
});
