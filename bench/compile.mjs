// Bundles the bench's programs into .cache/, after the package was built.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { ensureBuilt } from "../scripts/build.mjs";

const folder = dirname(fileURLToPath(import.meta.url));

/** The repository's folder. */
export const root = dirname(folder);

const compiled = join(folder, ".cache");
const shared = { absWorkingDir: folder, outdir: compiled, bundle: true, logLevel: "warning" };

/** Returns the address of the compiled program with this name. */
export async function compileBench(name) {
  await ensureBuilt();
  await build({
    ...shared,
    entryPoints: { main: "main.ts", process: "process.ts", hops: "hops/main.ts" },
    format: "esm",
    splitting: true,
    platform: "node",
    target: "node20",
    packages: "external",
  });
  await build({
    ...shared,
    entryPoints: [
      "pages/browser/floor.ts",
      "pages/browser/batching-floor.ts",
      "pages/browser/acking-floor.ts",
      "pages/browser/json.ts",
      "pages/browser/many-rows.ts",
      "pages/browser/birpc.ts",
      "pages/browser/pagewire.ts",
      "pages/browser/rpc-floor.ts",
      "pages/browser/delegate-floor.ts",
      "pages/browser/late-tool.ts",
      "pages/browser/native.ts",
      "pages/browser/stock.ts",
      "pages/browser/opener.ts",
      "pages/browser/worker-socket.ts",
      "pages/browser/floor-app.ts",
      "pages/browser/floor-window.ts",
      "pages/browser/bridge-app.ts",
      "pages/browser/floor-shared-worker.ts",
      "pages/browser/floor-service-worker.ts",
    ],
    outdir: join(compiled, "browser"),
    format: "iife",
    platform: "browser",
    target: "es2022",
    minify: true,
  });
  await build({
    ...shared,
    entryPoints: ["pages/browser/hops.ts"],
    outdir: join(compiled, "browser"),
    format: "esm",
    platform: "browser",
    target: "es2022",
  });
  return new URL(`.cache/${name}.js`, import.meta.url).href;
}
