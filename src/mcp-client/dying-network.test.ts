import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { eras, startServer } from "./mcp-server.test-helper.ts";
import type { HeardRequest } from "./mcp-server.test-helper.ts";
import { connect, environment, resultOf, toolNames } from "./mcp-toolbox.test-helper.ts";
import { createHold, registerEcho } from "./server-tools.test-helper.ts";

/** A clock on which every timer fires at once. */
const quick = {
  now: () => performance.now(),
  after(_: number, run: () => void) {
    const timer = setTimeout(run);
    return () => clearTimeout(timer);
  },
};

describe.each(eras)("a server of the %s era", (era) => {
  test("close waits for no server that is being looked for and does not answer", async () => {
    let isHung = false;
    const server = await startServer({ era, register: registerEcho, instead: () => isHung });
    const toolbox = await connect(server.url);
    await server.stop();
    await expect.poll(() => toolbox.problems.length).toBe(1);
    isHung = true;
    await server.start();
    const requests = server.heard.length;
    const outcome = toolbox.callTool("echo", {}, environment());
    await expect.poll(() => server.heard.length).toBeGreaterThan(requests);
    await toolbox.close();
    expect(await outcome).toMatchObject({ code: "not-delivered" });
    expect(toolbox.problems.length).toBeLessThan(2);
  });

  test("a call that waits for a connection until its time is up was not delivered", async () => {
    let isHung = false;
    const server = await startServer({ era, register: registerEcho, instead: () => isHung });
    const toolbox = await connect(server.url);
    await server.stop();
    await expect.poll(() => toolbox.problems.length).toBe(1);
    isHung = true;
    await server.start();
    const outcome = await toolbox.callTool("echo", {}, environment({ left: 100 }));
    expect(outcome).toMatchObject({ kind: "refused", code: "not-delivered" });
    expect(server.of("tools/call")).toEqual([]);
  });

  test("a call past its deadline, and one with an unanswered question, are given up", async () => {
    const server = await startServer({
      era,
      register(mcp) {
        registerEcho(mcp);
        mcp.server.setRequestHandler("tools/call", () =>
          era === "legacy"
            ? mcp.server
                .elicitInput({ mode: "form", message: "?", requestedSchema: form })
                .then(() => ({ content: [] }))
            : ({
                resultType: "input_required",
                inputRequests: { a: { method: "elicitation/create", params: asked } },
              } as never),
        );
      },
    });
    const toolbox = await connect(server.url);
    expect(await toolbox.callTool("echo", {}, environment({ left: -1 }))).toMatchObject({
      kind: "refused",
      code: "deadline-exceeded",
    });
    expect(server.of("tools/call")).toEqual([]);
    const silent = environment({ left: 2000, answer: () => new Promise(() => {}) });
    expect(await toolbox.callTool("echo", {}, silent)).toMatchObject({ kind: "failed", code: "deadline-exceeded" });
    const abort = new AbortController();
    const leaving = environment({ signal: abort.signal, answer: () => (abort.abort(), new Promise(() => {})) });
    expect(await toolbox.callTool("echo", {}, leaving)).toEqual({ kind: "aborted" });
  });

  test("connecting ends with the signal's reason while the lists are read, too", async () => {
    const abort = new AbortController();
    const reason = new Error("not any more");
    const server = await startServer({
      era,
      register: registerEcho,
      instead(request) {
        if (request.method === "tools/list") abort.abort(reason);
        return request.method === "tools/list";
      },
    });
    await expect(connect(server.url, { signal: abort.signal })).rejects.toBe(reason);
    await expect.poll(server.sessions).toEqual([]);
  });
});

const form = { type: "object" as const, properties: {} };
const asked = { message: "?", requestedSchema: form };

test("close also ends the calls that still run after the notification stream was lost", async () => {
  const hold = createHold();
  let news: ServerResponse | undefined;
  const server = await startServer({
    register: hold.register,
    instead(request, response) {
      if (request.method === "subscriptions/listen") news = response;
      return false;
    },
  });
  const toolbox = await connect(server.url, { random: () => 1 });
  await server.listened();
  const outcome = toolbox.callTool("hold", {}, environment());
  await hold.started;
  news?.destroy();
  await expect.poll(() => toolbox.problems.length).toBe(1);
  await toolbox.close();
  expect(await outcome).toMatchObject({ kind: "failed", code: "outcome-unknown" });
  await hold.aborted;
});

test("lists that were being read when the connection was lost keep nobody from the next one", async () => {
  let news: ServerResponse | undefined;
  let isHung = false;
  const server = await startServer({
    register: registerEcho,
    instead(request, response) {
      if (request.method === "subscriptions/listen") news = response;
      if (!isHung || request.method !== "tools/list") return false;
      isHung = false;
      return true;
    },
  });
  const toolbox = await connect(server.url);
  await server.listened();
  isHung = true;
  await server.changed("tools");
  await expect.poll(() => server.of("tools/list").length).toBe(2);
  news?.destroy();
  await expect.poll(() => server.of("tools/list").length).toBe(3);
  expect(resultOf(await toolbox.callTool("echo", { text: "hi" }, environment()))).toMatchObject({
    content: [{ text: "hi" }],
  });
  expect(toolbox.problems.map(({ stage }) => stage)).toEqual(["mcp connection"]);
});

