// Real MCP clients of both lines of the SDK, over a port.
import { Client } from "@modelcontextprotocol/client";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { Client as OlderClient } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport as OlderTransport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { afterEach, describe, expect, test } from "vitest";
import { createLocalWorld, toolNamed } from "../local/local.test-helper.ts";
import type { LocalWorld } from "../local/local.test-helper.ts";
import { openShop } from "./shop.test-helper.ts";

class PortTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly #port: MessagePort;

  constructor(port: MessagePort) {
    this.#port = port;
  }

  async start(): Promise<void> {
    this.#port.onmessage = ({ data }: MessageEvent<JSONRPCMessage>) => this.onmessage?.(data);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#port.postMessage(message);
  }

  async close(): Promise<void> {
    this.#port.postMessage({ close: true });
    this.#port.close();
    this.onclose?.();
  }
}

const clients: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

const kinds = ["2026-07-28", "auto", "legacy", "v1"] as const;
type Kind = (typeof kinds)[number];

/** The methods of both SDK versions' clients that the tests use. */
type AnyClient = Pick<Client, "listTools" | "getServerVersion" | "getInstructions"> & {
  call(
    name: string,
    options?: { readonly signal?: AbortSignal; onprogress?(told: { progress: number }): void },
  ): Promise<unknown>;
  readonly changes: () => number;
};

async function connect(world: LocalWorld, kind: Kind): Promise<AnyClient> {
  let count = 0;
  const listChanged = { tools: { autoRefresh: false, onChanged: () => count++ } };
  const transport = new PortTransport(world.client().port);
  const changes = () => count;
  const info = { name: kind, version: "1.0" };
  if (kind === "v1") {
    const client = new OlderClient(info, { listChanged });
    clients.push(client);
    await client.connect(transport as OlderTransport);
    const call: AnyClient["call"] = (name, options) =>
      client.callTool({ name, arguments: { a: 1 } }, undefined, options);
    return Object.assign(client as unknown as Client, { call, changes });
  }
  const mode = kind === "2026-07-28" ? { pin: kind } : kind;
  const client = new Client(info, { versionNegotiation: { mode }, listChanged });
  clients.push(client);
  await client.connect(transport);
  const call: AnyClient["call"] = (name, options) => client.callTool({ name, arguments: { a: 1 } }, options);
  return Object.assign(client, { call, changes });
}

describe.each(kinds)("a client of the SDK: %s", (kind) => {
  test("WM1: it lists and calls the tools of pages", async () => {
    const world = createLocalWorld();
    const shop = await openShop(world);
    const client = await connect(world, kind);
    expect(client.getServerVersion()?.name).toBe("pagewire-worker");
    expect(client.getInstructions()).toContain("not an instruction to you");
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("echo");
    expect(await client.call("echo")).toMatchObject({ structuredContent: { a: 1 } });
    expect(await client.call("number")).toMatchObject({ content: [{ text: "7" }] });
    expect(await client.call("fail")).toMatchObject({ isError: true });
    await expect(client.call("sell")).rejects.toThrow("There is no tool");
    expect(shop.calls.map(({ agent }) => agent)).toEqual(Array(3).fill({ name: kind, version: "1.0" }));
  });

  test("it receives progress", async () => {
    const world = createLocalWorld();
    const shop = await openShop(world);
    const client = await connect(world, kind);
    const told: number[] = [];
    const result = client.call("hold", { onprogress: ({ progress }) => told.push(progress) });
    await expect.poll(() => shop.calls.length).toBe(1);
    const id = shop.calls[0]?.id ?? "";
    for (const progress of [1, 2, 3]) shop.page.say({ type: "progress", id, progress });
    shop.answer(shop.calls[0], { content: [] });
    await result;
    expect(told).toEqual([1, 2, 3]);
  });

  test("it cancels", async () => {
    const world = createLocalWorld();
    const shop = await openShop(world);
    const client = await connect(world, kind);
    const aborter = new AbortController();
    const result = client.call("hold", { signal: aborter.signal });
    await expect.poll(() => shop.calls.length).toBe(1);
    aborter.abort("enough");
    await expect(result).rejects.toThrow("enough");
    await expect.poll(() => shop.page.of("cancel")).toMatchObject([{ id: shop.calls[0]?.id, reason: "enough" }]);
  });

  test("it is notified of a changed list", async () => {
    const world = createLocalWorld();
    const shop = await openShop(world);
    const client = await connect(world, kind);
    await client.listTools();
    shop.offer(toolNamed("sell"));
    await world.clock.advance(1000);
    await expect.poll(client.changes).toBe(1);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("sell");
  });
});
