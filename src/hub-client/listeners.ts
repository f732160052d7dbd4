import type { OnError } from "../wire/index.ts";

/** A set of listeners. One that throws does not affect the others. */
export interface Listeners<Event> {
  readonly count: number;
  notify(event: Event): void;
  /** Adds one; the returned function removes it, and returns whether it was still there. */
  add(listener: (event: Event) => void): () => boolean;
}

export function createListeners<Event>(onError: OnError): Listeners<Event> {
  const all = new Set<{ readonly listener: (event: Event) => void }>();
  return {
    get count() {
      return all.size;
    },
    notify(event) {
      for (const { listener } of [...all]) callListener(onError, () => listener(event));
    },
    add(listener) {
      const entry = { listener };
      all.add(entry);
      return () => all.delete(entry);
    },
  };
}

/** Calls the user's code, whose errors must not affect ours. */
export function callListener(onError: OnError, call: () => void): void {
  try {
    call();
  } catch (error) {
    onError(error, { stage: "listener" });
  }
}
