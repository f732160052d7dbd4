import { expect, test, vi } from "vitest";
import { PagewireError } from "../../../wire/index.ts";
import { hub } from "../actions.test-helper.ts";
import { makeFetchPage, own, ruleOf } from "./fetch.test-helper.ts";

const asFrom = (response: Response, fields: Partial<Response>) =>
  Object.defineProperties(
    response,
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, { value }])),
  );

const never: (url: string, init: RequestInit) => Promise<Response> = (_url, { signal }) =>
  new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));

test("an answer is its status, address, headers and body, as fields of the delegate's answer", async () => {
  const page = makeFetchPage({}, () =>
    asFrom(new Response("hello", { status: 404, statusText: "Not Found", headers: { "X-A": "1" } }), {
      url: `${own}/found`,
    }),
  );
  expect(await page.fetch({ url: "/x" })).toEqual({
    content: [{ type: "text", text: "Status: 404, 5 B" }],
    structuredContent: {
      status: 404,
      statusText: "Not Found",
      url: `${own}/found`,
      headers: { "content-type": "text/plain;charset=UTF-8", "x-a": "1" },
      body: "hello",
      encoding: "utf8",
    },
    _meta: { "pagewire/fields": true },
  });
});

test("where every agent may fetch, the text of the answer holds the body, which may be all that a model reads", async () => {
  const text = async (body: BodyInit) =>
    (await makeFetchPage({ agents: "all" }, () => new Response(body)).fetch({ url: "/" })).content;
  expect(await text("hello")).toEqual([{ type: "text", text: "Status: 200\n\nhello" }]);
  expect(await text(new Uint8Array([255]))).toEqual([{ type: "text", text: "Status: 200\n\n(binary, 1 B)" }]);
});

test("a body that is UTF-8 comes as text, byte by byte the same, and any other as base64", async () => {
  const bodyOf = async (bytes: Uint8Array<ArrayBuffer>) => {
    const { structuredContent } = await makeFetchPage({}, () => new Response(bytes)).fetch({ url: "/" });
    return structuredContent;
  };
  const text = "\uFEFFa\u0000é😀\r\n";
  expect(await bodyOf(new TextEncoder().encode(text))).toMatchObject({ body: text, encoding: "utf8" });
  const bytes = Uint8Array.from({ length: 100_000 }, (_none, index) => index * 7);
  const { body, encoding } = await bodyOf(bytes);
  expect([encoding, Buffer.from(body, "base64").equals(bytes)]).toEqual(["base64", true]);
  const empty = await makeFetchPage({}, () => new Response(null, { status: 204 })).fetch({ url: "/" });
  expect(empty.structuredContent).toMatchObject({ status: 204, body: "", encoding: "utf8" });
});

test("an answer that is too large is read no further than its limit", async () => {
  const cancelled = vi.fn<() => void>();
  let pulled = 0;
  const endless = () =>
    new Response(
      new ReadableStream({
        pull(controller) {
          pulled++;
          controller.enqueue(new Uint8Array(1000));
        },
        cancel: cancelled,
      }),
    );
  expect(await ruleOf(makeFetchPage({ maxResponseBytes: 5000 }, endless).fetch({ url: "/" }))).toBe("maxResponseBytes");
  expect(cancelled).toHaveBeenCalledOnce();
  expect(pulled).toBeLessThan(10);
  const just = makeFetchPage({ maxResponseBytes: 5 }, () => new Response("hello"));
  expect(await ruleOf(just.fetch({ url: "/" }))).toBe("allowed");
});

test("a redirect is refused, and where redirects are followed none leads out of what the policy allows", async () => {
  const redirect = () => asFrom(new Response(null), { type: "opaqueredirect" });
  const refused = makeFetchPage({}, redirect);
  expect(await ruleOf(refused.fetch({ url: "/" }))).toBe("redirects");
  expect(refused.sent[0]?.[1]).toMatchObject({ redirect: "manual", mode: "same-origin" });
  const ending = (url: string) =>
    makeFetchPage({ origins: ["https://api.example.com"], redirects: "follow" }, () =>
      asFrom(new Response("secret"), { redirected: true, url }),
    );
  const good = ending("https://api.example.com/there");
  expect((await good.fetch({ url: "https://api.example.com" })).structuredContent.body).toBe("secret");
  expect(good.sent[0]?.[1]).toMatchObject({ redirect: "follow", mode: "cors" });
  for (const url of [
    "http://127.0.0.1:7337/",
    "http://10.0.0.1/",
    "https://evil.example/",
    "http://api.example.com/",
  ]) {
    expect([url, await ruleOf(ending(url).fetch({ url: "https://api.example.com" }))]).toEqual([url, "redirects"]);
  }
});

