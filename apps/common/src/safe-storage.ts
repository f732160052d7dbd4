/** The browser's storage, if it is allowed. */
export interface SafeStorage {
  read(name: string): string | undefined;
  /** Keeps a text, or with undefined forgets it. Says whether the browser took it. */
  write(name: string, text: string | undefined): boolean;
}

/** A storage that never throws: where the browser forbids it or it is full, what was written is there for this document. */
export function createSafeStorage(open: () => Storage): SafeStorage {
  const unkept = new Map<string, string>();
  return {
    read(name) {
      try {
        return unkept.get(name) ?? open().getItem(name) ?? undefined;
      } catch {
        return unkept.get(name);
      }
    },
    write(name, text) {
      unkept.delete(name);
      try {
        if (text === undefined) open().removeItem(name);
        else open().setItem(name, text);
        return true;
      } catch {
        if (text !== undefined) unkept.set(name, text);
        return false;
      }
    },
  };
}
