import { expect, test } from "vitest";
import { parsePolicy } from "../../policy/index.ts";
import { callTool } from "../test-support/http.test-helper.ts";
import type { TestHub } from "../test-support/hub.test-helper.ts";
import { askOwn, errorOf } from "../test-support/own.test-helper.ts";
import { connectPage, openPage } from "../test-support/page.test-helper.ts";
import {
  answerWait,
  askInPage,
  askingPage,
  onlyWait,
  openWaitsStream,
  ownersKey,
  shellKey,
  waitsOf,
} from "../doors/waits/waits.test-helper.ts";
import type { Item } from "../doors/waits/waits.test-helper.ts";
import type { HubSettings } from "../options/options.ts";
import { signAgentToken, signPageToken } from "../guard/tokens.ts";
import { startHubs, startSharingHubs } from "./hubs.test-helper.ts";

const secret = "a-secret-of-at-least-32-characters";
const inputSchema = { type: "object" } as const;

function startAskingHubs() {
  const policy = parsePolicy('{"rules":[{"tool":"work","decision":"ask"}]}');
  return startHubs({ shell: ownersKey, policy: () => policy });
}

const idsOf = (waits: readonly Item[]) => waits.map(({ id }) => id);

test("MH120: each hub lists what waits at any, a stream shows it, and an answer at any of them is the one that counts", async () => {
  const { a, b, c } = await startAskingHubs();
  await connectPage(b.url, askingPage);
  const stream = await openWaitsStream(c, shellKey);
  await expect.poll(() => stream.lists.length).toBeGreaterThan(0);
  const ended = callTool(a, "work", { body: '{"n":1}' });
  const wait = await onlyWait(c);
  await expect.poll(() => idsOf(stream.lists.at(-1) ?? [])).toEqual([wait.id]);
  for (const hub of [a, b]) expect(idsOf(await waitsOf(hub))).toEqual([wait.id]);
  const one = await askOwn(b, `GET /api/waits/${wait.id}`, { token: shellKey, origin: undefined });
  expect(one.body).toMatchObject({ id: wait.id, arguments: '{"n":1}' });
  expect(errorOf(await answerWait(b, wait, { answer: "allow", token: a.token }))).toEqual([403, "option-refused"]);
  expect((await answerWait(c, wait, "allow")).status).toBe(200);
  expect((await ended).status).toBe(200);
  for (const hub of [a, b, c]) {
    expect(errorOf(await answerWait(hub, wait, "refuse"))).toEqual([409, "ask-failed"]);
    await expect.poll(() => waitsOf(hub)).toEqual([]);
  }
  await expect.poll(() => stream.lists.at(-1)).toEqual([]);
});

test("MH120: of two answers at two hubs one counts", async () => {
  const { a, b, c } = await startAskingHubs();
  await connectPage(a.url, askingPage);
  const ended = callTool(a, "work");
  const wait = await onlyWait(b);
  const answers = await Promise.all([answerWait(b, wait, "allow"), answerWait(c, wait, "refuse")]);
  const [won] = answers.filter(({ status }) => status === 200);
  expect(answers.map(({ status }) => status).toSorted((x, y) => x - y)).toEqual([200, 409]);
  expect((await ended).status).toBe(won?.body?.["answer"] === "allow" ? 200 : 403);
});

test("MH120: what waited at a hub that is gone waits no more", async () => {
  const { a, b } = await startAskingHubs();
  await connectPage(a.url, { approves: true, handle: (call, page) => askInPage(page, call) });
  const ended = callTool(a, "work").catch(() => {});
  const wait = await onlyWait(b);
  await a.close();
  await ended;
  await expect.poll(() => waitsOf(b)).toEqual([]);
  expect(errorOf(await answerWait(b, wait, "allow"))).toEqual([404, "route-not-found"]);
});

test("MH121: a tool that waits at several hubs is listed once, and leaves all of them when it is refused", async () => {
  const { a, b, c } = await startSharingHubs({ shell: ownersKey, pin: true });
  const tool = (description: string) => ({ name: "work", description, inputSchema });
  const page = await connectPage(b.url, { tools: [tool("Works.")] });
  for (const hub of [a, b, c]) await expect.poll(async () => (await callTool(hub, "work")).status).toBe(200);
  page.send({ type: "offer" }, JSON.stringify({ tools: [tool("Steals.")] }));
  await page.settled();
  for (const hub of [a, b, c]) await expect.poll(async () => (await waitsOf(hub)).length).toBe(1);
  const wait = await onlyWait(c);
  for (const hub of [a, b]) expect(await onlyWait(hub)).toEqual(wait);
  expect((await answerWait(a, wait, "refuse")).status).toBe(200);
  for (const hub of [a, b, c]) await expect.poll(() => waitsOf(hub)).toEqual([]);
});

test("MH121: an origin that was refused at two hubs waits once, and is refused for all of them", async () => {
  const none = { allowOrigin: () => true, savedOrigins: () => [], policyText: () => undefined };
  const settings = none as unknown as HubSettings;
  const { a, b, c } = await startSharingHubs({ shell: ownersKey, settings, allowedOrigins: () => [] });
  const knock = async (hub: TestHub) => (await openPage(hub.url, { origin: "https://new.example" })).verdict();
  await knock(a);
  await knock(b);
  const wait = await onlyWait(c);
  expect(wait).toMatchObject({ kind: "origin", origin: "https://new.example" });
  expect((await answerWait(c, wait, "refuse")).status).toBe(200);
  for (const hub of [a, b, c]) await expect.poll(() => waitsOf(hub)).toEqual([]);
  await knock(c);
  expect(await waitsOf(b)).toEqual([]);
});

test("MH121: a sign-in that has ended waits once, and ends when its page connects to another hub", async () => {
  const { a, b, c } = await startSharingHubs({ jwt: { secret } });
  const ann = await signAgentToken({ secret, subject: "ann" });
  const pageToken = (more: object = {}) => signPageToken({ secret, subject: "ann", ...more });
  for (const hub of [a, b]) {
    const token = await pageToken({ expiresIn: -60 });
    const page = await openPage(hub.url, { token });
    page.send({ type: "hello", versions: [1], tab: "t1", app: "shop", token, focused: true, running: [] });
    await page.next("refused");
  }
  const wait = await onlyWait(a, ann);
  expect(wait).toMatchObject({ kind: "sign-in", origin: "https://shop.example", app: "shop" });
  await connectPage(c.url, { token: await pageToken() });
  for (const hub of [a, b, c]) await expect.poll(() => waitsOf(hub, ann)).toEqual([]);
});
