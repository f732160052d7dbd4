// A page in which MCP clients of both lines of the SDK connect to a worker of its origin by a port.
import { bundleModule } from "./support/bundle.ts";
import type { Page } from "./support/page-server.ts";

/** What such a page can be asked. Each client is known by the name that it was connected under. */
export interface AgentWindow {
  connectAgent(name: string, kind: ClientKind, options?: AgentOptions): Promise<string>;
  agents: Record<string, Agent>;
  /** A port without a client: what is posted on it, and the next message that comes back. */
  openPort(options?: AgentOptions): Promise<MessagePort>;
  exchange(port: MessagePort, message: unknown): Promise<unknown>;
}

export type ClientKind = "2026-07-28" | "auto" | "legacy" | "older";

export interface AgentOptions {
  readonly token?: string;
  /** The worker's address. */
  readonly url?: string;
}

export interface Agent {
  names(): Promise<readonly string[]>;
  call(name: string, input?: object): Promise<{ readonly isError?: boolean; readonly structuredContent?: unknown }>;
  /** Begins a call and goes on without its result, which is kept here. */
  begin(name: string, input: object): void;
  outcome: unknown;
  cancel(): void;
  progress: readonly number[];
  /** How often the client was told that its list of tools is another. */
  changes: number;
}

/** The page, and the script that it loads. */
export async function agentPages(): Promise<Record<string, Page>> {
  return {
    "/agent": '<!doctype html><title>Agent</title><script type="module" src="/agent.js"></script>',
    "/agent.js": await bundleModule(agent),
  };
}

const agent = `
import { Client } from "@modelcontextprotocol/client";
import { Client as OlderClient } from "@modelcontextprotocol/sdk/client/index.js";

class PortTransport {
  constructor(port) { this.port = port; }
  async start() { this.port.onmessage = ({ data }) => this.onmessage?.(data); }
  async send(message) { this.port.postMessage(message); }
  async close() { this.port.postMessage({ close: true }); this.port.close(); this.onclose?.(); }
}

const generation = localStorage.getItem("pagewire workers given up") ?? 0;

async function openPort({ token, url = "/pagewire-worker.js?serve" } = {}) {
  const { port } = new SharedWorker(url, { type: "module", name: "pagewire-1-" + generation });
  const page = "pagewire-page:" + crypto.randomUUID();
  await new Promise((resolve) => navigator.locks.request(page, () => (resolve(), new Promise(() => {}))));
  const { port1, port2 } = new MessageChannel();
  const answer = new Promise((resolve, reject) => {
    port.onmessage = ({ data }) => {
      if (data.type === "carried") resolve();
      if (data.type === "failed" || data.type === "refused") reject(new Error(data.message ?? data.type));
    };
  });
  port.postMessage({ type: "hello", versions: [1], page });
  port.postMessage({ type: "mcp", id: "client", token }, [port2]);
  await answer;
  return port1;
}

function clientOf(kind, changed) {
  const info = { name: "agent " + kind, version: "1.0" };
  if (kind === "older") return new OlderClient(info, { listChanged: { tools: { autoRefresh: false, onChanged: changed } } });
  const mode = kind === "2026-07-28" ? { pin: kind } : kind;
  return new Client(info, { versionNegotiation: { mode }, listChanged: { tools: { autoRefresh: false, onChanged: changed } } });
}

globalThis.agents = {};
globalThis.openPort = openPort;
globalThis.exchange = (port, message) => new Promise((resolve) => {
  port.onmessage = ({ data }) => resolve(data);
  port.postMessage(message);
});
globalThis.connectAgent = async (name, kind, options) => {
  const agent = { progress: [], changes: 0 };
  const client = clientOf(kind, () => agent.changes++);
  await client.connect(new PortTransport(await openPort(options)));
  let aborter;
  const call = (tool, input, signal) => {
    const params = { name: tool, arguments: input };
    const options = { signal, onprogress: ({ progress }) => agent.progress.push(progress) };
    return kind === "older" ? client.callTool(params, undefined, options) : client.callTool(params, options);
  };
  agents[name] = Object.assign(agent, {
    names: async () => (await client.listTools()).tools.map((tool) => tool.name),
    call,
    begin(tool, input) {
      aborter = new AbortController();
      call(tool, input, aborter.signal).then((result) => { agent.outcome = result; }, (error) => { agent.outcome = String(error); });
    },
    cancel: () => aborter.abort("enough"),
    close: () => client.close(),
  });
  return client.getNegotiatedProtocolVersion?.() ?? client.getServerVersion().name;
};
globalThis.ready = true;
`;
