/** The browser's storage of the terminal token of one hub, shared by all tabs of an origin. */
export interface TokenStorage {
  read(): string | undefined;
  /** Stores a token; undefined removes it. If the browser stores nothing, it lasts as long as this document. */
  write(token: string | undefined): void;
  /** Called when another tab has signed in; returns a function that stops it. */
  onElsewhere(listener: () => void): () => void;
}

export function createTokenStorage(hub: string): TokenStorage {
  const key = `pagewire.shell-token ${hub}`;
  let unkept: string | undefined;
  return {
    read() {
      try {
        return localStorage.getItem(key) ?? unkept;
      } catch {
        return unkept;
      }
    },
    write(token) {
      unkept = undefined;
      try {
        if (token === undefined) localStorage.removeItem(key);
        else localStorage.setItem(key, token);
      } catch {
        unkept = token;
      }
    },
    onElsewhere(listener) {
      const hear = ({ key: changed, newValue, storageArea }: StorageEvent): void => {
        if (changed === key && newValue !== null && storageArea !== sessionStorage) listener();
      };
      addEventListener("storage", hear);
      return () => removeEventListener("storage", hear);
    },
  };
}
