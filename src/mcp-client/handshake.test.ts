import type { ServerResponse } from "node:http";
import { expect, test, vi } from "vitest";
import { startServer } from "./mcp-server.test-helper.ts";
import type { HeardRequest, TestServer } from "./mcp-server.test-helper.ts";
import { connect, toolNames } from "./mcp-toolbox.test-helper.ts";
import { registerEcho } from "./server-tools.test-helper.ts";

const isDiscover = ({ method }: HeardRequest) => method === "server/discover";
const firstMethods = ({ heard }: TestServer, count: number) => heard.slice(0, count).map(({ method }) => method);

const json = { "content-type": "application/json" };
const methodNotFound = { code: -32_601, message: "Method not found" };

type Answer = (response: ServerResponse, request: HeardRequest) => void;

const withStatus =
  (status: number, text = ""): Answer =>
  (response) =>
    response.writeHead(status).end(text);

const saying =
  (message: (id: unknown) => unknown): Answer =>
  (response, { body }) =>
    response.writeHead(200, json).end(JSON.stringify(message(body["id"])));

const withCode = (code: number) => saying((id) => ({ jsonrpc: "2.0", id, error: { code, message: "No." } }));

const versions = (...supportedVersions: readonly string[]) => ({
  resultType: "complete",
  supportedVersions,
  capabilities: { tools: {} },
  serverInfo: { name: "odd", version: "1" },
});

/** The reactions of servers of older revisions to an unknown request. */
const refusals: Readonly<Record<string, Answer>> = {
  ...Object.fromEntries([204, 400, 403, 404, 405, 406, 415, 500, 501, 503].map((is) => [is, withStatus(is, "")])),
  ...Object.fromEntries([400, 404, 500].map((is) => [`${is} and text`, withStatus(is, "Bad Request: no session")])),
  ...Object.fromEntries(
    [-32_601, -32_600, -32_602, -32_603, -32_000, -32_001, 7].map((is) => [`error ${is}`, withCode(is)]),
  ),
  "an error that its version is unknown": withCode(-32_022),
  "a result of another kind": saying((id) => ({ jsonrpc: "2.0", id, result: {} })),
  "unknown versions": saying((id) => ({ jsonrpc: "2.0", id, result: versions("1999-01-01", "2999-01-01") })),
  "a result for another request": saying(() => ({ jsonrpc: "2.0", id: "other", result: versions("2026-07-28") })),
  "a batch": saying((id) => [{ jsonrpc: "2.0", id, error: methodNotFound }]),
  "no JSON": (response) => response.writeHead(200, json).end("["),
  nothing: (response) => response.writeHead(200, json).end(),
  "a web page": (response) => response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html>"),
  "an accepted status": withStatus(202),
  "a redirect to a page": (response) => response.writeHead(302, { location: "/start" }).end(),
  "a redirect to an address that is not there": (response) => response.writeHead(307, { location: "/other" }).end(),
  "a broken connection": (response) => response.destroy(),
  silence: () => {},
  "the head of an answer": (response) => response.writeHead(200, json).flushHeaders(),
  "a body without an end": (response) => {
    response.writeHead(200, json);
    const writing = setInterval(() => response.write(" "), 5);
    response.on("close", () => clearInterval(writing));
  },
  "a stream without an answer": (response) =>
    response.writeHead(200, { "content-type": "text/event-stream" }).write(": wait\n\n"),
};

const silent = [
  ...["silence", "an accepted status", "the head of an answer", "a body without an end"],
  ...["a stream without an answer", "a result for another request"],
];

/** The methods of all requests, including those that are aborted before they reach the server. */
function watchedFetch() {
  const asked: (string | undefined)[] = [];
  const fetch: typeof globalThis.fetch = (input, init) => {
    const body: unknown = JSON.parse((init?.body as string | undefined) ?? "{}");
    // The SDK follows redirects itself.
    if (new URL(input as string).pathname === "/mcp") asked.push((body as { method?: string }).method);
    return globalThis.fetch(input, init);
  };
  return { asked, fetch };
}

