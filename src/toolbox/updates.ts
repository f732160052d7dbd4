import type { OnError } from "../wire/index.ts";
import { createListeners } from "./listeners.ts";

/** Which resources have new contents, and who hears of it. */
export interface Updates {
  /** Says that a resource has; however often it is said, it is told once per microtask. */
  add(uri: string): void;
  subscribe(listener: (uri: string) => void): () => void;
  /** Tells nobody any more. */
  close(): void;
}

export function createUpdates(onError: OnError): Updates {
  const listeners = createListeners<string>(onError);
  const due = new Set<string>();

  function announce(): void {
    const uris = [...due];
    due.clear();
    for (const uri of uris) listeners.tell(uri);
  }

  return {
    add(uri) {
      if (due.size === 0) queueMicrotask(announce);
      due.add(uri);
    },
    subscribe: listeners.add,
    close: listeners.clear,
  };
}
