import { posix, win32 } from "node:path";
import { stateError } from "./state-error.ts";

/** Where the state of the hubs and agents of one user lives: `$PAGEWIRE_HOME`, else what the platform provides for it. */
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
  // The XDG specification says that a relative path is to be ignored.
  const isGiven = XDG_STATE_HOME !== undefined && path.isAbsolute(XDG_STATE_HOME);
  return path.join(isGiven ? XDG_STATE_HOME : path.join(homeDirectory, ".local", "state"), "pagewire");
}
