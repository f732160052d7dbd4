// Whose a window's tools are: a browser lists those of a whole tree of frames, wherever in it one asks.

/** The key under which a document stores its pages' toolboxes. */
const pagesKey = Symbol.for("pagewire.pages");

/** Whether a window is a frame somewhere in another, or that itself. */
export function isBelow(window: Window, own: Window): boolean {
  return pathTo(window, own) !== undefined;
}

/** Whether what another window has is for the page of this one to offer. */
export function isOursToOffer(window: Window, own: Window): boolean {
  return pathTo(window, own)?.every((each) => !hasPage(each)) ?? false;
}

/** A window and those it is in, up to another; undefined where it is not in that. */
function pathTo(window: Window, own: Window): readonly Window[] | undefined {
  return reach(window, (inner) => {
    const path: Window[] = [];
    for (let at = inner; at !== own; at = at.parent) {
      // Above one that was closed there is nothing, above the top is the top again.
      if (!at.parent || path.includes(at)) return undefined;
      path.push(at);
    }
    return path;
  });
}

/** Whether a window has a page, which offers its tools itself. For another origin's window: false. */
function hasPage(window: object): boolean {
  const pages = reach(window, (there: { readonly [pagesKey]?: unknown }) => there[pagesKey]);
  return ((Object(pages) as { readonly size?: number }).size ?? 0) > 0;
}

/** The path of a window's document; undefined where it is of another origin. */
export function pathOf(window: Window): string | undefined {
  // One that was written into the frame's element has none.
  return reach(window, ({ location }) => location.pathname.replace(/^[^/].*/, ""));
}

/** Reads a property; undefined where access is forbidden, as for cross-origin windows. */
export function reach<Target, Value>(target: Target, look: (target: Target) => Value): Value | undefined {
  try {
    return look(target);
  } catch {
    return undefined;
  }
}
