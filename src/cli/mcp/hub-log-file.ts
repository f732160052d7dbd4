import { closeSync, fstatSync, openSync, readSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";

/** The file that a hub in the background writes to. */
export interface HubLogFile {
  readonly path: string;
  readonly descriptor: number;
  /** What went wrong, as far as what was written since it was opened says. */
  complaint(): string;
  close(): void;
}

const LONGEST_LOG = 4 * 1024 * 1024;
const TAIL = 4096;

/** Opens the log, to be written on; one that became long is put aside, and the one put aside before is dropped. */
export function openHubLog(directory: string): HubLogFile {
  const path = join(directory, "hub.log");
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LONGEST_LOG) renameSync(path, `${path}.1`);
  const descriptor = openSync(path, "a+", 0o600);
  const start = fstatSync(descriptor).size;
  return {
    path,
    descriptor,
    complaint() {
      const end = fstatSync(descriptor).size;
      const buffer = Buffer.alloc(Math.max(0, Math.min(TAIL, end - start)));
      readSync(descriptor, buffer, 0, buffer.length, end - buffer.length);
      const lines = buffer.toString("utf8").trimEnd().split("\n");
      return (lines.findLast((line) => line.startsWith("Error: ")) ?? lines.at(-1) ?? "").replace(/^Error: /, "");
    },
    close: () => closeSync(descriptor),
  };
}
