import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { resolveAiOptions } from "./ai-options.ts";
import type { AiOptions, ResolvedAi } from "./ai-options.ts";
import { createMemoryStore } from "../store/index.ts";
import type { Store } from "../store/index.ts";
import { PagewireError, resolveLimits, parseUrl } from "../../wire/index.ts";
import type { Policy } from "../../policy/index.ts";
import type { Limits } from "../../wire/index.ts";
import type { AuditContents } from "../audit/call-records.ts";
import type { LaterShellOptions, ShellOptions, ShellSwitch } from "../terminals/shell-door.ts";
import { checkCluster } from "./cluster-options.ts";
import type { ClusterOptions } from "./cluster-options.ts";
import { isOrigin } from "../common/is-origin.ts";
import { noRevocations } from "../identity/revocations.ts";
import type { Revocations } from "../identity/revocations.ts";
import type { Log } from "../common/log.ts";
import { checkReach, isLoopbackHost } from "./reach.ts";
import { ownTokens, resolveTeam } from "./team-options.ts";
import type { ResolvedTeam, TeamOptions } from "./team-options.ts";
import type { Certificate, Reach } from "./reach.ts";

/** How tokens are verified in jwt mode: with a shared secret (HS256), or with the public keys at a URL. */
export interface JwtOptions {
  /** At least 32 characters. */
  readonly secret?: string;
  readonly jwks?: string;
  readonly issuer?: string;
}

export interface DemoOptions {
  readonly port: number;
}

/** How to connect an MCP client to this hub. Pages show the texts unchanged. */
export interface ClientSetup {
  /** Such as `claude-code`; `other` for every client that starts a program. */
  readonly id: string;
  readonly title: string;
  /** The line to type, which holds no token. */
  readonly line: string;
  /** The next step, and how to see that it works. */
  readonly next: readonly string[];
  /** How the names begin, in lower case, by which it introduces itself. */
  readonly names: readonly string[];
}

/** Settings that the hub's owner changes while it runs, in the files where the hub reads them. */
export interface HubSettings {
  /** The file of the policy, and its text; undefined where there is none. */
  readonly policyPath: string;
  policyText(): string | undefined;
  /** Each throws if it cannot be saved. */
  setPolicy(text: string): void;
  removePolicy(): boolean;
  /** The allowed origins without those of this run only. */
  savedOrigins(): readonly string[];
  /** Throws for a text that is no origin, with what was probably meant. */
  parseOrigin(text: string): string;
  allowOrigin(origin: string): boolean;
  disallowOrigin(origin: string): boolean;
  /** Saves the origins that hubs of a cluster allowed, or not any more. */
  changeOrigins?(edit: (origins: Set<string>) => void): void;
  /** Saves what hubs of a cluster revoked, or took back: tokens by id, and times by subject in milliseconds since 1970. */
  changeRevocations?(edit: (ids: Set<string>, subjects: Map<string, number>) => void): void;
  /** The origins whose pages were refused lately, with the ISO time. */
  refusedOrigins(): readonly { readonly origin: string; readonly time: string }[];
  /** Saves which of the provider's models is the default; false if it holds for this run only. */
  saveModel(model: string): boolean;
  /** The model servers of this machine that could take the hub's model's place: asked for their lists, and nothing else. */
  localModels?(): Promise<readonly LocalModels[]>;
}

/** A model server of this machine. */
export interface LocalModels {
  /** Its name for `--model`. */
  readonly provider: string;
  readonly title: string;
  readonly address: string;
  readonly models: readonly string[];
}

export interface AuditOptions {
  /** The HMAC key of digests. Random by default. */
  readonly key?: string;
  /** The tools whose arguments and results are recorded, truncated and with secrets masked, by their pages' names for them. */
  readonly contents?: readonly string[] | "all";
}

