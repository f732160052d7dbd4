import { renameSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Runs once before all tests. Another run may begin at the same time, and reads the old bundle or the new one. */
export async function setup(): Promise<void> {
  const pathOf = (place: string) => fileURLToPath(new URL(`../../${place}`, import.meta.url));
  const outfile = pathOf(`.cache/store-thread.${process.pid}.mjs`);
  const entryPoints = [pathOf("src/hub/store/sql/thread.ts")];
  await build({ entryPoints, outfile, bundle: true, packages: "external", platform: "node", format: "esm" });
  renameSync(outfile, pathOf(".cache/store-thread.mjs"));
}
