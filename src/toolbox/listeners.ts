import type { OnError } from "../wire/index.ts";

/** A set of listeners. An error of one is reported and does not keep the others from being called. */
export interface Listeners<Event> {
  tell(event: Event): void;
  /** Adds a listener; the returned function removes it. */
  add(listener: (event: Event) => void): () => void;
  /** Removes all listeners. */
  clear(): void;
}

/** `all` is exposed so that callers can skip creating events without listeners. */
export function createListeners<Event>(onError: OnError): Listeners<Event> & { readonly all: ReadonlySet<unknown> } {
  const all = new Set<(event: Event) => void>();
  return {
    all,
    tell(event) {
      for (const listener of all) {
        try {
          listener(event);
        } catch (error) {
          onError(error, { stage: "toolbox subscriber" });
        }
      }
    },
    add(listener) {
      // Wrapped, so that a listener added twice can be removed twice.
      const own = (event: Event) => listener(event);
      all.add(own);
      return () => void all.delete(own);
    },
    clear: () => all.clear(),
  };
}

/** The default error handler. */
export const logError: OnError = (error, { stage }) => console.error(`Pagewire (${stage}):`, error);
