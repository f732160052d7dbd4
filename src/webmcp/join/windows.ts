// The ownership of windows' tools: a browser lists the tools of a whole tree of frames, regardless of where it is
// queried.

/** The key under which a document stores its pages' toolboxes. */
const pagesKey = Symbol.for("pagewire.pages");

/** Whether a window is another one, or a frame somewhere inside it. */
export function isBelow(window: Window, own: Window): boolean {
  return pathTo(window, own) !== undefined;
}

/** Whether this window's page should offer another window's tools. */
export function isOursToOffer(window: Window, own: Window): boolean {
  return pathTo(window, own)?.every((each) => !hasPage(each)) ?? false;
}

/** A window and its ancestors up to another window; undefined if that is not an ancestor. */
function pathTo(window: Window, own: Window): readonly Window[] | undefined {
  return reach(window, (inner) => {
    const path: Window[] = [];
    for (let at = inner; at !== own; at = at.parent) {
      // A closed window has no parent; the top window is its own parent.
      if (!at.parent || path.includes(at)) return undefined;
      path.push(at);
    }
    return path;
  });
}

/** Whether a window has its own page, which offers its tools. False for another origin's window. */
function hasPage(window: object): boolean {
  const pages = reach(window, (there: { readonly [pagesKey]?: unknown }) => there[pagesKey]);
  return ((Object(pages) as { readonly size?: number }).size ?? 0) > 0;
}

/** The path of a window's document; undefined for another origin. */
export function pathOf(window: Window): string | undefined {
  // A srcdoc document has none.
  return reach(window, ({ location }) => location.pathname.replace(/^[^/].*/, ""));
}

/** Reads a property; undefined if access is forbidden, as for cross-origin windows. */
export function reach<Target, Value>(target: Target, look: (target: Target) => Value): Value | undefined {
  try {
    return look(target);
  } catch {
    return undefined;
  }
}