export interface HubOptions {
  /** 7337 by default; 0 chooses a free port. */
  readonly port?: number;
  /** A port for probes and Prometheus alone, in clear: /healthz, /readyz and /metrics for any host, without a token. None by default. */
  readonly metricsPort?: number | undefined;
  /** A loopback address by default; any other needs jwt mode, and one of `tls`, `proxies` and `insecure`. */
  readonly host?: string;
  /**
   * The certificate for https and wss; plain http is off then. Read again when the state may have changed; an invalid one is
   * ignored.
   */
  readonly tls?: () => Certificate;
  /** The addresses and networks of proxies in front of the hub: only their X-Forwarded-For, -Host and -Proto are trusted. */
  readonly proxies?: readonly string[];
  /** Allows unencrypted connections from other machines. */
  readonly insecure?: boolean;
  /** The hub's public host names, such as `hub.example.com`, with a port unless it is the scheme's default. */
  readonly publicHosts?: readonly string[];
  /** In local mode: the token of agents. Called at every use, so that it can change. */
  readonly agentToken?: () => string;
  /**
   * Origins whose pages may open the agent's window and frame it, and in local mode offer tools without a token. Called at
   * every use.
   */
  readonly allowedOrigins?: () => readonly string[];
  /**
   * The policy of calls, as `parsePolicy` returns it; without one all calls are allowed. Called at the start and whenever the
   * state has changed; if it throws then, the previous policy stays in force.
   */
  readonly policy?: () => Policy | undefined;
  /**
   * Pins the tools of all origins: agents see them only as their principal saw them first; new and changed ones wait until a
   * person accepts them. A policy can pin single origins.
   */
  readonly pin?: boolean;
  /** Subscribes to changes of the agent token, allowed origins, policy and revocations. */
  readonly onStateChange?: (listener: () => void) => () => void;
  /** Switches jwt mode on: many principals, each named by the subject of a token. */
  readonly jwt?: JwtOptions;
  /** Switches team mode on: people sign in with their companies' identity providers. */
  readonly team?: TeamOptions;
  /** In jwt mode: the revoked tokens. Called at every use. */
  readonly revocations?: () => Revocations;
  /** The model for pages and programs at /ai-agent. By default the rehearsal, and in jwt mode none. */
  readonly ai?: AiOptions | "none";
  /** Opens the persistent store, which the hub closes; it has its own limits. In memory by default. */
  readonly store?: () => Store | Promise<Store>;
  /** The files of the hub's owner; without them its rules can be read only. */
  readonly settings?: HubSettings;
  /** How to connect MCP clients to this hub. */
  readonly clients?: () => readonly ClientSetup[];
  /** Settings of the audit, which is kept in the store; "none" turns it off. */
  readonly audit?: AuditOptions | "none";
  /** Serves the demo at its own origin, with this port; 0 or a taken port means any free one. In local mode only. */
  readonly demo?: DemoOptions;
  /** Enables terminals: shells that run as the user who runs the hub. With `load` they are off until they are switched on. */
  readonly shell?: ShellOptions | LaterShellOptions;
  /**
   * When an earlier run of this hub ended, in milliseconds since 1970. Calls without a matching tool or tab wait for its tabs to
   * reconnect, and a key that may have been used in that run is not reported as never run.
   */
  readonly lastRun?: number | undefined;
  /** Makes the hub one of several. */
  readonly cluster?: ClusterOptions | undefined;
  readonly limits?: Partial<Limits>;
  /**
   * The folder with the files for browsers, in browser/, agent/, terminal-page/ and demo/; by default the package's
   * own.
   */
  readonly assets?: string;
  readonly log?: Log;
}

export interface SavedSettings extends HubSettings {
  /** Of one hub of several: resolves when the others can read what was changed. */
  saved?(): Promise<void>;
}

/** The options with their defaults. */
export interface ResolvedOptions extends Reach {
  readonly port: number;
  readonly metricsPort: number | undefined;
  readonly publicHosts: readonly string[];
  readonly agentToken: (() => string) | undefined;
  readonly allowedOrigins: () => readonly string[];
  readonly policy: () => Policy | undefined;
  readonly pin: boolean;
  readonly onStateChange: (listener: () => void) => () => void;
  /** In team mode: how the tokens that the hub itself signs are verified. */
  readonly jwt: JwtOptions | undefined;
  readonly team: ResolvedTeam | undefined;
  readonly revocations: () => Revocations;
  readonly ai: ResolvedAi | undefined;
  readonly audit: { readonly key: string; readonly contents: AuditContents } | "none";
  readonly settings: SavedSettings | undefined;
  readonly clients: () => readonly ClientSetup[];
  readonly openStore: () => Store | Promise<Store>;
  readonly demo: DemoOptions | undefined;
  readonly shell: ShellSwitch;
  readonly lastRun: number | undefined;
  readonly cluster: ClusterOptions | undefined;
  readonly limits: Limits;
  readonly assets: string;
  readonly log: Log | undefined;
}

const defaultPort = 7337;

/** How long a person of a team is signed in, in milliseconds. */
const workday = 8 * 60 * 60 * 1000;

const builtFolder = fileURLToPath(new URL("../..", import.meta.url));

