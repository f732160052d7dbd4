// One hub that is cut off from the broker, and not from the database, over real servers and sockets.
import { onTestFinished, expect, test } from "vitest";
import { startNats } from "../../../test/support/start-nats.ts";
import { newDatabase } from "../../../test/support/start-postgres.ts";
import { createFaultProxy } from "../../testing/index.ts";
import { openStore } from "../store/index.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import { byHand, connectPage, plainResult } from "../test-support/page.test-helper.ts";
import { agentAt, listOf } from "./hubs.test-helper.ts";

/** Hub `b` reaches the broker through a proxy. */
async function startHubs() {
  const database = await newDatabase();
  const nats = await startNats();
  onTestFinished(() => nats.close());
  const proxy = await createFaultProxy({ target: { host: "127.0.0.1", port: nats.port } });
  onTestFinished(() => proxy.close());
  const start = (port: number) =>
    startHub({ cluster: { nats: `nats://127.0.0.1:${port}` }, ai: "none", store: () => openStore({ database }) });
  return { a: await start(nats.port), b: await start(proxy.port), proxy };
}

test("MH20, MH41: a key that runs at one hub and comes to one that is cut off is refused as perhaps run, and keeps its outcome", async () => {
  const { a, b, proxy } = await startHubs();
  const page = await connectPage(a.url, { handle: byHand });
  const [atA, atB] = [await agentAt(a), await agentAt(b)];
  await expect.poll(async () => (await listOf(atB)).tabs.length).toBe(1);
  const first = atA.call("work", { id: "1", key: "k" });
  const { id } = await page.nextCall();
  page.ack(id);
  await atA.next("ack");
  proxy.pause(undefined, "drop");
  let tries = 0;
  const codeNow = async () => (await atB.call("work", { id: `try-${++tries}`, left: 1000 })).frame;
  await expect.poll(codeNow, { timeout: 30_000 }).toMatchObject({ code: "bus-unavailable", ran: "no" });
  const second = (await atB.call("work", { id: "2", key: "k" })).frame;
  expect(second).toMatchObject({ code: "bus-unavailable", outcome: "outcome-unknown", ran: "maybe" });
  page.result(id, plainResult);
  expect(await first).toMatchObject({ frame: { type: "result" }, payload: plainResult });
  // The database knows it by now.
  const third = await atB.call("work", { id: "3", key: "k" });
  expect([third.frame, third.payload]).toMatchObject([{ type: "result", replay: true }, plainResult]);
  expect(page.calls).toHaveLength(1);
});

test("MH20: a key that a lost hub ran is asked for at its page, and is no second run", async () => {
  const { a, b, proxy } = await startHubs();
  const page = await connectPage(a.url, { handle: byHand });
  const [atA, atB] = [await agentAt(a), await agentAt(b)];
  await expect.poll(async () => (await listOf(atB)).tabs.length).toBe(1);
  const lost = atB.call("work", { id: "1", key: "k" });
  const first = await page.nextCall();
  page.ack(first.id);
  await atB.next("ack");
  proxy.pause(undefined, "drop");
  const again = atA.call("work", { id: "2", key: "k" });
  const asked = await page.nextCall();
  expect([asked.key, asked.id === first.id]).toEqual(["k", false]);
  page.result(asked.id, plainResult);
  expect((await again).payload).toBe(plainResult);
  atB.send({ type: "cancel", id: "1" });
  expect((await lost).frame).toMatchObject({ type: "failure", ran: "maybe" });
});
