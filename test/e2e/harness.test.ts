// The faults and clicks that other tests rely on are real: a tab that is frozen, crashed, offline or stopped here is so in the browser.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { launchChromium } from "./support/chromium.ts";
import type { Browser } from "./support/chromium.ts";
import { servePages } from "./support/page-server.ts";
import type { PageServer } from "./support/page-server.ts";

const diary = `<!doctype html><title>diary</title>
<button id="open" onclick="window.open('/child')">open</button>
<script>
  globalThis.log = [];
  for (const type of ["pageshow", "pagehide"]) addEventListener(type, (event) => log.push(type + ":" + event.persisted));
  for (const type of ["freeze", "resume", "visibilitychange"]) document.addEventListener(type, () => log.push(type + ":" + document.visibilityState));
</script>`;

const clicks = `<script>window.clicks = []; addEventListener("click", ({ target }) => clicks.push(target.id));</script>`;
const moving = `<!doctype html>${clicks}<button id="before">No</button><br><button id="aim">Yes</button><script>
  const push = () => document.querySelector("#before").before(document.createElement("hr"));
  addEventListener("mousemove", push, { once: true });
</script>`;
const covered = `<!doctype html>${clicks}<button id="aim">Yes</button><div id="cover" style="position:fixed;inset:0"></div>`;

let pages: PageServer;
let browser: Browser;

beforeAll(async () => {
  pages = await servePages({
    "/": diary,
    "/other": "<title>other</title>",
    "/moving": moving,
    "/covered": covered,
    "/child": "<title>child</title>",
    "/worker":
      "<script>const worker = new SharedWorker('/worker.js'); worker.port.onmessage = () => (globalThis.ready = true)</script>",
    "/worker.js": { body: "onconnect = (event) => event.ports[0].postMessage('hello')", type: "text/javascript" },
  });
  browser = await launchChromium();
});

afterEach(() => browser.closeTabs());

afterAll(async () => {
  await browser.close();
  await browser.close();
  await pages.close();
  await pages.close();
});

function errorOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(() => "it did not fail", String);
}

test("going back restores the page from the back/forward cache, with its scripts' state", async () => {
  const tab = await browser.open(pages.url());
  await tab.navigate(pages.url("/other"));
  await tab.back();
  expect(await tab.evaluate("log")).toEqual(expect.arrayContaining(["pagehide:true", "pageshow:true"]));
  await tab.forward();
  expect(await tab.evaluate("document.title")).toBe("other");
  await expect(tab.forward()).rejects.toThrow("no page to go forward to");
  await expect(tab.navigate("http://127.0.0.1:9/")).rejects.toThrow("Could not open http://127.0.0.1:9/: net::");
});

test("a frozen page runs nothing until it is unfrozen or shown", async () => {
  for (const newWindow of [false, true]) {
    const tab = await browser.open(pages.url(), { newWindow });
    await tab.freeze();
    await tab.evaluate("void setTimeout(() => log.push('ran'), 0)");
    await expect(tab.waitFor("log.includes('ran')", { timeout: 300 })).rejects.toThrow("Waited 300 ms");
    await tab.unfreeze();
    await tab.waitFor("log.includes('ran')");
    await tab.freeze();
    await tab.activate();
    await tab.waitFor("document.visibilityState === 'visible'");
    expect(await tab.evaluate("log")).toEqual([
      "pageshow:false",
      "visibilitychange:hidden",
      "freeze:hidden",
      "resume:hidden",
      "ran",
      "freeze:hidden",
      "resume:hidden",
      "visibilitychange:visible",
    ]);
  }
});

test("a crash ends pending waits, closes nothing, and a reload brings the page back", async () => {
  const tab = await browser.open(pages.url());
  const pending = errorOf(tab.evaluate("new Promise(() => {})"));
  await tab.crash();
  expect(await pending).toContain("the page crashed");
  await expect(tab.evaluate("1")).rejects.toThrow("reload()");
  await tab.reload();
  expect(await tab.evaluate("document.title")).toBe("diary");
});

