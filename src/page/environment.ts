// The powers of a browser that a page uses, each as small as it can be, so that tests can supply them.
import { connectSocket, systemClock } from "../link/index.ts";
import type { Clock, Link, SocketClass } from "../link/index.ts";

/** Strings that survive a reload of this tab. */
export interface TabStorage {
  get(name: string): string | undefined;
  set(name: string, value: string): void;
}

/** Locks that one document of a browser holds at a time. */
export interface Locks {
  /** Takes the lock if it is free now; else resolves with undefined. */
  take(name: string): Promise<(() => void) | undefined>;
  /** Takes the lock as soon as it is free; undefined once the signal is aborted. */
  wait(name: string, signal: AbortSignal): Promise<(() => void) | undefined>;
}

/** Words between the documents of one origin. */
export interface Channel {
  send(word: string): void;
  close(): void;
}

/** What happens to the document; each call returns a function that stops listening. */
export interface DocumentEvents {
  /** The tab's title, address or focus may be different. */
  onChange(listener: () => void): () => void;
  /** Scripts stop: for good, or until `onBack`. */
  onAway(listener: (how: "gone" | "frozen" | "back-forward-cache") => void): () => void;
  onBack(listener: () => void): () => void;
}

export interface PageEnvironment {
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly date: () => number;
  readonly random: () => number;
  readonly newId: () => string;
  readonly storage: TabStorage;
  /** Undefined where the browser has no Web Locks: in insecure contexts. */
  readonly locks: Locks | undefined;
  openChannel(name: string, onWord: (word: string) => void): Channel;
  openLink(url: string): Promise<Link>;
  readonly events: DocumentEvents;
  describe(): { readonly title: string; readonly url: string; readonly focused: boolean };
  /** Why the browser lets nothing through to the local network, where that is so. */
  localNetworkRefusal(): Promise<string | undefined>;
}

/** The powers of the browser that this script runs in. */
export function browserEnvironment(): PageEnvironment {
  return {
    clock: systemClock,
    date: () => Date.now(),
    random: () => Math.random(),
    newId,
    storage: {
      get: (name) => quietly(() => sessionStorage.getItem(name) ?? undefined),
      set: (name, value) => quietly(() => sessionStorage.setItem(name, value)),
    },
    locks: navigator.locks && { take: takeLock, wait: waitForLock },
    openChannel(name, onWord) {
      const channel = new BroadcastChannel(name);
      channel.onmessage = ({ data }: MessageEvent<unknown>) => onWord(String(data));
      return { send: (word) => channel.postMessage(word), close: () => channel.close() };
    },
    openLink: (url) => connectSocket({ url, WebSocket: WebSocket as unknown as SocketClass }),
    events: { onChange, onAway, onBack },
    describe: () => ({
      title: document.title.slice(0, 1024),
      url: (location.origin + location.pathname).slice(0, 8192),
      focused: document.visibilityState === "visible" && document.hasFocus(),
    }),
    localNetworkRefusal,
  };
}

function newId(): string {
  // Insecure contexts have no randomUUID.
  if (crypto.randomUUID) return crypto.randomUUID();
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Storage can be switched off or full; a tab then does without it. */
function quietly<Value>(use: () => Value): Value | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}

function takeLock(name: string): Promise<(() => void) | undefined> {
  return request(name, { ifAvailable: true });
}

function waitForLock(name: string, signal: AbortSignal): Promise<(() => void) | undefined> {
  return request(name, { signal });
}

/** Resolves once the lock is held or refused; the lock is held until the returned function is called. */
function request(name: string, options: LockOptions): Promise<(() => void) | undefined> {
  return new Promise((resolve) => {
    const hold = (lock: Lock | null) => {
      if (!lock) return resolve(undefined);
      return new Promise<void>((release) => resolve(release));
    };
    navigator.locks.request(name, options, hold).catch(() => resolve(undefined));
  });
}

function onChange(listener: () => void): () => void {
  const stop = listen([
    [window, "focus", listener],
    [window, "blur", listener],
    [document, "visibilitychange", listener],
    [window, "popstate", listener],
    [(window as { navigation?: EventTarget }).navigation, "currententrychange", listener],
  ]);
  const titles = new MutationObserver(listener);
  titles.observe(document.head, { subtree: true, childList: true, characterData: true });
  return () => {
    stop();
    titles.disconnect();
  };
}

function onAway(listener: (how: "gone" | "frozen" | "back-forward-cache") => void): () => void {
  return listen([
    [document, "freeze", () => listener("frozen")],
    [window, "pagehide", (event) => listener((event as PageTransitionEvent).persisted ? "back-forward-cache" : "gone")],
  ]);
}

function onBack(listener: () => void): () => void {
  return listen([
    [document, "resume", listener],
    [window, "pageshow", (event) => (event as PageTransitionEvent).persisted && listener()],
    [window, "online", listener],
  ]);
}

type Listened = readonly [EventTarget | undefined, string, (event: Event) => void];

function listen(all: readonly Listened[]): () => void {
  for (const [target, type, listener] of all) target?.addEventListener(type, listener);
  return () => {
    for (const [target, type, listener] of all) target?.removeEventListener(type, listener);
  };
}

/** Chrome's names for the permission, newest first. */
const permissionNames = ["loopback-network", "local-network-access", "local-network"];

async function localNetworkRefusal(): Promise<string | undefined> {
  for (const name of permissionNames) {
    try {
      const { state } = await navigator.permissions.query({ name: name as PermissionName });
      if (state === "denied") {
        return isSecureContext
          ? "This browser does not let the page reach programs on this computer. Allow local network access for this site in its settings, and reload."
          : "Browsers let only secure pages reach programs on this computer. Serve the page over https or from localhost.";
      }
      return undefined;
    } catch {
      // This browser does not know the permission by this name.
    }
  }
  return undefined;
}
