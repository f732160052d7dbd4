// The client in its most common environment: a page, whose browser preflights requests to another origin's server.
import { describe, expect, test } from "vitest";
import type { OfferChange } from "../wire/index.ts";
import { connect, environment, resultOf, toolNames } from "./mcp-toolbox.test-helper.ts";
import type { TestToolbox } from "./mcp-toolbox.test-helper.ts";
import { serve } from "./served.test-helper.ts";
import type { ServedServer } from "./served.test-helper.ts";

const eras = ["legacy", "modern"] as const;

async function echo(toolbox: TestToolbox, text: string) {
  return resultOf(await toolbox.callTool("echo", { text }, environment()));
}

const saying = (text: string) => ({ content: [{ type: "text", text }] });

/** The notification stream is open. */
async function listened(server: ServedServer, times = 1): Promise<void> {
  await expect
    .poll(async () => (await server.count("GET")) + (await server.count("subscriptions/listen")))
    .toBeGreaterThanOrEqual(times);
}

describe.each(eras)("a server of the %s era", (era) => {
  test("a page lists and calls the tools of a server of another origin, with headers of its own", async () => {
    const server = await serve({ era, tools: ["sell"] });
    const toolbox = await connect(server.url, { headers: { Authorization: "Bearer abc", "X-Tenant": "7" } });
    expect(toolNames(toolbox).toSorted()).toEqual(["echo", "hold", "sales", "sell"]);
    expect(toolbox.server).toMatchObject({ name: "test server" });
    expect(await echo(toolbox, "hi")).toMatchObject(saying("hi"));
    const { heard } = await server.look();
    expect(heard.length).toBeGreaterThan(2);
    for (const { headers } of heard) {
      expect(headers).toMatchObject({ authorization: "Bearer abc", "x-tenant": "7", origin: location.origin });
    }
    expect(toolbox.problems).toEqual([]);
  });

  test("close ends the session at the server and what runs there", async () => {
    const server = await serve({ era });
    const toolbox = await connect(server.url);
    const outcome = toolbox.callTool("hold", {}, environment());
    await expect.poll(async () => (await server.look()).held).toBe(1);
    expect((await server.look()).sessions).toHaveLength(era === "legacy" ? 1 : 0);
    await toolbox.close();
    expect(await outcome).toMatchObject({ code: "outcome-unknown" });
    expect((await server.look()).sessions).toEqual([]);
    expect(await server.count("DELETE")).toBe(era === "legacy" ? 1 : 0);
  });

  test("an aborted call ends at once, and the server's handler is aborted", async () => {
    const server = await serve({ era });
    const toolbox = await connect(server.url);
    const stop = new AbortController();
    const outcome = toolbox.callTool("hold", {}, environment({ signal: stop.signal }));
    await expect.poll(async () => (await server.look()).held).toBe(1);
    stop.abort();
    expect(await outcome).toMatchObject({ kind: "aborted" });
    await expect.poll(async () => (await server.look()).aborted).toBe(1);
  });

  test("a server without a notification stream is used without", async () => {
    const server = await serve({ era, statuses: { GET: 405 } });
    const toolbox = await connect(server.url);
    expect(await echo(toolbox, "hi")).toMatchObject(saying("hi"));
    expect(await server.count("GET")).toBe(era === "legacy" ? 1 : 0);
    expect(toolbox.problems).toEqual([]);
  });

  test("a broken notification stream is reopened, and changes are reported", async () => {
    const server = await serve({ era });
    const toolbox = await connect(server.url);
    const changes: OfferChange[] = [];
    toolbox.subscribe((change) => changes.push(change));
    await listened(server);
    await server.cut();
    await server.change({ tools: ["sell"] });
    await expect.poll(() => changes).toMatchObject([{ add: { tools: [{ name: "sell" }] } }]);
    await listened(server, 2);
    await server.change({ tools: [] });
    await expect.poll(() => changes.at(-1)).toMatchObject({ remove: { tools: ["sell"] } });
  });

  test("a server's outage is reported, its tools stay, and it is reconnected when it is back", async () => {
    const server = await serve({ era });
    const toolbox = await connect(server.url);
    await listened(server);
    await server.stop();
    await expect
      .poll(() => toolbox.callTool("echo", {}, environment()))
      .toMatchObject({
        kind: "refused",
        code: "not-delivered",
        message: expect.stringContaining(server.url) as string,
      });
    expect(toolNames(toolbox)).toContain("echo");
    expect(toolbox.problems).toMatchObject([{ stage: "mcp connection" }]);
    await server.start();
    expect(await echo(toolbox, "again")).toMatchObject(saying("again"));
  });

  test("a call whose connection is cut ends at once; whether it ran is not known", async () => {
    const server = await serve({ era });
    const toolbox = await connect(server.url);
    const outcome = toolbox.callTool("hold", {}, environment());
    await expect.poll(async () => (await server.look()).held).toBe(1);
    await server.stop();
    expect(await outcome).toMatchObject({ kind: "failed", code: "outcome-unknown" });
  });

  test("an expired token is requested again, and the call is made once", async () => {
    const server = await serve({ era, tokens: ["token-1"] });
    let at = 1;
    const authProvider = {
      token: async () => `token-${at}`,
      async onUnauthorized() {
        at++;
      },
    };
    const toolbox = await connect(server.url, { authProvider });
    expect(await echo(toolbox, "first")).toMatchObject(saying("first"));
    await server.change({ tokens: ["token-2"] });
    expect(await echo(toolbox, "second")).toMatchObject(saying("second"));
    const { heard } = await server.look();
    const calls = heard.filter(({ method }) => method === "tools/call");
    expect(calls.map(({ headers }) => headers.authorization)).toEqual(
      ["token-1", "token-1", "token-2"].map((token) => `Bearer ${token}`),
    );
    expect(toolbox.problems).toEqual([]);
  });
});

