import { afterEach, expect, test } from "vitest";
import { watchDocument } from "./browser-tab.ts";

const told: string[] = [];
const stops: (() => void)[] = [];

function watch(): void {
  stops.push(
    watchDocument({
      changed: () => told.push("changed"),
      suspended: (reason, final) => told.push(`suspended: ${reason}${final ? " for good" : ""}`),
      resumed: () => told.push("resumed"),
      gone: (forGood) => told.push(forGood ? "gone for good" : "gone"),
    }),
  );
}

/** The notifications since the last call, without duplicates. */
function news(): readonly string[] {
  return [...new Set(told.splice(0))];
}

const addressBefore = location.href;

afterEach(() => {
  for (const stop of stops.splice(0)) stop();
  history.replaceState(null, "", addressBefore);
  told.length = 0;
});

test("P32: a title that changes is told, whether its text or its element is new", async () => {
  watch();
  document.title = `${document.title} – new`;
  await Promise.resolve();
  expect(news()).toEqual(["changed"]);
  const title = document.createElement("title");
  document.head.append(title);
  await Promise.resolve();
  expect(news()).toEqual(["changed"]);
  title.remove();
});

test("P32: an address that a script changes is told", () => {
  watch();
  history.replaceState(null, "", "?another");
  expect(news()).toEqual(["changed"]);
});

test("P32: gaining and losing the focus, showing and hiding are told", () => {
  watch();
  for (const event of ["blur", "focus"]) {
    window.dispatchEvent(new Event(event));
    expect(news()).toEqual(["changed"]);
  }
  document.dispatchEvent(new Event("visibilitychange"));
  expect(news()).toEqual(["changed"]);
});

test("P30, P31: freezing, the back/forward cache and leaving for good are told apart", () => {
  watch();
  document.dispatchEvent(new Event("freeze"));
  document.dispatchEvent(new Event("resume"));
  window.dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true }));
  window.dispatchEvent(new PageTransitionEvent("pageshow", { persisted: false }));
  expect(news()).toEqual(["suspended: frozen", "resumed", "suspended: back-forward-cache"]);
  window.dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
  window.dispatchEvent(new PageTransitionEvent("pagehide", { persisted: false }));
  expect(news()).toEqual(["resumed", "gone"]);
});

test("P72: a page that is left for another address, or for another origin's, is gone for good; one that is reloaded or closed, or whose query or fragment alone differ, is not", () => {
  history.replaceState(null, "", "?page=1");
  watch();
  const leave = (...urls: readonly (string | undefined)[]) => {
    for (const url of urls) {
      const activation = url === undefined ? null : { entry: { url } };
      window.dispatchEvent(Object.assign(new Event("pageswap"), { activation }));
    }
    window.dispatchEvent(new PageTransitionEvent("pagehide", { persisted: false }));
    return news();
  };
  expect(leave()).toEqual(["gone"]);
  expect(leave(location.href)).toEqual(["gone"]);
  expect(leave(new URL("?page=2#top", location.href).href)).toEqual(["gone"]);
  expect(leave(new URL("other", location.href).href)).toEqual(["gone for good"]);
  expect(leave(undefined)).toEqual(["gone for good"]);
  window.dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true }));
  expect(news()).toEqual(["suspended: back-forward-cache for good"]);
});

test("P72: a page that came back from the back/forward cache and is closed then is not gone for good", () => {
  watch();
  const activation = { entry: { url: new URL("other", location.href).href } };
  window.dispatchEvent(Object.assign(new Event("pageswap"), { activation }));
  window.dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true }));
  window.dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
  window.dispatchEvent(new PageTransitionEvent("pagehide", { persisted: false }));
  expect(news()).toEqual(["suspended: back-forward-cache for good", "resumed", "gone"]);
});

test("P31: a question whether to leave tells nothing", () => {
  watch();
  window.dispatchEvent(new Event("beforeunload", { cancelable: true }));
  expect(news()).toEqual([]);
});

test("P15: after the end nothing is told", async () => {
  watch();
  stops.splice(0)[0]?.();
  document.title = `${document.title} – newer`;
  window.dispatchEvent(new Event("focus"));
  window.dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true }));
  history.replaceState(null, "", "?third");
  await Promise.resolve();
  expect(news()).toEqual([]);
});
