// The browser features that a page uses, as small interfaces that tests can fake.
import type { Clock, Link } from "../../link/index.ts";
import type { Via } from "../api/page.ts";
import type { PageLimits } from "../../wire/index.ts";

/** Resolves with a link that is open. */
export type OpenLink = (url: string, limits: PageLimits) => Promise<Link>;

/** The browser features that a page needs to find a hub. */
export interface PageEnvironment {
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly date: () => number;
  readonly random: () => number;
  readonly openLink: OpenLink;
  /** The transport of the last link. */
  readonly via: () => Via;
  /** Calls back when the tab gets the focus or the network returns, until the signal aborts. */
  onWoken(listener: () => void, signal: AbortSignal): void;
  /** Calls back once, as soon as the browser has an agent of its own, unless the signal aborted before. */
  onModelContext(listener: () => unknown, signal: AbortSignal): void;
}

/** The browser features that a page needs once it has found a hub. */
export interface TabEnvironment {
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly date: () => number;
  readonly newId: () => string;
  readonly storage: TabStorage;
  /** Missing where the browser has no Web Locks: in insecure contexts. */
  readonly takeLock: TakeLock | undefined;
  openChannel(name: string, onWord: (word: string) => void): Channel;
  /** Runs a callback after the current task and its microtasks. */
  readonly afterTask: (run: () => void) => void;
  describe(): TabDescription;
  /** Observes the document; returns a function that stops it. */
  watch(listener: DocumentListener): () => void;
}

/** Strings that survive a reload of this tab. */
export interface TabStorage {
  get(name: string): string | null | undefined;
  set(name: string, value: string): void;
}

/** Acquires a lock and holds it until the signal aborts; resolves with false if it cannot be acquired. */
export type TakeLock = (name: string, signal: AbortSignal) => Promise<boolean>;

/** A broadcast channel between the documents of one origin. */
export interface Channel {
  send(word: string): void;
  close(): void;
}

/** A tab's description for its hub. */
export interface TabDescription {
  readonly title: string;
  readonly url: string;
  readonly focused: boolean;
  /** A question of the page's own dialog to its user. */
  readonly dialog?: string | undefined;
}

/** Document lifecycle events. */
export interface DocumentListener {
  /** The tab's title, address, focus or dialog may have changed. */
  changed(): void;
  /** Scripts are about to be suspended, until `resumed`; `final` where another address takes the page's place. */
  suspended(reason: "frozen" | "back-forward-cache", final?: boolean): void;
  resumed(): void;
  /** The document is unloaded; `forGood` if it is known not to be a reload. */
  gone(forGood: boolean): void;
}
