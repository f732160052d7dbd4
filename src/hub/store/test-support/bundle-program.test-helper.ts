import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const threadUrl = fileURLToPath(new URL("../../../../test/support/store-thread-url.ts", import.meta.url));

/** Bundles a module beside this one as a program, with a store thread that Node can start; returns its path. */
export async function bundleProgram(name: string): Promise<string> {
  const entryPoints = [fileURLToPath(new URL(`${name}.test-program.ts`, import.meta.url))];
  const outfile = fileURLToPath(new URL(`../../../../.cache/${name}.mjs`, import.meta.url));
  await build({
    entryPoints,
    outfile,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    define: { "import.meta.url": JSON.stringify(new URL("../../../../test/support/x.ts", import.meta.url).href) },
    plugins: [
      {
        name: "bundled-thread",
        setup: ({ onResolve }) => onResolve({ filter: /\/thread-url\.ts$/ }, () => ({ path: threadUrl })),
      },
    ],
  });
  return outfile;
}
