// The real command, killed and stopped while pages and callers use it.
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { recordFault } from "../support/record-fault.ts";
import { openChromium } from "./support/chromium.ts";
import type { Browser } from "./support/chromium.ts";
import { startHub } from "./support/hub-process.ts";
import type { HubProcess } from "./support/hub-process.ts";
import { connectMcp } from "./support/mcp-client.ts";
import { servePages } from "./support/page-server.ts";
import type { PageServer } from "./support/page-server.ts";
import { shopPage } from "./support/shop.ts";
import type { Tab } from "./support/tab.ts";
import { callerOf, connected, countsOf, offered, started } from "./support/world.ts";
import type { CallByHttp } from "./support/world.ts";

let hub: HubProcess;
const served: Record<string, string> = {};
let pages: PageServer;
let browser: Browser;
let tab: Tab;
let call: CallByHttp;

beforeAll(async () => {
  pages = await servePages(served);
  hub = await startHub({ args: ["--allow-origin", pages.origin] });
  served["/"] = shopPage(hub.url);
  browser = await openChromium();
  tab = await browser.open(pages.url("/"));
  await connected(tab);
  call = callerOf(hub.url, await hub.token());
  await offered(tab, call);
});

afterAll(async () => {
  await browser.close();
  await hub.close();
  await pages.close();
});

test("P13: a hub that is killed while a tool runs leaves the caller without an answer, and the page comes back by itself", async () => {
  const cut = call("hold", { tag: "killed" }, { key: "killed-key" });
  const failed = expect(cut).rejects.toThrow();
  await started(tab, "killed");
  await hub.kill();
  await failed;
  await tab.waitFor("pagewire.state.status === 'reconnecting'");
  await hub.restart();
  await connected(tab);
  await offered(tab, call);
});

test("the key of a call that a killed hub lost joins the run that continues in the page", async () => {
  const cut = call("hold", { tag: "joined" }, { key: "joined-key" });
  const failed = expect(cut).rejects.toThrow();
  await started(tab, "joined");
  await hub.kill();
  await failed;
  await hub.restart();
  await tab.evaluate("pagewire.reconnect()");
  await connected(tab);
  await offered(tab, call);
  const again = call("hold", { tag: "joined" }, { key: "joined-key" });
  await tab.evaluate("finish()");
  expect(await again).toMatchObject({ outcome: "ok", result: { structuredContent: { tag: "joined" } } });
  expect(await countsOf(tab, "joined")).toEqual({ ran: 1, aborted: 0 });
  recordFault("hub", {
    fault: "hub killed while the tool runs, key sent again to the next hub",
    expected: "one run",
    observed: "ok, one run",
    count: 1,
  });
});

test("a result that a killed hub never delivered is returned for its key by the next hub", async () => {
  const cut = call("hold", { tag: "undelivered" }, { key: "undelivered-key" });
  const failed = expect(cut).rejects.toThrow();
  await started(tab, "undelivered");
  await hub.kill();
  await failed;
  await tab.evaluate("finish()");
  await hub.restart();
  await tab.evaluate("pagewire.reconnect()");
  await connected(tab);
  await offered(tab, call);
  expect(await call("hold", { tag: "undelivered" }, { key: "undelivered-key" })).toMatchObject({ outcome: "ok" });
  expect(await countsOf(tab, "undelivered")).toEqual({ ran: 1, aborted: 0 });
  recordFault("hub", {
    fault: "hub killed, the tool ends meanwhile, key sent again to the next hub",
    expected: "one run",
    observed: "ok, one run",
    count: 1,
  });
});

test("a stopping hub lets the running call end, and its page reconnects to the next hub", async () => {
  const running = call("hold", { tag: "drained" });
  await started(tab, "drained");
  const exited = hub.kill("SIGTERM");
  await expect.poll(async () => (await fetch(`${hub.url}/readyz`)).status).toBe(503);
  const refused = await call("echo", { tag: "too-late" });
  expect(refused).toMatchObject({ status: 503, outcome: "rejected", ran: "no", error: { code: "going-away" } });
  await tab.evaluate("finish()");
  expect(await running).toMatchObject({ outcome: "ok" });
  expect(await exited).toMatchObject({ code: 0 });
  await hub.restart();
  await tab.evaluate("pagewire.reconnect()");
  await connected(tab);
  await offered(tab, call);
  recordFault("hub", {
    fault: "hub told to stop while the tool runs",
    expected: "the call ends, new ones are refused",
    observed: "ok; rejected, ran: no",
    count: 1,
  });
});

