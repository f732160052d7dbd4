import type { Clock } from "../../link/index.ts";
import type { JsonBounds } from "./copy-json.ts";
import type { BindableLogger } from "./messages.ts";
import type { DeclaredNames } from "./names.ts";
import type { ShellClient } from "./shell-client.ts";
import type { ShellLimits } from "./shell-limits.ts";
import type { TrackedValues } from "./tracked-values.ts";

/** A command that is to be run. */
export interface ShellCall {
  readonly name: string;
  readonly args: readonly unknown[];
  /** Aborted when the client gave the command up. */
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
  /** Finds the client, or lets a new one in; throws where there are too many. */
  client(id: string | undefined): ShellClient;
}
