import { expect, test } from "vitest";
import { outcomeNames } from "../../wire/index.ts";
import { connectAgent, openAgent } from "../test-support/agent.test-helper.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import type { TestHub } from "../test-support/hub.test-helper.ts";
import { callTool } from "../test-support/http.test-helper.ts";
import { exchange, mintCode } from "../test-support/own.test-helper.ts";
import { byHand, connectPage, openPage } from "../test-support/page.test-helper.ts";
import { createFailingStore } from "../store/test-support/failing-store.test-helper.ts";

async function metricsOf(hub: TestHub): Promise<string> {
  const response = await fetch(`${hub.url}/metrics`, { headers: { Authorization: `Bearer ${hub.token}` } });
  expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  return response.text();
}

test("the numbers are in the format of Prometheus: each with its help and its type, before its values", async () => {
  const hub = await startHub();
  await callTool(hub, "nothing");
  await callTool(hub, "nothing", { headers: { Authorization: "" } });
  const text = await metricsOf(hub);
  expect(text.endsWith("\n")).toBe(true);
  const families = text.split(/^(?=# HELP )/m);
  for (const family of families) {
    const [help = "", type = "", ...values] = family.trimEnd().split("\n");
    const name = /^# HELP ([a-z_]+) [A-Z].*\.$/.exec(help)?.[1] ?? "no name";
    expect(type).toMatch(new RegExp(`^# TYPE ${name} (gauge|counter)$`));
    for (const value of values)
      expect(value).toMatch(new RegExp(`^${name}(\\{[a-z]+="[A-Za-z-]+"\\})? \\d+(\\.\\d+)?$`));
    expect(values.length, name).toBeGreaterThan(0);
  }
  expect(families.length).toBeGreaterThan(8);
});

test("tabs, agents and calls in flight are those that there are", async () => {
  const hub = await startHub();
  expect(await hub.metric("pagewire_tabs")).toBe(0);
  const page = await connectPage(hub.url, { handle: byHand });
  const agent = await connectAgent(hub.url, { token: hub.token });
  const end = agent.call("work", { id: "1" });
  const { id } = await page.nextCall();
  for (const name of ["pagewire_tabs", "pagewire_agents", "pagewire_calls_in_flight"]) {
    expect(await hub.metric(name), name).toBe(1);
  }
  page.result(id, "1");
  await end;
  expect(await hub.metric("pagewire_calls_in_flight")).toBe(0);
});

test("calls are counted by how they ended, also those that have not happened", async () => {
  const hub = await startHub();
  await connectPage(hub.url);
  await callTool(hub, "work");
  await callTool(hub, "work");
  await callTool(hub, "nothing");
  const counts = await Promise.all(
    outcomeNames.map(async (name) => [name, await hub.metric(`pagewire_calls_total{outcome="${name}"}`)] as const),
  );
  expect(Object.fromEntries(counts.filter(([, count]) => count !== 0))).toEqual({ ok: 2, rejected: 1 });
});

test("refusals are counted by their code, of requests, upgrades and frames", async () => {
  const hub = await startHub();
  await fetch(`${hub.url}/nothing`);
  await fetch(`${hub.url}/metrics`);
  await openAgent(hub.url, { headerToken: "wrong" }).catch(() => undefined);
  await (
    await openPage(hub.url, { origin: "https://evil.example" })
  ).closed;
  const page = await connectPage(hub.url);
  page.socket.send("no frame");
  await page.closed;
  const refused = (code: string) => hub.metric(`pagewire_refusals_total{code="${code}"}`);
  for (const code of ["route-not-found", "token-required", "token-invalid", "origin-not-allowed", "frame-malformed"]) {
    expect(await refused(code), code).toBe(1);
  }
  const agent = await connectAgent(hub.url, { token: hub.token });
  hub.rotate("the-next-token");
  await agent.closed;
  expect(await refused("token-expired")).toBe(1);
  const slow = await startHub({ limits: { strangerTime: 20 } });
  await (
    await openPage(slow.url)
  ).closed;
  expect(await slow.metric('pagewire_refusals_total{code="hello-late"}')).toBe(1);
});

test("what the store failed at is counted by code, and what is not kept by what it is", async () => {
  const store = createFailingStore();
  const hub = await startHub({ store: () => store });
  expect(await hub.metric("pagewire_store_ok")).toBe(1);
  store.failure = "full";
  await exchange(hub, await mintCode(hub, hub.token));
  expect(await hub.metric('pagewire_store_failures_total{code="not-saved"}')).toBe(1);
  expect(await hub.metric('pagewire_not_saved_total{what="sign-in"}')).toBe(1);
});

test("without the token none of it is readable", async () => {
  const hub = await startHub();
  for (const headers of [
    {},
    { Authorization: "Bearer wrong" },
    { Origin: "https://shop.example", Authorization: `Bearer ${hub.token}` },
  ]) {
    const response = await fetch(`${hub.url}/metrics`, { headers });
    expect(response.ok).toBe(false);
    expect(await response.text()).not.toContain("pagewire_");
  }
});
