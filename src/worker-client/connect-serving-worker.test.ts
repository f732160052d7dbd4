import { expect, onTestFinished, test, vi } from "vitest";
import { PagewireError } from "../wire/index.ts";
import { connectServingWorker } from "./connect-serving-worker.ts";
import type { McpTransport } from "./connect-serving-worker.ts";

type Connect = NonNullable<Parameters<typeof connectServingWorker>[1]>;
type PortOptions = Parameters<Connect>[0];

const worker = "/pagewire-serving-worker.js";
const died = new PagewireError("heartbeat-missed", "The worker died.");
const ping = { jsonrpc: "2.0", id: 1, method: "ping" } as const;

/** A transport whose worker is the test, and what the transport told. */
async function connect(options: Parameters<typeof connectServingWorker>[0] = { worker }) {
  const { port1, port2 } = new MessageChannel();
  onTestFinished(() => port2.close());
  const asked: PortOptions[] = [];
  let closes = 0;
  const transport = await connectServingWorker(options, async (given) => {
    asked.push(given);
    return { port: port1, close: () => closes++ };
  });
  const told: unknown[] = [];
  Object.assign(transport, {
    onmessage: (message) => told.push(message),
    onerror: (error) => told.push(error),
    onclose: () => told.push("closed"),
  } satisfies Partial<McpTransport>);
  return { transport, told, asked, worker: port2, closes: () => closes, lose: () => asked[0]?.onEnded(died) };
}

test("a transport carries messages both ways, as they are, from its start on", async () => {
  const { transport, told, worker: other } = await connect();
  other.postMessage({ ...ping, id: "early" });
  await transport.start();
  await transport.start();
  await expect.poll(() => told).toEqual([{ ...ping, id: "early" }]);
  const heard = new Promise((resolve) => (other.onmessage = ({ data }) => resolve(data)));
  await transport.send(ping);
  expect(await heard).toEqual(ping);
});

test("the page is asked for the workers and on whose behalf", async () => {
  const named = { worker, serviceWorker: "/sw.js", token: "ann" };
  expect((await connect(named)).asked).toMatchObject([{ sharedUrl: worker, serviceUrl: "/sw.js", token: "ann" }]);
  expect((await connect({ serviceWorker: "/sw.js" })).asked).toMatchObject([
    { sharedUrl: undefined, serviceUrl: "/sw.js", token: undefined },
  ]);
});

test.each<[string, object]>([
  ["worker", {}],
  ["worker", { worker: "" }],
  ["worker", { worker: 7 }],
  ["worker", { worker: "auto" }],
  ["worker", { worker: null, serviceWorker: "/sw.js" }],
  ["serviceWorker", { worker, serviceWorker: "auto" }],
  ["serviceWorker", { serviceWorker: false }],
  ["token", { worker, token: "" }],
  ["token", { worker, token: null }],
  ["token", { worker, token: "x".repeat(8193) }],
])("the option %s is refused by name in %j", async (name, options) => {
  const asked = vi.fn<Connect>();
  const refused = connectServingWorker(options, asked);
  await expect(refused).rejects.toMatchObject({ code: "options-invalid" });
  await expect(refused).rejects.toThrow(`"${name}"`);
  expect(asked).not.toHaveBeenCalled();
});

test("a transport that lost its worker reports the error and its close, once, and sends nothing more", async () => {
  const { transport, told, lose } = await connect();
  await transport.start();
  lose();
  lose();
  await transport.close();
  expect(told).toEqual([died, "closed"]);
  await expect(transport.send(ping)).rejects.toBe(died);
  await expect(transport.start()).rejects.toBe(died);
});

test("a listener that throws is reported, and keeps no other from hearing", async () => {
  const reported = vi.fn<(error: unknown) => void>();
  vi.stubGlobal("reportError", reported);
  onTestFinished(() => void vi.unstubAllGlobals());
  const { transport, told, lose } = await connect();
  const problem = new Error("my listener");
  transport.onerror = () => {
    throw problem;
  };
  lose();
  expect([told, reported.mock.calls]).toEqual([["closed"], [[problem]]]);
});

test("a closed transport reports its close once, without an error, and sends nothing more", async () => {
  const { transport, told, closes, lose } = await connect();
  await transport.start();
  await transport.close();
  await transport.close();
  lose();
  expect([told, closes() > 0]).toEqual([["closed"], true]);
  await expect(transport.send(ping)).rejects.toMatchObject({ code: "cancelled" });
});

test("a message that is not JSON-RPC is reported as an error, and the transport stays open", async () => {
  const { transport, told, worker: other } = await connect();
  await transport.start();
  for (const stray of ["text", null, { id: 1 }, [ping]]) other.postMessage(stray);
  other.postMessage(ping);
  await expect.poll(() => told.at(-1)).toEqual(ping);
  expect(told.slice(0, -1)).toMatchObject(Array(4).fill({ code: "frame-malformed" }));
});
