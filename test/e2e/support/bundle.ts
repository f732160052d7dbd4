import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Plugin } from "esbuild";

/** Bundles a TypeScript module for a browser; it may import the package, and other modules that are supplied by name. */
export async function bundleModule(
  contents: string,
  supplied: Readonly<Record<string, string>> = {},
): Promise<{ readonly body: string; readonly type: string }> {
  const resolveDir = dirname(fileURLToPath(import.meta.url));
  const supplies: Plugin = {
    name: "supplied",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /.*/ }, ({ path }) =>
        Object.hasOwn(supplied, path) ? { path, namespace: "supplied" } : null,
      );
      onLoad({ filter: /.*/, namespace: "supplied" }, ({ path }) => ({
        contents: supplied[path] ?? "",
        loader: "ts",
        resolveDir,
      }));
    },
  };
  const { outputFiles } = await build({
    stdin: { contents, loader: "ts", resolveDir },
    bundle: true,
    format: "esm",
    target: "es2022",
    write: false,
    plugins: [supplies],
  });
  return { body: outputFiles[0]?.text ?? "", type: "text/javascript" };
}
