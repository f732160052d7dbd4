// `npm start`: installs and builds what is missing or changed, then runs the hub in this process.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ensureBuilt } from "./build.mjs";
import { ensureInstalled } from "./lib/ensure-installed.mjs";
import { root } from "./lib/root.mjs";

try {
  ensureInstalled();
  await ensureBuilt();
} catch (error) {
  console.error(error.message);
  process.exit(1);
}

const command = join(root, "dist", "cli", "main.js");
process.argv[1] = command;
await import(pathToFileURL(command));
