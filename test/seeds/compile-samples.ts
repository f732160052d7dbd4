import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { mapImports } from "./sample-modules.ts";

const compiler = fileURLToPath(new URL("../../node_modules/typescript/bin/tsc", import.meta.url));

const project = {
  extends: "../../tsconfig.base.json",
  compilerOptions: {
    lib: ["es2023", "dom", "dom.iterable"],
    types: ["node"],
    jsx: "react-jsx",
    noUnusedLocals: false,
    noUnusedParameters: false,
    noImplicitOverride: false,
    verbatimModuleSyntax: false,
    // The samples do not check their indexed accesses.
    noUncheckedIndexedAccess: false,
  },
  include: ["*.ts", "*.tsx"],
};

/** Compiles samples, by file; returns the compiler's output and exit code. */
export function compileSamples(
  name: string,
  files: Readonly<Record<string, string>>,
): readonly [string, number | null] {
  const folder = new URL(`../../.cache/${name}/`, import.meta.url);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL("tsconfig.json", folder), JSON.stringify(project));
  for (const [file, contents] of Object.entries(files)) writeFileSync(new URL(file, folder), mapImports(contents));
  const { stdout, status } = spawnSync(process.execPath, [compiler, "-p", fileURLToPath(folder)], { encoding: "utf8" });
  return [stdout.trim(), status];
}
