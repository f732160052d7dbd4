// Connections to MCP servers, for an owner that requests tools repeatedly: a server may keep state between two calls.
// Each owner has its own connections.
import type { McpToolbox } from "../../mcp-client/index.ts";
import { unlessAborted } from "../../toolbox/index.ts";
import type { AiMcpSource } from "../types.ts";

export interface McpPool {
  /** A server's toolbox with its list of tools as it is now; to be released when it is not needed any more. */
  take(source: AiMcpSource, signal: AbortSignal): Promise<{ readonly toolbox: McpToolbox; release(): void }>;
  /** Closes unused connections, now and later. */
  close(): void;
}

interface Pooled {
  readonly toolbox: Promise<McpToolbox>;
  users: number;
  stopIdling(): void;
}

/** How long an unused connection stays open. */
const idleTime = 5 * 60_000;

export function createMcpPool(): McpPool {
  const all = new Map<string, Pooled>();
  let idle = idleTime;

  function end(key: string, pooled: Pooled): void {
    pooled.stopIdling();
    if (all.get(key) === pooled) all.delete(key);
    pooled.toolbox.then((toolbox) => toolbox.close()).catch(() => {});
  }

  function add(key: string, toolbox: Promise<McpToolbox>): Pooled {
    const pooled: Pooled = { toolbox, users: 0, stopIdling() {} };
    all.set(key, pooled);
    toolbox.catch(() => end(key, pooled));
    return pooled;
  }

  return {
    async take(source, signal) {
      const { url, headers = {} } = source;
      const key = JSON.stringify([url, Object.entries(headers).toSorted(([one], [other]) => (one < other ? -1 : 1))]);
      const known = all.get(key);
      const pooled = known ?? add(key, connect(url, headers));
      pooled.stopIdling();
      pooled.users++;
      let isReleased = false;
      const release = () => {
        if (isReleased) return;
        isReleased = true;
        if (--pooled.users === 0) pooled.stopIdling = later(idle, () => end(key, pooled));
      };
      try {
        const toolbox = await unlessAborted(pooled.toolbox, signal);
        if (known) await unlessAborted(toolbox.refresh(), signal);
        return { toolbox, release };
      } catch (error) {
        release();
        throw error;
      }
    },
    close() {
      idle = 0;
      for (const [key, pooled] of all) if (pooled.users === 0) end(key, pooled);
    },
  };
}

/** Loaded with the first server: most requests have none. */
async function connect(url: string, headers: Readonly<Record<string, string>>): Promise<McpToolbox> {
  const { connectMcpToolbox } = await import("../../mcp-client/index.ts");
  return connectMcpToolbox(url, {
    headers,
    client: { name: "pagewire/ai" },
    asks: [],
    follow: false,
    lists: ["tools"],
  });
}

/** Runs a callback later, without keeping the program alive. */
function later(milliseconds: number, run: () => void): () => void {
  const timer = setTimeout(run, milliseconds);
  if (typeof timer === "object") (timer as { unref?: () => void }).unref?.();
  return () => clearTimeout(timer);
}
