/** A text that a browser keeps, where it may keep anything. */
export interface Kept {
  read(): string | undefined;
  /** With undefined, forgets it. */
  write(text: string | undefined): void;
}

/** Never throws: where the browser forbids it or has no room, what was written is there for this document. */
export function createKept(open: () => Storage, name: string): Kept {
  let unkept: string | undefined;
  return {
    read() {
      try {
        return unkept ?? open().getItem(name) ?? undefined;
      } catch {
        return unkept;
      }
    },
    write(text) {
      unkept = undefined;
      try {
        if (text === undefined) open().removeItem(name);
        else open().setItem(name, text);
      } catch {
        unkept = text;
      }
    },
  };
}
