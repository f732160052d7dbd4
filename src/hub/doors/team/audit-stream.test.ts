import { request } from "node:http";
import type { IncomingMessage } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { startHubs } from "../../cluster/hubs.test-helper.ts";
import { openStore } from "../../store/index.ts";
import {
  asker,
  pageTokenOf,
  seedPostgres,
  startTeamHub,
  team,
} from "../../team/test-support/team-world.test-helper.ts";
import type { Ask } from "../../team/test-support/team-world.test-helper.ts";
import { connectPage } from "../../test-support/page.test-helper.ts";
import { callTool } from "../../test-support/http.test-helper.ts";

interface Followed {
  readonly status: number;
  /** The names of the records, in the order in which they came. */
  readonly names: string[];
  readonly ids: string[];
  readonly text: () => string;
  readonly ended: Promise<void>;
  readonly response: IncomingMessage;
  close(): void;
}

const path = "/api/team/audit/stream";

/** Follows the audit as a program, from the record after one that it has. */
async function follow(url: string, token: string, { query = "", after = "" } = {}): Promise<Followed> {
  const headers = { Authorization: `Bearer ${token}`, ...(after === "" ? {} : { "Last-Event-ID": after }) };
  const sent = request(`${url}${path}${query}`, { headers, agent: false });
  onTestFinished(() => void sent.destroy());
  sent.on("error", () => {});
  const response = await new Promise<IncomingMessage>((resolve) => sent.once("response", resolve).end());
  const [names, ids]: [string[], string[]] = [[], []];
  let [text, rest] = ["", ""];
  response.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
    const events = (rest + piece).split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) {
      const [, id = ""] = /^id: (.*)$/m.exec(event) ?? [];
      const [, data] = /^data: (.*)$/m.exec(event) ?? [];
      if (data === undefined) continue;
      ids.push(id);
      names.push(String((JSON.parse(data) as { readonly name?: string }).name));
    }
  });
  const ended = new Promise<void>((resolve) => void response.once("close", resolve));
  const { statusCode: status = 0 } = response;
  return { status, names, ids, text: () => text, ended, response, close: () => void sent.destroy() };
}

/** Makes a record with this name. */
const make = (ask: Ask, name: string) => ask("POST services", { name });

test("TM52: the stream has the records of the admin's organisation as they are written, and of no other", async () => {
  const hub = await startTeamHub();
  const acme = await follow(hub.url, hub.keys.acme);
  const globex = await follow(hub.url, hub.keys.globex);
  const policies = await follow(hub.url, hub.keys.acme, { query: "?kind=policy" });
  await make(hub.acme, "acmes-one");
  await hub.acme("PUT quotas", { each: { day: 5 } });
  await make(hub.globex, "globexs-one");
  await expect.poll(() => acme.text()).toContain("acmes-one");
  await expect.poll(() => globex.text()).toContain("globexs-one");
  await expect.poll(() => policies.names).toEqual(["quotas"]);
  expect(acme.text()).not.toContain("globex");
  expect(globex.text()).not.toContain("acme");
  expect(acme.text()).not.toMatch(/"(sequence|hash|previous)"/);
});

test("TM52: a program that comes back gets each record after the last that it has, once", async () => {
  const hub = await startTeamHub();
  const first = await follow(hub.url, hub.keys.acme);
  for (const name of ["one", "two", "three"]) await make(hub.acme, name);
  await expect.poll(() => first.names.length).toBeGreaterThanOrEqual(3);
  first.close();
  await make(hub.acme, "four");
  const again = await follow(hub.url, hub.keys.acme, { after: first.ids[1] ?? "" });
  await make(hub.acme, "five");
  await expect.poll(() => again.text()).toContain("five");
  expect(again.ids.slice(0, first.ids.length - 2)).toEqual(first.ids.slice(2));
  expect(new Set(again.ids).size).toBe(again.ids.length);
  const since = await follow(hub.url, hub.keys.acme, { query: "?since=2000-01-01" });
  await expect.poll(() => since.ids).toEqual([...first.ids.slice(0, 2), ...again.ids]);
  for (const query of ["?after=x", "?since=yesterday", "?kind=all", "?limit=5"])
    expect((await follow(hub.url, hub.keys.acme, { query })).status).toBe(400);
});

test("TM52: records of all hubs come at each, once", async () => {
  const { database, keys } = await seedPostgres();
  const { a, b, c } = await startHubs({ team, store: () => openStore({ database }) });
  const stream = await follow(a.url, keys.acme);
  const names = Array.from({ length: 12 }, (_, at) => `service-${at}`);
  await Promise.all(names.map((name, at) => make(asker([a, b, c][at % 3] ?? a, keys.acme), name)));
  for (const name of names) await expect.poll(() => stream.text()).toContain(`service/${name}"`);
  expect(new Set(stream.ids).size).toBe(stream.ids.length);
  const elsewhere = await follow(b.url, keys.acme, { query: "?since=2000-01-01" });
  await expect.poll(() => elsewhere.ids.toSorted()).toEqual(stream.ids.toSorted());
});

test("TM53: the stream ends with the admin's credential", async () => {
  const hub = await startTeamHub();
  const { body } = await hub.acme("POST services", { name: "watcher", scopes: ["admin"] });
  const stream = await follow(hub.url, (body as { readonly key: string }).key);
  await hub.acme("DELETE services/watcher");
  await stream.ended;
});

test("TM53: only so many streams of an organisation are open at a time", async () => {
  const hub = await startTeamHub();
  for (let count = 0; count < 8; count++) expect((await follow(hub.url, hub.keys.acme)).status).toBe(200);
  expect((await follow(hub.url, hub.keys.acme)).status).toBe(429);
  expect((await follow(hub.url, hub.keys.globex)).status).toBe(200);
});

test("TM52: a program that stops reading for a while gets all records, in their order", async () => {
  const hub = await startTeamHub();
  const page = await connectPage(hub.url, { token: await pageTokenOf("acme:service/admin"), tools: ["work"] });
  const door = { ...hub, token: hub.keys.acme };
  for (let count = 0; count < 300; count++) await callTool(door, "work");
  expect(page.calls).toHaveLength(300);
  const stream = await follow(hub.url, hub.keys.acme, { query: "?since=2000-01-01&kind=call" });
  stream.response.pause();
  expect((await hub.acme("GET audit")).status).toBe(200);
  stream.response.resume();
  await expect.poll(() => stream.names.length).toBe(300);
});
