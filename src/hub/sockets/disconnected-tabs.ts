// The pages that their user disconnected. Each stays away until it is loaded again, or let back.
import { PagewireError } from "../../wire/index.ts";
import type { RemovedTab } from "../../switchboard/index.ts";

/** A page that was disconnected and is still open. */
export interface DisconnectedTab extends Omit<RemovedTab, "epoch"> {
  readonly tabId: string;
  /** ISO time. */
  readonly at: string;
}

export type Disconnections = Pick<DisconnectedTabs, "add" | "check" | "list" | "remove">;

interface Entry {
  readonly tab: DisconnectedTab;
  /** The epoch of the page's memory: the same document has the same, until the browser suspends it. */
  readonly epoch: string | undefined;
  lastTry: number;
}

const day = 24 * 60 * 60_000;

/** A page tries again every 30 seconds, and once a minute in the background: one that is quiet for longer is closed. */
const quietTime = 150_000;

const mostPerPrincipal = 100;
const longest = { title: 200, url: 1000 };

export class DisconnectedTabs {
  readonly #principals = new Map<string, Map<string, Entry>>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  add(principal: string, tabId: string, { epoch, ...about }: RemovedTab): void {
    this.#prune();
    const entries = this.#principals.get(principal) ?? new Map<string, Entry>();
    this.#principals.set(principal, entries);
    entries.delete(tabId);
    const { title, url } = about;
    const shown = { ...about, title: title.slice(0, longest.title), url: url.slice(0, longest.url) };
    const at = this.#now();
    entries.set(tabId, { epoch, lastTry: at, tab: { tabId, ...shown, at: new Date(at).toISOString() } });
    for (const oldest of entries.keys()) if (entries.size > mostPerPrincipal) entries.delete(oldest);
  }

  /** Throws for a page that was disconnected. One that was loaded since is let in, and forgotten. */
  check(principal: string, tabId: string, epochs: readonly string[] | undefined): void {
    const entry = this.#principals.get(principal)?.get(tabId);
    if (!entry) return;
    if (epochs !== undefined && epochs.at(-1) !== entry.epoch) {
      this.remove(principal, tabId);
      return;
    }
    entry.lastTry = this.#now();
    const way = `Load this page again to connect it, or let it back with: npx pagewire tabs reconnect ${tabId}`;
    throw new PagewireError("tab-disconnected", `Its user disconnected this page from the hub. ${way}`);
  }

  /** The connections that are still open, the latest first. */
  list(principal: string): readonly DisconnectedTab[] {
    const since = this.#now() - quietTime;
    const entries = [...(this.#principals.get(principal)?.values() ?? [])];
    return entries.flatMap(({ tab, lastTry }) => (lastTry > since ? [tab] : [])).toReversed();
  }

  /** Lets a page back; returns whether it was disconnected. */
  remove(principal: string, tabId: string): boolean {
    const entries = this.#principals.get(principal);
    const isKnown = entries?.delete(tabId) ?? false;
    if (entries?.size === 0) this.#principals.delete(principal);
    return isKnown;
  }

  #prune(): void {
    const since = this.#now() - day;
    for (const [principal, entries] of this.#principals)
      for (const [tabId, { lastTry }] of entries) if (lastTry < since) this.remove(principal, tabId);
  }
}
