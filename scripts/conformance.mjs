// `npm run conformance`: the step of this name of `npm test`, alone; installs and builds what is missing or changed.
import { ensureBuilt } from "./build.mjs";
import { ensureChromium } from "./lib/ensure-chromium.mjs";
import { ensureInstalled } from "./lib/ensure-installed.mjs";
import { runConformance } from "./lib/run-conformance.mjs";

try {
  ensureInstalled();
  await ensureBuilt();
} catch (error) {
  console.error(error.message);
  process.exit(1);
}

ensureChromium();
const { passed, failed } = runConformance();
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
