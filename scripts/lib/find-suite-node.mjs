import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "./root.mjs";

/** The Inspector's; the conformance suite is content with any 22. */
const oldest = [22, 19];

/**
 * The Node that runs the conformance suite and the Inspector: the one installed beside them where there is one for this
 * machine, else this one when it is new enough.
 */
export function findSuiteNode() {
  const name = `node-${process.platform}-${process.arch}`;
  const bundled = join(root, "test", "conformance", "node_modules", name, "bin", "node");
  // A binary of another C library is installed too, but does not start.
  if (existsSync(bundled) && spawnSync(bundled, ["--version"]).status === 0) return bundled;
  if (isNewEnough(process.versions.node)) return process.execPath;
  throw new Error(
    `The MCP conformance suite needs Node ${oldest.join(".")} or newer, and this is ${process.version}. ` +
      "Install Node 24 and run this again with it.",
  );
}

function isNewEnough(version) {
  const [major, minor] = version.split(".").map(Number);
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1]);
}
