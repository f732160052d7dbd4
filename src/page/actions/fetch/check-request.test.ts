import { expect, test } from "vitest";
import { makeFetchPage, ruleOf } from "./fetch.test-helper.ts";
import type { FetchPolicy } from "./fetch-policy.ts";

const other = "https://api.example.com";
const ruleFor = (input: object, policy: FetchPolicy = {}) =>
  ruleOf(makeFetchPage(policy).fetch({ url: "/", ...input }));

async function sentWith(input: object, policy: FetchPolicy = {}): Promise<RequestInit> {
  const page = makeFetchPage(policy);
  await page.fetch({ url: "/", ...input });
  return page.sent[0]?.[1] ?? {};
}

test("the method is one that the policy allows, in whichever letters it is written, and GET when none is said", async () => {
  expect((await sentWith({})).method).toBe("GET");
  expect((await sentWith({ method: null, headers: null, body: null })).method).toBe("GET");
  expect((await sentWith({ method: "patch", body: "x" })).method).toBe("PATCH");
  for (const method of ["TRACE", "CONNECT", "OPTIONS", "PROPFIND", "GET /", ""]) {
    expect([method, await ruleFor({ method })]).toEqual([method, "methods"]);
  }
  expect(await ruleFor({ method: "POST" }, { methods: ["get"] })).toBe("methods");
  expect(await ruleFor({ method: "propfind" }, { methods: ["propfind"] })).toBe("allowed");
});

test("headers are sent as they are given, but those that only the browser sets are refused", async () => {
  const { headers } = await sentWith({ headers: { "X-Trace": "1", "content-type": "text/plain", Accept: "*/*" } });
  expect([...(headers as Headers)]).toEqual([
    ["accept", "*/*"],
    ["content-type", "text/plain"],
    ["x-trace", "1"],
  ]);
  const policy = { headers: ["Cookie", "Host", "Origin", "Sec-Fetch-Site", "Proxy-Authorization"] };
  for (const name of policy.headers) {
    expect([name, await ruleFor({ headers: { [name]: "x" } }, policy)]).toEqual([name, "headers"]);
  }
});

test("headers that say who asks, or make another request of this one, are refused unless the page lists them", async () => {
  for (const name of [
    "Authorization",
    "authorization",
    "X-HTTP-Method-Override",
    "X-Forwarded-For",
    "X-Original-URL",
  ]) {
    expect([name, await ruleFor({ headers: { [name]: "x" } })]).toEqual([name, "headers"]);
    expect(await ruleFor({ headers: { [name]: "x" } }, { headers: [name.toUpperCase()] })).toBe("allowed");
  }
});

test("what can be no header is refused by name", async () => {
  for (const headers of [{ "a b": "x" }, { "": "x" }, { "x-a": "1\r\nx-b: 2" }, { "x-a": "\u{1F600}" }]) {
    expect(await ruleFor({ headers })).toBe("headers");
  }
});

test("cookies go to the page's own origin unless the program leaves them, and to others only by the policy", async () => {
  const origins = [other];
  const credentialsOf = async (input: object, policy: FetchPolicy = {}) => (await sentWith(input, policy)).credentials;
  expect(await credentialsOf({})).toBe("same-origin");
  expect(await credentialsOf({ credentials: "include" })).toBe("same-origin");
  expect(await credentialsOf({ credentials: "omit" })).toBe("omit");
  expect(await credentialsOf({ url: other }, { origins })).toBe("omit");
  expect(await credentialsOf({ url: other }, { origins, credentials: "include" })).toBe("include");
  expect(await credentialsOf({ url: other, credentials: "omit" }, { origins, credentials: "include" })).toBe("omit");
  // A redirect back to the page's own origin would have them otherwise.
  expect(await credentialsOf({ url: other, credentials: "same-origin" }, { origins })).toBe("omit");
  expect(await credentialsOf({ url: other }, { origins, credentials: "same-origin" })).toBe("omit");
  expect(await ruleFor({ url: other, credentials: "include" }, { origins })).toBe("credentials");
  expect(await ruleFor({ url: other, credentials: "include" }, { origins, credentials: "same-origin" })).toBe(
    "credentials",
  );
});

test("a body is sent as text or as the bytes of its base64", async () => {
  const bytesOf = async (input: object) => [...((await sentWith({ method: "POST", ...input })).body as Uint8Array)];
  expect(await bytesOf({ body: "é" })).toEqual([0xc3, 0xa9]);
  expect(await bytesOf({ body: "/wAB", bodyEncoding: "base64" })).toEqual([255, 0, 1]);
  expect((await sentWith({ method: "POST", body: "" })).body).toBeNull();
});

test("a body that is too large, no base64, or of a request that has none, is refused", async () => {
  const most = { maxRequestBytes: 4 };
  expect(await ruleFor({ method: "POST", body: "éé" }, most)).toBe("allowed");
  expect(await ruleFor({ method: "POST", body: "ééé" }, most)).toBe("maxRequestBytes");
  expect(await ruleFor({ method: "POST", body: "AAAAAAAA", bodyEncoding: "base64" }, most)).toBe("maxRequestBytes");
  expect(await ruleFor({ method: "POST", body: "a".repeat(5 * 1024 * 1024 + 1) })).toBe("maxRequestBytes");
  expect(await ruleFor({ method: "POST", body: "?", bodyEncoding: "base64" })).toBe("body");
  expect(await ruleFor({ body: "x" })).toBe("body");
  expect(await ruleFor({ method: "HEAD", body: "x" })).toBe("body");
});
