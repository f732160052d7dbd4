import { systemClock } from "../../link/index.ts";
import type { TabEnvironment } from "./environment.ts";
import { watchDocument } from "./watch-document.ts";

/** The browser features that a page needs once it has found a hub. */
export function browserTab(): TabEnvironment {
  // A frame shares its storage with the page around it, and is another tab to its hub.
  const scope = window === top ? "pagewire" : `pagewire ${location.pathname}`;
  return {
    clock: systemClock,
    date: Date.now,
    newId,
    storage: {
      get: (name) => whereAllowed(() => sessionStorage.getItem(`${scope} ${name}`)),
      set: (name, value) => whereAllowed(() => sessionStorage.setItem(`${scope} ${name}`, value)),
    },
    takeLock: navigator.locks && takeLock,
    openChannel(name, onWord) {
      const channel = whereAllowed(() => new BroadcastChannel(name));
      channel?.addEventListener("message", ({ data }) => onWord(String(data)));
      return { send: (word) => channel?.postMessage(word), close: () => channel?.close() };
    },
    afterTask(run) {
      // Not every browser has a scheduler, despite the types.
      void (globalThis.scheduler?.postTask(run, { priority: "user-blocking" }) ?? queueMicrotask(run));
    },
    describe: () => ({
      title: document.title.slice(0, 1024),
      url: (location.origin + location.pathname).slice(0, 8192),
      focused: !document.hidden && document.hasFocus(),
    }),
    watch: watchDocument,
  };
}

/** Insecure contexts have no randomUUID, despite the types. */
function newId(): string {
  return crypto.randomUUID?.() ?? crypto.getRandomValues(new Uint32Array(4)).join("-");
}

/** Storage and channels may be disabled or full: then the tab works without them. */
function whereAllowed<Value>(use: () => Value): Value | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}

function takeLock(name: string, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const keep = () => {
      resolve(!signal.aborted);
      // Chromium still grants a lock that was already being granted when the signal aborted.
      return signal.aborted || new Promise<unknown>((release) => signal.addEventListener("abort", release));
    };
    // Rejects once the signal aborts, and in documents that may not use locks.
    navigator.locks.request(name, { signal }, keep).catch(() => resolve(false));
  });
}
