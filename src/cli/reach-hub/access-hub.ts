// Access to a hub, after it has proved that it is the hub to which the secret belongs; and why a hub refused a command.
import { proveHub } from "../../hub-client/index.ts";
import type { DelegateFetch, ProvenHub, ProveHubOptions } from "../../hub-client/index.ts";
import { createContextFiles } from "../../state/index.ts";
import type { State } from "../../state/index.ts";
import type { HubContext } from "../contexts/context.ts";
import { createContextToken } from "../contexts/context-token.ts";
import type { ContextToken, TokenIo } from "../contexts/context-token.ts";
import { hubShellKey, hubToken, isLoopback, isOwnHub, runsElsewhere } from "./find-hub.ts";
import type { FoundHub } from "./find-hub.ts";
import type { Io } from "../common/io.ts";
import { noAnswer } from "./no-answer.ts";
import { fetchWithoutTimeout } from "./send-over-http.ts";
import { PagewireError } from "../../wire/index.ts";
import { findListener } from "./find-listener.ts";

type Environment = Pick<Io, "environment">;
export type AccessIo = Environment & TokenIo;

/** The hub's address, and the credential for it. */
export interface AccessedHub extends ProvenHub {
  /** Another token for it, after it refused this one. */
  renewed?(refused: string): Promise<string>;
}

/** Resolves with the hub's address and the token for agents. */
export async function accessHub({ url, context }: FoundHub, io: AccessIo, state: State): Promise<AccessedHub> {
  if (context) return accessContext(context, io, state);
  return access({ url, token: hubToken(url, io, state), secret: "agent" }, io, state);
}

/** Resolves with the hub's address and the shell key. Who signed in to a hub is there in person. */
export async function accessTerminals({ url, context }: FoundHub, io: AccessIo, state: State): Promise<AccessedHub> {
  if (context) return accessContext(context, io, state);
  return access({ url, token: hubShellKey(url, io, state), secret: "shell" }, io, state);
}

/** Over https the certificate proves the hub; the token is for this hub alone. */
async function accessContext({ name, hub }: HubContext, io: AccessIo, state: State): Promise<AccessedHub> {
  const { current, renewed } = tokenOf(name, io, state);
  return { url: hub, token: await current(), renewed };
}

export function tokenOf(name: string, io: AccessIo, { directory }: State): ContextToken {
  return createContextToken(createContextFiles(directory), name, io);
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

interface AskedHub {
  readonly url: string;
  readonly secret: "agent" | "shell";
  readonly state: State;
  readonly fetch: DelegateFetch;
}

/**
 * Explains why a hub refused a command: whose hub it is, where the user's own one runs, and what to do. Adds only facts
 * that it can verify.
 */
export async function explainNoAccess(error: unknown, hub: AskedHub): Promise<unknown> {
  if (!PagewireError.isInstance(error)) return error;
  if (error.code === "hub-unreachable") return notReached(error, hub);
  if (error.code !== "hub-not-proven" || !isLoopback(hub.url)) return error;
  if (await isProvenOwn(hub)) return changedSecret(hub, error);
  const { port } = new URL(hub.url.replace(/^ws/, "http"));
  const listener = await findListener(Number(port) || 80);
  const who = listener === undefined ? "" : ` It is ${listener}.`;
  const message = `${error.message}${who}${runsElsewhere(hub.url, hub.state)}`;
  return new PagewireError(error.code, message, { cause: error });
}

function notReached(error: PagewireError, hub: AskedHub): PagewireError {
  if (error.cause === undefined) return error;
  return noAnswer(hub.url, error, runsElsewhere(hub.url, hub.state).trim() || undefined);
}

const secrets = {
  agent: { name: "token", variable: "PAGEWIRE_TOKEN", flag: "" },
  shell: { name: "shell key", variable: "PAGEWIRE_SHELL_KEY", flag: " --shell" },
} as const;

/** Whether the hub has proved that it has this state directory's secret: then it refuses a different one. */
async function isProvenOwn({ url, secret, state, fetch }: AskedHub): Promise<boolean> {
  if (!isOwnHub(url, state)) return false;
  try {
    await proveHub({ url, token: secret === "agent" ? state.agentToken() : state.shellKey(), secret, fetch });
    return true;
  } catch {
    return false;
  }
}

function changedSecret({ url, secret, state }: AskedHub, cause: PagewireError): PagewireError {
  const { name, variable, flag } = secrets[secret];
  return new PagewireError(
    "token-invalid",
    `The hub at ${url} is that of your state directory ${state.directory}, but ${variable} holds another ${name} than it takes, as after: npx pagewire token rotate${flag}. Unset ${variable}, or put the new one there: npx pagewire token show${flag}. The ${name} was not sent.`,
    { cause },
  );
}