test("what another origin leads to is given only where the person allowed that one too, or is never asked", async () => {
  const [from, to] = ["https://a.example", "https://b.example"];
  const origins = [from, to];
  const leading = (ask: "each" | "first" | "never") =>
    makeFetchPage({ origins, redirects: "follow", ask }, (url) =>
      asFrom(new Response("secret"), { redirected: url.startsWith(from), url: `${to}/` }),
    );
  const page = leading("first");
  expect(await ruleOf(page.fetch({ url: from }))).toBe("redirects");
  expect(await ruleOf(page.fetch({ url: to }))).toBe("allowed");
  expect(await ruleOf(page.fetch({ url: from }))).toBe("allowed");
  expect(await ruleOf(leading("never").fetch({ url: from }))).toBe("allowed");
  expect(await ruleOf(leading("each").fetch({ url: from }))).toBe("redirects");
});

test("a refusal says that nothing was done where nothing was sent, and never after that", async () => {
  const undone = async (fetched: Promise<unknown>) => fetched.catch((error: object) => "isUndone" in error);
  const page = makeFetchPage();
  for (const input of [
    { url: "http://10.0.0.1/" },
    { url: "https://evil.example/" },
    { url: "/", method: "TRACE" },
    { url: "/", headers: { host: "x" } },
    { url: hub },
  ]) {
    expect([input, await undone(page.fetch(input))]).toEqual([input, true]);
  }
  page.ask.mockResolvedValue("decline");
  expect(await undone(page.fetch({ url: "/" }))).toBe(true);
  page.ask.mockRejectedValue(new PagewireError("action-unavailable", "Nobody could be asked."));
  expect([await undone(page.fetch({ url: "/" })), page.sent]).toEqual([true, []]);
  const cancelled = new AbortController();
  const reason = new PagewireError("cancelled", "The caller left.");
  page.ask.mockImplementation(async () => {
    cancelled.abort(reason);
    return "decline";
  });
  expect(await undone(page.fetch({ url: "/" }, { signal: cancelled.signal }))).toBe(false);

  const redirect = () => asFrom(new Response(null), { type: "opaqueredirect" });
  const broken = () => Promise.reject(new TypeError("Failed to fetch"));
  for (const [policy, answer] of [
    [{}, redirect],
    [{ maxResponseBytes: 1 }, undefined],
    [{ timeout: 1 }, never],
    [{}, broken],
    [{ redirects: "follow" }, () => asFrom(new Response(""), { redirected: true, url: "https://evil.example/" })],
  ] as const) {
    const sending = makeFetchPage(policy, answer);
    expect([await undone(sending.fetch({ url: "/" })), sending.sent.length]).toEqual([false, 1]);
  }
});

test("a server that takes too long is left, and so is one whose body does", async () => {
  const slow = makeFetchPage({ timeout: 1 }, never);
  expect(await ruleOf(slow.fetch({ url: "/" }))).toBe("timeout");
  expect(slow.sent[0]?.[1].signal?.aborted).toBe(true);
  const stuck = makeFetchPage({ timeout: 1 }, (_url, { signal }) => {
    const start = (controller: ReadableStreamDefaultController) =>
      signal?.addEventListener("abort", () => controller.error(signal.reason));
    return new Response(new ReadableStream({ start }));
  });
  expect(await ruleOf(stuck.fetch({ url: "/" }))).toBe("timeout");
});

test("a call that ends takes its request along, and one that ended while the person was asked sends none", async () => {
  const aborter = new AbortController();
  const page = makeFetchPage({}, never);
  const fetched = page.fetch({ url: "/" }, { signal: aborter.signal });
  await vi.waitFor(() => expect(page.sent).toHaveLength(1));
  aborter.abort(new Error("cancelled"));
  await expect(fetched).rejects.toThrow("cancelled");
  expect(page.sent[0]?.[1].signal?.aborted).toBe(true);

  const late = makeFetchPage();
  const ended = new AbortController();
  late.ask.mockImplementation(async () => {
    ended.abort(new Error("cancelled"));
    return "accept";
  });
  await expect(late.fetch({ url: "/" }, { signal: ended.signal })).rejects.toThrow("cancelled");
  expect(late.sent).toEqual([]);
});

test("what the browser could not fetch is told with the browser's own words and what may be the reason", async () => {
  const broken = () => Promise.reject(new TypeError("Failed to fetch"));
  expect(await ruleOf(makeFetchPage({}, broken).fetch({ url: "/x" }))).toBe(
    "action-unavailable: The browser could not fetch https://shop.example/x: Failed to fetch. The server cannot be reached, or redirects to another origin, or the page's Content-Security-Policy forbids it.",
  );
  const other = makeFetchPage({ origins: ["https://a.example"] }, broken).fetch({ url: "https://a.example" });
  expect(await ruleOf(other)).toContain("(CORS)");
});
