// A client that calls continuously, and detects missing, surplus and foreign messages.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { setTimeout as delay } from "node:timers/promises";
import type { Revision } from "./requirements.ts";

/** A client's findings until it stopped. */
export interface BusyReport {
  readonly calls: number;
  /** As text; empty if everything was correct. */
  readonly complaints: readonly string[];
}

export interface BusyClient {
  /** Ends after the running call. Can be called twice. */
  stop(): Promise<BusyReport>;
}

export interface BusyClientOptions {
  /** A tab's MCP address at the hub. */
  readonly url: URL;
  readonly token: string;
  readonly revision: Revision;
}

interface Heard {
  readonly progress: unknown[];
  readonly logs: unknown[];
}

let started = 0;

/** Connects, and calls the fixture's tagged_steps again and again. */
export async function startBusyClient({ url, token, revision }: BusyClientOptions): Promise<BusyClient> {
  const name = `busy-${++started}`;
  const isLegacy = revision === "2025-11-25";
  const client = new Client(
    { name, version: "1.0.0" },
    { versionNegotiation: { mode: isLegacy ? "legacy" : { pin: revision } } },
  );
  const heard: Heard = { progress: [], logs: [] };
  client.setNotificationHandler("notifications/message", ({ params }) => void heard.logs.push(params.data));
  await client.connect(
    new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
  );
  if (isLegacy) await client.setLoggingLevel("info");

  const complaints: string[] = [];
  let calls = 0;
  let isStopping = false;

  async function callOnce(): Promise<void> {
    const tag = `${name} call ${++calls}`;
    const { content } = await client.callTool(
      {
        name: "tagged_steps",
        arguments: { tag },
        ...(!isLegacy && { _meta: { "io.modelcontextprotocol/logLevel": "info" } }),
      },
      { onprogress: ({ progress, message }) => void heard.progress.push({ tag: message, step: progress }) },
    );
    const steps = JSON.stringify([1, 2, 3].map((step) => ({ tag, step })));
    const progress = JSON.stringify(heard.progress.splice(0));
    const logs = JSON.stringify(heard.logs.splice(0));
    if (progress !== steps) complaints.push(`${tag} heard of the progress ${progress}.`);
    if (logs !== steps) complaints.push(`${tag} heard the logs ${logs}.`);
    if (JSON.stringify(content) !== JSON.stringify([{ type: "text", text: tag }])) {
      complaints.push(`${tag} was answered ${JSON.stringify(content)}.`);
    }
  }

  async function callOn(): Promise<void> {
    while (!isStopping) {
      await callOnce();
      await delay(50);
    }
  }

  const done = callOn().catch((error: Error) => void complaints.push(`${name} failed: ${error.message}`));
  return {
    async stop() {
      isStopping = true;
      await done;
      await client.close();
      return { calls, complaints };
    },
  };
}
