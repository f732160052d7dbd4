import type { ListedTool } from "./read-model-context.ts";
import { reach } from "./windows.ts";

/** The form behind a tool, if it is one. Only forms of this origin are listed at all. */
export function findForm({ window, name, annotations }: ListedTool): HTMLFormElement | undefined {
  return reach(window, ({ document }) =>
    // The browser does not list a tool's kind, but forms have no hints.
    find(document, { selector: `form[toolname="${CSS.escape(name)}"]`, deep: !annotations }),
  );
}

function find(
  root: ParentNode,
  { selector, deep }: { readonly selector: string; readonly deep: boolean },
): HTMLFormElement | undefined {
  const found = root.querySelector<HTMLFormElement>(selector);
  if (found) return found;
  if (!deep) return undefined;
  for (const { shadowRoot } of root.querySelectorAll("*")) {
    const inside = shadowRoot && find(shadowRoot, { selector, deep });
    if (inside) return inside;
  }
  return undefined;
}
