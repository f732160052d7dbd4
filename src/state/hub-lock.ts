// One hub at a time has a state directory: it writes conversations there, and says there where it is.
import { join } from "node:path";
import { PagewireError } from "../wire/index.ts";
import type { HubInfo } from "./hub-file.ts";
import { lockHolder, takeProcessLock } from "./process-lock.ts";
import type { LockHolder } from "./process-lock.ts";

const pathOf = (directory: string) => join(directory, "hub.lock");

/** Takes a state directory for the hub of this process. Throws while another process runs one with it. */
export function holdHub(directory: string, running: () => HubInfo | undefined): () => void {
  const lock = takeProcessLock(pathOf(directory));
  if ("release" in lock) return lock.release;
  throw new PagewireError("address-in-use", taken(directory, lock.holder, running()));
}

/** Whether a hub runs, starts or stops with a state directory. */
export function isHubHeld(directory: string): boolean {
  return lockHolder(pathOf(directory)) !== undefined;
}

function taken(directory: string, { pid, since }: LockHolder, running: HubInfo | undefined): string {
  const hub = running?.pid === pid ? `A hub already runs at ${running.url}` : "A hub starts or stops at the moment";
  const time = since === undefined ? "" : ` since ${since}`;
  return `${hub} (process ${pid}). It has the state directory ${directory}${time}. Use that hub or end it, or start this one with another PAGEWIRE_HOME.`;
}
