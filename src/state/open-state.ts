// State that the hubs and agents of one user share on one machine: the agents' token, the key to terminals, the allowed
// origins, the hub's address. Other processes may read and change it at any time. This module knows only the files.
import { mkdirSync, statSync } from "node:fs";
import { join, posix, win32 } from "node:path";
import type { Policy } from "../policy/index.ts";
import { messageOf } from "../wire/index.ts";
import { createHubFile, holdHub } from "./hub-file.ts";
import type { HubInfo } from "./hub-file.ts";
import { createModelFile } from "./model-file.ts";
import { createOriginsFile, createRefusalsFile } from "./origins-file.ts";
import { createPolicyFile } from "./policy-file.ts";
import type { OriginsFile, RefusedOrigin } from "./origins-file.ts";
import { createRevocationsFile } from "./revocations-file.ts";
import type { RevocationsFile } from "./revocations-file.ts";
import { requireOwn } from "./require-own.ts";
import { stateError } from "./state-error.ts";
import { createTokenFile } from "./token-file.ts";
import { watchSignature } from "./cached-file.ts";

/** The state directory of one user. Files are read again when another process has changed them. */
export interface State {
  readonly directory: string;
  /** The file that holds the agents' token. */
  readonly tokenPath: string;
  /** The agents' token; created at first use. Throws when the file is readable by others or broken. */
  agentToken(): string;
  /** Makes a new token. The old one is worth nothing from now on. */
  rotateAgentToken(): string;
  /** The file that holds the key to terminals. */
  readonly shellKeyPath: string;
  /**
   * The key with which terminals are opened; made at the first use. Throws when the file is open to others or broken.
   */
  shellKey(): string;
  /** Creates a new key. The old one, and everything signed in with it, becomes invalid. */
  rotateShellKey(): string;
  /**
   * The key of the digests in the hub's audit; made at the first use. Throws when the file is open to others or broken.
   */
  auditKey(): string;
  /** The secret of a hub in team mode that was given none; made at the first use. Throws when the file is open to others or broken. */
  teamSecret(): string;
  /** The origins whose pages may offer tools. Throws when the file is broken. */
  allowedOrigins(): readonly string[];
  /** Returns whether the origin was not allowed before; throws when it is no origin. */
  allowOrigin(origin: string): boolean;
  /** Returns whether the origin was allowed before; throws when it is no origin. */
  disallowOrigin(origin: string): boolean;
  readonly changeOrigins: OriginsFile["edit"];
  /** Which tokens of jwt mode are not good any more. Throws when the file is broken. */
  readonly revocations: RevocationsFile["read"];
  readonly revoke: RevocationsFile["add"];
  readonly unrevoke: RevocationsFile["remove"];
  readonly changeRevocations: RevocationsFile["edit"];
  readonly policyPath: string;
  /** The policy; undefined if there is no file. Throws a syntax error with line and column. */
  policy(): Policy | undefined;
  /** The text of that file, also of an invalid one; undefined if there is none. */
  policyText(): string | undefined;
  /** Replaces the text of that file; throws if it is invalid. */
  setPolicy(text: string): void;
  removePolicy(): boolean;
  /** The model that the owner chose of a provider. */
  chosenModel(provider: string): string | undefined;
  chooseModel(provider: string, model: string): void;
  /**
   * Notifies within a second that a secret, the allowed origins, the policy or the revocations changed, by any process.
   */
  onChange(listener: () => void): () => void;
  /** Makes this process the one that runs the hub; the returned function ends that. Throws while another one does. */
  holdHub(): () => void;
  /** The hub that runs on this machine, as it announced itself; undefined when there is none. */
  runningHub(): HubInfo | undefined;
  /** When a hub ran here last, in milliseconds since 1970; read it before announcing one. */
  lastRun(): number | undefined;
  announceHub(info: HubInfo): void;
  /** Removes the announcement, unless another hub has announced itself since. */
  forgetHub(): void;
  /** Notes that a page of this origin was turned away. */
  noteRefusedOrigin(origin: string): void;
  /** The origins that were refused lately, the last one first. */
  refusedOrigins(): readonly RefusedOrigin[];
  /** Stops listening. Can be called twice. */
  close(): void;
}

