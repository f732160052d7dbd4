import { expect, test } from "vitest";
import { agentHelloOf, connectAgent, openAgent } from "../test-support/agent.test-helper.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import { byHand, connectPage, helloOf, openChannels, openPage, plainResult } from "../test-support/page.test-helper.ts";
import { signAgentToken, signPageToken } from "./tokens.ts";

const secret = "a-secret-of-at-least-32-characters";
const jwt = { secret };

test("H22: principals with the same tools, call ids and keys see nothing of each other", async () => {
  const hub = await startHub({ jwt });
  const sides = await Promise.all(
    ["ann", "bob"].map(async (subject) => {
      const page = await connectPage(hub.url, {
        token: await signPageToken({ secret, subject }),
        handle(call, self) {
          self.ack(call.id);
          self.send({ type: "progress", id: call.id, progress: 1, message: subject });
          self.result(call.id, JSON.stringify({ content: [{ type: "text", text: subject }] }));
        },
      });
      const agent = await connectAgent(hub.url, { token: await signAgentToken({ secret, subject }) });
      return { subject, page, agent };
    }),
  );
  for (const { agent } of sides) agent.send({ type: "watch", on: true });
  const ends = await Promise.all(sides.map(({ agent }) => agent.call("work", { id: "1", key: "one-key" })));
  for (const [index, { subject, page, agent }] of sides.entries()) {
    expect(ends[index]?.payload).toContain(subject);
    expect(page.calls).toHaveLength(1);
    agent.send({ type: "list", id: "list", what: "tabs" });
    const tabs = JSON.parse((await agent.next("listing")).payload) as { tabId: string }[];
    expect(tabs.map(({ tabId }) => tabId)).toEqual([page.tabId]);
    await agent.next("watched");
    await agent.settled();
    const other = sides[1 - index]?.subject ?? "";
    expect(JSON.stringify(agent.received)).not.toContain(other);
    const watched = agent.received
      .filter(({ frame }) => frame.type === "watched")
      .map(({ payload }) => JSON.parse(payload) as { tabId: string });
    expect(new Set(watched.map(({ tabId }) => tabId))).toEqual(new Set([page.tabId]));
  }
  const [ann, bob] = sides;
  const stranger = await ann?.agent.call("work", { id: "2", tab: bob?.page.tabId ?? "" });
  expect(stranger?.frame).toMatchObject({ type: "failure", code: "tab-not-found" });
});

test("H22: a page cannot answer the call of another principal, nor take over its tab", async () => {
  const hub = await startHub({ jwt });
  const connect = async (subject: string) =>
    connectPage(hub.url, { token: await signPageToken({ secret, subject }), tab: "same", handle: byHand });
  const [ann, bob] = [await connect("ann"), await connect("bob")];
  const agent = await connectAgent(hub.url, { token: await signAgentToken({ secret, subject: "ann" }) });
  const end = agent.call("work", { id: "1" });
  const { id } = await ann.nextCall();
  bob.result(id, '"stolen"');
  await bob.settled();
  ann.ack(id);
  ann.result(id, plainResult);
  expect((await end).payload).toBe(plainResult);
  expect(ann.tabId).not.toBe(bob.tabId);
});

test("H22: a second hello, with another principal's token, changes nothing", async () => {
  const hub = await startHub({ jwt });
  const annsPage = await connectPage(hub.url, {
    token: await signPageToken({ secret, subject: "ann" }),
    tools: ["anns"],
  });
  const page = await connectPage(hub.url, { token: await signPageToken({ secret, subject: "bob" }), tools: ["bobs"] });
  page.send(helloOf({ token: await signPageToken({ secret, subject: "ann" }) }));
  const agent = await connectAgent(hub.url, { token: await signAgentToken({ secret, subject: "bob" }) });
  agent.send(agentHelloOf({ token: await signAgentToken({ secret, subject: "ann" }) }));
  await page.settled();
  expect((await agent.call("anns", { id: "1" })).frame).toMatchObject({ code: "tool-not-found" });
  expect((await agent.call("bobs", { id: "2" })).frame.type).toBe("result");
  expect([annsPage.calls.length, page.calls.length]).toEqual([0, 1]);
});

test("H23: a page token that names an origin is good for that origin only", async () => {
  const hub = await startHub({ jwt });
  const token = await signPageToken({ secret, subject: "ann", origin: "https://shop.example" });
  for (const origin of ["https://evil.example", "https://shop.example:8443", "null", null, hub.url]) {
    const page = await openPage(hub.url, { origin });
    page.send(helloOf({ token }));
    expect(await page.closeName()).toBe("token-invalid");
  }
  expect((await connectPage(hub.url, { token })).tabId).not.toBe("");
  const anywhere = await signPageToken({ secret, subject: "ann" });
  expect((await connectPage(hub.url, { token: anywhere, origin: "https://evil.example" })).tabId).not.toBe("");
});

test("H23: a page token that names an app decides what the app is called", async () => {
  const hub = await startHub({ jwt });
  await connectPage(hub.url, {
    token: await signPageToken({ secret, subject: "ann", app: "the-bank" }),
    app: "not-the-bank",
  });
  await connectPage(hub.url, { token: await signPageToken({ secret, subject: "ann" }), app: "own-word", tab: "2" });
  const agent = await connectAgent(hub.url, { token: await signAgentToken({ secret, subject: "ann" }) });
  agent.send({ type: "list", id: "1", what: "tabs" });
  const tabs = JSON.parse((await agent.next("listing")).payload) as { app: string }[];
  expect(tabs.map(({ app }) => app)).toEqual(["the-bank", "own-word"]);
});

test("H24: a connection ends when the token that let it in does", async () => {
  const hub = await startHub({ jwt });
  const soon = { secret, subject: "ann", expiresIn: 4 };
  const agents = [
    await connectAgent(hub.url, { token: await signAgentToken(soon) }),
    await openAgent(hub.url, { headerToken: await signAgentToken(soon) }),
  ];
  const page = await connectPage(hub.url, { token: await signPageToken(soon) });
  const lasting = await connectAgent(hub.url, { token: await signAgentToken({ secret, subject: "ann" }) });
  for (const peer of [...agents, page]) expect((await peer.closed).code).toBe(4013);
  await lasting.settled();
  expect(lasting.link.open).toBe(true);
});

test("H24: each channel ends with its own token, whichever came last", async () => {
  const hub = await startHub({ jwt });
  const open = await openChannels(hub.url);
  const long = () => signPageToken({ secret, subject: "ann" });
  const before = await open({ tab: "before", token: await long() }).greet();
  const brief = await open({
    tab: "brief",
    token: await signPageToken({ secret, subject: "bob", expiresIn: 4 }),
  }).greet();
  const after = await open({ tab: "after", token: await long() }).greet();
  expect(await brief.closeName()).toBe("token-expired");
  await after.settled();
  expect([before.link.open, after.link.open]).toEqual([true, true]);
});
