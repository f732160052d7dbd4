import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { createHubClock } from "./hub-clock.ts";

const clock = createHubClock();
const sockets: Socket[] = [];
const server = createServer((socket) => void sockets.push(socket.on("error", () => {})));

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  vi.restoreAllMocks();
});

/** Blocks the whole process. */
const stall = (milliseconds: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A busy machine has stalls of its own, so the clock is stopped; the returned function makes a stall. */
async function standingClock(): Promise<(milliseconds: number) => void> {
  // Whole milliseconds: differences of fractions are inexact.
  let now = Math.ceil(performance.now());
  vi.spyOn(performance, "now").mockImplementation(() => now);
  clock.unread();
  for (let count = 0; count < 5; count++) await turn();
  expect(clock.unread()).toBe(0);
  return (milliseconds) => void (now += milliseconds);
}

/** The two ends of a connection. */
async function connected(): Promise<readonly [Socket, Socket]> {
  if (!server.listening) await once(server.listen(0, "127.0.0.1").unref(), "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1").on("error", () => {});
  const [[accepted]] = (await Promise.all([once(server, "connection"), once(client, "connect")])) as [
    [Socket],
    unknown,
  ];
  return [client, accepted];
}

test("after a stall a timer runs when what came meanwhile was read: what peers sent, and that one is gone", async () => {
  const [[gone, lost], [other, heard]] = [await connected(), await connected()];
  const happened: string[] = [];
  lost.resume().on("close", () => happened.push("cut"));
  heard.on("data", () => happened.push("message"));
  const deadline = new Promise<void>((resolve) => {
    clock.after(20, () => {
      happened.push("deadline");
      resolve();
    });
  });
  // The kernel accepts both at once; the event loop does not turn before the stall.
  gone.destroy();
  other.write("message");
  stall(200);
  expect(happened).toEqual([]);
  await deadline;
  expect(happened.toSorted()).toEqual(["cut", "deadline", "message"]);
  expect(happened.at(-1)).toBe("deadline");
});

test("a timer that is in time runs at once, and one that waits can be called off", async () => {
  const ran: string[] = [];
  clock.after(0, () => ran.push("in time"));
  const callOff = clock.after(1, () => ran.push("late"));
  const before = new Promise((resolve) => setTimeout(resolve, 1));
  stall(200);
  await before;
  callOff();
  for (let count = 0; count < 5; count++) await turn();
  expect(ran).not.toContain("late");
  await new Promise<void>((resolve) => clock.after(5, resolve));
});

test("what is read first after a stall may have lain unread since the stall began, what comes later not", async () => {
  const stallAlone = await standingClock();
  const [client, accepted] = await connected();
  const read = once(accepted, "data").then(() => clock.unread());
  const writing = new Promise<void>((resolve) => client.write("x", () => resolve()));
  stallAlone(300);
  const unread = await read;
  expect(unread).toBeGreaterThanOrEqual(300);
  await writing;
  for (let count = 0; count < 5; count++) await turn();
  expect(clock.unread()).toBe(0);
});

test("connections that go on coming do not make a stall last", async () => {
  const stallAlone = await standingClock();
  stallAlone(300);
  expect(clock.unread()).toBe(300);
  let turns = 0;
  for (; clock.unread() > 0; turns++) {
    clock.accepted();
    await turn();
  }
  expect(turns).toBeGreaterThanOrEqual(511);
});

test("so may what comes first on each of many connections that were opened during the stall", async () => {
  const stallAlone = await standingClock();
  await connected();
  const reads: Promise<number>[] = [];
  const accept = (socket: Socket): void => {
    clock.accepted();
    reads.push(once(socket, "data").then(() => clock.unread()));
  };
  server.on("connection", accept);
  const { port } = server.address() as AddressInfo;
  for (let count = 0; count < 5; count++) {
    const client = connect(port, "127.0.0.1").on("error", () => {});
    sockets.push(client);
    client.write("x");
  }
  stallAlone(300);
  while (reads.length < 5) await once(server, "connection");
  server.off("connection", accept);
  for (const unread of await Promise.all(reads)) expect(unread).toBeGreaterThanOrEqual(300);
  for (let count = 0; count < 5; count++) await turn();
  expect(clock.unread()).toBe(0);
});
