import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";

/** The static imports of a minified module. */
const imports = /(?:\bfrom|\bimport)\s*"(\.[^"]+)"/g;

/** The bytes of a module and of all that it imports, each file gzipped for itself; what is loaded on demand is not in them. */
export async function gzippedFiles(path: string, seen: Set<string> = new Set()): Promise<number> {
  if (seen.has(path)) return 0;
  seen.add(path);
  const text = await readFile(path, "utf8");
  let sum = gzipSync(text, { level: 9 }).length;
  for (const [, imported = ""] of text.matchAll(imports))
    sum += await gzippedFiles(join(dirname(path), imported), seen);
  return sum;
}
