// Turns samples into modules: redirects their imports to this package, and supplies what they leave out.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { BuildOptions, Loader, Plugin } from "esbuild";
import { compile as compileSvelte } from "svelte/compiler";
import { compileScript, parse } from "vue/compiler-sfc";

const root = fileURLToPath(new URL("../..", import.meta.url));
const cache = new URL("../../.cache/seeds/", import.meta.url);

const ours: readonly (readonly [string, string])[] = [
  ["@csbc-dev/ai-agent", "pagewire/ai-agent"],
  ["@wc-bindable/auth0/server", "pagewire/bindable/server"],
  ["@wc-bindable/core", "pagewire/bindable"],
  ["@wc-bindable/", "pagewire/bindable/"],
  ["seahorse-agent-bridge", "pagewire/agent-window"],
  ["agents/experimental/webmcp", "pagewire/webmcp"],
];

/** A sample exactly as written, except for its import paths. */
export function mapImports(sample: string): string {
  const quoted = ours.flatMap(([theirs, own]) => ['"', "'"].map((quote) => [quote + theirs, quote + own] as const));
  return quoted.reduce((text, [theirs, own]) => text.replaceAll(theirs, own), sample);
}

export interface ModuleSetting {
  readonly loader?: Loader;
  /** Modules by their import names; components by their file names. */
  readonly supplied?: Readonly<Record<string, string>>;
  readonly define?: Readonly<Record<string, string>>;
}

/** A module, bundled for a browser. */
export async function bundleForPage(contents: string, setting: ModuleSetting = {}) {
  return { body: await bundle(contents, setting, { platform: "browser" }), type: "text/javascript" };
}

let made = 0;

/** Runs a module in this process; returns its exports. */
export async function runModule(contents: string, setting: ModuleSetting = {}): Promise<Record<string, unknown>> {
  mkdirSync(cache, { recursive: true });
  const file = new URL(`${process.pid}-${++made}.mjs`, cache);
  writeFileSync(
    file,
    await bundle(contents, setting, { platform: "node", external: ["pagewire/*", "ws", "jose", "playwright"] }),
  );
  try {
    return (await import(file.href)) as Record<string, unknown>;
  } finally {
    rmSync(file);
  }
}

async function bundle(contents: string, setting: ModuleSetting, options: BuildOptions): Promise<string> {
  const { loader = "ts", supplied = {}, define = {} } = setting;
  const { outputFiles } = await build({
    stdin: { contents: mapImports(contents), loader, resolveDir: root },
    bundle: true,
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    write: false,
    define: {
      "process.env.NODE_ENV": '"development"',
      __VUE_OPTIONS_API__: "true",
      __VUE_PROD_DEVTOOLS__: "false",
      ...define,
    },
    plugins: [suppliesModules(supplied)],
    ...options,
  });
  return outputFiles?.[0]?.text ?? "";
}

function suppliesModules(supplied: Readonly<Record<string, string>>): Plugin {
  return {
    name: "supplied",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /.*/ }, ({ path, namespace }) =>
        Object.hasOwn(supplied, path) && namespace !== "supplied" ? { path, namespace: "supplied" } : null,
      );
      onLoad({ filter: /.*/, namespace: "supplied" }, ({ path }) => ({
        contents: scriptOf(path, mapImports(supplied[path] ?? "")),
        loader: "ts",
        resolveDir: root,
      }));
    },
  };
}

/** A component compiled with its framework's own compiler. */
function scriptOf(path: string, source: string): string {
  if (path.endsWith(".svelte")) return compileSvelte(source, { generate: "client", filename: path }).js.code;
  if (!path.endsWith(".vue")) return source;
  const { descriptor } = parse(source, { filename: path });
  const isCustomElement = (tag: string) => tag.includes("-");
  return compileScript(descriptor, {
    id: path,
    inlineTemplate: true,
    templateOptions: { compilerOptions: { isCustomElement } },
  }).content;
}