test("a call in a session that the server has forgotten is made once, in a new session", async () => {
  const server = await serve({ era: "legacy" });
  const toolbox = await connect(server.url);
  const [before] = (await server.look()).sessions;
  await server.expire();
  expect(await echo(toolbox, "hi")).toMatchObject(saying("hi"));
  const { sessions, heard } = await server.look();
  expect(sessions).toHaveLength(1);
  expect(sessions).not.toContain(before);
  const ofCalls = heard.filter(({ method }) => method === "tools/call").map(({ headers }) => headers["mcp-session-id"]);
  expect(ofCalls).toEqual([before, ...sessions]);
});

test("a server that is not there, or does not let pages of this origin in, is named with both", async () => {
  const down = await serve();
  await down.stop();
  const closed = await serve({ cors: "nothing" });
  for (const { url } of [down, closed]) {
    await expect(connect(url)).rejects.toMatchObject({
      code: "server-unreachable",
      message: expect.stringMatching(`${url} .*${location.origin}.*CORS`) as string,
    });
  }
});

test("the error about a server of the page's own origin does not mention CORS", async () => {
  const failing = { fetch: () => Promise.reject(new TypeError("Failed to fetch")) };
  await expect(connect(`${location.origin}/mcp`, failing)).rejects.toMatchObject({
    message: expect.stringMatching(/nobody answers there\.$/) as string,
  });
});

test("a server that keeps its session's id from pages is named with the header that it must let them read", async () => {
  const server = await serve({ era: "legacy", cors: "bodies" });
  await expect(connect(server.url)).rejects.toMatchObject({
    code: "server-unreachable",
    message: expect.stringContaining("Mcp-Session-Id") as string,
  });
});

test("a server that never lets pages ask for its revision is used as an older one", async () => {
  const server = await serve({ isForBoth: true });
  const withoutDiscover: typeof fetch = async (input, init) => {
    if (typeof init?.body === "string" && init.body.includes("server/discover")) throw new TypeError("Failed to fetch");
    return fetch(input, init);
  };
  const toolbox = await connect(server.url, { fetch: withoutDiscover });
  expect(await echo(toolbox, "hi")).toMatchObject(saying("hi"));
  expect([await server.count("initialize"), toolbox.problems]).toEqual([1, []]);
});

test("arguments are not repeated in headers, and a server that requires it refuses the call", async () => {
  const server = await serve();
  const toolbox = await connect(server.url);
  const outcome = await toolbox.callTool("sales", { region: "EMEA" }, environment());
  expect(outcome).toMatchObject({ kind: "refused", code: "input-invalid" });
  const { heard } = await server.look();
  const names = heard.flatMap(({ headers }) => Object.keys(headers));
  expect(names.filter((name) => name.startsWith("mcp-param"))).toEqual([]);
});
