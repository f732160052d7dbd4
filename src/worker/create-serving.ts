// A worker that also serves tools: its own switchboard for the pages it forwards, and MCP clients that call their
// tools. Only the serving worker scripts include it.
import { createMemoryLinks, systemClock } from "../link/index.ts";
import type { Link, PortLike } from "../link/index.ts";
import { createSwitchboard } from "../switchboard/index.ts";
import { resolveSwitchboardLimits } from "../wire/index.ts";
import type { SwitchboardLimits } from "../wire/index.ts";
import { serveClient } from "./mcp/serve-client.ts";
import type { SharedSockets } from "./shared-sockets.ts";
import { readToken } from "./local/read-token.ts";
import type { LocalSwitchboard } from "./local/local-switchboard.ts";
import { createCallIds } from "./local/call-ids.ts";
import { servePage } from "./local/serve-page.ts";

export interface Serving extends SharedSockets {
  /** Serves the MCP client at the other end of this port, until it closes or the signal aborts. */
  serveClient(port: PortLike, token: string | undefined, gone: AbortSignal): void;
}

export interface ServingOptions extends Partial<Pick<LocalSwitchboard, "clock" | "random" | "onError">> {
  readonly sockets: SharedSockets;
  /** By default this worker's own. */
  readonly origin?: string;
  readonly limits?: Partial<SwitchboardLimits>;
}

export function createServing(options: ServingOptions): Serving {
  const { sockets, origin = self.location.origin } = options;
  const { clock = systemClock, random = Math.random, onError = logError } = options;
  // A port cannot be cut off unnoticed, so no retry can arrive under another id.
  const limits = resolveSwitchboardLimits({ twinTime: 0, twinPause: 0, ...options.limits });
  const newId = createCallIds();
  const board: LocalSwitchboard = {
    switchboard: createSwitchboard({ clock, newId, isoTime, limits }),
    clock,
    random,
    newId,
    limits,
    origin,
    onError,
  };
  /** The hubs that were unreachable at the last try. */
  const away = new Set<string>();

  async function connect(url: string): Promise<Link> {
    const [near, far] = createMemoryLinks();
    try {
      await sockets.carry(url, far, () => {});
      away.delete(url);
      return near;
    } catch (error) {
      away.add(url);
      throw error;
    }
  }

  return {
    async carry(url, page, ended) {
      // A page should not wait for the timeout of a hub that is down.
      const hub = away.has(url) ? undefined : await connect(url).catch(() => undefined);
      servePage({ page, address: addressOf(url), hub, connect: () => connect(url), ended }, board);
    },
    serveClient: (port, token, gone) => serveClient({ port, gone, ...readToken(token) }, board),
  };
}

const logError: LocalSwitchboard["onError"] = (error, { stage }) => console.error(`Pagewire (${stage}):`, error);

function isoTime(at: number): string {
  return new Date(performance.timeOrigin + at).toISOString();
}

/** A hub's address, as given by an app. */
function addressOf(url: string): string {
  return url.replace(/^ws/, "http").replace(/\/page$/, "");
}
