import { expect, test } from "vitest";
import { recordFault } from "../../../test/support/record-fault.ts";
import { agentHelloOf, connectAgent, openAgent } from "../test-support/agent.test-helper.ts";
import { signAgentToken, signPageToken } from "../guard/tokens.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import type { TestHub } from "../test-support/hub.test-helper.ts";
import { callTool } from "../test-support/http.test-helper.ts";
import { byHand, connectPage, helloOf, openPage } from "../test-support/page.test-helper.ts";

const secrets = {
  argument: "canary-argument",
  result: "canary-result",
  words: "canary-words",
  query: "canary-query",
  key: "canary-key",
  wrongToken: "canary-wrong-token",
} as const;

/** Makes a hub log everything that it can, with a secret in every place that may have one. */
async function useEverything(hub: TestHub, tokens: { readonly agent: string; readonly page?: string }): Promise<void> {
  const pageToken = tokens.page === undefined ? {} : { token: tokens.page };
  const page = await connectPage(hub.url, { handle: byHand, title: secrets.words, app: secrets.words, ...pageToken });
  const agent = await connectAgent(hub.url, { token: tokens.agent });
  const payload = JSON.stringify(secrets.result);
  const endings = [
    (id: string) => page.result(id, payload),
    (id: string) => page.send({ type: "result", id, isError: true }, payload),
    (id: string) => page.send({ type: "result", id }, `${payload} and no JSON`),
    (id: string) =>
      page.send({
        type: "failure",
        id,
        outcome: "tool-error",
        ran: "yes",
        code: "handler-failed",
        message: secrets.words,
      }),
  ];
  for (const [index, end] of endings.entries()) {
    const called = agent.call("work", {
      id: `${index}`,
      arguments: JSON.stringify(secrets.argument),
      key: secrets.key + index,
    });
    const { id } = await page.nextCall();
    page.send({ type: "progress", id, progress: 1, message: secrets.words });
    page.send({ type: "log", id, level: "info" }, payload);
    end(id);
    await called;
  }
  const headers = { Authorization: `Bearer ${tokens.agent}` };
  const body = JSON.stringify({ tabId: "none", name: secrets.argument, arguments: secrets.argument });
  await callTool(hub, "call_tab_tool", { body, headers });
  await callTool(hub, `${secrets.argument}?token=${secrets.query}`, { body, headers });
  await callTool(hub, "work", { body: Buffer.concat([Buffer.from(body), Buffer.from([0xff])]), headers });
  await callTool(hub, "work", {
    body,
    headers: { ...headers, "Content-Type": secrets.words, "Idempotency-Key": secrets.key },
  });
  await callTool(hub, "work", { body, headers: { Authorization: `Bearer ${secrets.wrongToken}` } });
  await fetch(`${hub.url}/metrics?token=${secrets.query}`);
  await fetch(`${hub.url}/nothing?token=${secrets.query}`);
  await openAgent(hub.url, { headerToken: secrets.wrongToken }).catch(() => undefined);
  const impostor = await openAgent(hub.url);
  impostor.send(agentHelloOf({ token: secrets.wrongToken }));
  await impostor.closed;
  for (const raw of [
    secrets.words,
    `{"type":"hello","token":"${secrets.wrongToken}"}`,
    `{"type":"offer"}\n{"tools":"${secrets.words}"}`,
  ]) {
    const bad = await openPage(hub.url);
    bad.send(helloOf({ tab: "bad", token: tokens.page ?? secrets.wrongToken }));
    await bad.next("welcome");
    bad.socket.send(raw);
    await bad.closed;
  }
}

/** All output that a hub's operator can see. */
async function seenBy(hub: TestHub, token: string): Promise<string> {
  const metrics = await fetch(`${hub.url}/metrics`, { headers: { Authorization: `Bearer ${token}` } });
  return `${await metrics.text()}\n${hub.records.map((record) => JSON.stringify(record)).join("\n")}`;
}

test("H53: no log record and no number holds a token, an argument, a result or a page's words", async () => {
  const hub = await startHub();
  await useEverything(hub, { agent: hub.token });
  hub.rotate("canary-next-token");
  const seen = await seenBy(hub, hub.token);
  expect(seen).not.toContain("canary");
  expect(seen).not.toContain("agents-token-of-this-test");
  expect(hub.records.length).toBeGreaterThan(10);
  recordFault("hub", {
    fault: "Tokens, arguments, results and a page's words looked for in the log and in /metrics",
    expected: "not there",
    observed: "not there",
    count: Object.keys(secrets).length + 2,
  });
});

test("H53: in jwt mode neither a token nor the secret is in a log record", async () => {
  const secret = "canary-secret-of-32-characters-x";
  const hub = await startHub({ jwt: { secret } });
  const agent = await signAgentToken({ secret, subject: "ann" });
  const page = await signPageToken({ secret, subject: "ann", app: "shop" });
  await useEverything(hub, { agent, page });
  const seen = await seenBy(hub, agent);
  expect(seen).not.toContain("canary");
  for (const token of [agent, page]) for (const part of token.split(".")) expect(seen).not.toContain(part);
});

test("H53: a log record has a time, a level and an event, with stable names for programs", async () => {
  const hub = await startHub();
  await useEverything(hub, { agent: hub.token });
  await hub.close();
  for (const { time, level, event } of hub.records) {
    expect(new Date(time).toISOString()).toBe(time);
    expect(["info", "warn", "error"]).toContain(level);
    expect(event).toMatch(/^[a-z]+(-[a-z]+)+$/);
  }
  expect(new Set(hub.records.map(({ event }) => event))).toEqual(
    new Set([
      ...["hub-started", "assets-missing", "page-connected", "agent-connected", "request-refused", "agent-refused"],
      ...["page-refused", "hub-stopped"],
    ]),
  );
});

test("H53: untrusted text is on one line in the log, without invisible characters", async () => {
  const hub = await startHub();
  await connectAgent(hub.url, { token: hub.token, name: "x\u001b[2J\n\u202eevil" });
  expect(hub.records).toContainEqual(
    expect.objectContaining({ event: "agent-connected", agent: "x⟨U+001B⟩[2J ⟨U+202E⟩evil" }),
  );
});

test("a refused request is in the log with its route, its address and its principal, and a flood of them once a minute", async () => {
  const hub = await startHub({
    jwt: { secret: "a-secret-of-at-least-32-characters" },
    limits: { tokenTime: 3_700_000 },
  });
  const token = await signAgentToken({ secret: "a-secret-of-at-least-32-characters", subject: "ann" });
  await callTool(hub, "none", { headers: { Authorization: `Bearer ${token}`, "Content-Type": "text/plain" } });
  for (let time = 0; time < 20; time++) await fetch(`${hub.url}/metrics?canary=1`);
  await fetch(`${hub.url}/no/such/path`);
  await openAgent(hub.url, { headerToken: "x" }).catch(() => undefined);
  const refused = () => hub.records.filter(({ event }) => event === "request-refused");
  const seen = { level: "warn", address: "127.0.0.1" };
  expect(refused()).toMatchObject([
    { ...seen, code: "request-malformed", route: "/api/call/*", principal: "ann" },
    { ...seen, code: "token-required", route: "/metrics", principal: undefined },
    { ...seen, code: "route-not-found", route: undefined },
    { ...seen, code: "token-invalid", route: "/agent" },
  ]);
  await hub.close();
  expect(refused().slice(4)).toMatchObject([{ code: "token-required", route: "/metrics", count: 19 }]);
  expect(JSON.stringify(hub.records)).not.toContain("canary");
});
