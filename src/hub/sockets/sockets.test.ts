import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { agentHelloOf, connectAgent, openAgent } from "../test-support/agent.test-helper.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import { answerTo, beginCall, callTool } from "../test-support/http.test-helper.ts";
import { signAgentToken, signPageToken } from "../guard/tokens.ts";
import { byHand, connectPage, helloOf, openChannels, openPage } from "../test-support/page.test-helper.ts";
import { shop } from "../test-support/peer.test-helper.ts";
import { upgradeLines } from "../test-support/raw.test-helper.ts";

/** Opens a socket whose peer does nothing after the upgrade: it answers neither pings nor close frames. */
async function openDeaf(port: number, path: string, origin = shop) {
  const socket = connect(port, "127.0.0.1");
  const lines = [`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, `Origin: ${origin}`, ...upgradeLines];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  await once(socket, "data");
  return socket;
}

test("a hub tells its pages to come back within a time that grows with how many are there", async () => {
  const hub = await startHub();
  const windowOf = async (tab: string) => {
    const page = await openPage(hub.url, { tab });
    page.send(helloOf({ tab }));
    return (await page.next("welcome")).frame.within;
  };
  expect(await windowOf("first")).toBe(500);
  for (let socket = 0; socket < 3; socket++) {
    const open = await openChannels(hub.url);
    const tabs = Array.from({ length: 200 }, (_, at) => ({ tab: `tab-${socket}-${at}` }));
    const pages = tabs.map((tab) => ({ tab, page: open(tab) }));
    for (const { tab, page } of pages) page.send(helloOf(tab));
    for (const { page } of pages) await page.next("welcome");
  }
  expect(await windowOf("last")).toBe(602);
});

test("each heartbeat repeats it", async () => {
  const hub = await startHub({ limits: { heartbeatTime: 200 } });
  const page = await connectPage(hub.url);
  for (let count = 0; count < 2; count++) {
    expect((await page.next("heartbeat")).frame).toEqual({ type: "heartbeat", within: 500 });
  }
});

test("H9: a socket that does not authenticate in time gets an error and is closed", async () => {
  const hub = await startHub({ limits: { strangerTime: 30 } });
  const channels = await openChannels(hub.url);
  channels();
  for (const peer of [await openPage(hub.url), await openAgent(hub.url)]) {
    expect(await peer.verdict()).toBe("hello-late");
    expect((await peer.closed).code).toBe(4004);
  }
});

test("H9: an authenticated socket stays open", async () => {
  const hub = await startHub({ limits: { strangerTime: 1000 } });
  const page = await connectPage(hub.url);
  const agent = await connectAgent(hub.url, { token: hub.token });
  const byHeader = await openAgent(hub.url, { headerToken: hub.token });
  expect(await (await openAgent(hub.url)).closeName()).toBe("hello-late");
  for (const peer of [page, agent, byHeader]) {
    await peer.settled();
    expect(peer.link.open).toBe(true);
  }
});

test("H9: the number of anonymous sockets is limited; the oldest is evicted", async () => {
  const hub = await startHub({ limits: { strangerSockets: 2 } });
  const agents = [await openAgent(hub.url), await openAgent(hub.url), await openAgent(hub.url)];
  const [first, second, third] = agents;
  expect(await first?.verdict()).toBe("sockets-too-many");
  expect(await first?.closeName()).toBe("sockets-too-many");
  for (const agent of [second, third]) {
    agent?.send(agentHelloOf({ token: hub.token }));
    await agent?.next("welcome");
  }
  expect(await hub.metric("pagewire_agents")).toBe(2);
});

test("H9: under a flood of silent sockets from the same address, pages and agents still get in", async () => {
  const hub = await startHub({ limits: { strangerSockets: 4, strangerSocketsInAll: 8, strangerTime: 60_000 } });
  let isOver = false;
  let count = 0;
  const flood = async (path: string, origin: string) => {
    while (!isOver) {
      (await openDeaf(hub.port, path, origin)).on("error", () => {});
      count++;
    }
  };
  // A program can send any origin; a page cannot fake its own.
  const floods = [
    flood("/page", shop),
    flood("/agent", `http://127.0.0.1:${hub.port}`),
    flood("/page", "https://evil.example"),
  ];
  while (count < 30) await new Promise((resolve) => setImmediate(resolve));
  for (const tab of ["a", "b", "c"]) {
    expect((await connectPage(hub.url, { tab })).link.open).toBe(true);
    expect((await connectAgent(hub.url, { headerToken: hub.token })).link.open).toBe(true);
    expect((await connectAgent(hub.url, { token: hub.token })).link.open).toBe(true);
  }
  isOver = true;
  await Promise.all(floods);
});

test("H9: a socket with a valid credential in its upgrade is not anonymous", async () => {
  const hub = await startHub({ limits: { strangerSockets: 1, strangerTime: 30 } });
  const agents = [];
  for (let count = 0; count < 3; count++) agents.push(await openAgent(hub.url, { headerToken: hub.token }));
  expect(await (await openAgent(hub.url)).closeName()).toBe("hello-late");
  expect(agents.map(({ link }) => link.open)).toEqual([true, true, true]);
});

