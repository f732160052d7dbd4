import { once } from "node:events";
import { expect, test } from "vitest";
import type { Offer } from "../../../wire/index.ts";
import type { HubDoor } from "../../test-support/http.test-helper.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { askOnce } from "./test-support/mcp-asking.test-helper.ts";
import { connectClient, revisions } from "./test-support/mcp-client.test-helper.ts";
import type { Revision } from "./test-support/mcp-client.test-helper.ts";
import { connectMcpPage, toolOf } from "./test-support/mcp-page.test-helper.ts";
import { modern, openSession, sendRaw } from "./test-support/raw-mcp.test-helper.ts";
import type { RawExchange } from "./test-support/raw-mcp.test-helper.ts";

const uris = ["note:///1", "note:///2"] as const;
const everything = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
const offerOf = (...tools: string[]): Partial<Offer> => ({
  tools: tools.map(toolOf),
  prompts: [{ name: "greet" }],
  resources: uris.map((uri) => ({ uri, name: uri })),
  resourceTemplates: [],
});

interface ListenOptions {
  readonly path?: string;
  /** The resources it subscribes to, in addition to the lists. */
  readonly follow?: readonly string[];
}

/** The hub's notifications, as a word each: the list that changed, or the resource. */
async function listen(hub: HubDoor, revision: Revision, { path = "/mcp", follow = [] }: ListenOptions = {}) {
  const stream = await (revision === "2026-07-28" ? listenStateless : listenInSession)(hub, path, follow);
  return async (): Promise<string | undefined> => {
    const { method = "", params = {} } = (await stream.next()) ?? {};
    return method === "notifications/resources/updated" ? String(params["uri"]) : method.split("/").at(-2);
  };
}

async function listenStateless(hub: HubDoor, path: string, follow: readonly string[]): Promise<RawExchange> {
  const notifications = { ...everything, ...(follow.length > 0 ? { resourceSubscriptions: follow } : {}) };
  const stream = sendRaw(hub, modern("subscriptions/listen", { notifications }, { path }));
  expect(await stream.next()).toMatchObject({
    method: "notifications/subscriptions/acknowledged",
    params: { notifications },
  });
  return stream;
}

async function listenInSession(hub: HubDoor, path: string, follow: readonly string[]): Promise<RawExchange> {
  const session = await openSession(hub, { path });
  for (const uri of follow) await session.request("resources/subscribe", { uri }).whole();
  const stream = session.listen();
  await once(stream.request, "response");
  return stream;
}

const limits = { changesTime: 10 };

test.each(revisions)(
  "a client of %s gets updates of the resources that it follows, and of no other",
  async (revision) => {
    const hub = await startHub({ limits });
    const page = await connectMcpPage(hub, { offer: offerOf() });
    const next = await listen(hub, revision, { follow: [uris[0]] });
    for (const uri of [uris[1], uris[0], uris[1], uris[0]]) page.updated(uri);
    expect([await next(), await next()]).toEqual([uris[0], uris[0]]);
  },
);

test("a client with a session that unsubscribes gets no more notifications", async () => {
  const hub = await startHub({ limits });
  const page = await connectMcpPage(hub, { offer: offerOf() });
  const client = await connectClient(hub, { revision: "2025-11-25" });
  const heard: string[] = [];
  let hear = () => {};
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
    heard.push(params.uri);
    hear();
  });
  const updated = async (uri: string) => {
    page.updated(uri);
    await new Promise<void>((resolve) => (hear = resolve));
  };
  for (const uri of uris) await client.subscribeResource({ uri });
  await updated(uris[0]);
  await client.unsubscribeResource({ uri: uris[0] });
  page.updated(uris[0]);
  await updated(uris[1]);
  expect(heard).toEqual(uris);
});

test.each(revisions)(
  "at a tab's address a client of %s gets updates of that tab's resources only",
  async (revision) => {
    const hub = await startHub({ limits });
    const page = await connectMcpPage(hub, { offer: offerOf() });
    const other = await connectMcpPage(hub, { offer: offerOf(), tab: "2" });
    const next = await listen(hub, revision, { path: `/mcp/tabs/${page.tabId}`, follow: uris });
    other.updated(uris[0]);
    await other.settled();
    page.updated(uris[1]);
    expect(await next()).toBe(uris[1]);
  },
);

const three = [...uris, "note:///3"];
const tooMany = { code: -32602, message: expect.stringContaining("mcpSubscriptions") as string };

test("a client with a session follows no more resources than the limit mcpSubscriptions allows", async () => {
  const hub = await startHub({ limits: { mcpSubscriptions: 2 } });
  const session = await openSession(hub);
  const answers = [];
  for (const uri of [uris[0], ...three])
    answers.push((await session.request("resources/subscribe", { uri }).whole()).messages[0]);
  expect(answers).toMatchObject([{ result: {} }, { result: {} }, { result: {} }, { error: tooMany }]);
});

