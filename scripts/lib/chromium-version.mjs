import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname } from "node:path";

/** The version of a Chromium, Chrome or Edge, such as "156.0.8078.79"; undefined where it does not tell. */
export function chromiumVersion(path) {
  const words = process.platform === "win32" ? namesBeside(path) : said(path).split(/\s/);
  const versions = words.filter((word) => /^\d+(\.\d+){3}$/.test(word));
  // After an update the folder of the version before may still be there.
  return versions.sort((one, other) => one.localeCompare(other, "en", { numeric: true })).at(-1);
}

/** "Chromium 156.0.8078.79 built on Debian", "Google Chrome 156.0.8078.79", "Microsoft Edge 156.0.3300.12". */
function said(path) {
  const { stdout } = spawnSync(path, ["--version"], {
    encoding: "utf8",
    timeout: 10_000,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return stdout ?? "";
}

/** On Windows it would open a window instead, and has a folder beside it that is named after its version. */
function namesBeside(path) {
  try {
    return readdirSync(dirname(path));
  } catch {
    return [];
  }
}
