import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { recordFault } from "../../../../test/support/record-fault.ts";
import { signAgentToken, signPageToken } from "../../guard/tokens.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import type { TestHub } from "../../test-support/hub.test-helper.ts";
import { byHand, connectPage, offerOf, plainResult } from "../../test-support/page.test-helper.ts";
import { modern, openSession, sendRaw } from "./test-support/raw-mcp.test-helper.ts";
import type { RawExchange, RawRequest } from "./test-support/raw-mcp.test-helper.ts";

const secret = "a-secret-of-at-least-32-characters";
const call = modern("tools/call", { name: "work", arguments: {} });
const listen = modern("subscriptions/listen", { notifications: { toolsListChanged: true } });
const changed = "notifications/tools/list_changed";

async function dial({ port }: { readonly port: number }): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

/** A request as it is sent over the wire. */
function textOf(hub: TestHub, { path, headers, body }: RawRequest): string {
  const text = JSON.stringify(body);
  const lines = Object.entries({
    Host: `127.0.0.1:${hub.port}`,
    Authorization: `Bearer ${hub.token}`,
    Accept: "application/json, text/event-stream",
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(text),
    ...headers,
  });
  return [`POST ${path} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`), "", text].join("\r\n");
}

/** Resolves when a notification stream has opened. */
async function begun(stream: RawExchange): Promise<RawExchange> {
  await stream.next();
  return stream;
}

test("clients whose bodies never come to an end are cut off after `requestTime`, and others are served", async () => {
  const hub = await startHub({ limits: { headersTime: 3000, requestTime: 4000 } });
  await connectPage(hub.url);
  const text = textOf(hub, { ...call, headers: { ...call.headers, "Content-Length": "100000" } });
  const slow = await Promise.all(Array.from({ length: 100 }, () => dial(hub)));
  // Data that arrives after the disconnect is answered with a reset, which is a disconnect as well.
  const ends = slow.map(
    (socket) => new Promise((resolve) => socket.resume().on("error", resolve).on("close", resolve)),
  );
  for (const socket of slow) socket.write(text);
  const drips = setInterval(() => slow.forEach((socket) => socket.write(" ")), 50);
  onTestFinished(() => clearInterval(drips));
  expect((await sendRaw(hub, call).whole()).messages).toMatchObject([{ result: JSON.parse(plainResult) }]);
  await Promise.all(ends);
  // A stopping hub does not wait for them.
  await hub.drain();
  recordFault("mcp", {
    fault: "Clients that never send the end of their request's body",
    expected: "cut off after requestTime, others are served",
    observed: "cut off after requestTime, others are served",
    count: slow.length,
  });
});

test("of one principal's 2,000 sessions the 500 most recently used survive; the client of an evicted one starts another", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url);
  const first = await openSession(hub);
  const others = [];
  for (let count = 0; count < 1999; count++) {
    others.push(await openSession(hub));
    // This one is in use all the time.
    if (count % 250 === 0) await first.request("tools/list").whole();
  }
  expect(await hub.metric("pagewire_agents")).toBe(500);
  expect((await others[0]?.request("tools/list").whole())?.status).toBe(404);
  const last = await others.at(-1)?.request("tools/call", { name: "work" }).whole();
  expect(last?.messages).toMatchObject([{ result: JSON.parse(plainResult) }]);
  expect((await first.request("tools/list").whole()).status).toBe(200);
  expect((await (await openSession(hub)).request("tools/list").whole()).status).toBe(200);
  expect(page.calls).toHaveLength(1);
  recordFault("mcp", {
    fault: "2,000 sessions are opened and left",
    expected: "500 live, the others are answered 404 and begin anew",
    observed: "500 live, the others are answered 404 and begin anew",
    count: 2000,
  });
});

test("a principal that opens many sessions and streams costs no other principal's", async () => {
  const hub = await startHub({ jwt: { secret }, limits: { mcpSessions: 5 } });
  const as = async (subject: string) => ({ url: hub.url, token: await signAgentToken({ secret, subject }) });
  const [ann, bob] = [await as("ann"), await as("bob")];
  const session = await openSession(ann);
  const stream = await begun(sendRaw(ann, listen));
  const page = await connectPage(hub.url, { token: await signPageToken({ secret, subject: "ann" }) });
  expect((await stream.next())?.method).toBe(changed);
  for (let count = 0; count < 20; count++) await openSession(bob);
  for (let count = 0; count < 5; count++) await begun(sendRaw(bob, listen));
  const tooMany = await sendRaw(bob, listen).whole();
  expect([tooMany.status, tooMany.messages[0]?.id]).toEqual([503, 1]);

  expect((await session.request("tools/list").whole()).status).toBe(200);
  await begun(sendRaw(ann, listen));
  page.send({ type: "offer" }, offerOf(["another"]));
  expect((await stream.next())?.method).toBe(changed);
});

test("a notification stream survives any number of other clients, and ends with its client", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url);
  const streams = await Promise.all(Array.from({ length: 50 }, () => begun(sendRaw(hub, listen))));
  // More than the hub remembers.
  for (let count = 0; count < 1100; count++)
    await sendRaw(hub, modern("tools/list", {}, { client: `c${count}` })).whole();
  page.send({ type: "offer" }, offerOf(["another"]));
  for (const stream of streams) expect((await stream.next())?.method).toBe(changed);
  const before = await hub.metric("pagewire_agents");
  for (const stream of streams) stream.hangUp();
  await expect.poll(() => hub.metric("pagewire_agents")).toBeLessThanOrEqual(before - streams.length);
});

test("clients that vanish with several requests on one connection have each of their calls aborted", async () => {
  const hub = await startHub({ limits: { cutTime: 20 } });
  const page = await connectPage(hub.url, { handle: byHand });
  const socket = await dial(hub);
  const calls = 20;
  for (let count = 0; count < calls; count++) {
    socket.write(textOf(hub, modern("tools/call", { name: "work", arguments: { count } })));
  }
  for (let count = 0; count < calls; count++) page.ack((await page.nextCall()).id);
  await page.settled();
  socket.destroy();
  for (let count = 0; count < calls; count++) await page.next("cancel");
  // They do not delay a stopping hub.
  await hub.drain();
});

test("clients that vanish while their token is looked at leave nothing behind", async () => {
  const hub = await startHub({ jwt: { secret } });
  const token = await signAgentToken({ secret, subject: "ann" });
  for (let count = 0; count < 200; count++) {
    const socket = await dial(hub);
    socket.write(textOf({ ...hub, token }, call).slice(0, -5));
    if (count % 2 === 0) await new Promise(setImmediate);
    socket.resetAndDestroy();
  }
  await sendRaw({ url: hub.url, token }, modern("tools/list", {})).whole();
  await hub.drain();
});
