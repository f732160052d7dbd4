import { expect, test } from "vitest";
import { PagewireError } from "../../../wire/index.ts";
import { createHubFinder } from "./hub-finder.ts";
import type { Effort } from "./hub-finder.ts";
import { startScriptedHub } from "../test-support/scripted-hub.test-helper.ts";
import { systemWaiting, waitAfter } from "./wait.ts";
import { createTestWaiting } from "../test-support/waiting.test-helper.ts";

interface Announced {
  url?: string;
}

const noHub = () => new PagewireError("hub-unreachable", "No hub runs.");

/** A finder and its hub; `start` is called when it starts one. */
function createFinder(start?: (announced: Announced, at: number) => void) {
  const waiting = createTestWaiting();
  const announced: Announced = {};
  const createStarter = start && (() => ({ start: async () => start(announced, waiting.now()) }));
  const notes: string[] = [];
  const note = (text: string) => void notes.push(text);
  const finder = createHubFinder({ announced: () => announced.url, createStarter, noHub, waiting, note });
  const { signal } = new AbortController();
  return { finder, waiting, announced, notes, find: (effort: Effort) => finder.find(effort, signal) };
}

test("if no hub may be started, a search fails at once if there never was a hub, and else waits for its return", async () => {
  const { find, finder, announced, waiting } = createFinder();
  await expect(find("start")).rejects.toThrow("No hub runs.");
  expect(waiting.now()).toBe(0);
  const { url } = await startScriptedHub();
  announced.url = url;
  expect(await find("start")).toBe(url);
  delete announced.url;
  finder.lost(url);
  await expect(find("start")).rejects.toThrow("No hub runs.");
  expect(waiting.now()).toBeGreaterThanOrEqual(5000);
  await expect(find("look")).rejects.toThrow("No hub runs.");
});

test("a hub is started at once if there was none, and after a grace period if one was lost", async () => {
  const { url } = await startScriptedHub();
  const startedAt: number[] = [];
  const { find, finder, announced } = createFinder((found, at) => {
    startedAt.push(at);
    found.url = url;
  });
  expect(await find("start")).toBe(url);
  expect(startedAt).toEqual([0]);
  delete announced.url;
  finder.lost(url);
  expect(await find("start")).toBe(url);
  expect(startedAt[1]).toBeGreaterThanOrEqual(1500);
});

test("a search that only waits finds a hub when it starts, and starts none", async () => {
  const { url } = await startScriptedHub();
  const { find, announced, waiting } = createFinder(() => {
    throw new Error("Nothing is to be started.");
  });
  const found = find("wait");
  while (waiting.now() < 60_000) await waiting.pause(1000, new AbortController().signal);
  announced.url = url;
  expect(await found).toBe(url);
});

test("an announced address where no hub answers is not used", async () => {
  const { find, finder, announced } = createFinder();
  const hub = await startScriptedHub();
  announced.url = hub.url;
  hub.on("healthz", (asked) => asked.status(200, "I am a web server.\n"));
  await expect(find("look")).rejects.toThrow("No hub runs");
  hub.on("healthz", (asked) => asked.status(200, "ok\n"));
  expect(await find("look")).toBe(hub.url);
  expect(await finder.isThere()).toBe(true);
  await hub.stop();
  finder.lost(hub.url);
  expect(await finder.isThere()).toBe(false);
});

test("an aborted search stops waiting", async () => {
  const options = { createStarter: undefined, noHub, waiting: systemWaiting, note: () => {} };
  const finder = createHubFinder({ announced: () => undefined, ...options });
  const aborter = new AbortController();
  const found = finder.find("wait", aborter.signal);
  aborter.abort(new Error("given up"));
  await expect(found).rejects.toThrow("given up");
  await expect(finder.find("wait", aborter.signal)).rejects.toThrow("given up");
});

test("the user is notified once that a hub is gone, and not about one that never ran", async () => {
  const { url } = await startScriptedHub();
  const { find, announced, notes } = createFinder();
  const look = () => find("look").catch(() => {});
  await look();
  announced.url = url;
  await look();
  delete announced.url;
  await look();
  await look();
  expect(notes).toEqual(["The hub is gone. It is found when it is back: npx pagewire"]);
});

test("the backoff grows, and stays short enough for a waiting user", () => {
  expect([0, 1, 2, 3, 4, 5, 1000].map(waitAfter)).toEqual([50, 100, 200, 400, 800, 1000, 1000]);
});
