import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** True when the module with this `import.meta` is the script that Node was started with. */
export function isMain(meta) {
  return Boolean(process.argv[1]) && realpathSync(process.argv[1]) === fileURLToPath(meta.url);
}
