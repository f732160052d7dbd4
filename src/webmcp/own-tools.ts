// Marks the tools that Pagewire registered with the browser: read back as the page's own tools, they would loop. The marks
// are stored under a symbol of the window, because a page may have several copies of this code, and same-origin frames
// read them, too.

const key = Symbol.for("pagewire.registered-tools");

/** Names, and whether the browser has taken the tool: until then another's tool of that name may be there. */
type Marked = { [key]?: Map<string, boolean> };

/** Told to a window when what Pagewire registered or offers in it is not what it was. */
export const offersChanged = "pagewire-offers";

/** The mark of a name that Pagewire registers in this document. */
export interface OwnToolMark {
  /** The browser has taken the tool. */
  taken(): void;
  /** The browser refused it, or it was taken away again. Can be called twice. */
  remove(): void;
}

/** Marks a name before the tool is registered. A name that is marked already keeps its mark if this registration fails. */
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
