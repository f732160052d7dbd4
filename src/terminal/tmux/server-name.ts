import { createHash } from "node:crypto";

/** The name of the tmux server of the hub with this state directory, for `tmux -L`. */
export function tmuxServerName(stateDirectory: string): string {
  return `pagewire-${createHash("sha256").update(stateDirectory).digest("hex").slice(0, 12)}`;
}
