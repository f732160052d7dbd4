import { afterEach, expect, inject, onTestFinished, test, vi } from "vitest";
import { terminalOnly } from "../../wire/index.ts";
import type { ModelContext } from "../../webmcp/index.ts";
import { browserEnvironment } from "../browser/browser-environment.ts";
import { browserTab } from "../browser/browser-tab.ts";
import { connectPage } from "../connect-page.ts";
import { createFakeContext } from "../test-support/model-context.test-helper.ts";
import type { Page, PageCallEvent } from "../api/page.ts";
import type { PageOptions } from "../api/page-options.ts";

type Context = Pick<ModelContext, "registerTool" | "getTools" | "executeTool">;

const pages: Page[] = [];
const errors: unknown[] = [];
const work = { name: "work", execute: () => "done" };
const text = (words: string) => ({ content: [{ type: "text", text: words }] });

afterEach(() => {
  for (const page of pages.splice(0)) page.close();
  errors.length = 0;
});

/** A page whose hub is down. */
async function openPage(options: Partial<PageOptions> = {}): Promise<Page> {
  const onError = (error: unknown) => errors.push(error);
  const page = await connectPage({ app: "shop", hub: "http://127.0.0.1:1", native: true, onError, ...options });
  pages.push(page);
  return page;
}

/** The browser's own model context, or a stand-in as a script would install it. */
function useModelContext(): Context {
  if (inject("native")) return (document as unknown as { readonly modelContext: ModelContext }).modelContext;
  const context = createFakeContext();
  put(context);
  return context;
}

/** Has the document something else for a model context until the test is over. */
function put(modelContext: unknown): void {
  Object.defineProperty(document, "modelContext", { value: modelContext, configurable: true });
  onTestFinished(() => void Reflect.deleteProperty(document, "modelContext"));
}

async function toolNames(context: Context): Promise<readonly string[]> {
  return (await context.getTools()).map(({ name }) => name).toSorted();
}

/** Parts of the page may take a while to load. */
const patiently = { interval: 5 };

/** Until the browser has tools of these names, and no others. */
async function untilThere(context: Context, ...names: readonly string[]): Promise<void> {
  await expect.poll(() => toolNames(context), patiently).toEqual(names.toSorted());
}

async function executeTool(context: Context, name: string, input: object = {}): Promise<unknown> {
  const tool = (await context.getTools()).find((one) => one.name === name);
  if (!tool) throw new Error(`The browser has no tool ${name}.`);
  return JSON.parse((await context.executeTool(tool, input)) ?? "null");
}

test("the browser's agent has the page's tools with their hints, and is answered with results that are whole", async () => {
  const context = useModelContext();
  const page = await openPage({ tools: [work] });
  page.registerTool({
    name: "sales",
    title: "Sales",
    description: "Of some days",
    annotations: { readOnlyHint: true, openWorldHint: true },
    inputSchema: { type: "object", properties: { days: { type: "integer" } }, required: ["days"] },
    execute: ({ days }) => ({ total: Number(days) * 2 }),
  });
  page.registerTool({ name: "fails", execute: () => ({ ...text("The database is locked."), isError: true }) });
  page.registerTool({ name: "secret", _meta: terminalOnly, execute: () => "" });
  await untilThere(context, "fails", "sales", "work");
  expect((await context.getTools()).find(({ name }) => name === "sales")).toMatchObject({
    title: "Sales",
    description: "Of some days",
    inputSchema: { type: "object", properties: { days: { type: "integer" } }, required: ["days"] },
    annotations: { readOnlyHint: true, untrustedContentHint: true },
  });
  expect(await executeTool(context, "work")).toEqual(text("done"));
  expect(await executeTool(context, "sales", { days: 7 })).toEqual(text('{"total":14}'));
  expect(await executeTool(context, "fails")).toEqual({ ...text("The database is locked."), isError: true });
  expect(await executeTool(context, "sales", {})).toMatchObject({
    isError: true,
    _meta: { "pagewire/code": "input-invalid" },
  });
  expect(page.toolbox.offer().tools.map(({ name }) => name)).toEqual(["work", "sales", "fails", "secret"]);
  expect(errors).toEqual([]);
});

test("onCall tells of such a call, and closing the page takes the tools away and ends it", async () => {
  const context = useModelContext();
  const events: PageCallEvent[] = [];
  const page = await openPage({ tools: [{ name: "slow", execute: () => new Promise(() => {}) }] });
  page.onCall((event) => events.push(event));
  await untilThere(context, "slow");
  const call = executeTool(context, "slow", { days: 7 });
  await vi.waitUntil(() => events.length > 0, patiently);
  expect(events).toMatchObject([{ event: "started", name: "slow", agent: "browser", arguments: { days: 7 } }]);
  page.close();
  await untilThere(context);
  expect(await call).toMatchObject({ isError: true, _meta: { "pagewire/code": "cancelled" } });
  expect(events).toMatchObject([{}, { event: "ended", outcome: "cancelled" }]);
});

test("a question in a call of the browser's agent is asked in the page's dialog, which ends with the call", async () => {
  const context = useModelContext();
  const dialogs = () => document.querySelectorAll("pagewire-dialog").length;
  const page = await openPage({
    tools: [{ name: "ask", execute: async (_input, { ask }) => (await ask({ message: "Which days?" })).action }],
  });
  await untilThere(context, "ask");
  const call = executeTool(context, "ask");
  await vi.waitUntil(() => dialogs() > 0, patiently);
  expect(browserTab().describe().dialog).toBe("Which days?");
  page.close();
  expect(await call).toMatchObject({ isError: true, _meta: { "pagewire/code": "cancelled" } });
  await vi.waitUntil(() => dialogs() === 0, patiently);
});

