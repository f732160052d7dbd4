/** Where a browser keeps the token for the terminals of one hub, for all tabs of an origin. */
export interface TokenStorage {
  read(): string | undefined;
  /** Keeps a token, or with undefined forgets it. Where the browser keeps nothing, it is there for this document. */
  write(token: string | undefined): void;
  /** Hears that another tab signed in; returns a function that stops it. */
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
