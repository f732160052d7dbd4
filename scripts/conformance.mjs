// `npm run conformance`: the step of this name of `npm test`, alone; installs and builds what is missing or changed.
import { ensureBuilt } from "./build.mjs";
import { ensureInstalled } from "./lib/ensure-installed.mjs";
import { ensurePrograms } from "./lib/ensure-programs.mjs";
import { runConformance } from "./lib/run-conformance.mjs";

try {
  ensureInstalled();
  await ensureBuilt();
} catch (error) {
  console.error(error.message);
  process.exit(1);
}

ensurePrograms(["chromium"]);
const { passed, failed } = runConformance();
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
