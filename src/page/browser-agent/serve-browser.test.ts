import { expect, test, vi } from "vitest";
import type { ModelContextTool } from "../../webmcp/index.ts";
import { PagewireError, terminalOnly } from "../../wire/index.ts";
import type { JsonObject } from "../../wire/index.ts";
import { stubContext } from "../test-support/model-context.test-helper.ts";
import type { FakeContext } from "../test-support/model-context.test-helper.ts";
import { startDate } from "../test-support/fake-browser.test-helper.ts";
import { connectedPage, openPage } from "../test-support/page-under-test.test-helper.ts";
import type { PageUnderTest } from "../test-support/page-under-test.test-helper.ts";
import type { Chunks } from "../chunks.ts";
import type { PageOptions } from "../api/page-options.ts";
import { serveBrowser } from "./serve-browser.ts";

const work = { name: "work", execute: () => "done" };
const text = (words: string) => ({ content: [{ type: "text", text: words }] });

/** A page in a browser that has an agent of its own, which has been given the tools. */
async function openNativePage(
  options: Partial<PageOptions> = {},
  setting: Parameters<typeof openPage>[1] = {},
): Promise<PageUnderTest & { context: FakeContext }> {
  const context = stubContext();
  const opened = openPage({ native: true, browserTools: false, tools: [work], ...options }, setting);
  await opened.document.showModelContext();
  return { ...opened, context };
}

function callTool({ tools }: FakeContext, name: string, input: object = {}): Promise<unknown> {
  return toolOf(tools, name).execute(input) as Promise<unknown>;
}

function toolOf(tools: FakeContext["tools"], name: string): ModelContextTool {
  const tool = tools.get(name);
  if (tool) return tool;
  throw new Error(`The browser has no tool ${name}.`);
}

test("with native the browser's agent has the page's tools, without a hub, and what is registered later", async () => {
  const { page, context } = await openNativePage();
  expect([...context.tools.keys()]).toEqual(["work"]);
  const later = page.registerTool({ name: "later", execute: () => ({ total: 7 }) });
  page.registerTool({ name: "secret", _meta: terminalOnly, execute: () => "" });
  await vi.waitUntil(() => context.tools.has("later"));
  expect(await callTool(context, "work")).toEqual(text("done"));
  expect(await callTool(context, "later")).toEqual(text('{"total":7}'));
  later.remove();
  await vi.waitUntil(() => !context.tools.has("later"));
  expect([...context.tools.keys()]).toEqual(["work"]);
});

test("without native the browser's agent has none of them, and with neither option nothing is loaded", async () => {
  const context = stubContext();
  for (const options of [{}, { native: false }]) {
    const { document, loaded } = openPage({ browserTools: false, tools: [work], ...options });
    await document.showModelContext();
    expect([context.tools.size, loaded.includes("modelContext")]).toEqual([0, false]);
  }
});

test("the origins that may see the tools are told to the browser", async () => {
  const { context } = await openNativePage({ native: { exposedTo: ["https://agent.example"] } });
  expect(context.options).toMatchObject([{ exposedTo: ["https://agent.example"] }]);
});

test("a call of the browser's agent is checked and runs as one of a hub does, with all the time there is", async () => {
  const seen: object[] = [];
  const { context } = await openNativePage({
    tools: [
      {
        name: "sales",
        inputSchema: { type: "object", properties: { days: { type: "integer" } }, required: ["days"] },
        execute(input, { agent, asks, deadline, signal, callId }) {
          seen.push({ input, agent, asks, deadline, aborted: signal.aborted, callId: callId.length > 0 });
          return "done";
        },
      },
    ],
  });
  expect(await callTool(context, "sales", { days: "7" })).toMatchObject({
    isError: true,
    _meta: { "pagewire/code": "input-invalid" },
  });
  expect(seen).toEqual([]);
  expect(await callTool(context, "sales", { days: 7 })).toEqual(text("done"));
  expect(seen).toEqual([
    {
      input: { days: 7 },
      agent: { name: "browser" },
      asks: [],
      deadline: startDate + 2 ** 31 - 1,
      aborted: false,
      callId: true,
    },
  ]);
});

test("arguments that are no JSON object, or nest too deeply, are refused", async () => {
  const { context } = await openNativePage({ limits: { jsonDepth: 16 } });
  const deep: JsonObject = JSON.parse(`${'{"a":'.repeat(20)}7${"}".repeat(20)}`) as JsonObject;
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  for (const input of [[1], deep, circular, { big: 7n }]) {
    expect(await callTool(context, "work", input)).toMatchObject({
      isError: true,
      _meta: { "pagewire/code": "arguments-malformed" },
    });
  }
});

