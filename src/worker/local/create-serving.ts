// What a worker does that also serves tools itself: a switchboard of its own for the pages that it carries, and MCP
// clients that call their tools. Only the scripts of workers that serve bring it along.
import { createMemoryLinks, systemClock } from "../../link/index.ts";
import type { Link, PortLike } from "../../link/index.ts";
import { createSwitchboard } from "../../switchboard/index.ts";
import { resolveSwitchboardLimits } from "../../wire/index.ts";
import type { SwitchboardLimits } from "../../wire/index.ts";
import { serveClient } from "../mcp/serve-client.ts";
import type { Trunks } from "../trunks.ts";
import { bearerOf } from "./bearer.ts";
import type { Board } from "./board.ts";
import { createCallIds } from "./call-ids.ts";
import { servePage } from "./serve-page.ts";

export interface Serving extends Trunks {
  /** Serves the MCP client at the other end of this port, until it or the signal ends. */
  serveClient(port: PortLike, token: string | undefined, gone: AbortSignal): void;
}

export interface ServingOptions extends Partial<Pick<Board, "clock" | "random" | "onError">> {
  readonly trunks: Trunks;
  /** By default this worker's own. */
  readonly origin?: string;
  readonly limits?: Partial<SwitchboardLimits>;
}

export function createServing(options: ServingOptions): Serving {
  const { trunks, origin = self.location.origin } = options;
  const { clock = systemClock, random = Math.random, onError = logError } = options;
  // A client at a port is never cut off without its end: no call of its comes again as another.
  const limits = resolveSwitchboardLimits({ twinTime: 0, twinPause: 0, ...options.limits });
  const newId = createCallIds();
  const board: Board = {
    switchboard: createSwitchboard({ clock, newId, isoTime, limits }),
    clock,
    random,
    newId,
    limits,
    origin,
    onError,
  };
  /** The hubs that could not be reached when it was tried last. */
  const away = new Set<string>();

  async function connect(url: string): Promise<Link> {
    const [near, far] = createMemoryLinks();
    try {
      await trunks.carry(url, far, () => {});
      away.delete(url);
      return near;
    } catch (error) {
      away.add(url);
      throw error;
    }
  }

  return {
    async carry(url, page, ended) {
      // A page need not wait for a hub that keeps one waiting before it is not there.
      const hub = away.has(url) ? undefined : await connect(url).catch(() => undefined);
      servePage({ page, address: addressOf(url), hub, connect: () => connect(url), ended }, board);
    },
    serveClient: (port, token, gone) => serveClient({ port, gone, ...bearerOf(token) }, board),
  };
}

const logError: Board["onError"] = (error, { stage }) => console.error(`Pagewire (${stage}):`, error);

function isoTime(at: number): string {
  return new Date(performance.timeOrigin + at).toISOString();
}

/** A hub's address, as an app gives it. */
function addressOf(url: string): string {
  return url.replace(/^ws/, "http").replace(/\/page$/, "");
}
