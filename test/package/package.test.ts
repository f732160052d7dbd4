import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type BuildResult, type Metafile } from "esbuild";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packPackage, readManifest, type PackedPackage } from "./support/packed-package.ts";

const everywhere = [
  "pagewire",
  "pagewire/wire",
  "pagewire/link",
  "pagewire/page",
  "pagewire/page/actions",
  "pagewire/worker",
  "pagewire/agent-window",
  "pagewire/terminal",
  "pagewire/webmcp",
  "pagewire/webmcp/polyfill",
  "pagewire/react",
  "pagewire/hub-client",
  "pagewire/ai",
  "pagewire/ai/sdks",
  "pagewire/ai-agent",
  "pagewire/ai-chat",
  "pagewire/ai-chat/react",
  "pagewire/bindable",
  "pagewire/bindable/remote",
  "pagewire/mcp-client",
];
/** Packages that are loaded on demand, with their dependencies. */
const onDemand = ["@modelcontextprotocol/client", "@xterm/*"];
const inNodeOnly = ["pagewire/hub", "pagewire/terminal/server", "pagewire/bindable/server", "pagewire/testing"];

let packed: PackedPackage;

beforeAll(async () => {
  packed = await packPackage();
});

afterAll(() => packed.close());

test("the entry points are these, each with its types, as ES modules only", async () => {
  const { exports } = await readManifest();
  expect(exports).toEqual({
    ".": { types: "./dist/toolbox/public.d.ts", default: "./dist/toolbox/public.js" },
    "./wire": { types: "./dist/wire/public.d.ts", default: "./dist/wire/public.js" },
    "./link": { types: "./dist/link/public.d.ts", default: "./dist/link/public.js" },
    "./page": { types: "./dist/page/public.d.ts", default: "./dist/page/public.js" },
    "./page/actions": { types: "./dist/page/actions/index.d.ts", default: "./dist/page/actions/index.js" },
    "./worker": { types: "./dist/worker-client/index.d.ts", default: "./dist/worker-client/index.js" },
    "./worker.js": { types: "./dist/browser/script.d.ts", default: "./dist/browser/pagewire-worker.js" },
    "./service-worker.js": {
      types: "./dist/browser/script.d.ts",
      default: "./dist/browser/pagewire-service-worker.js",
    },
    "./serving-worker.js": {
      types: "./dist/browser/script.d.ts",
      default: "./dist/browser/pagewire-serving-worker.js",
    },
    "./serving-service-worker.js": {
      types: "./dist/browser/script.d.ts",
      default: "./dist/browser/pagewire-serving-service-worker.js",
    },
    "./agent-window": { types: "./dist/agent-window/public.d.ts", default: "./dist/agent-window/public.js" },
    "./webmcp": { types: "./dist/webmcp/public.d.ts", default: "./dist/webmcp/public.js" },
    "./webmcp/polyfill": { types: "./dist/webmcp/polyfill/index.d.ts", default: "./dist/webmcp/polyfill/index.js" },
    "./terminal": { types: "./dist/terminal-view/index.d.ts", default: "./dist/terminal-view/index.js" },
    "./terminal/server": { types: "./dist/terminal/public.d.ts", browser: null, default: "./dist/terminal/public.js" },
    "./react": { types: "./dist/react/index.d.ts", default: "./dist/react/index.js" },
    "./ai": { types: "./dist/ai/public.d.ts", default: "./dist/ai/public.js" },
    "./ai/sdks": { types: "./dist/ai/sdks/index.d.ts", default: "./dist/ai/sdks/index.js" },
    "./ai-agent": { types: "./dist/element/public.d.ts", default: "./dist/element/public.js" },
    "./ai-agent/auto": { types: "./dist/element/auto.d.ts", default: "./dist/element/auto.js" },
    "./ai-agent/auto/remoteEnv": {
      types: "./dist/element/auto-remote-env.d.ts",
      default: "./dist/element/auto-remote-env.js",
    },
    "./ai-agent/types/react": { types: "./dist/element/types/react.d.ts", default: "./dist/element/types/react.js" },
    "./ai-agent/types/vue": { types: "./dist/element/types/vue.d.ts", default: "./dist/element/types/vue.js" },
    "./ai-agent/types/svelte": { types: "./dist/element/types/svelte.d.ts", default: "./dist/element/types/svelte.js" },
    "./ai-chat": { types: "./dist/chat/public.d.ts", default: "./dist/chat/public.js" },
    "./ai-chat/react": { types: "./dist/chat/react.d.ts", default: "./dist/chat/react.js" },
    "./ai-chat/types/react": { types: "./dist/chat/types/react.d.ts", default: "./dist/chat/types/react.js" },
    "./ai-chat/types/vue": { types: "./dist/chat/types/vue.d.ts", default: "./dist/chat/types/vue.js" },
    "./ai-chat/types/svelte": { types: "./dist/chat/types/svelte.d.ts", default: "./dist/chat/types/svelte.js" },
    "./bindable": { types: "./dist/bindable/index.d.ts", default: "./dist/bindable/index.js" },
    "./bindable/remote": { types: "./dist/bindable/remote.d.ts", default: "./dist/bindable/remote.js" },
    "./bindable/react": { types: "./dist/bindable/react.d.ts", default: "./dist/bindable/react.js" },
    "./bindable/vue": { types: "./dist/bindable/vue.d.ts", default: "./dist/bindable/vue.js" },
    "./bindable/svelte": { types: "./dist/bindable/svelte.d.ts", default: "./dist/bindable/svelte.js" },
    "./bindable/server": {
      types: "./dist/bindable/server/index.d.ts",
      browser: null,
      default: "./dist/bindable/server/index.js",
    },
    "./mcp-client": { types: "./dist/mcp-client/index.d.ts", default: "./dist/mcp-client/index.js" },
    "./hub": { types: "./dist/hub/public.d.ts", browser: null, default: "./dist/hub/public.js" },
    "./hub-client": { types: "./dist/hub-client/public.d.ts", default: "./dist/hub-client/public.js" },
    "./testing": { types: "./dist/testing/index.d.ts", default: "./dist/testing/index.js" },
    "./custom-elements.json": "./dist/element/custom-elements.json",
    "./package.json": "./package.json",
  });
});

