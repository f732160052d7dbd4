// `npm start`: installs and builds what is missing or changed, then runs the hub in this process.
import { ensureBuilt } from "./build.mjs";
import { ensureInstalled } from "./lib/ensure-installed.mjs";

try {
  ensureInstalled();
  await ensureBuilt();
} catch (error) {
  console.error(error.message);
  process.exit(1);
}

await import("./lib/run-hub.mjs");
