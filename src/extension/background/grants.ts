// Which sites may offer tools: those that the browser's permission covers, and those that the person allowed in one tab by a
// click on the extension's button.
import type { ExtensionApi } from "../browser-api.ts";
import { isMeant, originPattern } from "../origin-pattern.ts";
import type { KeptSettings } from "./keep-settings.ts";
import type { Stored } from "./stored.ts";

/** A document, as the browser knows it. */
export interface Place {
  readonly tab: number;
  readonly origin: string;
  /** Missing in Firefox. */
  readonly document: string | undefined;
}

export function isSame(one: Place, other: Place): boolean {
  return one.tab === other.tab && one.origin === other.origin && one.document === other.document;
}

interface TabGrant extends Place {
  readonly lasts: "page" | "tab";
}

export interface Grants {
  /** How long the site is allowed in this document; undefined if it is not. */
  lastsOf(place: Place): Promise<"page" | "tab" | "always" | undefined>;
  /** The sites that are allowed for a whole tab. */
  inTabs(): Promise<readonly string[]>;
  add(grant: TabGrant): Promise<void>;
  removeOrigin(origin: string): Promise<void>;
  /** Whether there was a site that was allowed in it. */
  removeTab(tab: number): Promise<boolean>;
  /** The browser gave the tab another number. */
  moveTab(from: number, to: number): Promise<void>;
}

const name = "grants";

export function createGrants(
  { permissions, runtime }: Pick<ExtensionApi, "permissions" | "runtime">,
  { settings, session }: { readonly settings: KeptSettings; readonly session: Stored },
): Grants {
  const change = (update: (before: readonly TabGrant[]) => readonly TabGrant[]) =>
    session.change(name, (before) => update((before ?? []) as readonly TabGrant[]));
  const all = async () => ((await session.get(name)) ?? []) as readonly TabGrant[];

  async function isAlways(origin: string): Promise<boolean> {
    if (!isMeant(await settings.get(), origin, runtime)) return false;
    return permissions.contains({ origins: [originPattern(origin, runtime)] });
  }

  return {
    async lastsOf({ tab, origin, document }) {
      if (await isAlways(origin)) return "always";
      const granted = (await all()).filter((grant) => grant.tab === tab && grant.origin === origin);
      if (granted.some(({ lasts }) => lasts === "tab")) return "tab";
      // A document without an id could be any document of the tab.
      return document !== undefined && granted.some((grant) => grant.document === document) ? "page" : undefined;
    },
    inTabs: async () => (await all()).filter(({ lasts }) => lasts === "tab").map(({ origin }) => origin),
    add: (grant) =>
      change((before) => [...before.filter(({ tab, origin }) => tab !== grant.tab || origin !== grant.origin), grant]),
    removeOrigin: (origin) => change((before) => before.filter((grant) => grant.origin !== origin)),
    async removeTab(tab) {
      const isKnown = (await all()).some((grant) => grant.tab === tab);
      if (isKnown) await change((before) => before.filter((grant) => grant.tab !== tab));
      return isKnown;
    },
    moveTab: (from, to) =>
      change((before) => before.map((grant) => (grant.tab === from ? { ...grant, tab: to } : grant))),
  };
}