export function openState(directory: string): State {
  prepareDirectory(directory);
  const token = createTokenFile({ directory, name: "token", what: "token", remedy: "npx pagewire token rotate" });
  const shellKey = createTokenFile({
    directory,
    name: "shell-key",
    what: "shell key",
    remedy: "npx pagewire token rotate --shell",
  });
  const auditKey = createTokenFile({
    directory,
    name: "audit-key",
    what: "audit key",
    remedy: `rm "${join(directory, "audit-key")}"`,
  });
  const teamSecret = createTokenFile({
    directory,
    name: "team-secret",
    what: "team's secret",
    remedy: `rm "${join(directory, "team-secret")}"`,
  });
  const origins = createOriginsFile(directory);
  const revoked = createRevocationsFile(directory);
  const policy = createPolicyFile(directory);
  const model = createModelFile(directory);
  const hub = createHubFile(directory);
  const refusals = createRefusalsFile(directory);
  const listeners = new Set<() => void>();
  const signature = () => [token, shellKey, origins, revoked, policy].map((file) => file.signature()).join("\n");
  let stopWatching: (() => void) | undefined;

  function close(): void {
    stopWatching?.();
    stopWatching = undefined;
    listeners.clear();
  }

  return {
    directory,
    tokenPath: token.path,
    agentToken: token.read,
    rotateAgentToken: token.rotate,
    shellKeyPath: shellKey.path,
    shellKey: shellKey.read,
    rotateShellKey: shellKey.rotate,
    auditKey: auditKey.read,
    teamSecret: teamSecret.read,
    allowedOrigins: origins.read,
    allowOrigin: origins.add,
    disallowOrigin: origins.remove,
    changeOrigins: origins.edit,
    revocations: revoked.read,
    revoke: revoked.add,
    unrevoke: revoked.remove,
    changeRevocations: revoked.edit,
    policyPath: policy.path,
    policy: policy.read,
    policyText: policy.text,
    setPolicy: policy.write,
    removePolicy: policy.remove,
    chosenModel: model.read,
    chooseModel: model.write,
    onChange(listener) {
      listeners.add(listener);
      stopWatching ??= watchSignature(signature, () => {
        for (const each of listeners) each();
      });
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) close();
      };
    },
    holdHub: () => holdHub(directory, hub.running),
    runningHub: hub.running,
    lastRun: hub.lastRun,
    announceHub: hub.announce,
    forgetHub: hub.forget,
    noteRefusedOrigin: refusals.note,
    refusedOrigins: refusals.read,
    close,
  };
}

function prepareDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw stateError(
      `The state directory ${directory} cannot be made: ${messageOf(error)}. Set PAGEWIRE_HOME to another.`,
      error,
    );
  }
  requireOwn({ what: "state directory", path: directory, mode: "700" }, statSync(directory));
}

/** The state directory of one user: `$PAGEWIRE_HOME`, else the platform's folder for such data. */
export function stateDirectory(
  environment: Readonly<Record<string, string | undefined>>,
  platform: string,
  homeDirectory: string,
): string {
  const path = platform === "win32" ? win32 : posix;
  const { PAGEWIRE_HOME, XDG_STATE_HOME, LOCALAPPDATA } = environment;
  if (PAGEWIRE_HOME) {
    if (path.isAbsolute(PAGEWIRE_HOME)) return path.normalize(PAGEWIRE_HOME);
    throw stateError(`PAGEWIRE_HOME must be an absolute path, not "${PAGEWIRE_HOME}".`);
  }
  if (platform === "win32") return path.join(LOCALAPPDATA || path.join(homeDirectory, "AppData", "Local"), "pagewire");
  if (platform === "darwin") return path.join(homeDirectory, "Library", "Application Support", "pagewire");
  // The XDG specification: a relative path is to be ignored.
  const isGiven = XDG_STATE_HOME !== undefined && path.isAbsolute(XDG_STATE_HOME);
  return path.join(isGiven ? XDG_STATE_HOME : path.join(homeDirectory, ".local", "state"), "pagewire");
}