test("H9: an anonymous socket that does not answer its close frame is terminated and frees its place", async () => {
  const hub = await startHub({ limits: { strangerSockets: 1, strangerTime: 1000 } });
  const deaf = await openDeaf(hub.port, "/page");
  await once(deaf.resume(), "close");
  expect((await connectPage(hub.url)).link.open).toBe(true);
});

test("H10: when the token is rotated, agents with the old one are closed and pages are not", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url);
  const agents = [
    await connectAgent(hub.url, { token: hub.token }),
    await connectAgent(hub.url, { headerToken: hub.token }),
    await openAgent(hub.url, { headerToken: hub.token }),
  ];
  const stranger = await openAgent(hub.url);
  const old = hub.token;
  hub.rotate("the-next-token");
  for (const agent of agents) expect(await agent.closeName()).toBe("token-expired");
  stranger.send(agentHelloOf({ token: old }));
  expect(await stranger.closeName()).toBe("token-invalid");
  await expect(openAgent(hub.url, { headerToken: old })).rejects.toThrow("401");
  expect((await callTool(hub, "work", { headers: { Authorization: `Bearer ${old}` } })).status).toBe(401);
  expect((await callTool(hub, "work")).status).toBe(200);
  expect((await connectAgent(hub.url, { token: hub.token })).link.open).toBe(true);
  expect(page.link.open).toBe(true);
});

test("H10: a call by HTTP under the old token gets no result after the rotation", async () => {
  const hub = await startHub({ limits: { cutTime: 30 } });
  const page = await connectPage(hub.url, { handle: byHand });
  const call = beginCall(hub, "work");
  const lost = expect(answerTo(call)).rejects.toThrow("socket hang up");
  const { id } = await page.nextCall();
  page.ack(id);
  hub.rotate("the-next-token");
  await lost;
  expect((await page.next("cancel")).frame.id).toBe(id);
});

test("H10: a rotation that nothing else changes leaves every connection alone", async () => {
  const hub = await startHub();
  const agent = await connectAgent(hub.url, { token: hub.token });
  hub.rotate(hub.token);
  await agent.settled();
  expect(agent.link.open).toBe(true);
});

test("a socket that answers no ping is cut off, and one that does is not", async () => {
  const hub = await startHub({ limits: { heartbeatTime: 1000, strangerTime: 60_000 } });
  const page = await connectPage(hub.url);
  const deaf = await openDeaf(hub.port, "/page");
  await once(deaf.resume(), "close");
  await page.settled();
  expect(page.link.open).toBe(true);
});

test("H47: the hub sends agents and pages something at least every heartbeat", async () => {
  const hub = await startHub({ limits: { heartbeatTime: 20 } });
  const agent = await connectAgent(hub.url, { token: hub.token });
  const page = await connectPage(hub.url);
  expect((await agent.next("heartbeat")).frame).toEqual({ type: "heartbeat" });
  await agent.next("heartbeat");
  await page.next("heartbeat");
});

test("H9: a channel that does not authenticate in time gets an error and is closed; other channels of the socket are not", async () => {
  const hub = await startHub({ limits: { strangerTime: 1000 } });
  const open = await openChannels(hub.url);
  const known = await open({ tab: "known" }).greet();
  for (const silent of [open(), open()]) {
    expect(await silent.verdict()).toBe("hello-late");
    expect(await silent.closeName()).toBe("hello-late");
  }
  const gone = open();
  gone.link.close();
  const next = await open({ tab: "next" }).greet();
  expect(await open().closeName()).toBe("hello-late");
  await known.settled();
  expect([known.link.open, next.link.open]).toEqual([true, true]);
  // A client that disconnected earlier was not refused.
  expect(await hub.metric('pagewire_refusals_total{code="hello-late"}')).toBe(3);
});

test("a principal has at most `socketsPerPrincipal` sockets, of whichever kind, and others come in", async () => {
  const secret = "s".repeat(40);
  const hub = await startHub({ jwt: { secret }, limits: { socketsPerPrincipal: 2 } });
  const hello = async (subject: string, tab: string) => {
    const page = await openPage(hub.url);
    page.send(helloOf({ tab, token: await signPageToken({ secret, subject }) }));
    return { page, verdict: await page.verdict() };
  };
  const { page: first } = await hello("eve", "1");
  await connectAgent(hub.url, { headerToken: await signAgentToken({ secret, subject: "eve" }) });
  const third = await hello("eve", "2");
  expect([third.verdict, await third.page.closeName()]).toEqual(["sockets-too-many", "sockets-too-many"]);
  const agent = await openAgent(hub.url, { headerToken: await signAgentToken({ secret, subject: "eve" }) });
  expect(await agent.verdict()).toBe("sockets-too-many");
  expect((await hello("ada", "1")).verdict).toBe("welcome");
  first.socket.terminate();
  await expect.poll(async () => (await hello("eve", "3")).verdict).toBe("welcome");
});

test("a hub has at most `socketsInAll` sockets, and there is room again when one has gone", async () => {
  const hub = await startHub({ limits: { socketsInAll: 2 } });
  const first = await connectPage(hub.url, { tab: "1" });
  await connectPage(hub.url, { tab: "2" });
  await expect(openPage(hub.url)).rejects.toThrow("503");
  expect(await hub.metric('pagewire_over_budget_total{budget="socketsInAll"}')).toBe(1);
  first.socket.terminate();
  await first.closed;
  await expect.poll(() => openPage(hub.url).then(({ link }) => link.open, String)).toBe(true);
});
