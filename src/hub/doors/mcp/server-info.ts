import { readFileSync } from "node:fs";

/** What this server calls itself. */
export const serverInfo = { name: "pagewire", title: "Pagewire", version: readVersion() } as const;

function readVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL("../../../../package.json", import.meta.url), "utf8")) as object;
  return "version" in manifest ? String(manifest.version) : "unknown";
}
