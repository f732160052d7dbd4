// Access to a hub, after it has proved that it is the hub to which the secret belongs.
import { proveHub } from "../../hub-client/index.ts";
import type { DelegateFetch, ProvenHub, ProveHubOptions } from "../../hub-client/index.ts";
import type { State } from "../../state/index.ts";
import { hubShellKey, hubToken } from "./find-hub.ts";
import type { Io } from "../common/io.ts";
import { fetchWithoutTimeout } from "./send-over-http.ts";
import { explainNoAccess } from "./why-no-access.ts";
import type { AskedHub } from "./why-no-access.ts";

type Environment = Pick<Io, "environment">;

/** Resolves with the hub's address and the token for agents. */
export function accessHub(url: string, io: Environment, state: State): Promise<ProvenHub> {
  return access({ url, token: hubToken(url, io, state), secret: "agent" }, io, state);
}

/** Resolves with the hub's address and the shell key. */
export function accessTerminals(url: string, io: Environment, state: State): Promise<ProvenHub> {
  return access({ url, token: hubShellKey(url, io, state), secret: "shell" }, io, state);
}

/** Options for this command's check of a hub's identity. */
export function provingOptions({ environment }: Environment): {
  readonly fetch: DelegateFetch;
  readonly relayTo: string | undefined;
} {
  return { fetch: fetchWithoutTimeout, relayTo: environment["PAGEWIRE_RELAY_TO"] || undefined };
}

async function access(
  hub: ProveHubOptions & Pick<AskedHub, "secret">,
  io: Environment,
  state: State,
): Promise<ProvenHub> {
  const options = provingOptions(io);
  try {
    return await proveHub({ ...hub, ...options });
  } catch (error) {
    throw await explainNoAccess(error, { ...hub, ...options, state });
  }
}
