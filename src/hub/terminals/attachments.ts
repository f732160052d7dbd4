type Listener = (id: string, tabId: string | undefined) => void;

/** Which tab each terminal is in: true only while this hub runs, and kept nowhere else. */
export interface Attachments {
  get(id: string): string | undefined;
  set(id: string, tabId: string | undefined): void;
  /** Hears of every change. */
  subscribe(listener: Listener): () => void;
}

export function createAttachments(): Attachments {
  const tabs = new Map<string, string>();
  const listeners = new Set<Listener>();
  return {
    get: (id) => tabs.get(id),
    set(id, tabId) {
      if (tabs.get(id) === tabId) return;
      if (tabId === undefined) tabs.delete(id);
      else tabs.set(id, tabId);
      for (const listener of listeners) listener(id, tabId);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
