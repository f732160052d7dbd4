import { expect, test } from "vitest";
import { signAgentToken } from "../guard/tokens.ts";
import { connectAgent } from "../test-support/agent.test-helper.ts";
import { callTool } from "../test-support/http.test-helper.ts";
import { askOwn, errorOf } from "../test-support/own.test-helper.ts";
import { connectPage, openPage, helloOf } from "../test-support/page.test-helper.ts";
import { shop } from "../test-support/peer.test-helper.ts";
import { createFiles, denying, startRuledCluster } from "./ruled-hubs.test-helper.ts";
import type { RuledCluster, RuledHub } from "./ruled-hubs.test-helper.ts";

const secret = "a-secret-of-at-least-32-characters";
const other = "https://other.example";
const hour = 60 * 60_000;

async function startThree(cluster: RuledCluster): Promise<readonly RuledHub[]> {
  return [await cluster.start("a"), await cluster.start("b"), await cluster.start("c")];
}

const asOwner = ({ url, key }: RuledHub, asked: string, body?: string) =>
  askOwn({ url }, asked, { token: key, origin: undefined, ...(body === undefined ? {} : { body }) });

/** The status of a call at each hub. */
const statuses = (hubs: readonly RuledHub[]) =>
  Promise.all(hubs.map(async (hub) => (await callTool(hub, "work")).status));

/** The answer to the hello of a page of an origin. */
async function verdictAt(url: string, origin: string): Promise<string> {
  const page = await openPage(url, { origin });
  page.send(helloOf({ tab: `tab-${origin}` }));
  const verdict = await page.verdict();
  page.socket.terminate();
  return verdict;
}

test("MH50: a policy of one hub, by its file or by its owner's request, decides at all, and is in their files", async () => {
  const hubs = await startThree(await startRuledCluster());
  const [a, b, c] = hubs as [RuledHub, RuledHub, RuledHub];
  const page = await connectPage(b.url);
  await expect.poll(() => statuses(hubs)).toEqual([200, 200, 200]);
  a.files.edit((files) => void (files.text = denying("work")));
  await expect.poll(() => statuses(hubs)).toEqual([403, 403, 403]);
  await expect.poll(() => [b.files.text, c.files.text]).toEqual([denying("work"), denying("work")]);
  expect((await asOwner(c, "PUT /api/policy", denying("other"))).status).toBe(200);
  await expect.poll(() => statuses(hubs)).toEqual([200, 200, 200]);
  expect(a.files.text).toBe(denying("other"));
  expect((await asOwner(b, "DELETE /api/policy")).status).toBe(200);
  await expect.poll(() => hubs.map(({ files }) => files.text)).toEqual([undefined, undefined, undefined]);
  expect(page.calls.length).toBeGreaterThan(0);
});

test("MH50: an origin that one hub allows may offer tools at all, until one takes that back", async () => {
  const hubs = await startThree(await startRuledCluster());
  const [a, b, c] = hubs as [RuledHub, RuledHub, RuledHub];
  expect(await verdictAt(c.url, other)).toBe("origin-not-allowed");
  expect((await asOwner(a, "POST /api/origins", JSON.stringify({ origin: other }))).status).toBe(200);
  await expect.poll(() => verdictAt(c.url, other)).toBe("welcome");
  const page = await connectPage(c.url, { origin: other, tab: "stays" });
  await expect.poll(() => [...b.files.origins]).toEqual([shop, other]);
  b.files.edit(({ origins }) => void origins.delete(other));
  expect(await page.closeName()).toBe("token-expired");
  expect(await verdictAt(c.url, other)).toBe("origin-not-allowed");
  await expect.poll(() => [...a.files.origins, ...c.files.origins]).toEqual([shop, shop]);
});

test("MH50: an origin that is allowed for one run counts at that hub alone", async () => {
  const cluster = await startRuledCluster();
  const own = createFiles();
  const forThisRun = { allowedOrigins: () => [...own.files.origins, other] };
  const a = await cluster.start("a", { own: { ...own, options: { ...own.options, ...forThisRun } } });
  const b = await cluster.start("b");
  a.files.edit(({ origins }) => void origins.add("https://third.example"));
  await expect.poll(() => [...b.files.origins]).toEqual([shop, "https://third.example"]);
  expect([await verdictAt(a.url, other), await verdictAt(b.url, other)]).toEqual(["welcome", "origin-not-allowed"]);
});

