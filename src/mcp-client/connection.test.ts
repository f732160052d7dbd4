import { describe, expect, test } from "vitest";
import type { McpServer } from "@modelcontextprotocol/server";
import type { OfferChange } from "../wire/index.ts";
import { eras, startServer } from "./mcp-server.test-helper.ts";
import { connect, environment, resultOf, toolNames } from "./mcp-toolbox.test-helper.ts";
import { createHold, registerEcho } from "./server-tools.test-helper.ts";

/** Offers tools with these names, and runs any of them. */
function registerNames(names: () => readonly string[]) {
  return (mcp: McpServer) => {
    registerEcho(mcp);
    mcp.server.setRequestHandler("tools/list", () => ({
      tools: ["echo", ...names()].map((name) => ({ name, inputSchema: { type: "object" as const } })),
    }));
  };
}

describe.each(eras)("a server of the %s era", (era) => {
  test("a restarted server is reconnected, and only changes are reported", async () => {
    let names = ["before"];
    const server = await startServer({ era, register: registerNames(() => names) });
    const toolbox = await connect(server.url);
    const changes: OfferChange[] = [];
    toolbox.subscribe((change) => changes.push(change));
    await server.listened();
    await server.stop();
    await expect.poll(() => toolbox.problems.map(({ stage }) => stage)).toEqual(["mcp connection"]);
    expect(toolNames(toolbox)).toEqual(["echo", "before"]);
    names = ["after"];
    await server.start();
    await expect
      .poll(() => changes)
      .toMatchObject([{ add: { tools: [{ name: "after" }] }, remove: { tools: ["before"] } }]);
    expect(resultOf(await toolbox.callTool("echo", { text: "hi" }, environment()))).toMatchObject({
      content: [{ text: "hi" }],
    });
    expect(toolbox.problems).toHaveLength(1);
  });

  test("while there is no server a call is refused as not delivered, and the next one that finds it is served", async () => {
    const server = await startServer({ era, register: registerEcho });
    const toolbox = await connect(server.url, { random: () => 1 });
    await server.stop();
    const refusal = { kind: "refused", code: "not-delivered", message: expect.stringContaining(server.url) as string };
    await expect.poll(() => toolbox.callTool("echo", {}, environment())).toMatchObject(refusal);
    await server.start();
    const served = toolbox.callTool("echo", { text: "hi" }, environment());
    expect(resultOf(await served)).toMatchObject({ content: [{ text: "hi" }] });
  });

  test("a call whose connection is cut ends at once; whether it ran is not known", async () => {
    const hold = createHold();
    const server = await startServer({ era, register: hold.register });
    const toolbox = await connect(server.url);
    const outcome = toolbox.callTool("hold", {}, environment());
    await hold.started;
    await server.stop();
    expect(await outcome).toMatchObject({
      kind: "failed",
      code: "outcome-unknown",
      message: expect.stringContaining(server.url) as string,
    });
  });

  test("close ends the session and what runs, and nothing comes after it", async () => {
    const hold = createHold();
    const server = await startServer({ era, register: hold.register });
    const toolbox = await connect(server.url);
    const changes: OfferChange[] = [];
    toolbox.subscribe((change) => changes.push(change));
    const outcome = toolbox.callTool("hold", {}, environment());
    await hold.started;
    await Promise.all([toolbox.close(), toolbox.close()]);
    expect(await outcome).toMatchObject({ kind: "failed", code: "outcome-unknown" });
    expect(server.sessions()).toEqual([]);
    expect(server.of("DELETE")).toHaveLength(era === "legacy" ? 1 : 0);
    const requests = server.heard.length;
    expect(await toolbox.callTool("hold", {}, environment())).toMatchObject({ code: "not-delivered" });
    await expect(toolbox.refresh()).rejects.toMatchObject({ code: "not-delivered" });
    expect([server.heard.length, changes, toolbox.problems]).toEqual([requests, [], []]);
  });
});

test("a call in a session that the server has forgotten is made once, in a new session", async () => {
  let names = ["before"];
  const server = await startServer({ era: "legacy", register: registerNames(() => names) });
  const toolbox = await connect(server.url);
  const changes: OfferChange[] = [];
  toolbox.subscribe((change) => changes.push(change));
  const [session] = server.sessions();
  server.expire();
  names = ["before", "after"];
  const outcomes = [1, 2, 3].map((text) => toolbox.callTool("echo", { text: String(text) }, environment()));
  expect((await Promise.all(outcomes)).map(resultOf)).toMatchObject([
    { content: [{ text: "1" }] },
    { content: [{ text: "2" }] },
    { content: [{ text: "3" }] },
  ]);
  const next = server.sessions();
  expect(next).toHaveLength(1);
  expect(next).not.toContain(session);
  expect(changes).toMatchObject([{ add: { tools: [{ name: "after" }] }, remove: {} }]);
  await toolbox.close();
  expect(server.sessions()).toEqual([]);
});

test("some servers have other words for it", async () => {
  let isForgotten = false;
  const server = await startServer({
    era: "legacy",
    register: registerEcho,
    instead(request, response) {
      if (!isForgotten || request.method !== "tools/call") return false;
      isForgotten = false;
      response.writeHead(400).end("Bad Request: No valid session ID provided");
      return true;
    },
  });
  const toolbox = await connect(server.url);
  isForgotten = true;
  expect(resultOf(await toolbox.callTool("echo", { text: "hi" }, environment()))).toMatchObject({
    content: [{ text: "hi" }],
  });
});

test("a server that does not answer the end of its session delays nothing", async () => {
  let enough = () => {};
  const server = await startServer({
    era: "legacy",
    instead({ http }) {
      if (http === "DELETE") enough();
      return http === "DELETE";
    },
  });
  const toolbox = await connect(server.url, {
    limits: { farewellTime: 77 },
    clock: {
      now: () => 0,
      after(milliseconds, run) {
        if (milliseconds === 77) enough = run;
        return () => {};
      },
    },
  });
  await toolbox.close();
  expect(server.of("DELETE")).toHaveLength(1);
});

test("the waits between attempts grow, up to half a minute, and a random part of each is waited", async () => {
  const waits: number[] = [];
  const server = await startServer({ register: registerEcho });
  const { close, problems } = await connect(server.url, {
    random: () => 0.5,
    clock: {
      now: () => 0,
      after(milliseconds, run) {
        waits.push(milliseconds);
        const timer = setTimeout(run, waits.length < 9 ? 0 : 60_000);
        return () => clearTimeout(timer);
      },
    },
  });
  await server.stop();
  await expect.poll(() => waits.length).toBe(9);
  expect(waits).toEqual([250, 500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000]);
  expect(problems).toHaveLength(1);
  await close();
});
