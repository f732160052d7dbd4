import { execFile } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packPackage, repository, type PackedPackage } from "./support/packed-package.ts";

const execute = promisify(execFile);
const inPages = [
  "page",
  "page/actions",
  "worker",
  "agent-window",
  "terminal",
  "webmcp",
  "webmcp/polyfill",
  "react",
  "ai-agent",
  "ai-chat",
  "ai-chat/react",
  "ai-chat/types/react",
  "bindable/react",
  "bindable/svelte",
];
const inBoth = ["wire", "link", "hub-client", "ai", "ai/sdks", "bindable", "bindable/remote"];
const inBrowsers = [...inBoth, ...inPages];
// mcp-client re-exports the SDK's types, which need Node's.
const inNode = [...inBoth, "hub", "terminal/server", "bindable/server", "mcp-client", "testing"];

/** The workers' scripts, which a worker of one's own imports. */
const scripts = ["worker", "service-worker", "serving-worker", "serving-service-worker"];

let packed: PackedPackage;

beforeAll(async () => {
  packed = await packPackage();
  await mkdir(join(packed.consumer, "node_modules", "@types"), { recursive: true });
  for (const name of ["@types/node", "@types/react", "@types/ws", "csstype", "undici-types"]) {
    await symlink(join(repository, "node_modules", name), join(packed.consumer, "node_modules", name), "junction");
  }
});

afterAll(() => packed.close());

test.each([
  { where: "a browser project", folders: inBrowsers, lib: ["es2023", "dom", "dom.iterable"], types: [] },
  { where: "a Node project", folders: inNode, lib: ["es2023"], types: ["node"] },
])("the packed types hold in $where, declarations checked too", async ({ where, folders, lib, types }) => {
  const name = where.replaceAll(" ", "-");
  const imports = folders.map((folder) => `export * as ${folder.replaceAll(/[-/]/g, "")} from "pagewire/${folder}";`);
  if (types.length === 0) imports.push(...scripts.map((script) => `import "pagewire/${script}.js";`));
  const compilerOptions = {
    strict: true,
    skipLibCheck: false,
    noEmit: true,
    noUncheckedSideEffectImports: true,
    module: "nodenext",
    target: "es2023",
    lib,
    types,
  };
  await writeFile(join(packed.consumer, `${name}.mts`), imports.join("\n"));
  await writeFile(join(packed.consumer, `${name}.json`), JSON.stringify({ compilerOptions, files: [`${name}.mts`] }));
  const compiler = join(repository, "node_modules", "typescript", "bin", "tsc");
  const printed = await execute(process.execPath, [compiler, "-p", `${name}.json`], { cwd: packed.consumer }).then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  );
  expect(printed).toBe("");
});
