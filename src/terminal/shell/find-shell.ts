import { accessSync, constants, statSync } from "node:fs";
import { userInfo } from "node:os";
import { PagewireError } from "../../wire/index.ts";

/** Placeholder shells of service accounts. */
const lockedOut = /\/(?:nologin|false|true)$/;

/** The shell to open: the configured one, else the user's, else any that exists. */
export function findShell(wanted: string | undefined, own: string | undefined): string {
  if (wanted !== undefined) {
    if (canRun(wanted)) return wanted;
    throw new PagewireError("terminal-unavailable", `The shell "${wanted}" is not a program that can be run.`);
  }
  const isShell = (path: string | undefined) => path !== undefined && canRun(path) && !lockedOut.test(path);
  const found = [own, "/bin/bash", "/bin/sh"].find(isShell);
  if (found !== undefined) return found;
  throw new PagewireError("terminal-unavailable", "There is no shell. Say which one to open in $SHELL.");
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return path.startsWith("/") && statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The working directory of new shells. */
export function homeDirectory(home: string | undefined): string {
  try {
    // $HOME may be missing in a service.
    const own = home ?? userInfo().homedir;
    return statSync(own).isDirectory() ? own : "/";
  } catch {
    return "/";
  }
}
