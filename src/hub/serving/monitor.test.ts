import { request } from "node:http";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { startNats } from "../../../test/support/start-nats.ts";
import { createMemoryStore } from "../store/index.ts";
import { startHub } from "../test-support/hub.test-helper.ts";

interface Answer {
  readonly status: number | undefined;
  readonly text: string;
}

/** As a probe does: by the machine's address, without a token. */
function ask(port: number, path: string, host = "10.1.2.3:9464"): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request({ port, path, host: "127.0.0.1", headers: { Host: host }, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.on("end", () => resolve({ status: response.statusCode, text }));
    })
      .on("error", reject)
      .end();
  });
}

async function listening(): Promise<{ readonly port: number; close(): void }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() };
}

test("probes and Prometheus have a port of their own, without a token and by any name; nothing else is there", async () => {
  const free = await listening();
  const metricsPort = free.port;
  free.close();
  const hub = await startHub({ metricsPort });
  expect(await ask(metricsPort, "/healthz")).toEqual({ status: 200, text: "ok\n" });
  expect(await ask(metricsPort, "/readyz")).toEqual({ status: 200, text: "ready\n" });
  expect((await ask(metricsPort, "/metrics")).text).toContain("pagewire_tabs 0\n");
  for (const path of ["/", "/api/status", "/api/tabs", "/pagewire.js", "/mcp", "/nothing", "/page"])
    expect((await ask(metricsPort, path)).status, path).toBe(404);
  expect((await ask(hub.port, "/metrics", `127.0.0.1:${hub.port}`)).status).toBe(401);
  await hub.close();
  await expect(ask(metricsPort, "/healthz")).rejects.toThrow("ECONNREFUSED");
});

test("a probe that comes before the hub can answer it gets an answer", async () => {
  const nats = await startNats();
  onTestFinished(() => nats.close());
  const free = await listening();
  const metricsPort = free.port;
  free.close();
  const store = createMemoryStore();
  let goOn = () => {};
  const held = new Promise<void>((resolve) => (goOn = resolve));
  const homes = {
    ...store.homes,
    take: async (...names: Parameters<typeof store.homes.take>) => {
      await held;
      return store.homes.take(...names);
    },
  };
  const starting = startHub({ metricsPort, cluster: { nats: nats.url }, store: () => ({ ...store, homes }) });
  const early = () => ask(metricsPort, "/readyz").catch(() => undefined);
  await expect.poll(early).toEqual({ status: 503, text: "starting\n" });
  goOn();
  await starting;
  expect(await ask(metricsPort, "/readyz")).toEqual({ status: 200, text: "ready\n" });
});

test("without the option there is no such port, and one that is taken ends the start", async () => {
  const { port, close } = await listening();
  await expect(startHub({ metricsPort: port })).rejects.toMatchObject({
    code: "options-invalid",
    message: expect.stringContaining(`No metrics can be served. Port ${port} is in use.`) as string,
  });
  close();
  await expect(startHub({ metricsPort: 70_000 })).rejects.toMatchObject({ code: "options-invalid" });
});
