/** Some who want to hear of something. One that throws does not keep it from the others. */
export interface Listeners<Event> {
  tell(event: Event): void;
  /** Adds one; the returned function takes it off again. */
  add(listener: (event: Event) => void): () => void;
}

export function createListeners<Event>(): Listeners<Event> {
  const all = new Set<(event: Event) => void>();
  return {
    tell(event) {
      for (const listener of all) {
        try {
          listener(event);
        } catch (error) {
          reportError(error);
        }
      }
    },
    add(listener) {
      all.add(listener);
      return () => all.delete(listener);
    },
  };
}
