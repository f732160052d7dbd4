import { afterEach, expect, test, vi } from "vitest";
// For the type of window.pagewire.
import type {} from "./script.ts";

/** A socket that opens, but whose hub sends nothing. */
class QuietSocket extends EventTarget {
  static readonly urls: string[] = [];
  readonly readyState = 1;
  readonly bufferedAmount = 0;
  binaryType = "blob";
  onopen = () => {};
  constructor(url: string) {
    super();
    QuietSocket.urls.push(url);
    queueMicrotask(() => this.onopen());
  }
  send(): void {}
  close(): void {
    this.dispatchEvent(new CloseEvent("close", { code: 1000 }));
  }
}

let runs = 0;

/** Runs the script as the tag with these attributes would. */
async function runScript(src: string, attributes: Readonly<Record<string, string>>): Promise<void> {
  const tag = document.createElement("script");
  tag.src = src;
  Object.assign(tag.dataset, attributes);
  vi.spyOn(document, "currentScript", "get").mockReturnValue(tag);
  vi.stubGlobal("WebSocket", QuietSocket);
  // A module runs once for each address.
  runs += 1;
  await import(/* @vite-ignore */ `${new URL("./script.ts", import.meta.url).href}?run=${runs}`);
}

afterEach(() => {
  window.pagewire.close();
  sessionStorage.clear();
  QuietSocket.urls.length = 0;
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const src = `${location.origin}/assets/pagewire.js`;

test("P40: window.pagewire takes tools at once, before any hub has answered", async () => {
  await runScript(src, { app: "shop" });
  expect(window.pagewire.state.status).toBe("connecting");
  window.pagewire.registerTool({ name: "work", execute: () => "done" });
  expect(window.pagewire.toolbox.offer().tools.map(({ name }) => name)).toEqual(["work"]);
});

test("P40: the hub is the one that the script came from, or the one that the tag names", async () => {
  await runScript(src, { app: "shop" });
  await vi.waitUntil(() => QuietSocket.urls.length > 0);
  window.pagewire.close();
  await runScript(src, { app: "shop", hub: "https://hub.example" });
  await vi.waitUntil(() => QuietSocket.urls.length > 1);
  expect(QuietSocket.urls).toEqual([`${location.origin.replace("http", "ws")}/page`, "wss://hub.example/page"]);
});

test("the parts are loaded from beside the script, wherever that is", async () => {
  await runScript(src, { app: "shop" });
  await vi.waitUntil(() => window.pagewire.state.status === "refused");
  expect(window.pagewire.state).toMatchObject({
    code: "part-missing",
    message: expect.stringContaining(`${location.origin}/assets/pagewire/session.js`) as string,
  });
});
