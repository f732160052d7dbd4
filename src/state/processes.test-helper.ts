// Processes that share a state directory: the module under test, bundled, and run by several Nodes at once.
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

export interface TemporaryFolder {
  readonly path: string;
  remove(): void;
}

/** Makes a folder of its own for a test. */
export function createTemporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), "pagewire-state-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Bundles src/state into a folder, next to a script that can import it. Returns the script's path. */
export async function writeScript(folder: string, script: string): Promise<string> {
  const index = fileURLToPath(new URL("index.ts", import.meta.url));
  const outfile = join(folder, "state.mjs");
  await build({ entryPoints: [index], outfile, bundle: true, platform: "node", format: "esm", logLevel: "error" });
  const path = join(folder, "script.mjs");
  writeFileSync(path, `import { openState } from "./state.mjs";\n${script}`);
  return path;
}

/** Runs a script in `count` processes, which start their work at the same time; resolves with the output of each. */
export async function runTogether(path: string, count: number): Promise<readonly string[]> {
  const children = Array.from({ length: count }, (_, index) =>
    spawn(process.execPath, [path, String(index)], { stdio: ["pipe", "pipe", "inherit"] }),
  );
  const readers = children.map(({ stdout }) => createInterface({ input: stdout })[Symbol.asyncIterator]());
  await Promise.all(readers.map((lines) => lines.next()));
  for (const { stdin } of children) stdin.end("go\n");
  return Promise.all(readers.map(async (lines) => String((await lines.next()).value)));
}

/** The script's side of `runTogether`: reports that it is ready, then waits for the start. */
export const waitForStart = `
console.log("ready");
await new Promise((resolve) => process.stdin.once("data", resolve));
`;

export async function exitOf(child: ChildProcess): Promise<number | null> {
  const [code] = (await once(child, "exit")) as [number | null];
  return code;
}
