// Which tools of a document were registered with its browser by Pagewire: nobody is to take those for the page's own, or
// they would come back to where they are from. By a symbol of the realm, because a page may have several copies of this
// code, and a frame of the same origin is asked, too.

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

/** Marks a name, before the browser is asked. One that is marked already keeps its mark, whatever becomes of this one. */
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

/** Says that what Pagewire registered or offers in this document is not what it was. */
export function tellOffersChanged(): void {
  (globalThis as Partial<EventTarget>).dispatchEvent?.(new Event(offersChanged));
}

/**
 * The names that Pagewire marked in a window as they are now, and whether its browser has taken the tool: until then it
 * may be another's. Of another origin's window it cannot be told: none.
 */
export function ownToolMarks(window: object): ReadonlyMap<string, boolean> {
  try {
    return new Map((window as Marked)[key]);
  } catch {
    return new Map();
  }
}