/** Answers a call with the start of a resumable stream, and nothing more. */
function beginStream(response: ServerResponse): ServerResponse {
  response.writeHead(200, { "content-type": "text/event-stream" }).write("id: 1\ndata: \n\n");
  return response;
}

const isResumed = ({ http, headers }: HeardRequest) => http === "GET" && headers["last-event-id"] !== undefined;

test("a call whose stream cannot be opened again ends, also where the server has forgotten its session", async () => {
  const server = await startServer({
    era: "legacy",
    register: registerEcho,
    instead(request, response) {
      if (request.method === "tools/call") beginStream(response).end();
      if (isResumed(request)) response.writeHead(404).end();
      return request.method === "tools/call" || isResumed(request);
    },
  });
  const toolbox = await connect(server.url, { clock: quick });
  expect(await toolbox.callTool("echo", {}, environment())).toMatchObject({ code: "outcome-unknown" });
});

test("a call that outlives its session ends when its stream does", async () => {
  let stream: ServerResponse | undefined;
  const server = await startServer({
    era: "legacy",
    register: registerEcho,
    instead(request, response) {
      if (isResumed(request)) response.writeHead(404).end();
      if (stream || request.method !== "tools/call") return isResumed(request);
      stream = beginStream(response);
      return true;
    },
  });
  const toolbox = await connect(server.url, { clock: quick });
  const outcome = toolbox.callTool("echo", {}, environment());
  await expect.poll(() => stream).toBeDefined();
  server.expire();
  resultOf(await toolbox.callTool("echo", { text: "hi" }, environment()));
  stream?.end();
  expect(await outcome).toMatchObject({ code: "outcome-unknown" });
});

test("an error of a tool that speaks of a status is no forgotten session: nothing runs twice", async () => {
  let isFirst = true;
  let answer = () => {};
  const server = await startServer({
    era: "legacy",
    register: registerEcho,
    instead(request, response) {
      if (request.method !== "tools/call" || !isFirst) return false;
      isFirst = false;
      const error = { code: -32_603, message: "no such page", data: { status: 404 } };
      response.writeHead(200, { "content-type": "application/json" });
      answer = () => response.end(JSON.stringify({ jsonrpc: "2.0", id: request.body["id"], error }));
      return true;
    },
  });
  const toolbox = await connect(server.url);
  const outcome = toolbox.callTool("echo", {}, environment());
  await expect.poll(() => isFirst).toBe(false);
  server.expire();
  resultOf(await toolbox.callTool("echo", { text: "hi" }, environment()));
  answer();
  expect(await outcome).toMatchObject({ kind: "failed", code: "handler-failed" });
});

test.each([404, 400])(
  "a server with sessions that answers %i to who wants its news keeps its session, and nothing is told",
  async (status) => {
    const server = await startServer({
      era: "legacy",
      register: registerEcho,
      instead({ http }, response) {
        if (http === "GET") response.writeHead(status).end("Cannot GET /mcp: no session here");
        return http === "GET";
      },
    });
    const toolbox = await connect(server.url);
    expect(toolNames(toolbox)).toEqual(["echo"]);
    await server.listened();
    resultOf(await toolbox.callTool("echo", { text: "hi" }, environment()));
    expect([server.sessions().length, server.of("initialize").length]).toEqual([1, 1]);
    expect(toolbox.problems).toEqual([]);
  },
);

test("an answer whose stream the server ends again and again is asked for each time as soon as the server says", async () => {
  const waits: number[] = [];
  const clock = {
    now: () => performance.now(),
    after(milliseconds: number, run: () => void) {
      waits.push(milliseconds);
      const timer = setTimeout(run);
      return () => clearTimeout(timer);
    },
  };
  let left = 8;
  const server = await startServer({
    era: "legacy",
    register: registerEcho,
    instead(request, response) {
      const isAnswer = request.method === "tools/call" || isResumed(request);
      if (!isAnswer) return false;
      const id = server.of("tools/call")[0]?.body["id"];
      const result = JSON.stringify({ jsonrpc: "2.0", id, result: { content: [] } });
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(`retry: 700\nid: ${left}\ndata: ${left-- > 0 ? "" : result}\n\n`);
      return true;
    },
  });
  const toolbox = await connect(server.url, { follow: false, clock, random: () => 0.5 });
  expect(resultOf(await toolbox.callTool("echo", {}, environment()))).toEqual({ content: [] });
  expect(waits.filter((wait) => wait >= 700)).toEqual(Array(8).fill(700));
});

test("without follow, too, an answer whose stream the server closes is asked for again", async () => {
  const server = await startServer({
    era: "legacy",
    register: registerEcho,
    instead(request, response) {
      if (request.method === "tools/call") beginStream(response).end();
      if (isResumed(request)) {
        const id = server.of("tools/call")[0]?.body["id"];
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.end(`id: 2\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, result: { content: [] } })}\n\n`);
      }
      return request.method === "tools/call" || isResumed(request);
    },
  });
  const toolbox = await connect(server.url, { follow: false, clock: quick });
  expect(resultOf(await toolbox.callTool("echo", {}, environment()))).toEqual({ content: [] });
});
