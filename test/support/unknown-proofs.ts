import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { filesIn } from "../../scripts/lib/files.mjs";
import { root } from "../../scripts/lib/root.mjs";

/** Of lists of proofs (rules, and test files by name), the entries that do not exist. */
export function unknownProofs(lists: readonly string[]): readonly string[] {
  const files = filesIn("src", "test", "apps", "examples");
  const tests = files
    .filter((path) => /\.test\.tsx?$/.test(path))
    .map((path) => `\`${basename(path).replace(/\.tsx?$/, "")}\``);
  const rules = files
    .filter((path) => basename(path) === "SPEC.md")
    .flatMap((path) =>
      Array.from(readFileSync(join(root, path), "utf8").matchAll(/^- \*\*(\w+)\*\*/gm), ([, id]) => id),
    );
  const known = new Set([...tests, ...rules]);
  return [...new Set(lists.flatMap((list) => list.split(", ")))].filter((name) => !known.has(name));
}
