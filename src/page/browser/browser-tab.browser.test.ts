import { afterEach, expect, test, vi } from "vitest";
import { browserTab } from "./browser-tab.ts";
import { identifyTab } from "./tab-identity.ts";

const tabUrl = new URL("./browser-tab.ts", import.meta.url).href;
const identityUrl = new URL("./tab-identity.ts", import.meta.url).href;
const frames: HTMLIFrameElement[] = [];
const titleBefore = document.title;

afterEach(() => {
  for (const frame of frames.splice(0)) frame.remove();
  sessionStorage.clear();
  document.title = titleBefore;
  vi.restoreAllMocks();
});

/** Another document of this origin: it shares the storage, the locks and the channels with this one. */
async function openFrame(): Promise<Window & typeof globalThis> {
  const frame = document.createElement("iframe");
  frame.srcdoc = "<!doctype html><title>Frame</title>";
  const loaded = new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
  document.body.append(frame);
  frames.push(frame);
  await loaded;
  return frame.contentWindow as Window & typeof globalThis;
}

/** The id that another document finds for itself. */
async function identifyIn(frame: Window & typeof globalThis): Promise<string> {
  const code = `Promise.all([import(${JSON.stringify(tabUrl)}), import(${JSON.stringify(identityUrl)})])
    .then(([{ browserTab }, { identifyTab }]) => identifyTab(browserTab()))
    .then(({ id }) => id)`;
  return (await frame.eval(code)) as string;
}

test("P1: an id is found again by the next document, once the one before it is gone", async () => {
  const first = await openFrame();
  const id = await identifyIn(first);
  frames[0]?.remove();
  expect(await identifyIn(await openFrame())).toBe(id);
});

test("P2: a document with a copy of the storage of one that lives finds another id", async () => {
  const id = await identifyIn(await openFrame());
  expect(await identifyIn(await openFrame())).not.toBe(id);
});

test("P2: a frame is a tab of its own, and leaves the page around it the id that it had", async () => {
  const environment = browserTab();
  const outer = await identifyTab(environment);
  const inner = await identifyIn(await openFrame());
  expect(inner).not.toBe(outer.id);
  outer.release();
  const again = await identifyTab(browserTab());
  expect(again.id).toBe(outer.id);
  again.release();
});

test("P15: an id that was let go while its lock was on the way is free again", async () => {
  const { id, release } = await identifyTab(browserTab());
  release();
  const again = await identifyTab(browserTab());
  expect(again.id).toBe(id);
  again.release();
});

test("P3: an id that was let go is free for another document, and is taken up again when that is gone", async () => {
  const environment = browserTab();
  const identity = await identifyTab(environment);
  identity.release();
  const aborter = new AbortController();
  const taken = environment.takeLock?.(`pagewire ${identity.id}`, aborter.signal);
  expect(await taken).toBe(true);
  identity.resume();
  aborter.abort();
  await vi.waitFor(async () => {
    const { held = [] } = await navigator.locks.query();
    expect(held.map(({ name }) => name)).toContain(`pagewire ${identity.id}`);
  });
  identity.release();
});

test("P2: a lock that is not granted before its signal aborts is never held", async () => {
  const { takeLock } = browserTab();
  const [first, second, third] = [new AbortController(), new AbortController(), new AbortController()];
  expect(await takeLock?.("a lock", first.signal)).toBe(true);
  const waiting = takeLock?.("a lock", second.signal);
  const next = takeLock?.("a lock", third.signal);
  second.abort();
  expect(await waiting).toBe(false);
  first.abort();
  expect(await next).toBe(true);
  third.abort();
});

test("storage that is full or switched off throws nothing and keeps nothing", async () => {
  const refuse = () => {
    throw new DOMException("The storage is switched off.", "SecurityError");
  };
  vi.spyOn(Storage.prototype, "setItem").mockImplementation(refuse);
  vi.spyOn(Storage.prototype, "getItem").mockImplementation(refuse);
  const environment = browserTab();
  environment.storage.set("name", "value");
  expect(environment.storage.get("name")).toBeUndefined();
  const identity = await identifyTab(environment);
  expect(identity.id).toMatch(/^[\w-]{8,64}$/);
  identity.release();
});

test("a document that may open no channel is a tab like any other", async () => {
  vi.stubGlobal(
    "BroadcastChannel",
    class {
      constructor() {
        throw new DOMException("No channels here.", "SecurityError");
      }
    },
  );
  const identity = await identifyTab(browserTab());
  expect(identity.id).toMatch(/^[\w-]{8,64}$/);
  identity.release();
  vi.unstubAllGlobals();
});

test("P32: a tab is described by its title and its address without query and fragment, neither of them too long", () => {
  const environment = browserTab();
  document.title = "x".repeat(2000);
  const { title, url } = environment.describe();
  expect(title).toHaveLength(1024);
  expect(url).toBe(location.href.replace(/[?#].*/s, ""));
});
