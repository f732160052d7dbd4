import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { forgetFetchConsents } from "./consents.ts";
import { makeFetchPage, own, ruleOf } from "./fetch.test-helper.ts";
import type { ConsentAnswer } from "./ask-consent.ts";

let stored: Map<string, string>;

beforeEach(() => {
  stored = new Map();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
    removeItem: (key: string) => stored.delete(key),
  });
});

afterEach(() => {
  forgetFetchConsents();
  vi.unstubAllGlobals();
});

const other = "https://a.example";
const origins = [other];
const key = "pagewire.fetch-consents";
const get = { url: "/x" };
const post = { url: "/x", method: "POST" };

test("the person is asked once for each origin and method, and what was refused is not sent", async () => {
  const page = makeFetchPage({ origins });
  await page.fetch(get);
  await page.fetch({ url: "/another" });
  await page.fetch(post);
  await page.fetch({ url: other });
  expect(
    page.ask.mock.calls.map(([{ request, agent, holds }]) => [request.method, request.url.href, agent, holds]),
  ).toEqual([
    ["GET", `${own}/x`, { name: "a test" }, true],
    ["POST", `${own}/x`, { name: "a test" }, true],
    ["GET", `${other}/`, { name: "a test" }, true],
  ]);
  for (const answer of ["decline", "cancel"] as const) {
    const refusing = makeFetchPage();
    refusing.ask.mockResolvedValue(answer);
    expect(await ruleOf(refusing.fetch(get))).toBe("ask");
    expect(await ruleOf(refusing.fetch(get))).toBe("ask");
    expect([refusing.ask.mock.calls.length, refusing.sent.length]).toEqual([2, 0]);
  }
});

test("who allowed requests without cookies is asked about those with, and not the other way round", async () => {
  const page = makeFetchPage();
  await page.fetch({ ...get, credentials: "omit" });
  await page.fetch({ ...get, credentials: "omit" });
  await page.fetch(get);
  expect(page.ask.mock.calls.map(([{ request }]) => request.credentials)).toEqual(["omit", "same-origin"]);
  const wide = makeFetchPage();
  await wide.fetch(get);
  await wide.fetch({ ...get, credentials: "omit" });
  expect(wide.ask).toHaveBeenCalledOnce();
});

test("nobody is asked about what the rules refuse anyway", async () => {
  const page = makeFetchPage();
  expect(await ruleOf(page.fetch({ url: "https://elsewhere.example" }))).toBe("origins");
  expect(page.ask).not.toHaveBeenCalled();
});

/** Another document of the same origin: everything in memory is lost. */
function newDocument() {
  const kept = new Map(stored);
  const page = makeFetchPage();
  stored = kept;
  return page;
}

test("what is always allowed is kept for the pages to come, until it is forgotten", async () => {
  const page = makeFetchPage();
  page.ask.mockResolvedValue("always");
  await page.fetch(get);
  await page.fetch(post);
  await page.fetch(get);
  expect(page.ask).toHaveBeenCalledTimes(2);
  expect(JSON.parse(stored.get(key) ?? "")).toEqual([`GET ${own}`, `POST ${own}`]);
  const next = newDocument();
  await next.fetch(get);
  expect(next.ask).not.toHaveBeenCalled();
  forgetFetchConsents();
  expect(stored.size).toBe(0);
  await next.fetch(get);
  expect(next.ask).toHaveBeenCalledOnce();
});

test("what is allowed until the page is left is in no storage, and can be forgotten sooner", async () => {
  const page = makeFetchPage();
  await page.fetch(get);
  expect(stored.size).toBe(0);
  forgetFetchConsents();
  await page.fetch(get);
  expect(page.ask).toHaveBeenCalledTimes(2);
});

test("where storage is off, full, or holds something else, the person is asked, and nothing fails", async () => {
  for (const foreign of ["nonsense", "{}", "null", "[1]"]) {
    const page = makeFetchPage();
    stored.set(key, foreign);
    await page.fetch(get);
    expect(page.ask).toHaveBeenCalledOnce();
  }
  const fail = () => {
    throw new DOMException("The quota has been exceeded.");
  };
  vi.stubGlobal("localStorage", { getItem: fail, setItem: fail, removeItem: fail });
  const page = makeFetchPage();
  page.ask.mockResolvedValue("always");
  await page.fetch(get);
  await page.fetch(get);
  expect(page.ask).toHaveBeenCalledOnce();
});

