import { randomUUID } from "node:crypto";
import { renameSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** The modules of the hub's threads, by the names of their bundles. */
const threads = {
  "store-thread": "src/hub/store/sql/thread.ts",
};

/** Runs once before all tests of a project. A concurrent run reads either the old bundles or the new ones. */
export async function setup(): Promise<void> {
  const pathOf = (place: string) => fileURLToPath(new URL(`../../${place}`, import.meta.url));
  for (const [name, module] of Object.entries(threads)) {
    const outfile = pathOf(`.cache/${name}.${randomUUID()}.mjs`);
    const entryPoints = [pathOf(module)];
    // Kysely too: each thread would load its hundreds of modules again, in 130 ms of a processor.
    const external = ["pg", "@photostructure/sqlite"];
    await build({ entryPoints, outfile, bundle: true, external, platform: "node", format: "esm" });
    renameSync(outfile, pathOf(`.cache/${name}.mjs`));
  }
}
