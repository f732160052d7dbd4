// The hub of `npm start`, as it was built last: by itself it neither installs nor builds.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./root.mjs";

const command = join(root, "dist", "cli", "main.js");
const given = process.argv.slice(2);
if (await mayHaveTerminals(given)) process.argv.push("--terminal");
process.argv[1] = command;
await import(pathToFileURL(command));

/**
 * Whether the hub is to have terminals, so that `npx pagewire terminal` works beside it: where pseudo terminals can be
 * opened, and the hub is given nothing but what `pagewire terminal` would itself start one with, which is a hub of this
 * user's on this machine alone.
 */
async function mayHaveTerminals(words) {
  const { startOptions } = await importBuilt("cli", "run-hub", "hub-run-options.js");
  const options = words.filter((word) => word.startsWith("-")).map((word) => word.replace(/^--|=.*/g, ""));
  const isPlain = (words[0] ?? "-").startsWith("-") && options.every((name) => Object.hasOwn(startOptions, name));
  if (!isPlain) return false;
  const { findPty } = await importBuilt("terminal", "index.js");
  return findPty().then(
    () => true,
    () => false,
  );
}

function importBuilt(...path) {
  return import(pathToFileURL(join(root, "dist", ...path)));
}
