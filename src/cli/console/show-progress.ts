import type { CallProgress } from "../../hub-client/index.ts";
import type { Io } from "../common/io.ts";
import { oneLine } from "../common/plain-text.ts";

/** Shows a call's progress: as a bar that stays on its line on a terminal, otherwise line by line. */
export interface ProgressDisplay {
  show(progress: CallProgress): void;
  /** Removes the bar, so that other output can be written. */
  clear(): void;
}

const barWidth = 24;
const clearLine = "\r\u001b[2K";

export function createProgressDisplay({ stderr, environment }: Pick<Io, "stderr" | "environment">): ProgressDisplay {
  const isBar = stderr.isTTY === true && environment["TERM"] !== "dumb";
  let isShown = false;

  return {
    show(progress) {
      if (!isBar) return void stderr.write(`${describe(progress)}\n`);
      // A terminal of unknown width reports 0 columns.
      const width = (stderr.columns || 80) - 1;
      stderr.write(clearLine + oneLine([bar(progress), describe(progress)].join(" "), width));
      isShown = true;
    },
    clear() {
      if (isShown) stderr.write(clearLine);
      isShown = false;
    },
  };
}

function bar({ progress, total }: CallProgress): string {
  if (total === undefined || !(total > 0)) return "…";
  const full = Math.round(Math.min(1, Math.max(0, progress / total)) * barWidth);
  return `[${"#".repeat(full)}${"-".repeat(barWidth - full)}]`;
}

function describe({ progress, total, message }: CallProgress): string {
  const count = total === undefined ? String(progress) : `${progress}/${total}`;
  return message === undefined ? count : `${count} ${oneLine(message, 500)}`;
}
