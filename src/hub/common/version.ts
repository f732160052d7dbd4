import { readFileSync } from "node:fs";

export const version: string = readVersion();

function readVersion(): string {
  try {
    const manifest = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as object;
    return "version" in manifest ? String(manifest.version) : "unknown";
  } catch {
    // When bundled into another program, there is no package.json.
    return "unknown";
  }
}