test("nor does a stream of a client of 2026-07-28", async () => {
  const hub = await startHub({ limits: { mcpSubscriptions: 2 } });
  const params = { notifications: { resourceSubscriptions: three } };
  const { error } = await askOnce({ hub, revision: "2026-07-28" }, "subscriptions/listen", params);
  expect(error).toMatchObject(tooMany);
});

test.each(revisions)("M34: a client of %s is notified of the lists that differ, and of no others", async (revision) => {
  const hub = await startHub({ limits });
  const page = await connectMcpPage(hub, { offer: offerOf("a") });
  const next = await listen(hub, revision);
  await page.offer(offerOf("a", "b"));
  expect(await next()).toBe("tools");
  await page.offer({ ...offerOf("a", "b"), prompts: [{ name: "greet", title: "Greet" }] });
  expect(await next()).toBe("prompts");
  const both = { resourceTemplates: [{ uriTemplate: "note:///{id}", name: "any" }], prompts: [] };
  await page.offer({ ...offerOf("a", "b"), ...both });
  expect([await next(), await next()]).toEqual(["prompts", "resources"]);
});

test.each(revisions)(
  "M34: changes that come together are told to a client of %s once, and those that come to nothing not at all",
  async (revision) => {
    const hub = await startHub({ limits: { changesTime: 1000 } });
    const page = await connectMcpPage(hub, { offer: offerOf("a") });
    const next = await listen(hub, revision);
    for (const tools of [["a", "b"], ["a"], [], ["a"]]) await page.offer(offerOf(...tools));
    page.send({ type: "tab", title: "Another title", focused: true });
    await page.offer({ ...offerOf("a"), prompts: [] });
    expect(await next()).toBe("prompts");
    for (const tools of [["b"], ["c"], ["d"]]) await page.offer({ ...offerOf(...tools), prompts: [] });
    expect(await next()).toBe("tools");
    await page.offer({ ...offerOf("d"), prompts: [], resources: [] });
    expect(await next()).toBe("resources");
  },
);

test.each(revisions)(
  "M34: at a tab's address a client of %s is notified of that tab's lists only",
  async (revision) => {
    const hub = await startHub({ limits });
    const page = await connectMcpPage(hub, { offer: offerOf("a") });
    const other = await connectMcpPage(hub, { offer: { tools: [toolOf("a")] }, tab: "2" });
    const next = await listen(hub, revision, { path: `/mcp/tabs/${page.tabId}` });
    const ofAll = await listen(hub, revision);
    await other.offer({ tools: [toolOf("b")], prompts: [{ name: "part" }] });
    expect([await ofAll(), await ofAll()]).toEqual(["tools", "prompts"]);
    await page.offer({ ...offerOf("a"), resources: [] });
    expect(await next()).toBe("resources");
  },
);

test.each(revisions)("M34: the SDK's client of %s reads a list again when it has changed", async (revision) => {
  const hub = await startHub({ limits });
  const page = await connectMcpPage(hub, { offer: offerOf("a") });
  let read: (names: readonly string[]) => void = () => {};
  const lists = new Promise<readonly string[]>((resolve) => (read = resolve));
  const onChanged = (_: unknown, tools: readonly { name: string }[] | null) =>
    read((tools ?? []).map(({ name }) => name));
  await connectClient(hub, { revision, listChanged: { tools: { onChanged, debounceMs: 0 } } });
  await page.offer(offerOf("a", "z"));
  expect((await lists).slice(-2)).toEqual(["a", "z"]);
});

test("M34: a principal has no more standing streams than the limit mcpStreamsPerPrincipal allows", async () => {
  const hub = await startHub({ limits: { mcpStreamsPerPrincipal: 1 } });
  const request = modern("subscriptions/listen", { notifications: everything });
  await sendRaw(hub, request).next();
  const { status, messages } = await sendRaw(hub, request).whole();
  expect([status, messages[0]?.error?.message]).toEqual([503, expect.stringContaining("mcpStreamsPerPrincipal")]);
  expect(await hub.metric('pagewire_over_budget_total{budget="mcpStreamsPerPrincipal"}')).toBe(1);
});

test("M34: there are no more standing streams than the limit mcpSessions allows, and one that ends makes room", async () => {
  const hub = await startHub({ limits: { mcpSessions: 1 } });
  const request = modern("subscriptions/listen", { notifications: everything });
  const first = sendRaw(hub, request);
  await first.next();
  const refused = await sendRaw(hub, request).whole();
  expect([refused.status, refused.messages[0]?.error?.message]).toEqual([503, expect.stringContaining("mcpSessions")]);
  first.hangUp();
  for (;;) {
    const stream = sendRaw(hub, request);
    const message = await stream.next();
    if (message?.method === "notifications/subscriptions/acknowledged") break;
    expect(message?.error?.code).toBe(-32000);
  }
});
