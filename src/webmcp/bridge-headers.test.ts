import { describe, expect, test, vi } from "vitest";
import type { ServerResponse } from "node:http";
import type { HeardRequest } from "../mcp-client/mcp-server.test-helper.ts";
import { eras, startServer } from "../mcp-client/mcp-server.test-helper.ts";
import { offering, register } from "./bridge.test-helper.ts";
import { fakeBrowser } from "./fake-browser.test-helper.ts";

const one = offering({ tools: () => ["one"] });

/** Accepts only clients with this token. */
const admitting =
  (token: () => string) =>
  ({ headers }: HeardRequest, response: ServerResponse): boolean => {
    if (headers["authorization"] === token()) return false;
    response.writeHead(401).end();
    return true;
  };

describe.each(eras)("a server of the %s era", (era) => {
  test("headers are sent with each request; those of getHeaders are new for each, and win", async () => {
    const browser = fakeBrowser();
    const server = await startServer({ era, register: one });
    let count = 0;
    const getHeaders = async () => ({ authorization: `Bearer ${++count}` });
    const headers = { Authorization: "Bearer old", "X-Tenant": "7" };
    const handle = await register({ url: server.url, headers, getHeaders });
    await browser.call("one");
    await handle.dispose();
    const sent = server.heard.map(({ headers }) => `${headers["authorization"]} ${String(headers["x-tenant"])}`);
    expect(new Set(sent)).toEqual(new Set(sent.map((_, at) => `Bearer ${at + 1} 7`)));
  });

  test("where the server answers 401, getHeaders is asked once more, and the request made again", async () => {
    const browser = fakeBrowser();
    let token = "Bearer 1";
    const server = await startServer({ era, register: one, instead: admitting(() => token) });
    let mine = "Bearer 0";
    const getHeaders = () => {
      const given = mine;
      mine = token;
      return { Authorization: given };
    };
    await register({ url: server.url, getHeaders });
    token = "Bearer 2";
    const before = server.of("tools/call").length;
    expect(await browser.call("one")).toMatchObject({ content: [{ text: "one {}" }] });
    expect(server.of("tools/call").length - before).toBe(2);
  });
});

test("if it returns the same headers again, the request is not repeated, and the error has the remedy", async () => {
  fakeBrowser();
  const server = await startServer({ register: one, instead: admitting(() => "Bearer good") });
  const getHeaders = () => ({ Authorization: "Bearer bad" });
  await expect(register({ url: server.url, getHeaders })).rejects.toThrow(/401.*headers/);
  const sent = server.heard.map(({ method }) => method);
  expect(sent).toEqual([...new Set(sent)]);
});

test("a call with a bad token fails with a message, and later calls with a good one succeed", async () => {
  const browser = fakeBrowser();
  let token = "Bearer 1";
  const server = await startServer({ register: one, instead: admitting(() => token) });
  const headers = { Authorization: "Bearer 1" };
  await register({ url: server.url, getHeaders: () => headers });
  token = "Bearer 2";
  expect(await browser.call("one")).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("401") as string }],
    _meta: { "pagewire/code": "not-delivered" },
  });
  headers.Authorization = "Bearer 2";
  expect(await browser.call("one")).toMatchObject({ content: [{ text: "one {}" }] });
});

test("an error of getHeaders is reported with its message, and nothing is sent", async () => {
  const browser = fakeBrowser();
  const server = await startServer({ register: one });
  let failure: unknown = new Error("signed out");
  const getHeaders = () => {
    if (failure) throw failure;
    return {};
  };
  await expect(register({ url: server.url, getHeaders })).rejects.toThrow(/getHeaders.*signed out/);
  expect(server.heard).toEqual([]);
  failure = undefined;
  await register({ url: server.url, getHeaders });
  failure = "signed out again";
  expect(await browser.call("one")).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/getHeaders.*signed out again/) as string }],
    _meta: { "pagewire/code": "not-delivered" },
  });
  expect(server.of("tools/call")).toEqual([]);
});

test("getHeaders without headers is reported; one that never resolves does not keep a call from ending", async () => {
  const browser = fakeBrowser();
  const server = await startServer({ register: one });
  await expect(register({ url: server.url, getHeaders: () => ({ "a b": "c" }) })).rejects.toThrow(/getHeaders/);
  let given: Promise<Record<string, string>> = Promise.resolve({});
  const handle = await register({ url: server.url, getHeaders: () => given });
  given = new Promise(() => {});
  const cancel = new AbortController();
  const cancelled = browser.call("one", {}, cancel.signal);
  const disposed = browser.call("one");
  cancel.abort(new Error("never mind"));
  await expect(cancelled).rejects.toThrow("never mind");
  await handle.dispose();
  expect(await disposed).toMatchObject({ isError: true });
  expect(server.of("tools/call")).toEqual([]);
});

test("no other origin is sent what getHeaders gives", async () => {
  fakeBrowser();
  const server = await startServer({ register: one, instead: admitting(() => "Bearer token") });
  const elsewhere: [string, string | null][] = [];
  const spy: typeof fetch = async (input, init) => {
    const { origin } = new URL(input as string);
    if (origin === new URL(server.url).origin) return fetch(input, init);
    elsewhere.push([origin, new Headers(init?.headers).get("x-secret")]);
    return new Response(null, { status: 404 });
  };
  const authProvider = {
    redirectUrl: "https://app.example/back",
    clientMetadata: { redirect_uris: ["https://app.example/back"] },
    tokens: () => undefined,
    clientInformation: () => ({ client_id: "page" }),
    saveTokens() {},
    redirectToAuthorization() {},
    saveCodeVerifier() {},
    codeVerifier: () => "",
    discoveryState: () => ({ authorizationServerUrl: "https://login.example" }),
  };
  const getHeaders = () => ({ "X-Secret": "7" });
  await expect(register({ url: server.url, getHeaders, authProvider, fetch: spy })).rejects.toThrow();
  expect(elsewhere.length).toBeGreaterThan(0);
  expect(new Set(elsewhere.map(String))).toEqual(new Set(["https://login.example,"]));
});

test("an authProvider brings the token of each request, and a fetch of one's own makes them all", async () => {
  fakeBrowser();
  const server = await startServer({ register: one, instead: admitting(() => "Bearer good") });
  const made = vi.fn<typeof fetch>(fetch);
  await register({ url: server.url, authProvider: { token: async () => "good" }, fetch: made, watch: false });
  expect(made).toHaveBeenCalledTimes(server.heard.length);
});