test("onCall tells of the calls of the browser's agent: with what, how far, and how each ended", async () => {
  const { context, events, browser } = await openNativePage({
    tools: [
      {
        name: "slow",
        async execute(_input, { progress, log, signal }) {
          log("info", "Nobody hears this.");
          progress(1, 2, "half");
          await browser.clock.advance(250);
          if (signal.aborted) return "late";
          return { content: [], isError: true };
        },
      },
    ],
  });
  await callTool(context, "slow", { days: 7 });
  const cancelling = new AbortController();
  const call = toolOf(context.tools, "slow").execute({}, cancelling);
  cancelling.abort(new Error("enough"));
  await expect(call).rejects.toThrow("enough");
  await vi.waitUntil(() => events.at(-1)?.outcome === "cancelled");
  const [{ id } = { id: "" }] = events;
  const told = { id, method: "tools/call", name: "slow", agent: "browser" };
  expect(events.slice(0, 3)).toEqual([
    { ...told, event: "started", arguments: { days: 7 } },
    { ...told, event: "progress", progress: 1, total: 2 },
    { ...told, event: "ended", outcome: "tool-error", milliseconds: 250 },
  ]);
  expect(events.slice(3).map(({ event, outcome }) => [event, outcome])).toEqual([
    ["started", undefined],
    ["ended", "cancelled"],
  ]);
});

test("what a handler asks in a call of the browser's agent is asked in the page; what no form can ask, nobody", async () => {
  const { context, dialog } = await openNativePage({
    tools: [
      { name: "ask", execute: async (_input, { ask }) => (await ask({ message: "Which days?" })).action },
      { name: "sample", execute: async (_input, { sample }) => sample({ messages: [] }) },
    ],
  });
  const call = callTool(context, "ask");
  await vi.waitUntil(() => dialog.length > 0);
  expect(dialog[0]?.parameters).toMatchObject({ message: "Which days?" });
  dialog[0]?.answer({ action: "accept", content: {} });
  expect(await call).toEqual(text("accept"));
  expect(await callTool(context, "sample")).toMatchObject({
    isError: true,
    _meta: { "pagewire/code": "ask-unsupported" },
  });
});

test("a dialog that a handler does not wait for closes when its call has ended", async () => {
  const { context, dialog } = await openNativePage({
    tools: [
      {
        name: "ask",
        async execute(_input, { ask }) {
          ask({ message: "Which days?" }).catch(() => {});
          await vi.waitUntil(() => dialog.length > 0);
        },
      },
    ],
  });
  await callTool(context, "ask");
  expect(dialog.map(({ signal }) => signal.aborted)).toEqual([true]);
});

test("where the dialog cannot be loaded the question fails by name, with what to do, and the next one loads it anew", async () => {
  let loads = 0;
  const dialog = async () => {
    if (++loads === 1) throw new TypeError("Failed to fetch dynamically imported module: http://127.0.0.1:7337/d.js");
    return { askUser: async () => ({ action: "accept" }), approve: async () => ({ approved: false, scope: "once" }) };
  };
  const ask: PageOptions["tools"] = [
    { name: "ask", execute: async (_input, context) => (await context.ask({ message: "Which days?" })).action },
  ];
  const { context } = await openNativePage({ tools: ask }, { chunks: { dialog: dialog as Chunks["dialog"] } });
  expect(await callTool(context, "ask")).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/could not be loaded \(Failed to fetch.*that hub must run/) as string }],
    _meta: { "pagewire/code": "ask-failed" },
  });
  expect(await callTool(context, "ask")).toEqual(text("accept"));
});

test("closing the page takes its tools from the browser at once, and ends what runs for it", async () => {
  const { page, context, events } = await openNativePage({
    tools: [work, { name: "slow", execute: () => new Promise(() => {}) }],
  });
  const kept = context.tools.get("work");
  const call = callTool(context, "slow");
  page.close();
  expect(context.tools.size).toBe(0);
  expect(await call).toEqual({
    ...text("The page stopped offering its tools."),
    isError: true,
    _meta: { "pagewire/code": "cancelled" },
  });
  expect(events.at(-1)).toMatchObject({ event: "ended", name: "slow", outcome: "cancelled" });
  expect(await kept?.execute({})).toMatchObject({ isError: true, _meta: { "pagewire/code": "tool-not-found" } });
});

test("a page that is closed while the part is loaded gives the browser nothing", async () => {
  const context = stubContext();
  const { page, document, loaded } = openPage({ native: true, browserTools: false, tools: [work] });
  const shown = document.showModelContext();
  page.close();
  await shown;
  expect([loaded, context.tools.size]).toEqual([["modelContext"], 0]);
});

test("what serves the browser's agent is loaded once it has one", async () => {
  const page = await connectedPage({ native: true, browserTools: false });
  expect(page.loaded).not.toContain("modelContext");
  stubContext();
  await page.document.showModelContext();
  expect(page.loaded).toContain("modelContext");
});