test("who has refused the same three times in a row is not asked any more, until the page is left", async () => {
  for (const ask of ["first", "each"] as const) {
    const page = makeFetchPage({ ask });
    const answers: readonly ConsentAnswer[] = ["decline", "cancel", "accept", "decline", "cancel", "decline"];
    const given = ask === "each" ? answers : answers.slice(3);
    for (const answer of given) page.ask.mockResolvedValueOnce(answer);
    for (const answer of given) expect(await ruleOf(page.fetch(get))).toBe(answer === "accept" ? "allowed" : "ask");
    await expect(page.fetch(get)).rejects.toThrow("was refused again and again");
    expect(page.ask).toHaveBeenCalledTimes(given.length);
    expect(await ruleOf(page.fetch(post))).toBe("allowed");
    forgetFetchConsents();
    expect(await ruleOf(page.fetch(get))).toBe("allowed");
  }
});

test("a question whose caller left was refused by nobody", async () => {
  const page = makeFetchPage();
  for (let times = 0; times < 4; times++) {
    const caller = new AbortController();
    page.ask.mockImplementationOnce(async () => {
      caller.abort(new Error("cancelled"));
      return "cancel";
    });
    await expect(page.fetch(get, { signal: caller.signal })).rejects.toThrow("cancelled");
  }
  expect(await ruleOf(page.fetch(get))).toBe("allowed");
});

test("one answer is for all requests of the kind that wait for it", async () => {
  for (const [answer, rule] of [
    ["accept", "allowed"],
    ["decline", "ask"],
  ] as const) {
    const page = makeFetchPage();
    let decide: (answer: ConsentAnswer) => void = () => {};
    page.ask.mockImplementation(() => new Promise((resolve) => (decide = resolve)));
    const rules = Promise.all([get, get, get].map((input) => ruleOf(page.fetch(input))));
    await vi.waitFor(() => expect(page.ask).toHaveBeenCalled());
    decide(answer);
    expect(await rules).toEqual([rule, rule, rule]);
    expect(page.ask).toHaveBeenCalledOnce();
  }
});

test("when the caller of the question that is shown leaves, the next that waits has one of its own", async () => {
  const page = makeFetchPage();
  page.ask.mockImplementationOnce(
    (_question, signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve("cancel"))),
  );
  const aborter = new AbortController();
  const first = ruleOf(page.fetch(get, { signal: aborter.signal }));
  await vi.waitFor(() => expect(page.ask).toHaveBeenCalledOnce());
  const second = ruleOf(page.fetch(get));
  aborter.abort(new Error("cancelled"));
  expect([await first, await second]).toEqual(["undefined: cancelled", "allowed"]);
  expect(page.ask).toHaveBeenCalledTimes(2);
});

test("a page may have each request asked about, whatever was allowed, or none", async () => {
  const each = makeFetchPage({ ask: "each" });
  stored.set(key, JSON.stringify([`GET ${own}`]));
  await each.fetch(get);
  await each.fetch(get);
  expect(each.ask.mock.calls.map(([{ holds }]) => holds)).toEqual([false, false]);
  each.ask.mockResolvedValue("decline");
  expect(await ruleOf(each.fetch(get))).toBe("ask");
  const never = makeFetchPage({ ask: "never" });
  await never.fetch(get);
  expect([never.ask.mock.calls.length, never.sent.length]).toEqual([0, 1]);
});

test("where nobody can be asked, nothing is sent", async () => {
  const page = makeFetchPage();
  page.ask.mockRejectedValue(new Error("The dialog could not be loaded."));
  expect(await ruleOf(page.fetch(get))).toContain("The dialog could not be loaded.");
  expect(page.sent).toEqual([]);
  page.ask.mockResolvedValue("accept");
  expect(await ruleOf(page.fetch(get))).toBe("allowed");
});