test("MH50: a token that is revoked at one hub ends at all, with its sockets and sign-ins", async () => {
  const hubs = await startThree(await startRuledCluster({ jwt: { secret } }));
  const [a, b, c] = hubs as [RuledHub, RuledHub, RuledHub];
  const one = await signAgentToken({ secret, subject: "ann", id: "one" });
  const bob = await signAgentToken({ secret, subject: "bob" });
  const agents = await Promise.all(hubs.map(({ url }) => connectAgent(url, { token: one })));
  a.files.edit(({ ids }) => void ids.add("one"));
  for (const agent of agents) expect(await agent.closeName()).toBe("token-expired");
  const ofBob = await connectAgent(c.url, { token: bob });
  b.files.edit(({ subjects }) => void subjects.set("bob", Date.now() + hour));
  expect(await ofBob.closeName()).toBe("token-expired");
  expect([...c.files.ids, ...c.files.subjects.keys()]).toEqual(["one", "bob"]);
  c.files.edit(({ ids }) => ids.clear());
  await expect.poll(async () => errorOf(await askOwn(a, "GET /api/app", { token: one }))).toEqual([200, undefined]);
  expect([...a.files.ids, ...a.files.subjects.keys()]).toEqual(["bob"]);
});

test("MH51: a hub that starts takes what the database has, adds what it never had, and undoes nothing with old files", async () => {
  const cluster = await startRuledCluster();
  const [filesOfB, filesOfC] = [createFiles(), createFiles({ text: denying("work") })];
  const a = await cluster.start("a");
  const earlier = await cluster.start("b", { own: filesOfB });
  a.files.edit(({ origins, ids }) => void (origins.add(other), ids.add("taken-back")));
  await expect.poll(() => [...earlier.files.ids]).toEqual(["taken-back"]);
  await earlier.close();
  a.files.edit((files) => {
    files.origins.delete(other);
    files.ids.delete("taken-back");
    files.ids.add("while-away");
  });
  // Answered once all is in the database.
  expect((await asOwner(a, "PUT /api/policy", denying("work"))).status).toBe(200);
  filesOfB.files.ids.add("by-command-meanwhile");
  const b = await cluster.start("b", { own: filesOfB });
  expect([b.files.text, [...b.files.origins], [...b.files.ids]]).toEqual([
    denying("work"),
    [shop],
    ["by-command-meanwhile", "while-away"],
  ]);
  await expect.poll(() => [...a.files.ids]).toEqual(["while-away", "by-command-meanwhile"]);
  a.files.edit((files) => void (files.text = undefined));
  await expect.poll(() => b.files.text).toBe(undefined);
  const c = await cluster.start("c", { own: filesOfC });
  expect([c.files.text, c.files.ids.size]).toEqual([undefined, 2]);
});

test("MH51: the first hub's files are the first settings of a new database", async () => {
  const cluster = await startRuledCluster();
  await cluster.start("a", { own: createFiles({ text: denying("work") }) });
  const b = await cluster.start("b");
  expect(b.files.text).toBe(denying("work"));
  await connectPage(b.url);
  expect(await statuses([b])).toEqual([403]);
});

test("MH51: while the bus is away, hubs read the database", async () => {
  const cluster = await startRuledCluster();
  const [a, b] = [await cluster.start("a"), await cluster.start("b")];
  await cluster.nats.stop();
  await expect.poll(() => a.records.some(({ event }) => event === "bus-down")).toBe(true);
  a.files.edit((files) => void (files.text = denying("work")));
  await expect.poll(() => b.files.text).toBe(denying("work"));
  a.files.edit(({ ids }) => void ids.add("one"));
  await cluster.nats.start();
  await expect.poll(() => [...b.files.ids]).toEqual(["one"]);
});

