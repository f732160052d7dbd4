import type { Clock } from "../../link/index.ts";
import type { JsonBounds } from "./copy-json.ts";
import type { BindableLogger } from "./messages.ts";
import type { DeclaredNames } from "./names.ts";
import type { ShellClient } from "./shell-commands.ts";
import type { TrackedValues } from "./tracked-values.ts";
import { fillInLimits, pageLimits } from "../../wire/index.ts";

/** Every bound that a shell puts on its clients. Times are milliseconds. */
const defaultShellLimits = {
  /** How deep a value may nest, and how many characters and values it may hold. */
  jsonDepth: pageLimits.jsonDepth,
  valueSize: 32 * 1024 * 1024,
  /** Commands of one client that run, or whose outcome it has not taken. */
  commandsInFlight: 64,
  /** Max answers that wait for a client that does not read, before it is disconnected. */
  unreadAnswers: 1024,
  /** Max buffered bytes of a socket before changes are held back, and merged until there is room. */
  bufferedBytes: 1024 * 1024,
  /** Interval at which a socket with too many is polled. */
  bufferedPause: 50,
  /** Messages that may come before the session is open. */
  earlyMessages: 256,
  /** Clients of one session, and sessions of one principal. */
  clientsPerSession: 16,
  sessionsPerPrincipal: 64,
  /** How long a client that promised signs of life may be silent: hidden pages run their timers once a minute. */
  silence: 150_000,
} as const;

export type ShellLimits = { readonly [Name in keyof typeof defaultShellLimits]: number };

/** Fills in the defaults; throws for an unknown limit or one that is not a number of zero or more. */
export function resolveShellLimits(given: Partial<ShellLimits> = {}): ShellLimits {
  return fillInLimits(defaultShellLimits, given);
}

/** A command that is to be run. */
export interface ShellCall {
  readonly name: string;
  readonly args: readonly unknown[];
  /** Aborted when the client cancels the command. */
  readonly signal: AbortSignal;
}

/** The state that the parts of a shell share. */
export interface ShellContext {
  readonly core: EventTarget;
  /** The interface for Pagewire's clients, and for stock ones. */
  readonly full: DeclaredNames;
  readonly plain: DeclaredNames;
  readonly values: TrackedValues;
  readonly limits: ShellLimits;
  readonly bounds: JsonBounds;
  readonly logger: BindableLogger;
  readonly clock: Clock;
  readonly maxSyncUpdateBuffer: number;
  /** The session name; undefined where sessions cannot be resumed. */
  readonly session: string | undefined;
  call(call: ShellCall): unknown;
  /** Finds or adds the client; throws if there are too many. */
  client(id: string | undefined): ShellClient;
}
