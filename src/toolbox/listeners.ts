import type { OnError } from "../wire/index.ts";

/** Some who hear of something. One that throws is reported and keeps nothing from the others. */
export interface Listeners<Event> {
  tell(event: Event): void;
  /** Adds one; the returned function takes it off again. */
  add(listener: (event: Event) => void): () => void;
  /** Takes all off. */
  clear(): void;
}

/** Makes listeners; `all` are those who are there now, because what nobody follows need not be made. */
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
      // Wrapped, so that a listener that is added twice leaves once at a time.
      const own = (event: Event) => listener(event);
      all.add(own);
      return () => void all.delete(own);
    },
    clear: () => all.clear(),
  };
}

/** Where errors go that nobody asked to hear of. */
export const logError: OnError = (error, { stage }) => console.error(`Pagewire (${stage}):`, error);
