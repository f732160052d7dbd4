// The toolboxes of the document's pages, for an agent in the same document. Shared through a global symbol, because the
// script tag and a package may both have loaded this code.
import type { Toolbox } from "./toolbox.ts";

const realm: { [key: symbol]: Set<Toolbox> | undefined } = globalThis;

/** The toolboxes of the document's open pages, in the order of their connection. */
export const pageToolboxes = (realm[Symbol.for("pagewire.pages")] ??= new Set());

/** The toolbox of the page that was connected last, if any. */
export function getPageToolbox(): Toolbox | undefined {
  return [...pageToolboxes].at(-1);
}
