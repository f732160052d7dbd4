// Which hub an agent's program uses, by the same options as all commands, and whether one may be started for it.
import type { State } from "../../../state/index.ts";
import { PagewireError } from "../../../wire/index.ts";
import type { HubContext } from "../../contexts/context.ts";
import { accessHub, tokenOf } from "../../reach-hub/access-hub.ts";
import { hubToken, isLoopback, isOwnHub, noHub, mcpAddress } from "../../reach-hub/find-hub.ts";
import type { FoundHub } from "../../reach-hub/find-hub.ts";
import type { Io } from "../../common/io.ts";
import { createHubFinder } from "./hub-finder.ts";
import type { CreateStarter, Effort } from "./hub-finder.ts";
import type { Waiting } from "./wait.ts";

export interface HubAddress {
  /** The hub's own address. */
  readonly hub: string;
  readonly endpoint: URL;
  /** The token for it, which is valid for some minutes. */
  readonly token: string;
}

export interface HubSource {
  /** Finds the hub; rejects when there is none. */
  find(effort: Effort, signal: AbortSignal): Promise<HubAddress>;
  /** Reports that nothing answered there. */
  lost(address: HubAddress): void;
  /** No connection to the hub is open: it has to prove itself again. */
  disconnected?(): void;
  /** Reports that the hub refused the token; rejects if there is no other. */
  refused?(address: HubAddress): Promise<unknown>;
  /** Resolves when nothing is under way that must not be cut off: a refresh token is good once. */
  settled?(): Promise<unknown>;
}

export interface HubSourceOptions {
  readonly io: Io;
  readonly state: State;
  /** The hub that was named, and none else. */
  readonly named: FoundHub | undefined;
  readonly tab: string | undefined;
  /** Not used where a hub is named. */
  readonly createStarter: CreateStarter | undefined;
  readonly waiting: Waiting;
  /** Prints a line for the user. */
  note(text: string): void;
}

/** Throws if the options name an address that cannot be a hub's, or one that needs its own token. */
export function createHubSource(options: HubSourceOptions): HubSource {
  const { io, state, tab, createStarter, waiting, note } = options;
  if (options.named?.context) return contextSource(options.named.context, options);
  const named = options.named?.isLocal ? undefined : options.named?.url;
  const token = (hub: string) => hubToken(hub, io, state);
  const proven = createProven(async (hub) => {
    const access = await accessHub({ url: hub }, io, state);
    return { hub, endpoint: mcpAddress(access.url, tab), token: access.token };
  }, token);
  if (named !== undefined) mcpAddress(named, tab);
  if (named !== undefined && (io.environment["PAGEWIRE_TOKEN"] || !isLoopback(named))) {
    token(named);
    return { find: () => proven.get(named), lost: proven.forget, disconnected: proven.forget };
  }
  const announced = () => (named === undefined || isOwnHub(named, state) ? state.runningHub()?.url : undefined);
  const finder = createHubFinder({
    announced,
    createStarter: named === undefined ? createStarter : undefined,
    noHub: () => noHub(state, named === undefined ? undefined : { url: named, variable: "PAGEWIRE_TOKEN" }),
    waiting,
    note,
  });
  const lost = (hub: string) => {
    proven.forget();
    finder.lost(hub);
  };
  return {
    async find(effort, signal) {
      const hub = await finder.find(effort, signal);
      try {
        return await proven.get(hub);
      } catch (error) {
        if (!PagewireError.isInstance(error) || error.code !== "hub-unreachable") throw error;
        // It went away between the two questions.
        lost(hub);
        return proven.get(await finder.find(effort, signal));
      }
    },
    lost: ({ hub }) => lost(hub),
    disconnected: proven.forget,
  };
}

/** The hub of a context, whose token is another one now and then. */
function contextSource({ name, hub }: HubContext, { io, state, tab }: HubSourceOptions): HubSource {
  const { current, renewed } = tokenOf(name, io, state);
  const endpoint = mcpAddress(hub, tab);
  const pending = new Set<Promise<string>>();
  const track = (token: Promise<string>) => {
    pending.add(token);
    const end = () => void pending.delete(token);
    token.then(end, end);
    return token;
  };
  return {
    find: async () => ({ hub, endpoint, token: await track(current()) }),
    lost() {},
    refused: ({ token }) => track(renewed(token)),
    settled: () => Promise.allSettled(pending),
  };
}

/** Caches the address of a hub that has proved itself, as long as that works and the token is the same. */
function createProven(prove: (hub: string) => Promise<HubAddress>, tokenOf: (hub: string) => string) {
  let kept: { readonly hub: string; readonly token: string; readonly address: Promise<HubAddress> } | undefined;
  return {
    get(hub: string): Promise<HubAddress> {
      const token = tokenOf(hub);
      if (kept?.hub === hub && kept.token === token) return kept.address;
      const address = prove(hub);
      const now = { hub, token, address };
      kept = now;
      address.catch(() => kept === now && (kept = undefined));
      return address;
    },
    forget() {
      kept = undefined;
    },
  };
}
