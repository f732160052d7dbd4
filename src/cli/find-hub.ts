// Which hub the commands speak to, and with which token.
import { version } from "../hub/version.ts";
import { WebSocket } from "ws";
import { connectHub } from "../hub-client/index.ts";
import type { HubClient, HubClientOptions } from "../hub-client/index.ts";
import { openState, stateDirectory } from "../state/index.ts";
import type { State } from "../state/index.ts";
import { PagewireError } from "../wire/index.ts";
import type { Io } from "./io.ts";

/** Where a hub listens that was not told otherwise. */
export const defaultPort = 7337;

/** Opens the state directory of whoever runs the command. */
export function openOwnState({ environment, platform, homeDirectory }: Io): State {
  return openState(stateDirectory(environment, platform, homeDirectory));
}

/** The hub's address: the one that was given, else the one that runs here, else where one would run. */
export function hubUrl(given: string | undefined, { environment }: Io, state: State): string {
  const { PAGEWIRE_URL } = environment;
  return given ?? (PAGEWIRE_URL || state.runningHub()?.url) ?? `http://127.0.0.1:${defaultPort}`;
}

/** The token for a hub. The one of this machine is for hubs on this machine only. */
export function hubToken(url: string, { environment }: Io, state: State): string {
  const { PAGEWIRE_TOKEN } = environment;
  if (PAGEWIRE_TOKEN) return PAGEWIRE_TOKEN;
  if (isLoopback(url)) return state.agentToken();
  throw new PagewireError(
    "token-required",
    `The token of this machine is not sent to ${url}. Put that hub's own token into PAGEWIRE_TOKEN.`,
  );
}

/** What terminals of a hub are opened with. The key of this machine is for hubs on this machine only. */
export function hubShellKey(url: string, { environment }: Io, state: State): string {
  const { PAGEWIRE_SHELL_KEY } = environment;
  if (PAGEWIRE_SHELL_KEY) return PAGEWIRE_SHELL_KEY;
  if (isLoopback(url)) return state.shellKey();
  throw new PagewireError(
    "token-required",
    `The shell key of this machine is not sent to ${url}. Put that hub's own, or your token for terminals, into PAGEWIRE_SHELL_KEY.`,
  );
}

/** Connects to the hub that is meant. */
export function connectToHub(
  given: string | undefined,
  io: Io,
  more: Pick<HubClientOptions, "onAsk"> = {},
): Promise<HubClient> {
  const state = openOwnState(io);
  const url = hubUrl(given, io, state);
  const agent = { name: "pagewire-cli", version };
  return connectHub({ url, token: hubToken(url, io, state), agent, WebSocket, ...more });
}

/** Connects, does something, and leaves, however that ends. */
export async function withHub<Value>(
  given: string | undefined,
  io: Io,
  work: (client: HubClient) => Promise<Value>,
): Promise<Value> {
  const client = await connectToHub(given, io);
  try {
    return await work(client);
  } finally {
    client.close();
  }
}

export function isLoopback(url: string): boolean {
  if (!URL.canParse(url)) return true;
  const { hostname } = new URL(url);
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    /^127(\.\d+){3}$/.test(hostname)
  );
}
