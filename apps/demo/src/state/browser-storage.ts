/** Values that are stored between visits; the reader must validate them. */
export interface BrowserStorage {
  read(name: string): unknown;
  write(name: string, value: unknown): void;
}

/** Stores values under a prefix in the browser's storage. If the browser forbids that, nothing is stored. */
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