test("publint finds no problem in the packed package", async () => {
  const { messages, pkg } = await publint({ pack: { tarball: packed.tarball }, strict: true });
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
});

test("the package holds the build and its documents, neither tests nor maps of sources that it does not hold", () => {
  const others = packed.files.filter((path) => !path.startsWith("dist/"));
  expect(others.toSorted()).toEqual(["CHANGELOG.md", "LICENSE", "README.md", "package.json"]);
  expect(packed.files.filter((path) => /\.(test|test-\w+)\.|\.(tsbuildinfo|map)$/.test(path))).toEqual([]);
});

test.each([...everywhere, ...inNodeOnly])("%s can be imported in Node", async (entry) => {
  const names: unknown = JSON.parse(await packed.runModule(printNames(entry)));
  // The polyfill is imported for its side effect, not for a name.
  expect((names as string[]).length > 0).toBe(!entry.endsWith("/polyfill"));
});

test("every entry point exports exactly the recorded names, types too", async () => {
  const names = await Promise.all(
    [...everywhere, ...inNodeOnly].map(async (entry): Promise<[string, object]> => {
      const values: unknown = JSON.parse(await packed.runModule(printNames(entry)));
      return [entry, { values, types: (await typesOf(entry)).sort() }];
    }),
  );
  // To update the file after a build: `npx vitest run --project package -u`.
  await expect(`${JSON.stringify(Object.fromEntries(names), null, 2)}\n`).toMatchFileSnapshot("./exports.json");
});

