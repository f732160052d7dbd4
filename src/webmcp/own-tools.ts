// Marks the tools that Pagewire registered with the browser: read back as the page's own tools, they would loop. The marks
// are stored under a symbol of the window, because a page may have several copies of this code, and same-origin frames
// read them, too.

const key = Symbol.for("pagewire.registered-tools");

/** Names, and whether the browser has accepted the tool: until then the name may belong to another tool. */
type Marked = { [key]?: Map<string, boolean> };

/** Dispatched in a window when Pagewire's registered or offered tools have changed. */
export const offersChanged = "pagewire-offers";

/** The mark of a name that Pagewire registers in this document. */
export interface OwnToolMark {
  /** The browser has accepted the tool. */
  taken(): void;
  /** The browser refused it, or it was unregistered. Can be called twice. */
  remove(): void;
}

/** Marks a name before its registration. If that fails, an earlier mark of the name stays. */
export function markOwnTool(name: string): OwnToolMark {
  const marks = ((globalThis as Marked)[key] ??= new Map());
  let isOurs = !marks.has(name);
  if (isOurs) marks.set(name, false);
  return {
    taken() {
      if (!isOurs) return;
      marks.set(name, true);
      tellOffersChanged();
    },
    remove() {
      if (!isOurs) return;
      isOurs = false;
      marks.delete(name);
      tellOffersChanged();
    },
  };
}

/** Notifies that Pagewire's registered or offered tools in this document changed. */
export function tellOffersChanged(): void {
  (globalThis as Partial<EventTarget>).dispatchEvent?.(new Event(offersChanged));
}

/**
 * The names that Pagewire has marked in a window, and whether its browser has accepted the tool: until then the name may
 * belong to another tool. Empty for another origin's window.
 */
export function ownToolMarks(window: object): ReadonlyMap<string, boolean> {
  try {
    return new Map((window as Marked)[key]);
  } catch {
    return new Map();
  }
}
