// The scenarios that the suite's own frozen lists score.
import { readFileSync } from "node:fs";

const folder = new URL("../node_modules/@modelcontextprotocol/conformance/requirements/", import.meta.url);

/** The revisions of MCP whose lists must pass. */
export const revisions = ["2025-11-25", "2026-07-28"] as const;

export type Revision = (typeof revisions)[number];

/** The scenarios that a server must pass to conform to a revision. */
export function scoredScenarios(revision: Revision): readonly string[] {
  const text = readFileSync(new URL(`${revision}.yaml`, folder), "utf8");
  const [, section = ""] = /^server:\n((?: {2}- \S+\n)+)/m.exec(text) ?? [];
  const names = [...section.matchAll(/^ {2}- (\S+)$/gm)].map(([, name = ""]) => name);
  if (names.length === 0) throw new Error(`The suite's list for ${revision} names no scenarios of a server.`);
  return names;
}
