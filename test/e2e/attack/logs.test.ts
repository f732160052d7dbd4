// The log during an attack: each kind of refusal, counted, and no secrets.
import { expect, onTestFinished, test } from "vitest";
import { agentHelloOf, connectAgent, openAgent } from "../../../src/hub/test-support/agent.test-helper.ts";
import { callTool } from "../../../src/hub/test-support/http.test-helper.ts";
import { mintCode, signIn } from "../../../src/hub/test-support/own.test-helper.ts";
import { connectPage, helloOf, openPage } from "../../../src/hub/test-support/page.test-helper.ts";
import { closeSockets } from "../../../src/hub/test-support/peer.test-helper.ts";
import { startLocalHub } from "./local-hub.test-helper.ts";
import { startTally } from "./tally.test-helper.ts";

test("a flood of refused requests is a few records, which count every one of them", async () => {
  const hub = await startLocalHub();
  onTestFinished(() => hub.close());
  const kinds: Readonly<Record<string, () => Promise<unknown>>> = {
    "token-required": () => fetch(`${hub.url}/metrics`),
    "token-invalid": () => fetch(`${hub.url}/metrics`, { headers: { Authorization: "Bearer another" } }),
    "origin-not-allowed": () => fetch(`${hub.url}/mcp`, { headers: { Origin: "https://evil.example" } }),
    "route-not-found": () => fetch(`${hub.url}/nothing`),
  };
  const times = 500;
  for (let time = 0; time < times; time++) await Promise.all(Object.values(kinds).map((ask) => ask()));
  const during = hub.records("request-refused").length;
  await hub.kill("SIGTERM");
  const records = hub.records("request-refused");
  const tally = startTally(
    "logs",
    "refused requests of four kinds, and how many of them the log tells of",
    "each one counted",
  );
  for (const code of Object.keys(kinds)) {
    const ofKind = records.filter((record) => record["code"] === code);
    const told = ofKind.reduce((sum, { count = 1 }) => sum + Number(count), 0);
    for (let time = 0; time < times; time++) tally.add(code, time < told ? "each one counted" : "not counted");
    expect(told).toBe(times);
  }
  // One record for each kind and minute.
  expect(during).toBeLessThan(20);
  tally.close();
});

test("H53: no token, code, argument, result, app or word of a page is in the log or in the metrics", async () => {
  const hub = await startLocalHub();
  onTestFinished(() => hub.close());
  const canaries = {
    app: "canary-app",
    title: "canary title",
    argument: "canary-argument",
    result: "canary-result",
    wrongToken: "canary-wrong-token",
    query: "canary-query",
    word: "canary-word",
    cookie: "canary-cookie",
  };
  const page = await connectPage(hub.url, {
    app: canaries.app,
    title: canaries.title,
    tools: [{ name: "work", description: canaries.word, inputSchema: { type: "object" } }],
    handle({ id }, self) {
      self.ack(id);
      self.send({ type: "log", id, level: "error" }, JSON.stringify(canaries.word));
      self.send({
        type: "failure",
        id,
        outcome: "tool-error",
        ran: "yes",
        code: "tool-failed",
        message: canaries.result,
      });
    },
  });
  const app = await signIn(hub, hub.token);
  const code = await mintCode(hub, hub.token);
  const body = JSON.stringify({ a: canaries.argument });
  const headers = { Cookie: `token=${canaries.cookie}`, "Idempotency-Key": "canary-key" };
  await callTool(hub, "work", { body, headers });
  await callTool(hub, "work", { body, headers: { "Content-Type": "text/plain" } });
  for (const token of [canaries.wrongToken, `${hub.token}x`, `${app}x`]) {
    await callTool({ url: hub.url, token }, "work", { body });
    await openAgent(hub.url, { headerToken: token }).catch(() => undefined);
    const agent = await openAgent(hub.url);
    agent.send(agentHelloOf({ token }));
    await agent.verdict();
  }
  await fetch(`${hub.url}/nothing?token=${canaries.query}&code=${code}`);
  await fetch(`${hub.url}/metrics?token=${hub.token}`);
  await connectAgent(hub.url, { token: app });
  for (const raw of [
    canaries.word,
    `{"type":"hello","token":"${canaries.wrongToken}"}`,
    `{"type":"offer"}\n{"tools":"${canaries.word}"}`,
  ]) {
    const bad = await openPage(hub.url);
    bad.send(helloOf({ tab: "bad", app: canaries.app }));
    await bad.next("welcome");
    bad.socket.send(raw);
    await bad.closed;
  }
  await page.settled();
  const metrics = await fetch(`${hub.url}/metrics`, { headers: { Authorization: `Bearer ${hub.token}` } });
  const text = await metrics.text();
  closeSockets();
  await hub.kill("SIGTERM");
  const tally = startTally(
    "logs",
    "tokens, codes, arguments, results, apps and words of pages, looked for in the log and the metrics",
    "not there",
  );
  const log = hub.output();
  expect(log.split("\n").length).toBeGreaterThan(10);
  for (const [name, secret] of Object.entries({ ...canaries, token: hub.token, app: app, code, key: "canary-key" }))
    for (const [where, said] of Object.entries({ log, metrics: text }))
      tally.add(`${name} in the ${where}`, said.includes(secret) ? "there" : "not there");
  tally.close();
});
