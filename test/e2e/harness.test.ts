import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { launchChromium } from "./support/chromium.ts";
import type { Browser } from "./support/chromium.ts";
import { servePages } from "./support/page-server.ts";
import type { PageServer } from "./support/page-server.ts";

const diary = `<!doctype html><title>diary</title><style>body { background: white } @media (prefers-color-scheme: dark) { body { background: black } }</style>
<input id="name"><button id="open" onclick="window.open('/child')">open</button><my-box></my-box>
<script>
  globalThis.log = [];
  for (const type of ["pageshow", "pagehide"]) addEventListener(type, (event) => log.push(type + ":" + event.persisted));
  for (const type of ["freeze", "resume", "visibilitychange"]) document.addEventListener(type, () => log.push(type + ":" + document.visibilityState));
  document.querySelector("#name").addEventListener("keydown", (event) => event.isTrusted && log.push("key:" + event.key));
  const shadow = document.querySelector("my-box").attachShadow({ mode: "open" });
  shadow.innerHTML = "<button>inner</button>";
  shadow.querySelector("button").onclick = (event) => log.push("click:" + event.isTrusted);
</script>`;

let pages: PageServer;
let browser: Browser;

beforeAll(async () => {
  pages = await servePages({
    "/": diary,
    "/other": "<title>other</title>",
    "/child": "<title>child</title>",
    "/noisy":
      "<script>console.warn('careful', 7); Promise.reject(new Error('nobody caught this')); throw new TypeError('loud')</script>",
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

test("a script's value, its promise and its error come back", async () => {
  const tab = await browser.open(pages.url());
  expect(await tab.evaluate<number>("1 + 1")).toBe(2);
  expect(
    await tab.evaluate((left: number, right: { n: number }) => Promise.resolve(left + right.n), 2, { n: 40 }),
  ).toBe(42);
  expect(await tab.evaluate("undefined")).toBeUndefined();
  await expect(tab.evaluate("Promise.reject(new RangeError('too far'))")).rejects.toThrow("RangeError: too far");
  await expect(tab.evaluate("missing.thing")).rejects.toThrow("ReferenceError: missing is not defined");
});

test("waiting goes on over errors and navigations, and says at the end what it saw", async () => {
  const tab = await browser.open(pages.url());
  await tab.evaluate("void setTimeout(() => { location.href = '/other' }, 50)");
  expect(await tab.waitFor("document.title === 'other' && location.pathname")).toBe("/other");
  await expect(tab.waitFor("app.ready", { timeout: 100 })).rejects.toThrow(
    /app\.ready.*ReferenceError: app is not defined/,
  );
  await expect(tab.waitFor("new Promise(() => {})", { timeout: 100 })).rejects.toThrow("Waited 100 ms");
});

test("what a page logs and throws is collected, once, also from before the debugger came", async () => {
  const tab = await browser.open(pages.url("/noisy"));
  await tab.detach();
  await expect(tab.waitFor("1")).rejects.toThrow("attach()");
  await tab.attach();
  await tab.evaluate("console.log('later')");
  expect(tab.console.messages).toEqual([
    { type: "warning", text: "careful 7" },
    { type: "log", text: "later" },
  ]);
  expect(tab.console.errors).toHaveLength(2);
  expect(tab.console.errors.join()).toMatch(
    /TypeError: loud[^]*nobody caught this|nobody caught this[^]*TypeError: loud/,
  );
});

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

test("a reload begins the page anew and keeps its sessionStorage", async () => {
  const tab = await browser.open(pages.url());
  await tab.evaluate("sessionStorage.setItem('kept', 'yes'), void log.push('before')");
  await tab.reload();
  expect(await tab.evaluate("[sessionStorage.getItem('kept'), log]")).toEqual(["yes", ["pageshow:false"]]);
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

test("a crash ends what was waited for, closes nothing, and a reload brings the page back", async () => {
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

test("clicks, text and keys are trusted input, in shadow roots too", async () => {
  const tab = await browser.open(pages.url());
  await tab.type("#name", "Ada");
  await tab.press("!");
  await tab.press("Shift+Tab");
  await tab.click("my-box >>> button");
  expect(await tab.evaluate("document.querySelector('#name').value")).toBe("Ada!");
  expect(await tab.evaluate("log")).toEqual(expect.arrayContaining(["key:!", "key:Tab", "click:true"]));
});

test("dialogs are answered and remembered", async () => {
  const tab = await browser.open(pages.url());
  expect(await tab.evaluate("confirm('sure?')")).toBe(true);
  tab.acceptDialogs = false;
  expect(await tab.evaluate("confirm('really?')")).toBe(false);
  expect(tab.dialogs).toEqual(["sure?", "really?"]);
});

test("a screenshot has the size and the colours that were asked for", async () => {
  const path = join(tmpdir(), `pagewire-harness-${process.pid}.png`);
  const tab = await browser.open(pages.url());
  await browser.open(pages.url("/other"));
  const light = await tab.screenshot(path, { width: 320, height: 240, mobile: true });
  const dark = await tab.screenshot(undefined, { width: 320, height: 240, mobile: true, dark: true });
  expect([light.readUInt32BE(16), light.readUInt32BE(20)]).toEqual([320, 240]);
  expect(await readFile(path)).toEqual(light);
  expect(dark.equals(light)).toBe(false);
  await rm(path);
});

test("an offline page reaches nothing until it is online again", async () => {
  const tab = await browser.open(pages.url());
  await tab.setOffline(true);
  expect(await tab.evaluate("fetch('/other').then(() => 'reached', () => 'cut')")).toBe("cut");
  expect(await tab.evaluate("navigator.onLine")).toBe(false);
  await tab.setOffline(false);
  expect(await tab.evaluate("fetch('/other').then(() => 'reached', () => 'cut')")).toBe("reached");
});

test("a strange origin is a name that leads to the same server", async () => {
  const tab = await browser.open(pages.originFor("evil.test"));
  expect(await tab.evaluate("location.origin")).toBe(`http://evil.test:${pages.port}`);
  expect(pages.requests.at(-1)).toMatchObject({
    method: "GET",
    path: "/",
    headers: { host: `evil.test:${pages.port}` },
  });
});

test("a shared worker is ended while its pages live on", async () => {
  const tab = await browser.open(pages.url("/worker"));
  await tab.waitFor("globalThis.ready");
  expect(await browser.closeWorkers("/worker.js")).toBe(1);
  expect(await browser.closeWorkers("/worker.js")).toBe(0);
  expect(await tab.evaluate("document.readyState")).toBe("complete");
});

test("a stopped browser answers nothing until it goes on, and a killed one ends all that was waited for", async () => {
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
