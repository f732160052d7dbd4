// The results of others' code with ours, for docs/reference/interop.md: a line for each partner and case.
import { appendFile, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const interop = fileURLToPath(new URL("..", import.meta.url));
const root = join(interop, "../..");
const folder = join(root, ".cache/interop-seen");

/** The package as it is installed here, under the name that it has in the manifest. */
export const versionOf = (name: string): Promise<string> => versionIn(interop, name);

/** The package as the repository itself has it. */
export const ownVersionOf = (name: string): Promise<string> => versionIn(root, name);

async function versionIn(place: string, name: string): Promise<string> {
  const manifest = await readFile(join(place, "node_modules", name, "package.json"), "utf8");
  return (JSON.parse(manifest) as { readonly version: string }).version;
}

interface Partner {
  readonly partner: string;
  readonly version: string;
}

/** Writes a line; of several about the same case the last one holds. */
export async function record({ partner, version }: Partner, run: string, result: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const line = { case: `${partner} ${version}: ${run}`, partner, version, run, result };
  await appendFile(join(folder, `${partner.replaceAll(/[^\w-]+/g, "-")}.jsonl`), `${JSON.stringify(line)}\n`);
}
