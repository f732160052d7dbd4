import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { startServer } from "./mcp-server.test-helper.ts";
import type { HeardRequest, TestServer } from "./mcp-server.test-helper.ts";
import { connect, toolNames } from "./mcp-toolbox.test-helper.ts";
import { registerEcho } from "./server-tools.test-helper.ts";

const isDiscover = ({ method }: HeardRequest) => method === "server/discover";
const firstMethods = ({ heard }: TestServer, count: number) => heard.slice(0, count).map(({ method }) => method);

const json = { "content-type": "application/json" };
const methodNotFound = { code: -32_601, message: "Method not found" };

/** The reactions of servers of older revisions to an unknown request. */
const refusals: Readonly<Record<string, (response: ServerResponse, request: HeardRequest) => void>> = {
  "404": (response) => response.writeHead(404).end("Not found"),
  "405": (response) => response.writeHead(405).end(),
  "400": (response) => response.writeHead(400).end("Bad Request: no session"),
  "403": (response) => response.writeHead(403).end(),
  "500": (response) => response.writeHead(500).end("Internal Server Error"),
  "503": (response) => response.writeHead(503).end(),
  "an error": (response, { body }) =>
    response.writeHead(200, json).end(JSON.stringify({ jsonrpc: "2.0", id: body["id"], error: methodNotFound })),
  "a result of another kind": (response, { body }) =>
    response.writeHead(200, json).end(JSON.stringify({ jsonrpc: "2.0", id: body["id"], result: {} })),
  "no JSON": (response) => response.writeHead(200, json).end("["),
  "a web page": (response) => response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html>"),
  "an accepted status": (response) => response.writeHead(202).end(),
  "a broken connection": (response) => response.destroy(),
  silence: () => {},
  "the head of an answer": (response) => response.writeHead(200, json).flushHeaders(),
  "a stream without an answer": (response) =>
    response.writeHead(200, { "content-type": "text/event-stream" }).write(": wait\n\n"),
};

const silent = ["silence", "an accepted status", "the head of an answer", "a stream without an answer"];

/** The methods of all requests, including those that are aborted before they reach the server. */
function watchedFetch() {
  const asked: (string | undefined)[] = [];
  const fetch: typeof globalThis.fetch = (input, init) => {
    const body: unknown = JSON.parse((init?.body as string | undefined) ?? "{}");
    asked.push((body as { method?: string }).method);
    return globalThis.fetch(input, init);
  };
  return { asked, fetch };
}

test.each(Object.keys(refusals))(
  "a server that meets server/discover with %s is asked to initialize, and not to discover again",
  async (how) => {
    const server = await startServer({
      era: "legacy",
      register: registerEcho,
      instead(request, response) {
        if (isDiscover(request)) refusals[how]?.(response, request);
        return isDiscover(request);
      },
    });
    const { asked, fetch } = watchedFetch();
    for (const follow of [true, false]) {
      const limits = { discoverTime: silent.includes(how) ? 50 : 20_000 };
      const toolbox = await connect(server.url, { follow, limits, fetch });
      expect([toolNames(toolbox), toolbox.problems]).toEqual([["echo"], []]);
    }
    const handshakes = asked.filter((method) => method === "server/discover" || method === "initialize");
    expect(handshakes).toEqual(["server/discover", "initialize", "initialize"]);
  },
);

test("a server of the newer revision alone that is slow to answer is used, and given time from then on", async () => {
  let isSlow = true;
  const server = await startServer({ register: registerEcho, instead: (request) => isDiscover(request) && isSlow });
  const { asked, fetch: watched } = watchedFetch();
  const fetch: typeof globalThis.fetch = (input, init) => {
    const answer = watched(input, init);
    // The first request stays unanswered.
    if (asked.at(-1) === "initialize") isSlow = false;
    return answer;
  };
  const options = { follow: false, lists: ["tools"], fetch } as const;
  expect(toolNames(await connect(server.url, { ...options, limits: { discoverTime: 300 } }))).toEqual(["echo"]);
  expect(asked).toEqual(["server/discover", "initialize", "server/discover", "tools/list"]);
  await connect(server.url, { ...options, limits: { discoverTime: 0 } });
  expect(asked.slice(4)).toEqual(["server/discover", "tools/list"]);
});

test("where a connection begins with initialize, nothing else is asked of a server that takes it", async () => {
  for (const setting of [{ era: "legacy" }, { isForBoth: true }] as const) {
    const server = await startServer({ ...setting, register: registerEcho });
    const toolbox = await connect(server.url, { handshake: "initialize", follow: false });
    expect(toolNames(toolbox)).toEqual(["echo"]);
    expect(firstMethods(server, 3)).toEqual(["initialize", "notifications/initialized", "tools/list"]);
    expect(server.of("server/discover")).toEqual([]);
  }
});

test.each<[string, ((response: ServerResponse, request: HeardRequest) => void) | undefined]>([
  ["as the SDK's server does", undefined],
  ["404 and an error", (response) => response.writeHead(404, json).end(JSON.stringify({ error: methodNotFound }))],
  ["an error", refusals["an error"]],
  [
    "a version that has no sessions",
    (response, { body }) => {
      const result = { protocolVersion: "2026-07-28", capabilities: {}, serverInfo: { name: "new", version: "1" } };
      response.writeHead(200, json).end(JSON.stringify({ jsonrpc: "2.0", id: body["id"], result }));
    },
  ],
])("a server that refuses initialize with %s is asked to discover, and not to initialize again", async (_, refuse) => {
  const server = await startServer({
    register: registerEcho,
    instead(request, response) {
      if (request.method !== "initialize" || !refuse) return false;
      refuse(response, request);
      return true;
    },
  });
  for (const handshake of ["initialize", "initialize", "discover"] as const)
    expect(toolNames(await connect(server.url, { handshake, follow: false }))).toEqual(["echo"]);
  expect([server.of("initialize").length, server.of("server/discover").length]).toEqual([1, 3]);
});

test.each([401, 500])("a server that answers %i to initialize is asked nothing else", async (status) => {
  const server = await startServer({
    instead(_, response) {
      response.writeHead(status).end("sorry");
      return true;
    },
  });
  await expect(connect(server.url, { handshake: "initialize" })).rejects.toThrow(String(status));
  expect(server.heard.map(({ method }) => method)).toEqual(["initialize"]);
});

test("who asks for a credential is not asked in another way", async () => {
  const server = await startServer({
    instead(_, response) {
      response.writeHead(401).end();
      return true;
    },
  });
  await expect(connect(server.url)).rejects.toThrow("credential");
  expect(server.heard.map(({ method }) => method)).toEqual(["server/discover"]);
});
