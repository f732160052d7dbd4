// How long the extension's worker lives beside a page that does nothing. No debugger is attached to it: it would keep it alive.
import { connect, createServer } from "node:net";
import type { AddressInfo, Server } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createExtensionWorld } from "../extension.test-helper.ts";
import type { ExtensionWorld } from "../extension.test-helper.ts";

/** Browsers stop a worker after 30 seconds without an event: this is more than two such times. */
const idleTime = 75_000;

let world: ExtensionWorld;
let gate: Server;
let connections = 0;

beforeAll(async () => {
  let hubPort = 0;
  gate = createServer((client) => {
    connections++;
    const hub = connect(hubPort, "127.0.0.1");
    client.pipe(hub).pipe(client);
    for (const socket of [client, hub]) socket.on("error", () => [client, hub].forEach((each) => each.destroy()));
  });
  await new Promise<void>((resolve) => gate.listen(0, "127.0.0.1", resolve));
  const { port } = gate.address() as AddressInfo;
  world = await createExtensionWorld({ publicHosts: [`127.0.0.1:${port}`] });
  hubPort = Number(new URL(world.hub.url).port);
  await world.pair({ url: `http://127.0.0.1:${port}`, token: world.token });
});

afterAll(async () => {
  await world?.close();
  gate?.close();
});

test("beside an idle page the worker and its one connection stay, and a call needs no new one", async () => {
  await world.open();
  const before = connections;
  await delay(idleTime);
  expect(await world.call("price_of", { item: "tea" })).toMatchObject({ outcome: "ok" });
  expect(connections).toBe(before);
});

test("without a page there is no connection, and the worker that was stopped meanwhile serves the next page", async () => {
  await world.closeTabs();
  await expect.poll(world.shownHub).toMatchObject({ status: "idle" });
  await delay(idleTime);
  const before = connections;
  await world.open();
  expect(await world.call("price_of", { item: "tea" })).toMatchObject({ outcome: "ok" });
  expect(connections).toBe(before + 1);
});