/** A page that fails to load its part for the browser's agent the given number of times. */
function openUnserved(times: number): PageUnderTest & { loads(): number } {
  let loads = 0;
  const opened: PageUnderTest = openPage(
    { native: true, browserTools: false, tools: [work] },
    {
      chunks: {
        async modelContext() {
          if (++loads <= times) throw new Error("404");
          return { serveModelContext: (given) => serveBrowser(given, opened.document.tabEnvironment) };
        },
      },
    },
  );
  return { ...opened, loads: () => loads };
}

test("what cannot be loaded is loaded when there is a hub, and reported if it is not there then either", async () => {
  const context = stubContext();
  const page = openUnserved(2);
  await page.document.showModelContext();
  expect([page.loads(), page.errors]).toEqual([1, []]);
  await page.browser.hub.welcome();
  expect(page.errors).toMatchObject([{ error: { message: "404" }, stage: "model context" }]);
  await page.browser.hub.end.close();
  await page.browser.clock.advance(60_000);
  await page.browser.hub.welcome();
  expect([page.loads(), [...context.tools.keys()], page.errors.length]).toEqual([3, ["work"], 1]);
});

test("what cannot be loaded, and no hub answers, is reported once, and loaded once there is one", async () => {
  const context = stubContext();
  const page = openUnserved(1);
  const { clock, hub } = page.browser;
  await page.document.showModelContext();
  expect([page.page.state.status, page.errors]).toEqual(["connecting", []]);
  hub.isDown = true;
  await hub.end.close();
  await clock.advance(60_000);
  expect([page.loads(), page.errors]).toEqual([1, [{ error: new Error("404"), stage: "model context" }]]);
  hub.isDown = false;
  await clock.advance(60_000);
  await hub.welcome();
  expect([page.loads(), [...context.tools.keys()], page.errors.length]).toEqual([2, ["work"], 1]);
});

test("P11: a hub that refuses the page lets it load nothing, and that is not reported beside its word", async () => {
  stubContext();
  const page = openUnserved(9);
  await page.browser.clock.advance(0);
  const refusal = { code: "origin-not-allowed", message: "This origin is not allowed.", command: "pagewire allow" };
  await page.browser.hub.end.say({ type: "refused", ...refusal });
  await page.browser.hub.end.close({ code: 4010, reason: "origin-not-allowed" });
  expect(page.page.state.status).toBe("refused");
  await page.document.showModelContext();
  expect([page.loads(), page.errors]).toEqual([1, []]);
});

test("tools that the browser does not take are reported once for each reason, by name", async () => {
  const context = stubContext();
  const names = ["one", "two", "three", "four", "five", "six", "seven"];
  for (const name of names) await context.registerTool({ name, description: name, execute: () => "" });
  const tools = [...names.map((name) => ({ ...work, name })), work];
  const { document, errors } = openPage({ native: true, browserTools: false, tools });
  await document.showModelContext();
  await vi.waitUntil(() => errors.length > 0);
  expect(errors).toEqual([{ error: expect.any(PagewireError) as Error, stage: "model context" }]);
  expect(errors[0]?.error).toMatchObject({
    code: "tool-refused",
    message: expect.stringMatching(
      /^The browser did not take the tools "one", "two", "three", "four", "five" and 2 more\. .*Duplicate/,
    ) as string,
  });
  expect(context.tools.has("work")).toBe(true);
});

test("the browser's agent keeps the tools whoever is signed in to the hub, and while nobody is", async () => {
  const { page, context } = await openNativePage({ token: "mine" });
  page.setToken(null);
  expect(page.state.status).toBe("signed-out");
  expect(await callTool(context, "work")).toEqual(text("done"));
  page.setToken("another");
  expect(await callTool(context, "work")).toEqual(text("done"));
  expect(context.options).toHaveLength(1);
});

test("native and browserTools are true, false or say which origins; others are refused by name", () => {
  for (const option of ["native", "browserTools"] as const) {
    const field = option === "native" ? "exposedTo" : "fromOrigins";
    for (const wrong of ["yes", 7, { [field]: "https://agent.example" }, { [field]: {} }]) {
      expect(() => openPage({ [option]: wrong })).toThrow(`The option "${option}" must be true, false or { ${field}:`);
    }
    for (const right of [true, false, undefined, {}, { [field]: [] }]) openPage({ [option]: right });
  }
});

test("of two pages with a tool of one name the first has it in the browser, and the second takes over", async () => {
  const { page, context } = await openNativePage();
  const second = openPage({ native: true, browserTools: false, tools: [{ ...work, execute: () => "second" }] });
  await second.document.showModelContext();
  await vi.waitUntil(() => second.errors.length > 0);
  expect(second.errors[0]?.error).toMatchObject({ code: "tool-refused" });
  expect(await callTool(context, "work")).toEqual(text("done"));
  page.close();
  await vi.waitUntil(() => context.tools.has("work"));
  expect(await callTool(context, "work")).toEqual(text("second"));
  expect(second.errors).toHaveLength(1);
});
