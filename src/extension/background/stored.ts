import type { StorageArea } from "../browser-api.ts";

/** A storage area whose changes follow each other: each sees what the one before has written. */
export interface Stored {
  get(name: string): Promise<unknown>;
  /** Replaces a value; undefined removes it. */
  change(name: string, update: (before: unknown) => unknown): Promise<void>;
  names(): Promise<readonly string[]>;
}

export function createStored(area: StorageArea): Stored {
  let last: Promise<unknown> = Promise.resolve();

  function inTurn<Value>(run: () => Promise<Value>): Promise<Value> {
    const turn = last.then(run);
    last = turn.catch(() => {});
    return turn;
  }

  return {
    get: (name) => inTurn(async () => (await area.get(name))[name]),
    change: (name, update) =>
      inTurn(async () => {
        const value = update((await area.get(name))[name]);
        await (value === undefined ? area.remove(name) : area.set({ [name]: value }));
      }),
    names: () => inTurn(async () => Object.keys(await area.get(null))),
  };
}
