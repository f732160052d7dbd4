// Builds dist/: the package by tsc, then the browser bundles and the apps by esbuild.
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { bundleExtension, removeExtension } from "./lib/bundle-extension.mjs";
import { chatStylesModule } from "./lib/chat-styles.mjs";
import { importDirectly } from "./lib/direct-imports.mjs";
import { filesIn } from "./lib/files.mjs";
import { isMain } from "./lib/is-main.mjs";
import { root } from "./lib/root.mjs";
import { runPackage } from "./lib/run.mjs";

const stampPath = join(root, ".cache", "build-stamp");

/** Builds when a source changed since the last build or something that it made is gone. */
export async function ensureBuilt() {
  if (existsSync(stampPath) && readFileSync(stampPath, "utf8") === fingerprint()) return;
  console.log("Building");
  await build();
}

async function build() {
  removeExtension();
  compile();
  writeFileSync(join(root, stylesPath), await chatStylesModule());
  await bundlePage();
  await bundleElement();
  await bundleApps();
  await bundleExtension(bundle, { ...jsx, plugins: [roomsByName] });
  mkdirSync(join(root, ".cache"), { recursive: true });
  writeFileSync(stampPath, fingerprint());
}

/** A module that no source is compiled to. */
const stylesPath = "dist/chat/ai-chat/styles.js";

const hasStyles = {
  name: "has-styles",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/styles\.js$/ }, () => ({ path: join(root, stylesPath) }));
  },
};

/** Path, size and time of everything that goes into a build, and the paths of everything that comes out. */
function fingerprint() {
  const inputs = [
    ...filesIn("src", "apps", "scripts"),
    "package-lock.json",
    "tsconfig.base.json",
    "tsconfig.apps.json",
  ].map((path) => {
    const { size, mtimeMs } = statSync(join(root, path));
    return `${path} ${size} ${mtimeMs}`;
  });
  return createHash("sha256")
    .update([...inputs, ...filesIn("dist")].join("\n"))
    .digest("hex");
}

/** tsc neither notices an output that was deleted nor deletes one whose source is gone. */
function compile() {
  const sources = filesIn("src").filter((path) => path.endsWith(".ts") && !/\.(d|test|test-\w+)\.ts$/.test(path));
  const wanted = new Set(
    sources.flatMap((path) => ["js", "js.map", "d.ts", "d.ts.map"].map((end) => outputOf(path, end))),
  );
  const folders = readdirSync(join(root, "src")).map((name) => `dist/${name}`);
  const found = new Set(filesIn(...folders).filter((path) => /\.(js|ts)(\.map)?$/.test(path)));
  for (const path of found) if (!wanted.has(path)) rmSync(join(root, path));
  const isWhole = [...wanted].every((path) => found.has(path));
  if (runPackage("typescript", "-b", "src", ...(isWhole ? [] : ["--force"])) !== 0) {
    throw new Error("The sources do not compile: see the messages above.");
  }
  for (const folder of folders) importDirectly(folder);
  cpSync(join(root, "src/element/custom-elements.json"), join(root, "dist/element/custom-elements.json"));
}

function outputOf(source, end) {
  return source.replace(/^src\//, "dist/").replace(/ts$/, end);
}

/** The page's script for a script tag, and beside it the parts that it loads when first needed. */
async function bundlePage() {
  const options = { plugins: [loadsByAddress], entryNames: "[name]" };
  const script = { pagewire: "src/page/script.ts" };
  await bundle({ ...options, outdir: "dist/browser", entryPoints: script, format: "iife" });
  const names = filesIn("src/page/chunks").filter((path) => path.endsWith(".ts") && !path.includes(".test"));
  const chunks = Object.fromEntries(names.map((path) => [basename(path, ".ts"), path]));
  await bundle({ ...options, outdir: "dist/browser/chunks", entryPoints: { ...chunks, ...commonParts } });
  const workers = {
    "pagewire-worker": "src/worker/shared-worker.ts",
    "pagewire-service-worker": "src/worker/service-worker.ts",
    "pagewire-serving-worker": "src/worker/serving-worker.ts",
    "pagewire-serving-service-worker": "src/worker/serving-service-worker.ts",
  };
  await bundle({ outdir: "dist/browser", entryPoints: workers });
  // A program that imports a worker's script, as its own worker does, gets a script without names.
  writeFileSync(join(root, "dist/browser/script.d.ts"), "export {};\n");
}

/** Modules that the page's calls or the polyfill's script load, or both. */
const commonParts = {
  "accept-value": "src/toolbox/accept-value.ts",
  "offer-calls": "src/toolbox/offer-calls.ts",
  questions: "src/page/calls/questions.ts",
  rounds: "src/toolbox/rounds.ts",
  validator: "src/toolbox/json-schema-validator.ts",
  "form-call": "src/webmcp/polyfill/forms/form-call.ts",
};

/** The script and its parts load the others by their address, where they lie beside them. */
const loadsByAddress = {
  name: "loads-by-address",
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ kind, path }) =>
      kind === "dynamic-import" ? { path: path.replace(/\.ts$/, ".js"), external: true } : undefined,
    );
  },
};