test("all tabs are closed, crashed ones too, and their shared workers are gone", async () => {
  const [worker, crashed] = [await browser.open(pages.url("/worker")), await browser.open(pages.url())];
  await worker.waitFor("globalThis.ready");
  await crashed.crash();
  await browser.closeTabs([crashed]);
  expect(await browser.tabs()).toEqual([crashed]);
  await browser.closeTabs();
  expect(await browser.tabs()).toEqual([]);
  expect(await browser.closeWorkers("/worker.js")).toBe(0);
});

test("tabs hide each other, and background tabs and windows hide nothing", async () => {
  const first = await browser.open(pages.url());
  const second = await browser.open(pages.url("/other"));
  await first.waitFor("document.visibilityState === 'hidden'");
  const background = await browser.open(pages.url("/child"), { background: true });
  await browser.open(pages.url("/child"), { newWindow: true });
  expect(await background.evaluate("document.visibilityState")).toBe("hidden");
  expect(await second.evaluate("document.visibilityState")).toBe("visible");
  await first.activate();
  await second.waitFor("document.visibilityState === 'hidden'");
  expect(await browser.tabs()).toHaveLength(4);
});

test("pop-ups are blocked without a click, and found with one", async () => {
  const tab = await browser.open(pages.url());
  expect(await tab.evaluate("window.open('/child')")).toBeNull();
  const child = await tab.popup(() => tab.click("#open"));
  await child.waitFor("document.title === 'child' && opener !== null");
  expect(await tab.popups()).toEqual([child]);
  await child.close();
  await child.close();
  expect(await tab.popups()).toEqual([]);
});

test("a duplicated tab and one from an opener start with a copy of sessionStorage", async () => {
  const tab = await browser.open(pages.url());
  await tab.evaluate("sessionStorage.setItem('id', 'one')");
  const copy = await tab.duplicate();
  const child = await browser.open(pages.url("/child"), { fromOpener: tab });
  expect(await copy.evaluate("[location.pathname, sessionStorage.getItem('id')]")).toEqual(["/", "one"]);
  expect(await child.evaluate("[location.pathname, sessionStorage.getItem('id')]")).toEqual(["/child", "one"]);
});

test("an offline page reaches nothing until it is online again", async () => {
  const tab = await browser.open(pages.url());
  await tab.setOffline(true);
  expect(await tab.evaluate("fetch('/other').then(() => 'reached', () => 'cut')")).toBe("cut");
  expect(await tab.evaluate("navigator.onLine")).toBe(false);
  await tab.setOffline(false);
  expect(await tab.evaluate("fetch('/other').then(() => 'reached', () => 'cut')")).toBe("reached");
});

test("a shared worker is ended while its pages live on", async () => {
  const tab = await browser.open(pages.url("/worker"));
  await tab.waitFor("globalThis.ready");
  expect(await browser.closeWorkers("/worker.js")).toBe(1);
  expect(await browser.closeWorkers("/worker.js")).toBe(0);
  expect(await tab.evaluate("document.readyState")).toBe("complete");
});

test("a stopped browser answers nothing until it continues, and a killed one ends all pending waits", async () => {
  const victim = await launchChromium();
  const tab = await victim.open(pages.url());
  victim.stop();
  const order: string[] = [];
  const answer = tab.evaluate("1").then(() => order.push("answered"));
  await fetch(pages.url()).then(() => order.push("still stopped"));
  victim.continue();
  await answer;
  expect(order).toEqual(["still stopped", "answered"]);
  const pending = errorOf(tab.evaluate("new Promise(() => {})"));
  await victim.kill();
  expect(await pending).toContain("the browser has ended");
  await expect(tab.waitFor("true")).rejects.toThrow("the browser has ended");
  expect(() => process.kill(victim.pid, 0)).toThrow("ESRCH");
  await victim.close();
});

test("a click reaches an element that moves away under the pointer, and nothing that came there instead", async () => {
  const tab = await browser.open(pages.url("/moving"));
  await tab.click("#aim");
  expect(await tab.evaluate("clicks")).toEqual(["aim"]);
});

test("a click on a covered element reaches what covers it", async () => {
  const tab = await browser.open(pages.url("/covered"));
  await tab.click("#aim");
  expect(await tab.evaluate("clicks")).toEqual(["cover"]);
});
