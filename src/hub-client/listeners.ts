import type { OnError } from "../wire/index.ts";

/** Some who want to hear of something. One that throws does not keep it from the others. */
export interface Listeners<Event> {
  readonly count: number;
  tell(event: Event): void;
  /** Adds one; the returned function takes it off again, and says whether it was still there. */
  add(listener: (event: Event) => void): () => boolean;
}

export function createListeners<Event>(onError: OnError): Listeners<Event> {
  const all = new Set<{ readonly listener: (event: Event) => void }>();
  return {
    get count() {
      return all.size;
    },
    tell(event) {
      for (const { listener } of [...all]) tellOne(onError, () => listener(event));
    },
    add(listener) {
      const entry = { listener };
      all.add(entry);
      return () => all.delete(entry);
    },
  };
}

/** Calls code of the client's user, whose mistakes are not ours to stumble over. */
export function tellOne(onError: OnError, tell: () => void): void {
  try {
    tell();
  } catch (error) {
    onError(error, { stage: "listener" });
  }
}