export function resolveOptions(options: HubOptions): ResolvedOptions {
  const { port = defaultPort, host = "127.0.0.1", agentToken, demo, metricsPort } = options;
  if (options.jwt && options.team) throw invalid("Give jwt or team, not both.");
  const team = options.team && resolveTeam(options.team);
  const jwt = team ? ownTokens(team) : options.jwt;
  checkPort("The port", port);
  if (metricsPort !== undefined) checkPort("The metrics' port", metricsPort);
  if (demo) checkPort("The demo's port", demo.port);
  if (demo && demo.port === port && port !== 0) throw invalid("The demo needs a port of its own, beside the hub's.");
  if (!isLoopbackHost(host) && !jwt) {
    throw new PagewireError(
      "address-refused",
      `The hub does not listen on ${host}: without jwt mode everyone who can reach that address could use it. Listen on 127.0.0.1, or switch jwt mode on.`,
    );
  }
  const reach = { host, tls: options.tls, proxies: options.proxies ?? [], insecure: options.insecure ?? false };
  checkReach(reach);
  if (!jwt && !agentToken) throw invalid("A hub needs an agentToken, or jwt mode.");
  if (!jwt && options.shell) checkLocalShell(options.shell, options.publicHosts ?? []);
  for (const origin of options.shell?.fetchOrigins ?? []) checkFetchOrigin(origin);
  if (jwt) checkJwt(jwt);
  if (jwt && options.shell && "load" in options.shell)
    throw invalid("In jwt mode terminals are on from the start or not at all: give shell.mount.");
  if (jwt && demo) throw invalid("jwt mode has no demo: no server could sign a token for it.");
  if (options.cluster) checkCluster(options.cluster);
  const limits = resolveLimits(team ? { appSessionTime: workday, ...options.limits } : options.limits);
  const ai = options.ai ?? (jwt ? "none" : { provider: "rehearsal" });
  const resolvedAi = ai === "none" ? undefined : resolveAiOptions(ai);
  return {
    ...{ port, metricsPort },
    ...reach,
    publicHosts: (options.publicHosts ?? []).map((name) => name.toLowerCase()),
    agentToken,
    allowedOrigins: options.allowedOrigins ?? (() => []),
    policy: options.policy ?? (() => undefined),
    pin: options.pin ?? false,
    onStateChange: options.onStateChange ?? (() => () => {}),
    ...{ jwt, team },
    revocations: options.revocations ?? (() => noRevocations),
    ai: resolvedAi,
    demo,
    audit: resolveAudit(options.audit),
    settings: options.settings,
    clients: options.clients ?? (() => []),
    openStore: options.store ?? (() => createMemoryStore({ limits })),
    shell: { ...options.shell, isOn: options.shell !== undefined && "mount" in options.shell },
    lastRun: options.lastRun,
    cluster: options.cluster,
    limits,
    assets: options.assets ?? builtFolder,
    log: options.log,
  };
}

function resolveAudit(given: HubOptions["audit"] = {}): ResolvedOptions["audit"] {
  if (given === "none") return given;
  const { key = randomBytes(32).toString("base64url"), contents = [] } = given;
  return { key, contents };
}

function checkPort(name: string, port: number): void {
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw invalid(`${name} must be a number from 0 to 65535, not ${port}.`);
}

/** Without jwt mode, terminals are for this machine only, even behind a proxy. */
function checkLocalShell({ key }: Partial<ShellOptions>, publicHosts: readonly string[]): void {
  if (!key) throw invalid("Terminals need a shell.key, or jwt mode.");
  const [name] = publicHosts;
  if (name === undefined) return;
  throw new PagewireError(
    "address-refused",
    `A hub with terminals does not answer to ${name}: without jwt mode, a shell is for this machine only. Leave out the public names or the terminals, or switch jwt mode on.`,
  );
}

/** It is named in a Content-Security-Policy, which has no syntax for IPv6 addresses. */
function checkFetchOrigin(origin: string): void {
  if (isOrigin(origin) && /^https?:\/\/[a-z\d.-]+(:\d+)?$/.test(origin)) return;
  throw invalid(`A terminal can fetch from an origin such as https://api.example.com, not from "${origin}".`);
}

function checkJwt({ secret, jwks }: JwtOptions): void {
  if ((secret === undefined) === (jwks === undefined))
    throw invalid("jwt mode needs either a secret or the address of a key set.");
  if (secret !== undefined && secret.length < 32)
    throw invalid("The secret of jwt mode must have at least 32 characters.");
  if (jwks !== undefined) checkKeysAddress(jwks);
}

/** Keys fetched over plain http could be replaced on the way. */
function checkKeysAddress(jwks: string): void {
  if (!parseUrl(jwks)) throw invalid(`The key set's address "${jwks}" is not a URL.`);
  const { protocol, hostname } = new URL(jwks);
  if (protocol === "https:") return;
  if (protocol === "http:" && isLoopbackHost(hostname.replaceAll(/[[\]]/g, ""))) return;
  throw invalid(`The keys at ${jwks} could be others by the time that they are here. Give an https address.`);
}

function invalid(message: string): PagewireError {
  return new PagewireError("options-invalid", message);
}
