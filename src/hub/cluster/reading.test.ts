import { expect, test } from "vitest";
import { callTool } from "../test-support/http.test-helper.ts";
import { byHand, connectPage, plainResult } from "../test-support/page.test-helper.ts";
import { listOf, openStream, read } from "../doors/read/read.test-helper.ts";
import { agentAt, startHubs, startSharingHubs } from "./hubs.test-helper.ts";

const byFirst = ([one]: readonly unknown[], [other]: readonly unknown[]) => (String(one) < String(other) ? -1 : 1);

test("MH123: each hub lists all hubs with what the user has there, and the tabs and agents of all with their hub", async () => {
  const { a, b, c } = await startHubs();
  const page = await connectPage(b.url, { handle: byHand });
  await agentAt(a, { name: "of-a" });
  const agent = await agentAt(c, { name: "of-c" });
  await expect.poll(async () => (await read(a, "status")).body?.["tabs"]).toBe(1);
  const answer = agent.call("work", { id: "1" });
  const { id } = await page.nextCall();
  for (const hub of [a, b, c]) {
    await expect.poll(async () => (await listOf(hub, "tabs"))[0]?.["hub"]).toBe("b");
    const { body } = await read(hub, "status");
    expect(body).toMatchObject({ tabs: 1, agents: 2, callsInFlight: 1 });
    const hubs = body?.["hubs"] as Record<string, unknown>[];
    const seen = hubs.map(({ name, tabs, agents, callsInFlight }) => [name, tabs, agents, callsInFlight]);
    expect(seen.toSorted(byFirst)).toEqual([
      ["a", 0, 1, 0],
      ["b", 1, 0, 0],
      ["c", 0, 1, 1],
    ]);
    expect(hubs.filter(({ isThis }) => isThis)).toHaveLength(1);
    expect((await listOf(hub, "agents")).map((one) => [one["name"], one["hub"]]).toSorted(byFirst)).toEqual([
      ["of-a", "a"],
      ["of-c", "c"],
    ]);
    expect(await listOf(hub, "tabs")).toMatchObject([{ tabId: page.tabId, hub: "b" }]);
  }
  page.ack(id);
  page.result(id, plainResult);
  await answer;
  await b.close();
  const hubsNow = async () => (await read(a, "status")).body?.["hubs"];
  await expect
    .poll(hubsNow)
    .toMatchObject([{ name: expect.stringMatching(/^[ac]$/) }, { name: expect.stringMatching(/^[ac]$/) }]);
});

test("MH126: who watches at one hub sees the calls of agents at all, until they stop", async () => {
  const { a, b, c } = await startHubs();
  await connectPage(b.url);
  const stream = await openStream(c);
  await expect.poll(async () => (await callTool(a, "work")).status).toBe(200);
  const seen = () => stream.events.filter(({ event, name }) => event === "ended" && name === "work").length;
  await expect
    .poll(async () => {
      await callTool(a, "work");
      return seen();
    })
    .toBeGreaterThan(0);
  await callTool(c, "work");
  const ids = () => stream.events.filter(({ event }) => event === "ended").map(({ id }) => id);
  await expect.poll(() => new Set(ids()).size).toBeGreaterThan(1);
  expect(ids()).toHaveLength(new Set(ids()).size);
});

test("MH124: a recorded call has one id at all hubs that share the audit, and a page of calls goes on at another hub", async () => {
  const { a, b, c } = await startSharingHubs();
  await connectPage(b.url);
  await expect.poll(async () => (await callTool(a, "work")).status).toBe(200);
  await expect.poll(async () => (await callTool(c, "work")).status).toBe(200);
  await expect.poll(async () => (await listOf(a, "calls")).filter(({ outcome }) => outcome === "ok").length).toBe(2);
  const [newest] = await listOf(a, "calls?outcome=ok");
  expect((await read(b, `calls/${String(newest?.["id"])}`)).body).toEqual(newest);
  const first = (await read(a, "calls?limit=1&outcome=ok")).body;
  const next = (await read(c, `calls?limit=1&outcome=ok&before=${String(first?.["before"])}`)).body;
  expect(next?.["calls"]).toHaveLength(1);
  expect(next?.["calls"]).not.toEqual(first?.["calls"]);
});
