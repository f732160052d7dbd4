import type { ServerContext } from "@modelcontextprotocol/server";

export interface Told {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** Tells a client how far a call is, if it asked to be told. */
export interface Progress {
  tell(told: Told): Promise<void>;
  /** A sign of life, so that the client does not give a silent call up. */
  beat(): Promise<void>;
  /** To be awaited before the result is given. */
  settle(): Promise<void>;
}

/** The next value when there is no news: MCP wants each to be greater than the one before. */
function justAbove(value: number): number {
  return value + Math.max(0.0001, Math.abs(value) * Number.EPSILON);
}

export function createProgress({ mcpReq }: ServerContext): Progress {
  const progressToken = mcpReq._meta?.progressToken;
  let last = -Infinity;
  let isFresh = false;

  async function tell({ progress, total, message }: Told): Promise<void> {
    if (progressToken === undefined) return;
    last = progress > last ? progress : justAbove(last);
    isFresh = true;
    const params = { progressToken, progress: last, total, message };
    await mcpReq.notify({ method: "notifications/progress", params });
  }

  return {
    tell,
    beat: () =>
      tell({ progress: last === -Infinity ? 0 : justAbove(last), message: "The tab is still working on it." }),
    async settle() {
      // Clients have been seen to lose a progress notification that they read together with the result.
      if (isFresh) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