test.each(Object.keys(refusals))(
  "MC47, MC48: a server that meets server/discover with %s is asked to initialize, and not to discover again",
  async (how) => {
    const server = await startServer({
      era: "legacy",
      register: registerEcho,
      instead(request, response) {
        const { url } = request;
        if (url === "/start") response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html>");
        else if (url === "/other") response.writeHead(404).end();
        else if (isDiscover(request)) refusals[how]?.(response, request);
        else return false;
        return true;
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

test.each<[number, Record<string, string>]>([
  [429, {}],
  [429, { "retry-after": "1" }],
  [503, { "retry-after": "1" }],
])(
  "MC48: a server that meets server/discover with %i %j is asked again by the next connection",
  async (status, headers) => {
    let isBusy = true;
    const server = await startServer({
      isForBoth: true,
      register: registerEcho,
      instead(request, response) {
        if (!isDiscover(request) || !isBusy) return false;
        response.writeHead(status, headers).end();
        return true;
      },
    });
    const { asked, fetch } = watchedFetch();
    const limits = { discoverTime: 20_000 };
    for (const busy of [true, false]) {
      isBusy = busy;
      const toolbox = await connect(server.url, { follow: false, limits, fetch });
      expect([toolNames(toolbox), toolbox.problems]).toEqual([["echo"], []]);
      await toolbox.close();
    }
    const handshakes = asked.filter((method) => method === "server/discover" || method === "initialize");
    expect(handshakes).toEqual(["server/discover", "initialize", "server/discover"]);
  },
);

test("a server that is too busy for both is told of by its status", async () => {
  const server = await startServer({
    instead(_, response) {
      response.writeHead(429).end();
      return true;
    },
  });
  await expect(connect(server.url)).rejects.toThrow("it answered 429");
});

test.each(silent)("MC47: a server that meets server/discover with %s is asked to initialize beside it", async (how) => {
  const server = await startServer({
    era: "legacy",
    register: registerEcho,
    instead(request, response) {
      if (isDiscover(request)) refusals[how]?.(response, request);
      return isDiscover(request);
    },
  });
  const steps: string[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { method } = JSON.parse((init?.body as string | undefined) ?? "{}") as HeardRequest;
    if (method === "server/discover") init?.signal?.addEventListener("abort", () => steps.push("discover is given up"));
    const response = await globalThis.fetch(input, init);
    if (method === "initialize") steps.push("initialize is answered");
    return response;
  };
  const toolbox = await connect(server.url, { fetch, follow: false, limits: { discoverTime: 20 } });
  expect([toolNames(toolbox), steps]).toEqual([["echo"], ["initialize is answered", "discover is given up"]]);
});

test("the session that a server begins after its answer to discover is ended", async () => {
  let isInitialized = false;
  const server = await startServer({
    era: "legacy",
    register: registerEcho,
    instead(request, response) {
      if (request.method !== "server/discover" && request.method !== "tools/list") return false;
      const tools = [{ name: "newer", inputSchema: { type: "object" } }];
      const result = isDiscover(request) ? versions("2026-07-28") : { resultType: "complete", tools };
      const answer = saying((id) => ({ jsonrpc: "2.0", id, result: { ttlMs: 0, cacheScope: "private", ...result } }));
      void vi.waitUntil(() => isInitialized).then(() => answer(response, request));
      return true;
    },
  });
  let isAnswered = false;
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const isInitialize = String(init?.body as string | undefined).includes('"initialize"');
    const response = await globalThis.fetch(input, init);
    isInitialized ||= isInitialize;
    // Its answer is under way.
    if (isInitialize) await vi.waitUntil(() => isAnswered);
    return response;
  };
  const toolbox = await connect(server.url, { fetch, follow: false, limits: { discoverTime: 20 } });
  expect([toolNames(toolbox), server.sessions().length]).toEqual([["newer"], 1]);
  isAnswered = true;
  await expect.poll(() => server.sessions()).toEqual([]);
  expect(server.of("notifications/initialized")).toEqual([]);
});

/** The reactions of servers of the newer revision alone to `initialize`. */
const newerRefusals: Readonly<Record<string, Answer>> = {
  ...Object.fromEntries([400, 404, 429, 500, 503].map((is) => [is, withStatus(is, "No.")])),
  ...Object.fromEntries([-32_600, -32_601, -32_602, -32_022].map((is) => [`error ${is}`, withCode(is)])),
  "a broken connection": (response) => response.destroy(),
};

test.each(Object.keys(newerRefusals))(
  "MC47: a far server that meets initialize with %s, and answers discover after that, is used, and asked nothing twice",
  async (how) => {
    let answer = () => {};
    const isRefused = new Promise<void>((resolve) => (answer = resolve));
    const server = await startServer({
      register: registerEcho,
      instead(request, response) {
        if (request.method === "initialize") newerRefusals[how]?.(response, request);
        return request.method === "initialize";
      },
    });
    const { asked, fetch: watched } = watchedFetch();
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const response = watched(input, init);
      const method = asked.at(-1);
      // The client has had the refusal for a while when the answer arrives.
      if (method === "initialize") void response.catch(() => {}).then(() => setTimeout(answer, 50));
      if (method === "server/discover") await isRefused;
      init?.signal?.throwIfAborted();
      return response;
    };
    const options = { follow: false, lists: ["tools"], fetch } as const;
    expect(toolNames(await connect(server.url, { ...options, limits: { discoverTime: 20 } }))).toEqual(["echo"]);
    expect(asked).toEqual(["server/discover", "initialize", "tools/list"]);
    await connect(server.url, { ...options, limits: { discoverTime: 0 } });
    expect(asked.slice(3)).toEqual(["server/discover", "tools/list"]);
  },
);

test("of a server that refuses both, the error has the answer to initialize", async () => {
  const server = await startServer({
    instead(request, response) {
      withStatus(isDiscover(request) ? 404 : 400, isDiscover(request) ? "No page." : "Not today.")(response, request);
      return true;
    },
  });
  await expect(connect(server.url)).rejects.toThrow("Not today");
  expect(firstMethods(server, 3)).toEqual(["server/discover", "initialize"]);
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
  ["an error", refusals["error -32601"]],
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
