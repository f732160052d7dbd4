/** Values kept from one visit to the next; unknown until whoever reads them has looked. */
export interface BrowserStorage {
  read(name: string): unknown;
  write(name: string, value: unknown): void;
}

/** Keeps values under a prefix of the browser's storage. Where the browser forbids that, nothing is kept. */
export function createBrowserStorage(open: () => Storage): BrowserStorage {
  const keyOf = (name: string): string => `halyard.${name}`;
  return {
    read(name) {
      try {
        const text = open().getItem(keyOf(name));
        return text === null ? undefined : JSON.parse(text);
      } catch {
        // Storage is switched off, or something else wrote there: both mean that nothing was kept.
        return undefined;
      }
    },
    write(name, value) {
      try {
        open().setItem(keyOf(name), JSON.stringify(value));
      } catch (error) {
        console.warn(`"${name}" is not kept for the next visit:`, error);
      }
    },
  };
}