/**
 * The adapter's script has the MCP client beside it: a part that the two share would hold much that only the client
 * uses.
 */
const clientBeside = {
  name: "client-beside",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/bridge-server\.ts$/ }, () => ({ path: "./pagewire/bridge-server.js", external: true }));
  },
};

/**
 * `<ai-agent>`, `<ai-chat>`, the bridge to the agent's window, the actions, terminals and WebMCP for a script tag; their parts lie
 * where the page script's are served from.
 */
async function bundleElement() {
  rmSync(join(root, "dist/browser/pagewire"), { recursive: true, force: true });
  const options = { outdir: "dist/browser", splitting: true, chunkNames: "pagewire/[name]-[hash]" };
  // Each by itself: a part that they share holds what only the other one uses.
  await bundle({ ...options, entryPoints: { "ai-agent": "src/element/script.ts" } });
  const chat = { "pagewire/ai-chat": "src/chat/ai-chat/script.ts" };
  await bundle({ ...options, plugins: [hasStyles], entryPoints: chat });
  const loader = { "ai-chat": "src/chat/ai-chat/loader.ts" };
  await bundle({ outdir: "dist/browser", entryPoints: loader, format: "iife" });
  await bundle({ ...options, entryPoints: { "agent-window": "src/agent-window/script.ts" } });
  await bundle({ ...options, entryPoints: { actions: "src/page/actions/script.ts" } });
  await bundle({ ...options, entryPoints: { terminal: "src/terminal-view/script.ts" } });
  await bundle({ ...options, entryPoints: { "pagewire/bridge-server": "src/webmcp/bridge-server.ts" } });
  const adapter = { webmcp: "src/webmcp/script.ts" };
  await bundle({ outdir: "dist/browser", plugins: [clientBeside], entryPoints: adapter });
  // Not a module: it has to be there before the page's own scripts run.
  const polyfill = { "webmcp-polyfill": "src/webmcp/polyfill/script.ts" };
  await bundle({ outdir: "dist/browser", entryPoints: polyfill, format: "iife" });
}

/** Output folders of apps whose name is that of a source folder, which is compiled there. */
const appOutputs = { terminal: "terminal-page" };

/** The apps belong to the house: by the package's name they import its rooms, with all that is not published too. */
const roomsByName = {
  name: "rooms-by-name",
  setup({ onResolve }) {
    const folders = { "": "toolbox", "/ai-agent": "element", "/terminal": "terminal-view" };
    onResolve({ filter: /^pagewire(\/|$)/ }, ({ path }) => {
      const name = path.slice("pagewire".length);
      return { path: join(root, "dist", folders[name] ?? name, "index.js"), sideEffects: false };
    });
  },
};

const jsx = { jsx: "automatic", jsxImportSource: "preact" };

async function bundleApps() {
  for (const name of readdirSync(join(root, "apps"))) {
    if (name === "common" || name === "extension") continue;
    const output = `dist/${appOutputs[name] ?? name}`;
    rmSync(join(root, output), { recursive: true, force: true });
    const main = ["main.tsx", "main.ts"].find((file) => existsSync(join(root, "apps", name, "src", file)));
    const entryPoints = [`apps/${name}/src/${main}`];
    const options = {
      ...jsx,
      outdir: output,
      splitting: true,
      chunkNames: "parts/[name]-[hash]",
      plugins: [roomsByName],
    };
    await bundle({ entryPoints, ...options });
    cpSync(join(root, "apps", name, "public"), join(root, output), { recursive: true });
    cpSync(join(root, "apps/common/styles"), join(root, output, "styles/common"), { recursive: true });
    if (name === "agent") cpSync(join(root, "src/chat/styles"), join(root, output, "styles/chat"), { recursive: true });
  }
}

async function bundle(options) {
  // Loaded here because this module is also imported before the dependencies are installed.
  const { build: esbuild } = await import("esbuild");
  await esbuild({
    absWorkingDir: root,
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    logLevel: "warning",
    ...options,
  });
}

if (isMain(import.meta)) await build();
