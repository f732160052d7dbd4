/** Things to be closed at the end, the last one first. */
export interface ClosingList {
  add<Thing extends { close(): void | Promise<void> }>(thing: Thing): Thing;
  close(): Promise<void>;
}

export function createClosingList(): ClosingList {
  const things: { close(): void | Promise<void> }[] = [];
  return {
    add(thing) {
      things.push(thing);
      return thing;
    },
    async close() {
      for (const thing of things.splice(0).toReversed()) await thing.close();
    },
  };
}
