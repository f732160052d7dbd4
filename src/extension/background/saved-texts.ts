// Texts that the documents of one tab and origin leave to the next one. A page's own storage could be read and changed by it.
import { isJsonObject } from "../../wire/index.ts";
import { savedMost } from "../port/parse-messages.ts";
import type { Place } from "./grants.ts";
import type { Stored } from "./stored.ts";

export type Texts = Readonly<Record<string, string>>;

interface Saved {
  readonly origin: string;
  readonly texts: Texts;
}

/** The names in storage begin with it. */
export const savedPrefix = "saved:";

export interface SavedTexts {
  get(place: Place): Promise<Texts>;
  set(place: Place, name: string, value: string): void;
  remove(tab: number): void;
  /** The browser gave the tab another number. */
  move(from: number, to: number): Promise<void>;
}

export function createSavedTexts(session: Stored): SavedTexts {
  const nameOf = (tab: number) => `${savedPrefix}${tab}`;
  const textsOf = (saved: unknown, origin: string): Texts =>
    isJsonObject(saved) && saved["origin"] === origin ? (saved as unknown as Saved).texts : {};

  return {
    get: async ({ tab, origin }) => textsOf(await session.get(nameOf(tab)), origin),
    set({ tab, origin }, name, value) {
      const update = (before: unknown): Saved => {
        const texts = { ...textsOf(before, origin), [name]: value };
        return { origin, texts: sizeOf(texts) > savedMost ? textsOf(before, origin) : texts };
      };
      session.change(nameOf(tab), update).catch(console.error);
    },
    async move(from, to) {
      const texts = await session.get(nameOf(from));
      await session.change(nameOf(from), () => undefined);
      await session.change(nameOf(to), () => texts);
    },
    remove: (tab) => void session.change(nameOf(tab), () => undefined).catch(console.error),
  };
}

function sizeOf(texts: Texts): number {
  return Object.entries(texts).reduce((sum, [name, text]) => sum + name.length + text.length, 0);
}
