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

/** What a sign of life adds: MCP wants each value to be greater than the one before. */
const tiny = 0.0001;

export function createProgress({ mcpReq }: ServerContext): Progress {
  const progressToken = mcpReq._meta?.progressToken;
  let last = -Infinity;
  let isFresh = false;

  async function tell({ progress, ...told }: Told): Promise<void> {
    if (progressToken === undefined) return;
    last = progress > last ? progress : last + tiny;
    isFresh = true;
    await mcpReq.notify({ method: "notifications/progress", params: { ...told, progressToken, progress: last } });
  }

  return {
    tell,
    beat: () => tell({ progress: last === -Infinity ? 0 : last + tiny, message: "The tab is still working on it." }),
    async settle() {
      // Clients have been seen to lose a progress notification that they read together with the result.
      if (isFresh) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
