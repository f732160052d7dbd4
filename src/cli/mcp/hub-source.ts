// Which hub an agent's program means, by the same words as all commands, and whether one may be started for it.
import type { State } from "../../state/index.ts";
import { hubToken, isLoopback, isOwnHub, noHub } from "../find-hub.ts";
import type { Io } from "../io.ts";
import { mcpAddress } from "./hub-address.ts";
import { createHubFinder } from "./hub-finder.ts";
import type { CreateStarter, Effort } from "./hub-finder.ts";
import type { Waiting } from "./wait.ts";

/** Where a hub is to be reached. */
export interface HubAddress {
  /** The hub's own address. */
  readonly hub: string;
  /** Where it serves MCP. */
  readonly endpoint: URL;
  readonly token: string;
}

export interface HubSource {
  /** Finds the hub; rejects when there is none. */
  find(effort: Effort, signal: AbortSignal): Promise<HubAddress>;
  /** Nobody answered there. */
  lost(address: HubAddress): void;
}

export interface HubSourceOptions {
  readonly io: Io;
  readonly state: State;
  /** The hub that was named, and none else. */
  readonly named: string | undefined;
  readonly tab: string | undefined;
  /** Not used where a hub is named. */
  readonly createStarter: CreateStarter | undefined;
  readonly waiting: Waiting;
  /** Tells the user. */
  note(text: string): void;
}

/** Throws when what was named can be no hub, or needs a token of its own. */
export function createHubSource(options: HubSourceOptions): HubSource {
  const { io, state, named, tab, createStarter, waiting, note } = options;
  const addressOf = (hub: string): HubAddress => ({
    hub,
    endpoint: mcpAddress(hub, tab),
    token: hubToken(hub, io, state),
  });
  const isElsewhere = named !== undefined && (io.environment["PAGEWIRE_TOKEN"] || !isLoopback(named));
  if (isElsewhere) {
    addressOf(named);
    return { find: async () => addressOf(named), lost: () => {} };
  }
  if (named !== undefined) mcpAddress(named, tab);
  const announced = () => (named === undefined || isOwnHub(named, state) ? state.runningHub()?.url : undefined);
  const finder = createHubFinder({
    announced,
    createStarter: named === undefined ? createStarter : undefined,
    noHub: () => noHub(state, named === undefined ? undefined : { url: named, variable: "PAGEWIRE_TOKEN" }),
    waiting,
    note,
  });
  return {
    find: async (effort, signal) => addressOf(await finder.find(effort, signal)),
    lost: ({ hub }) => finder.lost(hub),
  };
}
