import { systemClock } from "../../link/index.ts";
import { dialogShown } from "../dialog/dialog.ts";
import type { TabDescription, TabEnvironment, DocumentListener } from "./environment.ts";
import { plainUrl } from "../../wire/index.ts";

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
      dialog: document.querySelector<HTMLElement & Pick<TabDescription, "dialog">>(dialogShown)?.dialog,
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

/** Observes this document; returns a function that stops it. */
export function watchDocument({ changed, suspended, resumed, gone }: DocumentListener): () => void {
  const ending = new AbortController();
  const on = (
    target: EventTarget | undefined,
    types: string,
    listener: (event: PageTransitionEvent & PageSwapEvent) => void,
  ) => {
    for (const type of types.split(" "))
      target?.addEventListener(type, listener as EventListener, { signal: ending.signal });
  };

  on(window, `focus blur popstate ${dialogShown}`, changed);
  on(document, "visibilitychange", changed);
  on((window as { navigation?: EventTarget }).navigation, "currententrychange", changed);
  const titles = new MutationObserver(changed);
  titles.observe(document.head, { subtree: true, childList: true, characterData: true });

  let isForGood = false;
  // A reload keeps the address (ignoring query and fragment); the address of another origin is not exposed.
  on(window, "pageswap", ({ activation }) => {
    isForGood = plainUrl(activation?.entry.url ?? "") !== plainUrl(location.href);
  });
  on(window, "pagehide", ({ persisted }) => (persisted ? suspended("back-forward-cache", isForGood) : gone(isForGood)));
  on(window, "pageshow", ({ persisted }) => {
    isForGood = false;
    if (persisted) resumed();
  });
  on(document, "freeze", () => suspended("frozen"));
  on(document, "resume", resumed);
  return () => {
    ending.abort();
    titles.disconnect();
  };
}
