// First frames that no honest page, agent or window sends: each is closed by name, without any effect.
import { closeNameOf, encodeFrame } from "pagewire/wire";
import { afterEach, beforeEach, expect, test } from "vitest";
import { agentHelloOf, connectAgent } from "../../../src/hub/test-support/agent.test-helper.ts";
import { offerTools, parentTool } from "../../../src/hub/doors/window/window.test-helper.ts";
import { byHand, connectPage, helloOf, plainResult } from "../../../src/hub/test-support/page.test-helper.ts";
import { closeSockets, openSocket, shop } from "../../../src/hub/test-support/peer.test-helper.ts";
import { besiegeHub } from "./besieged-hub.test-helper.ts";
import type { BesiegedHub } from "./besieged-hub.test-helper.ts";
import { startBystander } from "./bystander.test-helper.ts";
import type { Bystander } from "./bystander.test-helper.ts";
import { hostileFrames } from "./hostile-frames.test-helper.ts";
import type { Data, Hellos, Side } from "./hostile-frames.test-helper.ts";
import { startTally } from "./tally.test-helper.ts";

let besieged: BesiegedHub;
let bystander: Bystander;
let url: string;
/** Mallory's valid hellos. */
let good: Hellos;

beforeEach(async () => {
  // A client that sends only frames which a newer version might have is closed after this time.
  besieged = await besiegeHub(["--limit", "strangerTime=3s"]);
  url = besieged.hub.url;
  const { token } = await besieged.door("mallory");
  good = {
    page: helloOf({ tab: "hostile", token: await besieged.pageToken("mallory") }),
    agent: agentHelloOf({ token }),
  };
  bystander = await startBystander(besieged);
});

afterEach(async () => {
  closeSockets();
  await besieged.close();
});

/** The numbers of tabs and agents. */
const counts = () => Promise.all(["pagewire_tabs", "pagewire_agents"].map((name) => besieged.metric(name)));

const isWelcome = (data: Buffer): boolean => data.toString().startsWith('{"type":"welcome"');

interface Visit {
  readonly path: string;
  readonly messages: readonly Data[];
  readonly origin?: string | undefined;
  readonly protocols?: string[];
}

/** Sends messages on a new socket, and returns the outcome: "let in", or the name of the close. */
async function endOf({ path, messages, origin, protocols = [] }: Visit): Promise<string> {
  const headers: Record<string, string> = origin === undefined ? {} : { Origin: origin };
  const { socket } = await openSocket(`${url}${path}`, { protocols, headers });
  return new Promise((resolve) => {
    socket.on("message", (data: Buffer) => {
      if (isWelcome(data)) resolve("let in");
    });
    socket.on("close", (code: number) => resolve(closeNameOf(code) ?? String(code)));
    for (const message of messages) socket.send(message);
  });
}

const visit = (side: Side, messages: readonly Data[]): Promise<string> =>
  endOf({ path: `/${side}`, messages, origin: side === "page" ? shop : undefined });

test("a first frame that no honest page or agent sends is closed by name, without any effect", async () => {
  const page = await connectPage(url, { token: await besieged.pageToken("mallory"), handle: byHand });
  const before = await counts();
  const tally = startTally(
    "frames",
    "first frames of pages and agents: wrong, missing and doubled fields, prototypes, binary, nothing, the other side's, before the hello",
    "closed by name, no tab, no agent, no call",
  );
  const tries = (["page", "agent"] as const).flatMap((side) =>
    hostileFrames(side, good).map((attempt) => ({ side, ...attempt })),
  );
  await Promise.all(
    tries.map(async ({ side, name, messages, must }) => tally.add(name, await visit(side, messages), must)),
  );
  await page.settled();
  expect(page.calls).toEqual([]);
  expect(await counts()).toEqual(before);
  await bystander.expectUnharmed();
  expect(besieged.hub.output()).not.toContain('"level":"error"');
  tally.close();
});

