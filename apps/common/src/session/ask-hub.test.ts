import { afterEach, expect, test, vi } from "vitest";
import { askHub } from "./ask-hub.ts";

afterEach(() => void vi.unstubAllGlobals());

function answerWith(answer: () => Response | Promise<Response>) {
  const fetch = vi.fn<typeof globalThis.fetch>(async () => answer());
  vi.stubGlobal("fetch", fetch);
  return fetch;
}

test("a request sends the token in its header only", async () => {
  const fetch = answerWith(() => Response.json({ ok: true }));
  expect(await askHub({ method: "POST", path: "/api/x", body: { a: 1 }, token: "t" })).toEqual({ ok: true });
  expect(fetch).toHaveBeenCalledExactlyOnceWith("/api/x", {
    method: "POST",
    headers: { Authorization: "Bearer t", "Content-Type": "application/json" },
    cache: "no-store",
    body: '{"a":1}',
  });
});

test("a hub that does not answer, or not like a hub, is an error with a name", async () => {
  answerWith(() => Promise.reject(new TypeError("Failed to fetch")));
  await expect(askHub({ method: "GET", path: "/api/app" })).rejects.toMatchObject({
    code: "hub-unreachable",
    message: expect.stringContaining("npx pagewire"),
  });
  answerWith(() => new Response("<h1>Bad gateway</h1>", { status: 502 }));
  await expect(askHub({ method: "GET", path: "/api/app" })).rejects.toMatchObject({
    code: "internal-error",
    message: expect.stringContaining("502"),
  });
});

test("a refusal keeps the hub's code and words; an empty answer is undefined", async () => {
  answerWith(() => Response.json({ error: { code: "token-expired", message: "Over." } }, { status: 401 }));
  await expect(askHub({ method: "GET", path: "/api/app" })).rejects.toMatchObject({
    code: "token-expired",
    message: "Over.",
  });
  answerWith(() => new Response(null, { status: 204 }));
  expect(await askHub({ method: "DELETE", path: "/api/consents/k" })).toBeUndefined();
});
