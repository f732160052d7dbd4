// A page in which MCP clients of both major versions of the SDK connect to a worker of its origin through a port.
import type { ServingWorkerOptions, connectServingWorker } from "pagewire/worker";
import { bundleModule } from "./support/bundle.ts";
import type { Page } from "./support/page-server.ts";

/** The functions that such a page exposes. Each client is known by the name that it was connected under. */
export interface AgentWindow {
  connectAgent(name: string, kind: ClientKind, options?: ServingWorkerOptions): Promise<string>;
  agents: Record<string, Agent>;
  connectServingWorker: typeof connectServingWorker;
}

export type ClientKind = "2026-07-28" | "auto" | "legacy" | "older";

export interface Agent {
  names(): Promise<readonly string[]>;
  call(name: string, input?: object): Promise<{ readonly isError?: boolean; readonly structuredContent?: unknown }>;
  /** Starts a call without waiting for its result, which is kept here. */
  begin(name: string, input: object): void;
  outcome: unknown;
  cancel(): void;
  progress: readonly number[];
  /** How often the client was notified that its list of tools has changed. */
  changes: number;
  /** The close notifications of its transport. */
  ends: readonly string[];
  close(): Promise<void>;
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
import { connectServingWorker } from "pagewire/worker";

function clientOf(kind, changed) {
  const info = { name: "agent " + kind, version: "1.0" };
  if (kind === "older") return new OlderClient(info, { listChanged: { tools: { autoRefresh: false, onChanged: changed } } });
  const mode = kind === "2026-07-28" ? { pin: kind } : kind;
  return new Client(info, { versionNegotiation: { mode }, listChanged: { tools: { autoRefresh: false, onChanged: changed } } });
}

globalThis.agents = {};
globalThis.connectServingWorker = connectServingWorker;
globalThis.connectAgent = async (name, kind, options = { worker: "/pagewire-serving-worker.js" }) => {
  const agent = { progress: [], changes: 0, ends: [] };
  const client = clientOf(kind, () => agent.changes++);
  client.onerror = (error) => agent.ends.push(error.code);
  client.onclose = () => agent.ends.push("closed");
  await client.connect(await connectServingWorker(options));
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
