// The names of test/agents: of the programs, as `pagewire connect` takes them, and of the frameworks in code.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "./root.mjs";

/** In the order of the program table, whose entries are the names in camel case. */
export function programNames() {
  const table = readFileSync(join(root, "test", "agents", "programs", "program-table.ts"), "utf8");
  const [, entries] = /programTable.* = \[([^\]]+)\]/.exec(table);
  return entries.match(/\w+/g).map((entry) => entry.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));
}

/** Of the programs that are checked by their documented configuration. */
export function documentedNames() {
  const table = readFileSync(join(root, "test", "agents", "documented", "client-table.ts"), "utf8");
  return [...table.matchAll(/^ {2}id: "([\w-]+)"/gm)].map(([, name]) => name);
}

export function frameworkNames() {
  const entries = readdirSync(join(root, "examples", "agent-sdks"), { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
}