test("a first frame with the ids of another tenant's call, tab or session is closed by name, and the call ends as its page says", async () => {
  const alice = await connectPage(url, { token: await besieged.pageToken("alice"), handle: byHand });
  const { token } = await besieged.door("alice");
  const agent = await connectAgent(url, { token, session: "alice" });
  const end = agent.call("work", { id: "1" });
  const { id } = await alice.nextCall();
  const { tabId: tab } = alice;
  const ofPage = ["ack", "progress", "result", "failure"].map((type) => ({ type, id, progress: 1, ran: "no" }));
  const failure = { outcome: "rejected", code: "stolen", message: "stolen" };
  const ofAgent = [
    { type: "cancel", id },
    { type: "cancel", id: "1" },
    { type: "answer", id, ask: "1" },
    { type: "list", id: "1", what: "offer", tab },
    { type: "call", id: "1", method: "tools/call", name: "work", tab },
  ];
  const hellos = {
    page: { ...good.page, tab, token: undefined },
    agent: { ...good.agent, session: "alice", token: undefined },
  };
  const attempts = (side: Side, frames: readonly object[], must: string) =>
    frames.map((frame) => ({ side, message: encodeFrame(frame, side === "page" ? '"stolen"' : "{}"), must }));
  const before = await counts();
  const tally = startTally(
    "frames",
    "first frames with the id of another tenant's call, tab or session",
    "closed by name",
  );
  for (const { side, message, must } of [
    ...attempts(
      "page",
      ofPage.map((frame) => ({ ...frame, ...failure })),
      "hello-expected",
    ),
    ...attempts("agent", ofAgent, "hello-expected"),
    ...attempts("page", [hellos.page], "token-required"),
    ...attempts("agent", [hellos.agent], "token-required"),
  ])
    tally.add(`${side}: ${String(message).slice(0, 60)}`, await visit(side, [message]), must);
  alice.ack(id);
  alice.result(id, plainResult);
  expect((await end).payload).toBe(plainResult);
  expect(alice.calls).toHaveLength(1);
  expect(await counts()).toEqual(before);
  await bystander.expectUnharmed();
  tally.close();
});

test("of two hellos on one socket one counts at most", async () => {
  const tally = startTally(
    "frames",
    "two hellos at once on one socket, as different tabs or agents",
    "one of them at most",
  );
  const [tabs = 0, agents = 0] = await counts();
  for (const side of ["page", "agent"] as const) {
    for (let round = 0; round < 10; round++) {
      const headers: Record<string, string> = side === "page" ? { Origin: shop } : {};
      const { socket } = await openSocket(`${url}/${side}`, { headers });
      let welcomes = 0;
      socket.on("message", (data: Buffer) => void (welcomes += isWelcome(data) ? 1 : 0));
      const left = new Promise((resolve) => socket.once("close", resolve));
      const answered = Promise.race([left, new Promise((resolve) => socket.once("message", resolve))]);
      for (const part of ["one", "two"])
        socket.send(JSON.stringify({ ...good[side], tab: `${part}-${round}`, agent: { name: part } }));
      await answered;
      const taken = new Promise((resolve) => socket.once("pong", resolve));
      socket.ping();
      await Promise.race([left, taken]);
      tally.add(`${side} ${round}`, welcomes <= 1 ? "one of them at most" : welcomes);
    }
  }
  const [tabsNow = 0, agentsNow = 0] = await counts();
  expect(tabsNow - tabs).toBeLessThanOrEqual(10);
  expect(agentsNow - agents).toBeLessThanOrEqual(10);
  await bystander.expectUnharmed();
  tally.close();
});

test("whatever comes first at a window's socket, without its session, or that is no message, is closed by name", async () => {
  const [mine, hers] = [await besieged.door("mallory"), await besieged.door("alice")];
  const offer = { origin: undefined, tools: [parentTool("work")] };
  const [own, foreign] = [await offerTools(mine, offer), await offerTools(hers, offer)];
  const before = await counts();
  const tally = startTally(
    "frames",
    "first messages at the socket of a window: without its session, of another tenant's, or none",
    "closed by name",
  );
  const attempt = async (
    session: string,
    messages: readonly Data[],
    { token, must }: { token?: unknown; must: string },
  ) => {
    const bearer = typeof token === "string" ? [`pagewire.bearer.${token}`] : [];
    const protocols = ["pagewire.window.1", ...bearer];
    const outcome = await endOf({ path: `/ws/parent-window/${session}`, messages, protocols, origin: url });
    tally.add(`${session}: ${String(messages[0]).slice(0, 60)}`, outcome, must);
  };
  const answered = '{"type":"tool_response","request_id":"1","response":{"success":true}}';
  for (const message of ["", answered, JSON.stringify(good.page), JSON.stringify(good.agent), Buffer.from([0xff])]) {
    for (const session of ["x", "__proto__", foreign]) {
      await attempt(session, [message], { token: mine.token, must: "session-not-found" });
      await attempt(session, [message], { must: "token-required" });
      await attempt(session, [message], { token: "x", must: "token-invalid" });
      await attempt(session, [message], { token: good.page["token"], must: "token-invalid" });
    }
  }
  const none = ["", "{", "5", "null", "[]", "{}", '{"type":5}', '{"type":"tool_response"}', '{"type":"tool_progress"}'];
  const wrong = [
    '{"type":"tool_response","request_id":5}',
    "[".repeat(100_000),
    '{"a":'.repeat(100_000),
    `[${answered}]`,
  ];
  for (const message of [...none, ...wrong, `\x1e${answered}`, Buffer.from([0xff, 0xfe]), Buffer.alloc(0)])
    await attempt(own, [message], { token: mine.token, must: "frame-malformed" });
  expect(await counts()).toEqual(before);
  await bystander.expectUnharmed();
  tally.close();
});
