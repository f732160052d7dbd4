// One attacker's load on a hub: more than a page, an agent or an anonymous peer may send.
import { connect } from "node:net";
import type { FloodName, Parameters, Started, Worker } from "../harness/role.ts";
import { floodWithPatterns } from "./model-floods.ts";
import { openAgent, openPage, sendCall, sendOffer, settled, smallOffer } from "./peers.ts";
import type { Target } from "./peers.ts";

const floods: Record<FloodName, (target: Target, count: number) => Promise<void>> = {
  offers: floodWithOffers,
  readers: floodReaders,
  strangers: floodWithStrangers,
  patterns: floodWithPatterns,
};

/** Floods a hub when it is asked to work, until all of it has come or was refused. */
export async function startFlooder({
  port = 0,
  secret = "",
  flood = "offers",
  count = 1,
}: Parameters): Promise<Started & Worker> {
  return { port, work: () => floods[flood]({ port, secret }, count) };
}

/** Tabs of one user that offer 15 MB each, all at once. */
async function floodWithOffers(target: Target, count: number): Promise<void> {
  const pages = await Promise.all(Array.from({ length: count }, () => openPage(target, "eve")));
  for (const page of pages) sendOffer(page, largeOffer());
  await Promise.all(pages.map(settled));
}

/** As many tools as a page may have, each with nearly as large a schema, unlike any other page's. */
function largeOffer(): string {
  const padding = `${crypto.randomUUID()} ${"x".repeat(60_000)}`;
  const inputSchema = { type: "object", description: padding };
  return JSON.stringify({ tools: Array.from({ length: 250 }, (_, at) => ({ name: `tool-${at}`, inputSchema })) });
}

const rounds = 50;
const pause = 100;

/** Agents of one user that call for 1 MB again and again and read nothing. */
async function floodReaders(target: Target, count: number): Promise<void> {
  sendOffer(await openPage(target, "eve"), smallOffer);
  const agents = await Promise.all(Array.from({ length: count }, () => openAgent(target, "eve")));
  for (const agent of agents) agent.pause();
  for (let round = 0; round < rounds; round++) {
    for (const agent of agents) sendCall(agent, `${round}`);
    await after(pause);
  }
}

const strangersTime = 10_000;

/** Sockets that send nothing after their upgrade, `count` new ones a second. */
async function floodWithStrangers({ port }: Target, count: number): Promise<void> {
  const lines = [
    "GET /page HTTP/1.1",
    `Host: 127.0.0.1:${port}`,
    `Origin: http://127.0.0.1:${port}`,
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
  ];
  const timer = setInterval(() => {
    const socket = connect(port, "127.0.0.1", () => socket.write(`${lines.join("\r\n")}\r\n\r\n`));
    socket.on("error", () => {}).resume();
  }, 1000 / count);
  await after(strangersTime);
  clearInterval(timer);
}

function after(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
