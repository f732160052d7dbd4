const minute = 60_000;

export interface Repeats<Item> {
  /** Reports the item at once if it is the first of its kind in this minute. */
  add(kind: string, item: Item): void;
  /** Whether this kind is counted already, or there is room for another one. */
  hasRoomFor(kind: string, maxKinds: number): boolean;
  /** Reports what was counted so far. */
  close(): void;
}

/**
 * Reports the first item of a kind at once, and its repeats when the minute ends: the last of them, with their count. A flood
 * makes a few reports a minute.
 */
export function collapseRepeats<Item>(report: (item: Item, repeats?: number) => void): Repeats<Item> {
  const kinds = new Map<string, { repeats: number; last: Item }>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  function close(): void {
    clearTimeout(timer);
    timer = undefined;
    for (const { repeats, last } of kinds.values()) if (repeats > 0) report(last, repeats);
    kinds.clear();
  }

  return {
    add(kind, item) {
      const known = kinds.get(kind);
      if (!known) report(item);
      kinds.set(kind, { repeats: known ? known.repeats + 1 : 0, last: item });
      timer ??= setTimeout(close, minute).unref();
    },
    hasRoomFor: (kind, maxKinds) => kinds.has(kind) || kinds.size < maxKinds,
    close,
  };
}