test("a second signal ends a stopping hub at once", async () => {
  const running = call("never", { tag: "impatient" });
  await started(tab, "impatient");
  const exited = hub.kill("SIGTERM");
  await expect.poll(async () => (await fetch(`${hub.url}/readyz`)).status).toBe(503);
  hub.process.kill("SIGTERM");
  await exited;
  expect(await running).toMatchObject({ outcome: "outcome-unknown", ran: "maybe" });
  await hub.restart();
  await tab.evaluate("pagewire.reconnect()");
  await connected(tab);
  await offered(tab, call);
});

/** Stops the hub for more than this many milliseconds, and acts meanwhile. */
async function stopFor(milliseconds: number, act: () => void): Promise<void> {
  await hub.kill("SIGSTOP");
  act();
  const asked = fetch(`${hub.url}/readyz`, { signal: AbortSignal.timeout(milliseconds) });
  await expect(asked).rejects.toThrow("timeout");
  await hub.kill("SIGCONT");
}

test("a call whose deadline passes while the hub is stopped has its twin, and runs once", async () => {
  const caller = new AbortController();
  const input = { tag: "over-the-stop" };
  const cut = call("never", input, { timeout: 3, signal: caller.signal });
  const failed = expect(cut).rejects.toThrow();
  await started(tab, "over-the-stop");
  let twin: ReturnType<CallByHttp> | undefined;
  await stopFor(3300, () => {
    caller.abort();
    twin = call("never", input, { timeout: 0.5 });
  });
  await failed;
  expect(await twin).toMatchObject({ outcome: "deadline-exceeded", ran: "maybe" });
  expect((await countsOf(tab, "over-the-stop")).ran).toBe(1);
  recordFault("hub", {
    fault: "hub stopped over a cut and the call sent again without a key, past its deadline",
    expected: "one run",
    observed: "deadline-exceeded, one run",
    count: 1,
  });
});

test("a call that comes while the hub is stopped, and has no time left after that, does not run", async () => {
  let late: ReturnType<CallByHttp> | undefined;
  await stopFor(800, () => {
    late = call("echo", { tag: "unread" }, { timeout: 0.5 });
  });
  expect(await late).toMatchObject({ outcome: "deadline-exceeded", ran: "no" });
  expect((await countsOf(tab, "unread")).ran).toBe(0);
  expect(await call("echo", { tag: "after" })).toMatchObject({ outcome: "ok" });
  recordFault("hub", {
    fault: "call that comes while the hub is stopped for longer than its time",
    expected: "no run",
    observed: "deadline-exceeded, ran: no",
    count: 1,
  });
});

test("nor do calls of several callers that connect while the hub is stopped", async () => {
  const tags = Array.from({ length: 6 }, (_, index) => `unread-${index}`);
  let late: readonly ReturnType<CallByHttp>[] = [];
  await stopFor(800, () => {
    late = tags.map((tag) => call("echo", { tag }, { timeout: 0.5 }));
  });
  for (const outcome of await Promise.all(late))
    expect(outcome).toMatchObject({ outcome: "deadline-exceeded", ran: "no" });
  for (const tag of tags) expect((await countsOf(tab, tag)).ran).toBe(0);
  expect(await call("echo", { tag: "after-several" })).toMatchObject({ outcome: "ok" });
});

const briefHub = fileURLToPath(new URL("support/brief-hub.mjs", import.meta.url));

test.each(["2025-11-25", "2026-07-28"])(
  "a call of MCP %s that comes while the hub is stopped, and has no time left after that, does not run",
  async (revision) => {
    const brief = await startHub({ command: briefHub, args: [pages.origin] });
    served["/brief"] = shopPage(brief.url);
    const shop = await browser.open(pages.url("/brief"));
    const mode = revision === "2025-11-25" ? "legacy" : { pin: revision };
    const client = await connectMcp(brief, "token", { mode });
    try {
      await connected(shop);
      await expect.poll(async () => (await client.listTools()).tools.map(({ name }) => name)).toContain("echo");
      const tag = `unread-${revision}`;
      const call = () => client.callTool({ name: "echo", arguments: { tag } });
      await brief.kill("SIGSTOP");
      const late = call();
      await once(AbortSignal.timeout(2300), "abort");
      await brief.kill("SIGCONT");
      const marks = { "pagewire/code": "deadline-exceeded", "pagewire/ran": "no" };
      expect(await late).toMatchObject({ isError: true, _meta: marks });
      expect((await countsOf(shop, tag)).ran).toBe(0);
      expect(await call()).toMatchObject({ structuredContent: { tag } });
      expect((await countsOf(shop, tag)).ran).toBe(1);
    } finally {
      await client.close();
      await shop.close();
      await brief.close();
    }
  },
);
