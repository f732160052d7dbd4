// What the pages of this document offer, for who runs beside them: an agent in the same document. By a symbol of the
// realm, because a page may have come by script tag, with a copy of this code of its own.
import type { Toolbox } from "./toolbox.ts";

const realm: { [key: symbol]: Set<Toolbox> | undefined } = globalThis;

/** The toolboxes of the pages that this document has connected and not closed, in that order. */
export const pageToolboxes = (realm[Symbol.for("pagewire.pages")] ??= new Set());

/** The toolbox of the page that was connected last; undefined where there is none. */
export function getPageToolbox(): Toolbox | undefined {
  return [...pageToolboxes].at(-1);
}
