// In dist/, what is imported by way of an index.js is imported from the module that has it. A bundler that splits code by
// module, such as esbuild, gives a page all that is behind an index.js at once, also what only parts loaded later need.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { filesIn } from "./files.mjs";
import { root } from "./root.mjs";

/** As the compiler writes them. What replaces one stays on its line, so that source maps hold. */
const statements = /(?<=^|; )(import|export) \{ ([^{}]*) \} from "(\.[^"]*)";/gm;

/** Rewrites the modules below a folder, given from the repository's; does nothing the second time. */
export function importDirectly(folder) {
  const homes = new Map();
  for (const path of filesIn(folder)) {
    if (!path.endsWith(".js")) continue;
    const before = readFileSync(join(root, path), "utf8");
    const after = before.replace(statements, (...[, kind, list, from]) => {
      const named = list.split(", ").map((item) => {
        const [name, alias = name] = item.split(" as ");
        return { alias, ...homeOf(name, join(dirname(path), from), homes) };
      });
      const direct = [...new Set(named.map(({ module }) => module))].map((module) => {
        const names = named.filter((each) => each.module === module);
        const words = names.map(({ name, alias }) => (name === alias ? name : `${name} as ${alias}`));
        return `${kind} { ${words.join(", ")} } from "${addressOf(module, path)}";`;
      });
      return direct.join(" ");
    });
    if (after !== before) writeFileSync(join(root, path), after);
  }
}

/** The module that declares what another exports, and what it is called there. */
function homeOf(name, module, homes) {
  if (!homes.has(module)) homes.set(module, exportedFromElsewhere(module));
  const next = homes.get(module).get(name);
  return next ? homeOf(next.name, next.module, homes) : { name, module };
}

function exportedFromElsewhere(module) {
  const found = new Map();
  if (!existsSync(join(root, module))) return found;
  for (const [, kind, list, from] of readFileSync(join(root, module), "utf8").matchAll(statements)) {
    for (const item of kind === "export" ? list.split(", ") : []) {
      const [name, alias = name] = item.split(" as ");
      found.set(alias, { name, module: join(dirname(module), from) });
    }
  }
  return found;
}

function addressOf(module, path) {
  const address = relative(dirname(path), module);
  return address.startsWith(".") ? address : `./${address}`;
}
