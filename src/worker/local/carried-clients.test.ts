import { expect, test } from "vitest";
import { createMemoryLinks } from "../../link/index.ts";
import type { PortLike } from "../../link/index.ts";
import { createFakeClock } from "../../testing/index.ts";
import type { MessageFromWorker, MessageToWorker } from "../../wire/index.ts";
import { createCarrier } from "../carrier.ts";
import type { CarrierOptions, TakeMessage } from "../carrier.ts";
import { inNewest } from "./local.test-helper.ts";
import { createServing } from "../create-serving.ts";

/** A document that a carrier has greeted, by default. */
function createDocument(options: Partial<CarrierOptions> = {}, greeted = true) {
  const clock = createFakeClock();
  const messages: MessageFromWorker[] = [];
  let die = () => {};
  const carrier = createCarrier({
    clock,
    lock: Promise.resolve("worker-lock"),
    untilFree: () => new Promise((resolve) => (die = resolve)),
    connect: async () => createMemoryLinks()[0],
    ...options,
  });
  const take: TakeMessage = carrier.greet({ postMessage: (message) => messages.push(message) });
  const say = (message: MessageToWorker, ...ports: readonly MessagePort[]) =>
    take(message, ports as readonly PortLike[]);
  if (greeted) say({ type: "hello", versions: [1], page: "page-lock" });
  return { clock, say, die: () => die(), last: () => messages.findLast(({ type }) => type !== "hello") };
}

const serves: Partial<CarrierOptions> = {
  createServing: ({ sockets }) => createServing({ sockets, origin: "https://shop.example" }),
};

function ping(port: MessagePort): Promise<unknown> {
  const answer = new Promise((resolve) => {
    port.onmessage = ({ data }) => resolve(data);
  });
  port.postMessage({ jsonrpc: "2.0", id: 1, method: "tools/list", params: inNewest() });
  return answer;
}

test("WM1: a worker that serves does so for the client at the port that came", async () => {
  const document = createDocument(serves);
  const { port1, port2 } = new MessageChannel();
  document.say({ type: "mcp", id: "c1" }, port2);
  await expect.poll(document.last).toEqual({ type: "carried", id: "c1" });
  expect(await ping(port1)).toMatchObject({ id: 1, result: { tools: { length: 3 } } });
  port1.close();
});

test("a client is closed with its document", async () => {
  const document = createDocument(serves);
  const { port1, port2 } = new MessageChannel();
  const closed = new Promise((resolve) => port1.addEventListener("close", resolve));
  port1.start();
  document.say({ type: "mcp", id: "c1" }, port2);
  await expect.poll(document.last).toMatchObject({ type: "carried" });
  document.die();
  await document.clock.advance(1000);
  await closed;
});

test("a worker that only carries links names the files that serve clients", async () => {
  const document = createDocument();
  document.say({ type: "mcp", id: "c1" }, new MessageChannel().port2);
  await expect.poll(document.last).toMatchObject({
    type: "failed",
    id: "c1",
    message: expect.stringContaining("pagewire-serving-worker.js") as string,
  });
});

test.each(["before a hello", "without a port"])("a client is refused %s", async (how) => {
  const document = createDocument(serves, how === "without a port");
  document.say({ type: "mcp", id: "c1" }, ...(how === "without a port" ? [] : [new MessageChannel().port2]));
  await expect.poll(document.last).toMatchObject({ type: "failed", id: "c1" });
});
