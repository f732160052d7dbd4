import type { Admitted } from "../guard/admitted.ts";

type Listener = (id: string, tabId: string | undefined) => void;

/** Which tab each terminal is in: true only while this hub runs, and kept nowhere else. */
export interface Attachments {
  /** Undefined where the terminal is in none, or is not good any more. */
  get(id: string): string | undefined;
  attach(terminal: Admitted & { readonly terminal: string }, tabId: string): void;
  detach(id: string): void;
  /** Detaches those that are not good any more. */
  review(): void;
  /** Hears of every change. */
  subscribe(listener: Listener): () => void;
}

export function createAttachments(isStillGood: (admitted: Admitted) => boolean): Attachments {
  const attached = new Map<string, { readonly admitted: Admitted; readonly tabId: string }>();
  const listeners = new Set<Listener>();

  function tell(id: string, tabId: string | undefined): void {
    for (const listener of listeners) listener(id, tabId);
  }

  function detach(id: string): void {
    if (attached.delete(id)) tell(id, undefined);
  }

  return {
    get(id) {
      const found = attached.get(id);
      return found && isStillGood(found.admitted) ? found.tabId : undefined;
    },
    attach(admitted, tabId) {
      const id = admitted.terminal;
      const isNew = attached.get(id)?.tabId !== tabId;
      attached.set(id, { admitted, tabId });
      if (isNew) tell(id, tabId);
    },
    detach,
    review() {
      for (const [id, { admitted }] of attached) if (!isStillGood(admitted)) detach(id);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
