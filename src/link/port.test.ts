import { MessageChannel, Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { linkContract, recordLink } from "../testing/index.ts";
import { closeCodes, cutOff } from "../wire/index.ts";
import { createPortLink } from "./port.ts";

linkContract(
  "port in Node",
  () => {
    const { port1, port2 } = new MessageChannel();
    return { left: createPortLink(port1), right: createPortLink(port2) };
  },
  { bytes: true },
);

test("L16: a port that receives anything but messages is closed as malformed, and its peer is notified", async () => {
  for (const stray of [
    null,
    7,
    {},
    [],
    { close: null },
    { close: { code: 1e9, reason: "" } },
    { close: { code: 4000 } },
    { close: { code: 999, reason: "" } },
  ]) {
    const { port1, port2 } = new MessageChannel();
    const record = recordLink(createPortLink(port1));
    const told = new Promise((resolve) => port2.once("message", resolve));
    port2.postMessage(stray);
    const { code } = await record.closed;
    expect(code).toBe(closeCodes["frame-malformed"]);
    expect(await told).toMatchObject({ close: { code } });
  }
});

test("L16: a message that the platform could not deserialize closes a port as malformed", async () => {
  const { port1 } = new MessageChannel();
  const record = recordLink(createPortLink(port1));
  port1.dispatchEvent(new Event("messageerror"));
  expect((await record.closed).code).toBe(closeCodes["frame-malformed"]);
});

test("L8: a port is closed when its peer sends a close", async () => {
  const { port1, port2 } = new MessageChannel();
  const record = recordLink(createPortLink(port1));
  const released = new Promise<void>((resolve) => port2.once("close", () => resolve()));
  port2.postMessage({ close: { code: 4000, reason: "done" } });
  expect(await record.closed).toEqual({ code: 4000, reason: "done" });
  await released;
});

test("a port whose peer disappears is cut off, if the platform reports it", async () => {
  const { port1, port2 } = new MessageChannel();
  const record = recordLink(createPortLink(port1));
  const worker = new Worker("setInterval(() => {}, 1000)", { eval: true, workerData: port2, transferList: [port2] });
  await new Promise((resolve) => worker.once("online", resolve));
  await worker.terminate();
  expect(await record.closed).toEqual(cutOff);
});

test("a part of a larger buffer is sent without the rest of that buffer", async () => {
  const { port1, port2 } = new MessageChannel();
  const link = createPortLink(port1);
  const received = new Promise<Uint8Array>((resolve) => port2.once("message", resolve));
  link.send(new TextEncoder().encode("secret, message").subarray(8));
  const bytes = await received;
  expect(new TextDecoder().decode(bytes.buffer)).toBe("message");
  link.close();
});
