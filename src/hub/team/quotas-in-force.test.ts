// Quotas of organisations at real hubs: one that starts again, and several over one database.
import { join } from "node:path";
import { expect, test } from "vitest";
import { startHubs } from "../cluster/hubs.test-helper.ts";
import { sayAlways } from "../doors/core/model.test-helper.ts";
import { openStore } from "../store/index.ts";
import { makeFolder } from "../store/test-support/store-contract.test-helper.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import { errorOf } from "../test-support/own.test-helper.ts";
import { talkAs } from "./test-support/team-talk.test-helper.ts";
import { asker, seedPostgres, seedStore, startTeamHub, team } from "./test-support/team-world.test-helper.ts";

const ai = (tokens: number) =>
  ({ provider: "openai", model: "m", apiKey: "sk-server", fetch: sayAlways("Hi.", tokens).fetch }) as const;

test("TM70: a person who has used up the day's quota is refused, and others are not, nor anybody of another organisation", async () => {
  const hub = await startTeamHub({ ai: ai(60) });
  const quotas = { each: { day: 100 } };
  expect((await hub.acme("PUT quotas", quotas)).body).toMatchObject({ quotas });
  expect((await hub.acme("GET quotas")).body).toMatchObject({ quotas });
  expect((await hub.globex("GET quotas")).body).toMatchObject({ quotas: {} });
  const [ada, other] = [await talkAs(hub, "acme/ada"), await talkAs(hub, "globex/ada")];
  for (const client of [ada, ada, other, other]) expect(await client.run("send", "x", {})).toBe("Hi.");
  const message = expect.stringMatching(
    /^Today's 100 tokens are used up\. There are new ones from \d{4}-\d\d-\d\d, 00:00 UTC on\. An administrator of your organisation can allow more\.$/,
  ) as string;
  await expect(ada.run("send", "x", {})).rejects.toMatchObject({ code: "quota-exceeded", message });
  expect(await other.run("send", "x", {})).toBe("Hi.");
  expect(await (await talkAs(hub, "acme/bob")).run("send", "x", {})).toBe("Hi.");
});

test("TM74: after each answer the page knows what is left, and at an organisation's own limit also the chat of its own pages", async () => {
  const hub = await startTeamHub({ ai: ai(60) });
  const ada = await talkAs(hub, "acme/ada");
  await ada.run("send", "x", {});
  expect(ada.values["usage"]).toEqual(expect.not.objectContaining({ quota: expect.anything() as object }));
  await hub.acme("PUT quotas", { each: { month: 1000 }, groups: { staff: { all: { day: 200 } } } });
  await ada.run("send", "x", {});
  const quota = { period: "day", tokens: 200, newAt: expect.stringMatching(/T00:00:00.000Z$/) as string };
  expect(ada.values["usage"]).toMatchObject({ totalTokens: 60, quota: { ...quota, left: 140 } });
  await ada.run("send", "x", {});
  expect(ada.values["usage"]).toMatchObject({ quota: { ...quota, left: 80 } });
});

test("TM72: a quota that is set below what was used is used up at once, and one above it brings the rest back", async () => {
  const hub = await startTeamHub({ ai: ai(60) });
  const ada = await talkAs(hub, "acme/ada");
  await ada.run("send", "x", {});
  await hub.acme("PUT quotas", { each: { day: 10 }, people: { "acme/bob": { day: 1000 } } });
  await expect(ada.run("send", "x", {})).rejects.toMatchObject({ code: "quota-exceeded" });
  expect(await (await talkAs(hub, "acme/bob")).run("send", "x", {})).toBe("Hi.");
  await hub.acme("PUT quotas", { each: { day: 130 } });
  await ada.run("send", "x", {});
  expect(ada.values["usage"]).toMatchObject({ quota: { tokens: 130, left: 10 } });
});