test("MH52: hubs that change at the same time end with one policy, and with every revocation", async () => {
  const hubs = await startThree(await startRuledCluster());
  const times = [5, 10, 7].map((seconds) => Date.now() + seconds * 1000);
  hubs.forEach(({ files }, at) => {
    files.edit((own) => {
      own.text = denying(`tool-${at}`);
      own.origins.add(`https://${at}.example`);
      own.subjects.set("ann", times[at] ?? 0);
    });
    // Written last: a hub that has it has the others.
    files.edit((own) => void own.ids.add(`id-${at}`));
  });
  const all = () =>
    hubs.map(({ files: { text, ids, origins, subjects } }) => ({
      ...{ text, ids: [...ids].toSorted(), origins: [...origins].toSorted() },
      until: subjects.get("ann"),
    }));
  await expect.poll(all).toEqual(
    Array.from(hubs, () => ({
      text: expect.any(String) as unknown,
      ids: ["id-0", "id-1", "id-2"],
      origins: ["https://0.example", "https://1.example", "https://2.example", shop],
      until: times[1],
    })),
  );
  await expect.poll(() => new Set(hubs.map(({ files }) => files.text)).size).toBe(1);
  hubs[2]?.files.edit(({ subjects }) => subjects.clear());
  await expect.poll(() => hubs.map(({ files }) => files.subjects.size)).toEqual([0, 0, 0]);
});

test("MH53: without its database a hub follows its own changes at once, says that they are not saved, and brings them to all later", async () => {
  const cluster = await startRuledCluster();
  const [a, b] = [await cluster.start("a"), await cluster.start("b")];
  await connectPage(a.url);
  a.setDatabase(false);
  const answer = await asOwner(a, "PUT /api/policy", denying("work"));
  expect(errorOf(answer)).toEqual([503, "not-saved"]);
  expect(await statuses([a])).toEqual([403]);
  a.files.edit(({ ids }) => void ids.add("one"));
  b.files.edit(({ origins }) => void origins.add(other));
  a.setDatabase(true);
  await expect.poll(() => [b.files.text, [...b.files.ids]]).toEqual([denying("work"), ["one"]]);
  await expect.poll(() => [...a.files.origins]).toEqual([shop, other]);
});

test("MH53: a hub that starts without its database has what its files have, and the rest later", async () => {
  const cluster = await startRuledCluster();
  const a = await cluster.start("a", { own: createFiles({ text: denying("work") }) });
  const b = await cluster.start("b", { hasDatabase: false });
  expect(b.files.text).toBe(undefined);
  b.files.edit(({ ids }) => void ids.add("one"));
  b.setDatabase(true);
  await expect.poll(() => b.files.text).toBe(denying("work"));
  await expect.poll(() => [...a.files.ids]).toEqual(["one"]);
});

test("MH54: a policy that cannot be used replaces none, here and elsewhere, and another hub's replaces it", async () => {
  const cluster = await startRuledCluster();
  const [a, b] = [await cluster.start("a", { own: createFiles({ text: denying("work") }) }), await cluster.start("b")];
  await connectPage(a.url);
  a.files.edit((files) => void (files.text = "{"));
  b.files.edit(({ ids }) => void ids.add("one"));
  await expect.poll(() => [...a.files.ids]).toEqual(["one"]);
  expect([await statuses([a, b]), a.files.text, b.files.text]).toEqual([[403, 403], "{", denying("work")]);
  expect(await (await fetch(`${a.url}/readyz`)).text()).toContain("the policy file cannot be used");
  b.files.edit((files) => void (files.text = denying("other")));
  await expect.poll(() => a.files.text).toBe(denying("other"));
  expect(await statuses([a, b])).toEqual([200, 200]);
});

test("MH54: files that cannot be written keep nothing from being in force", async () => {
  const cluster = await startRuledCluster();
  const [a, b] = [await cluster.start("a"), await cluster.start("b")];
  await connectPage(b.url);
  b.files.fault = "The disk is full.";
  a.files.edit((files) => void (files.text = denying("work")));
  await expect.poll(() => statuses([b])).toEqual([403]);
  expect(b.records).toContainEqual(
    expect.objectContaining({ event: "settings-not-written", message: "The disk is full." }),
  );
  expect(b.files.text).toBe(undefined);
  b.files.fault = undefined;
  a.files.edit(({ ids }) => void ids.add("one"));
  await expect.poll(() => [b.files.text, [...b.files.ids]]).toEqual([denying("work"), ["one"]]);
});
