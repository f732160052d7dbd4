// The powers of a browser that a page uses, each as small as it can be, so that tests can supply them.
import type { Clock, Link } from "../../link/index.ts";
import type { Via } from "../api/page.ts";
import type { PageLimits } from "../../wire/index.ts";

/** Resolves with a link that is open. */
export type OpenLink = (url: string, limits: PageLimits) => Promise<Link>;

/** What a page needs to find a hub. */
export interface PageEnvironment {
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly date: () => number;
  readonly random: () => number;
  readonly openLink: OpenLink;
  /** How the last link was carried. */
  readonly via: () => Via;
  /** Tells when the tab gets the focus, or there is a network again, until the signal aborts. */
  onWoken(listener: () => void, signal: AbortSignal): void;
  /** Tells once that the browser has an agent of its own, as soon as it does, unless the signal aborted before. */
  onModelContext(listener: () => unknown, signal: AbortSignal): void;
}

/** What a page needs once it has found one. */
export interface TabEnvironment {
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly date: () => number;
  readonly newId: () => string;
  readonly storage: TabStorage;
  /** Missing where the browser has no Web Locks: in insecure contexts. */
  readonly takeLock: TakeLock | undefined;
  openChannel(name: string, onWord: (word: string) => void): Channel;
  /** Runs something once what runs now, and what follows from it at once, is done. */
  readonly afterTask: (run: () => void) => void;
  describe(): TabDescription;
  /** Tells of the document until the returned function is called. */
  watch(listener: DocumentListener): () => void;
}

/** Strings that survive a reload of this tab. */
export interface TabStorage {
  get(name: string): string | null | undefined;
  set(name: string, value: string): void;
}

/** Takes a lock as soon as no other document has it, and keeps it until the signal aborts; false if it never will. */
export type TakeLock = (name: string, signal: AbortSignal) => Promise<boolean>;

/** Words between the documents of one origin. */
export interface Channel {
  send(word: string): void;
  close(): void;
}

/** A tab as its hub is told of it. */
export interface TabDescription {
  readonly title: string;
  readonly url: string;
  readonly focused: boolean;
}

/** What happens to a document. */
export interface DocumentListener {
  /** The tab's title, address or focus may be different. */
  changed(): void;
  /** Scripts are about to stop, until `resumed`. */
  suspended(reason: "frozen" | "back-forward-cache"): void;
  resumed(): void;
  /** The document is left, and not for the same page again where it is known to be `forGood`. */
  gone(forGood: boolean): void;
}