test("TM71: the people of a group use up together what it has, also over a restart", async () => {
  const database = join(makeFolder(), "hub.db");
  const before = await openStore({ database });
  const keys = await seedStore(before);
  await before.close();
  const options = { team, ai: ai(60), store: () => openStore({ database }) };
  const hub = await startHub(options);
  await asker(hub, keys.acme)("PUT quotas", { groups: { staff: { all: { month: 100 } } } });
  await (await talkAs(hub, "acme/ada")).run("send", "x", {});
  await hub.close();
  const again = await startHub(options);
  const bob = await talkAs(again, "acme/bob");
  await bob.run("send", "x", {});
  const message = expect.stringContaining('100 tokens of the group "staff"') as string;
  await expect(bob.run("send", "x", {})).rejects.toMatchObject({ code: "quota-exceeded", message });
  const ada = await talkAs(again, "acme/ada");
  await expect(ada.run("send", "x", {})).rejects.toMatchObject({ code: "quota-exceeded", message });
  expect(await (await talkAs(again, "acme/not-in-it")).run("send", "x", {})).toBe("Hi.");
});

test("TM72: tokens used at one hub count at all, and quotas set at one are in force at all, in open conversations too", async () => {
  const { database, keys } = await seedPostgres();
  const { a, b, c } = await startHubs({ team, ai: ai(60), store: () => openStore({ database }) });
  const [ada, bob] = [await talkAs(a, "acme/ada"), await talkAs(b, "acme/bob")];
  for (const client of [ada, bob, ada]) await client.run("send", "x", {});
  const outcome = () => bob.run("send", "x", {}).catch((error: { readonly code: string }) => error.code);
  await asker(c, keys.acme)("PUT quotas", { all: { day: 180 } });
  await expect.poll(outcome).toBe("quota-exceeded");
  await asker(a, keys.acme)("PUT quotas", { all: { day: 1_000_000 } });
  await expect.poll(outcome).toBe("Hi.");
});

test("TM75: an admin sees what is left to each person and service account of the organisation, page by page", async () => {
  const hub = await startTeamHub({ ai: ai(60) });
  await hub.acme("PUT quotas", { each: { day: 100 }, groups: { staff: { all: { month: 1000 } } } });
  await (await talkAs(hub, "acme/ada")).run("send", "x", {});
  const page = async (query: string) => {
    const { body } = await hub.acme(`GET use?limit=2${query}`);
    return body as {
      readonly use: readonly { readonly principal: string; readonly quotas: unknown }[];
      readonly next?: string;
    };
  };
  const first = await page("");
  const last = await page(`&after=${encodeURIComponent(first.next ?? "")}`);
  const all = [...first.use, ...last.use];
  expect(all.map(({ principal }) => principal).toSorted()).toEqual(
    ["acme/ada", "acme/bob", "acme/c d/é", "acme:service/admin"].toSorted(),
  );
  expect(last.next).toBeUndefined();
  expect(all.find(({ principal }) => principal === "acme/ada")?.quotas).toMatchObject([
    { period: "day", tokens: 100, used: 60, left: 40 },
    { period: "month", tokens: 1000, used: 60, left: 940, of: { group: "staff" } },
    { period: "day", by: "hub" },
  ]);
  expect(errorOf(await hub.acme("GET use?limit=101"))).toEqual([400, "request-malformed"]);
});

test("TM73: only admins set quotas, those that can be meant, and the audit has who did", async () => {
  const hub = await startTeamHub({ ai: ai(60) });
  const wrong = await hub.acme("PUT quotas", { people: { "globex/ada": { day: 1 } } });
  expect(errorOf(wrong)).toEqual([400, "request-malformed"]);
  const { key } = (await hub.acme("POST services", { name: "plain" })).body as { readonly key: string };
  for (const asked of ["GET quotas", "PUT quotas"])
    expect(errorOf(await asker(hub, key)(asked, asked.startsWith("PUT") ? {} : undefined))[0]).toBe(403);
  expect((await hub.acme("GET quotas")).body).toMatchObject({ quotas: {} });
  await hub.acme("PUT quotas", { each: { day: 5 } });
  await hub.close();
  const records = await hub.store.audit({ kinds: ["policy"], name: "quotas", limit: 10 });
  expect(records).toMatchObject([
    { principal: "acme:service/admin", outcome: "set", details: { quotas: { each: { day: 5 } } } },
  ]);
});