test("a name that a tool of another script has is reported, and not taken from that", async () => {
  const context = useModelContext();
  const ending = new AbortController();
  await context.registerTool({ name: "work", description: "Theirs", execute: () => '"theirs"' }, ending);
  await openPage({ tools: [work, { ...work, name: "other" }], browserTools: false });
  await untilThere(context, "other", "work");
  await vi.waitUntil(() => errors.length > 0, patiently);
  expect(errors).toMatchObject([
    { code: "tool-refused", message: expect.stringContaining('the tool "work"') as string },
  ]);
  expect(await executeTool(context, "work")).toBe("theirs");
  ending.abort();
  await expect.poll(() => executeTool(context, "work").catch(() => undefined), patiently).toEqual(text("done"));
  expect(errors).toHaveLength(1);
});

test("of two pages in one document with a tool of one name the second takes over when the first is closed", async () => {
  const context = useModelContext();
  const first = await openPage({ tools: [work] });
  await untilThere(context, "work");
  await openPage({ tools: [{ ...work, execute: () => "second" }] });
  await vi.waitUntil(() => errors.length > 0, patiently);
  expect(await executeTool(context, "work")).toEqual(text("done"));
  first.close();
  await expect.poll(() => executeTool(context, "work").catch(() => undefined), patiently).toEqual(text("second"));
  expect(errors).toMatchObject([{ code: "tool-refused" }]);
});

test("a model context is noticed at once, when the document was read, and when a script says that it put one there", () => {
  put(undefined);
  const ending = new AbortController();
  const noticed: string[] = [];
  const look = (who: string) => browserEnvironment.onModelContext(() => noticed.push(who), ending.signal);
  look("early");
  document.dispatchEvent(new Event("modelcontext"));
  expect(noticed).toEqual([]);
  put(createFakeContext());
  document.dispatchEvent(new Event("readystatechange"));
  look("late");
  expect(noticed).toEqual(["early", "late"]);
  document.dispatchEvent(new Event("modelcontext"));
  ending.abort();
  expect(noticed).toEqual(["early", "late"]);

  put(undefined);
  const gone = new AbortController();
  browserEnvironment.onModelContext(() => noticed.push("gone"), gone.signal);
  gone.abort();
  put(createFakeContext());
  document.dispatchEvent(new Event("modelcontext"));
  expect(noticed).toEqual(["early", "late"]);
});

test("a model context that comes late, as a script's does, has the tools from then on", async () => {
  put(undefined);
  const page = await openPage({ tools: [work] });
  const context = createFakeContext();
  put(context);
  document.dispatchEvent(new Event("modelcontext"));
  await untilThere(context, "work");
  page.close();
  await untilThere(context);
});

test("whatever a script put in the place of the model context, the page goes on", async () => {
  for (const value of [7, {}, null, new EventTarget()]) {
    put(value);
    expect((await openPage({ tools: [work] })).toolbox.offer().tools).toHaveLength(1);
  }
  const get = () => {
    throw new Error("Hands off.");
  };
  Object.defineProperty(document, "modelContext", { get, configurable: true });
  expect((await openPage({ tools: [work] })).toolbox.offer().tools).toHaveLength(1);
});

test("a name that a script's tool has in the browser is that tool's for every agent, until it goes", async () => {
  const context = useModelContext();
  const ending = new AbortController();
  await context.registerTool({ name: "work", description: "Theirs", execute: () => "theirs" }, ending);
  const page = await openPage({ tools: [work], browserTools: true });
  const other = page.registerTool({ name: "other", execute: () => "mine" });
  const offered = (name: string) => page.toolbox.offer().tools.find((tool) => tool.name === name);
  await expect.poll(() => offered("work")?.description, patiently).toBe("Theirs");
  await vi.waitUntil(() => errors.length > 0, patiently);
  expect(errors).toMatchObject([
    { code: "tool-refused", message: expect.stringContaining('the tool "work"') as string },
  ]);
  await untilThere(context, "other", "work");
  expect(offered("other")?.description).toBe(undefined);
  // A new definition of the page's own gives way, too.
  page.registerTool({ name: "work", description: "Mine", execute: () => "mine" });
  await expect.poll(() => offered("work")?.description, patiently).toBe("Mine");
  await expect.poll(() => offered("work")?.description, patiently).toBe("Theirs");
  ending.abort();
  await expect.poll(() => offered("work")?.description, patiently).toBe("Mine");
  await expect.poll(() => executeTool(context, "work").catch(() => undefined), patiently).toEqual(text("mine"));
  other.remove();
});

test("a page's own tool that is removed while a script's has its name does not come back", async () => {
  const context = useModelContext();
  const ending = new AbortController();
  await context.registerTool({ name: "work", description: "Theirs", execute: () => "theirs" }, ending);
  const page = await openPage({ browserTools: true });
  const own = page.registerTool({ name: "work", description: "Mine", execute: () => "mine" });
  const offered = () => page.toolbox.offer().tools.map(({ description }) => description);
  await expect.poll(offered, patiently).toEqual(["Theirs"]);
  own.remove();
  ending.abort();
  await expect.poll(offered, patiently).toEqual([]);
  await untilThere(context);
});