test.each(everywhere)("%s bundles for browsers without Node's modules, ws and jose", async (entry) => {
  const { metafile } = await bundleForBrowsers(allOf(entry));
  const inputs = Object.keys(metafile.inputs);
  expect(inputs.filter((path) => /node_modules\/(ws|jose)\//.test(path))).toEqual([]);
  const atOnce = loadedAtOnce(metafile.outputs);
  expect(atOnce.size).toBeGreaterThan(0);
  const outside = Object.entries(metafile.outputs).flatMap(([output, { imports }]) =>
    imports.filter(
      ({ external, path, kind }) =>
        external && !(isOnDemand(path) && (kind === "dynamic-import" || !atOnce.has(output))),
    ),
  );
  expect(outside.map(({ path }) => path)).toEqual([]);
});

test("where a bundler splits by module, code for later parts of a page is not loaded at once", async () => {
  const contents = 'import { connectPage } from "pagewire/page"; connectPage({ app: "shop" });';
  const { metafile, outputFiles } = await bundleForBrowsers(contents, { minify: true });
  const atOnce = [...loadedAtOnce(metafile.outputs)].map((path) => basename(path));
  const loaded = outputFiles.filter(({ path }) => atOnce.includes(basename(path)));
  expect(loaded.length).toBe(atOnce.length);
  const bytes = loaded.reduce((sum, file) => sum + gzipSync(file.contents, { level: 9 }).length, 0);
  expect(bytes).toBeLessThan(13 * 1024);
});

test("pagewire/hub refuses to be bundled for browsers", async () => {
  await expect(bundleForBrowsers(allOf("pagewire/hub"))).rejects.toThrow('Could not resolve "pagewire/hub"');
});

test("the workers' scripts are files of the package that resolve by name", async () => {
  const names = ["worker", "service-worker", "serving-worker", "serving-service-worker"];
  const resolved = names.map((name) => `import.meta.resolve("pagewire/${name}.js")`);
  const printed = await packed.runModule(`console.log(JSON.stringify([${resolved.join()}]))`);
  const found = (JSON.parse(printed) as string[]).map((url) => url.replace(/^.*\/node_modules\/pagewire\//, ""));
  expect(found).toEqual(names.map((name) => `dist/browser/pagewire-${name}.js`));
  expect(packed.files).toEqual(expect.arrayContaining(found));
});

test("pagewire/react begins by saying that it is for the client", async () => {
  const entry = await readFile(join(packed.consumer, "node_modules/pagewire/dist/react/index.js"), "utf8");
  expect(entry).toMatch(/^"use client";\n/);
});

test("the pagewire command runs from the packed package", async () => {
  const { version } = await readManifest();
  expect(await packed.runCommand("--version")).toContain(version);
});

/** The files that a bundle's entry point imports statically; the others are loaded on demand. */
function loadedAtOnce(outputs: Metafile["outputs"]): ReadonlySet<string> {
  const files = new Set(Object.keys(outputs).filter((path) => outputs[path]?.entryPoint === "<stdin>"));
  for (const file of files) {
    for (const { path, kind, external } of outputs[file]?.imports ?? []) {
      if (kind === "import-statement" && !external) files.add(path);
    }
  }
  return files;
}

function isOnDemand(path: string): boolean {
  return onDemand.some((name) => path === name || path.startsWith(name.replace("*", "")));
}

function printNames(entry: string): string {
  return `console.log(JSON.stringify(Object.keys(await import(${JSON.stringify(entry)})).sort()))`;
}

/** The names that the entry point's declarations export as types. */
async function typesOf(entry: string): Promise<string[]> {
  const { exports } = await readManifest();
  const { types } = exports[entry.replace("pagewire", ".")] as { types: string };
  return typesIn(join(packed.consumer, "node_modules/pagewire", types));
}

async function typesIn(path: string): Promise<string[]> {
  const declarations = await readFile(path, "utf8");
  const listed = [...declarations.matchAll(/^export type \{([^}]*)\}/gm)].flatMap(([, list = ""]) => list.split(","));
  const others = [...declarations.matchAll(/^export \* from "(.*)\.js"/gm)].map(([, from]) =>
    typesIn(join(dirname(path), `${from}.d.ts`)),
  );
  return [...listed.map((name) => name.trim()).filter(Boolean), ...(await Promise.all(others)).flat()];
}

function allOf(entry: string): string {
  return `export * from ${JSON.stringify(entry)};`;
}

function bundleForBrowsers(
  contents: string,
  options: { readonly minify?: boolean } = {},
): Promise<BuildResult<{ metafile: true; write: false }>> {
  return build({
    ...options,
    stdin: { contents, resolveDir: packed.consumer },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    external: onDemand,
    metafile: true,
    write: false,
    outdir: packed.consumer,
    logLevel: "silent",
  });
}
