// The counted journeys: one call through each door, a list, and the path of a new tool to an MCP client.
import type { OpenCallers } from "../harness/caller.ts";
import { openSession, sessionHeaders } from "../harness/mcp-requests.ts";
import { prepareCallers } from "../harness/prepare-callers.ts";
import { prepareDelegates } from "../harness/prepare-delegate-callers.ts";
import { prepareMcpCallers } from "../harness/prepare-mcp-callers.ts";

export interface JourneyWorld {
  /** The hub's. */
  readonly port: number;
  /** Runs a script in the page. */
  evaluate(script: string): Promise<void>;
}

export interface Journey {
  /** As the command line names it. */
  readonly id: string;
  readonly name: string;
  /** The most that each may be. */
  readonly bars: { readonly hubFiles?: number; readonly hubFunctions?: number; readonly pageFunctions?: number };
  prepare(world: JourneyWorld): Promise<{ make(): Promise<void>; close(): void | Promise<void> }>;
}

const barsOfCall = { hubFiles: 20, hubFunctions: 60, pageFunctions: 45 };
const call = { size: "200 B", inFlight: 1 } as const;

export const journeys: readonly Journey[] = [
  {
    id: "mcp-2025",
    name: "MCP tools/call, 2025-11-25 session",
    bars: barsOfCall,
    prepare: ({ port }) => oneCaller(prepareMcpCallers({ ...call, port, revision: "2025-11-25", hasSessions: true })),
  },
  {
    id: "mcp-2026",
    name: "MCP tools/call, 2026-07-28",
    bars: barsOfCall,
    prepare: ({ port }) => oneCaller(prepareMcpCallers({ ...call, port, revision: "2026-07-28", hasSessions: true })),
  },
  {
    id: "api",
    name: "POST /api/call",
    bars: {},
    prepare: ({ port }) => oneCaller(prepareCallers({ ...call, port })),
  },
  {
    id: "delegate",
    name: "POST /api/browser-delegate",
    bars: {},
    prepare: ({ port }) => oneCaller(prepareDelegates({ ...call, port })),
  },
  { id: "list", name: "MCP tools/list, 2025-11-25 session", bars: {}, prepare: prepareList },
  { id: "register", name: "registerTool to list_changed", bars: { hubFiles: 14 }, prepare: prepareRegister },
];

async function oneCaller(prepared: Promise<OpenCallers>) {
  const open = await prepared;
  const [caller] = await open();
  if (!caller) throw new Error("There is no caller.");
  return { make: caller.call, close: caller.close };
}

async function prepareList({ port }: JourneyWorld) {
  const headers = sessionHeaders(await openSession(port));
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  return {
    async make() {
      const response = await fetch(`http://127.0.0.1:${port}/mcp`, { method: "POST", headers, body });
      const text = await response.text();
      if (!text.includes('"answer"')) throw new Error(`The list was not given: ${response.status} ${text}`);
    },
    close() {},
  };
}

async function prepareRegister({ port, evaluate }: JourneyWorld) {
  const { "Content-Type": _, ...headers } = sessionHeaders(await openSession(port));
  const leave = new AbortController();
  const { body } = await fetch(`http://127.0.0.1:${port}/mcp`, { headers, signal: leave.signal });
  if (!body) throw new Error("The session has no stream.");
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let count = 0;
  return {
    async make() {
      await evaluate(`registerLate("late_${count++}")`);
      for (;;) {
        const { value, done } = await reader.read();
        if (done) throw new Error("The session's stream ended.");
        if (value.includes("notifications/tools/list_changed")) return;
      }
    },
    close: () => leave.abort(),
  };
}
