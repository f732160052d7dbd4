/** The browser's storage, if it is allowed. */
export interface SafeStorage {
  read(name: string): string | undefined;
  /** Stores a text; undefined removes it. Returns whether the browser stored it. */
  write(name: string, text: string | undefined): boolean;
}

/** A storage that never throws: if the browser forbids it or it is full, values last as long as this document. */
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
