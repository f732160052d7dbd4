// The way to a hub that has first proved that it is the hub of the secret which opens it.
import { proveHub } from "../hub-client/index.ts";
import type { DelegateFetch, ProvenHub, ProveHubOptions } from "../hub-client/index.ts";
import type { State } from "../state/index.ts";
import { PagewireError } from "../wire/index.ts";
import { findListener } from "./doctor/find-listener.ts";
import { hubShellKey, hubToken, isLoopback } from "./find-hub.ts";
import type { Io } from "./io.ts";
import { patientFetch } from "./patient-fetch.ts";

type Environment = Pick<Io, "environment">;

/** Where a hub is, and what lets an agent in there. */
export function accessHub(url: string, io: Environment, state: State): Promise<ProvenHub> {
  return access({ url, token: hubToken(url, io, state), secret: "agent" }, io);
}

/** Where a hub is, and what opens terminals there. */
export function accessTerminals(url: string, io: Environment, state: State): Promise<ProvenHub> {
  return access({ url, token: hubShellKey(url, io, state), secret: "shell" }, io);
}

/** How this command has hubs prove who they are. */
export function provingOptions({ environment }: Environment): {
  readonly fetch: DelegateFetch;
  readonly relayTo: string | undefined;
} {
  return { fetch: patientFetch, relayTo: environment["PAGEWIRE_RELAY_TO"] || undefined };
}

/** Says which program answers at an address, where that did not prove that it is the hub. */
export async function nameListener(error: unknown, url: string): Promise<unknown> {
  if (!PagewireError.isInstance(error) || error.code !== "hub-not-proven" || !isLoopback(url)) return error;
  const { port } = new URL(url.replace(/^ws/, "http"));
  const listener = await findListener(Number(port) || 80);
  if (listener === undefined) return error;
  return new PagewireError(error.code, `${error.message} It is ${listener}.`, { cause: error });
}

async function access(hub: ProveHubOptions, io: Environment): Promise<ProvenHub> {
  try {
    return await proveHub({ ...hub, ...provingOptions(io) });
  } catch (error) {
    throw await nameListener(error, hub.url);
  }
}
