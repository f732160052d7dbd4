// The state directory can be trusted only if its user owns all of it and no other user can write to it.
import type { Stats } from "node:fs";
import { stateError } from "./state-error.ts";

/** The file or directory to check. */
export interface Owned {
  /** Such as "state directory". */
  readonly what: string;
  readonly path: string;
  /** The mode that closes it to others. */
  readonly mode: "700" | "600";
  /** Whether it may belong to root, who can change everything anyway. */
  readonly mayBeRoots?: true;
}

/** Refuses a file or folder that belongs to another user, or that others can write to. */
export function requireOwn({ what, path, mode, mayBeRoots }: Owned, stats: Pick<Stats, "uid" | "mode">): void {
  // Windows has no such owners and modes; there, the user's own folder is closed to others.
  const user = process.geteuid?.();
  if (user === undefined) return;
  if (stats.uid !== user && !(mayBeRoots && stats.uid === 0)) {
    throw stateError(
      `The ${what} ${path} belongs to another user (${stats.uid}; you are ${user}), who could say there what is not so. Use one of your own: set PAGEWIRE_HOME to it, or take this one over with: chown ${user} "${path}"`,
    );
  }
  if ((stats.mode & 0o022) === 0) return;
  const who = (stats.mode & 0o002) === 0 ? "Its group" : "Others";
  const octal = (stats.mode & 0o777).toString(8).padStart(4, "0");
  throw stateError(`${who} can write to the ${what} ${path} (mode ${octal}). Close it with: chmod ${mode} "${path}"`);
}

/** Refuses also a file that others can read: what is in it is no secret any more. */
export function requirePrivate(owned: Owned, stats: Pick<Stats, "uid" | "mode">, remedy: string): void {
  // Windows has no such modes; there, the user's own folder is closed to others.
  if (process.platform !== "win32" && (stats.mode & 0o077) !== 0) {
    const octal = (stats.mode & 0o777).toString(8).padStart(4, "0");
    throw stateError(
      `The ${owned.what} ${owned.path} is open to others (mode ${octal}), who may know what is in it. Make a new one with: ${remedy}`,
    );
  }
  requireOwn(owned, stats);
}
