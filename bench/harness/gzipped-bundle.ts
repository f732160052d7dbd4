import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import type { Plugin } from "esbuild";

/** Code that is loaded on demand is in another file. */
const leaveOut: Plugin = {
  name: "leave-out",
  setup({ onResolve }) {
    onResolve({ filter: /^/ }, ({ kind, path }) => (kind === "dynamic-import" ? { path, external: true } : undefined));
  },
};

/**
 * The bytes of the one file that this module becomes for a browser, minified and gzipped; it imports from this folder.
 * `isWhole` has what is loaded on demand in it, too.
 */
export async function gzippedBundle(module: string, folder: string, isWhole = false): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: module, resolveDir: folder },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2022",
    logLevel: "error",
    plugins: isWhole ? [] : [leaveOut],
  });
  return gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length;
}
