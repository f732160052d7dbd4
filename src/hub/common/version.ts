import { readFileSync } from "node:fs";

/** The version of this package. */
export const version: string = readVersion();

function readVersion(): string {
  try {
    const manifest = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as object;
    return "version" in manifest ? String(manifest.version) : "unknown";
  } catch {
    // Bundled into another program, the hub has no manifest beside it.
    return "unknown";
  }
}
