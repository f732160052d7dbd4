import type { Stored } from "./stored.ts";

/** The identities of tabs at the hub: the same for all documents of a tab, and none that a page could guess for another. */
export interface TabIds {
  get(tab: number): Promise<string>;
  /** The browser gave the tab another number. */
  move(from: number, to: number): Promise<void>;
  remove(tab: number): Promise<void>;
}

export function createTabIds(session: Stored, newId: () => string): TabIds {
  const nameOf = (tab: number) => `tab-id:${tab}`;
  /** Of this session of the browser. */
  const salt = session
    .change("salt", (before) => (typeof before === "string" ? before : newId()))
    .then(() => session.get("salt"));

  async function get(tab: number): Promise<string> {
    const moved = await session.get(nameOf(tab));
    return typeof moved === "string" ? moved : `${String(await salt)}-${tab}`;
  }

  return {
    get,
    async move(from, to) {
      const id = await get(from);
      await session.change(nameOf(from), () => undefined);
      await session.change(nameOf(to), () => id);
    },
    remove: (tab) => session.change(nameOf(tab), () => undefined),
  };
}
