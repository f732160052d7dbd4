import type { StorageArea } from "../browser-api.ts";

/** A storage area whose changes follow each other: each sees what the one before has written. */
export interface Stored {
  get(name: string): Promise<unknown>;
  /** Replaces a value; undefined removes it. */
  change(name: string, update: (before: unknown) => unknown): Promise<void>;
  names(): Promise<readonly string[]>;
}

/** @param isSpare whether a value can be done without where the area is full: the largest goes first. */
export function createStored(area: StorageArea, isSpare: (name: string) => boolean = () => false): Stored {
  let last: Promise<unknown> = Promise.resolve();

  function inTurn<Value>(run: () => Promise<Value>): Promise<Value> {
    const turn = last.then(run);
    last = turn.catch(() => {});
    return turn;
  }

  async function set(name: string, value: unknown): Promise<void> {
    for (;;) {
      try {
        return await area.set({ [name]: value });
      } catch (error) {
        if (!(await makeRoom(name))) throw error;
      }
    }
  }

  /** False if nothing is left that can be done without. */
  async function makeRoom(writing: string): Promise<boolean> {
    const spare = Object.entries(await area.get(null))
      .filter(([name]) => name !== writing && isSpare(name))
      .map(([name, value]) => ({ name, size: JSON.stringify(value).length }));
    const [largest] = spare.toSorted((one, other) => other.size - one.size);
    if (largest) await area.remove(largest.name);
    return largest !== undefined;
  }

  return {
    get: (name) => inTurn(async () => (await area.get(name))[name]),
    change: (name, update) =>
      inTurn(async () => {
        const value = update((await area.get(name))[name]);
        await (value === undefined ? area.remove(name) : set(name, value));
      }),
    names: () => inTurn(async () => Object.keys(await area.get(null))),
  };
}
