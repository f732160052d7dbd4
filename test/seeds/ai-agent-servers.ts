// The ai-agent seed's samples of servers, on free ports of this machine.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { vi } from "vitest";
import type { WebSocketServer } from "ws";
import { sampleOf } from "./ai-agent-samples.ts";
import type { ModelServer } from "../e2e/support/model-server.ts";
import { runModule } from "./sample-modules.ts";

/** Redirects the samples' addresses to the stand-in for the models, in this process. */
export function leadFetch({ origin }: ModelServer): void {
  const direct = globalThis.fetch;
  const led = {
    "https://api.openai.com": `${origin}/openai`,
    "wss://gateway.example": origin,
    "https://example.auth0.com": origin,
    "/api/ai": `${origin}/api/ai`,
  };
  vi.stubGlobal("fetch", (input: string | URL, init?: RequestInit) => {
    const [from, to] = Object.entries(led).find(([start]) => String(input).startsWith(start)) ?? ["", ""];
    return direct(String(input).replace(from, to), init);
  });
}

export interface SampleServer {
  readonly url: string;
  close(): Promise<void>;
}

/** "Minimal server" exactly as written, but on a free port. */
export async function startMinimalServer(): Promise<SampleServer> {
  const ws = `import { WebSocketServer as Real } from "ws";
    export class WebSocketServer extends Real {
      constructor(options) { super({ ...options, port: 0, host: "127.0.0.1" }); }
    }`;
  const { wss } = await runModule(`${sampleOf("Minimal server")}\nexport { wss };`, { supplied: { ws } });
  return serverOf(wss as WebSocketServer, "/ai-agent");
}

/** "Authenticated deployments" with the core of "Server-side API key"; the sample does not choose a port. */
export async function startAuthenticatedServer(): Promise<SampleServer> {
  const server = `import { createAuthenticatedWSS as real } from "pagewire/bindable/server";
    export const createAuthenticatedWSS = (options) =>
      (globalThis.authenticated = real({ ...options, port: 0, host: "127.0.0.1" }));`;
  const { made } = await runModule(
    `import { AiCore } from "@csbc-dev/ai-agent";
    import type { AiRequestOptions } from "@csbc-dev/ai-agent";
    ${sampleOf("Server-side API key")}
    ${sampleOf("Authenticated deployments")}
    export const made = await globalThis.authenticated;`,
    { supplied: { "pagewire/bindable/server": server } },
  );
  return serverOf(made as WebSocketServer, "/");
}

async function serverOf(server: WebSocketServer, path: string): Promise<SampleServer> {
  if (server.address() === null) await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `ws://127.0.0.1:${port}${path}`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const client of server.clients) client.terminate();
      await closed;
    },
  };
}
