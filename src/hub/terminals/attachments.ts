import type { Admitted } from "../identity/admitted.ts";

type Listener = (id: string, tabId: string | undefined) => void;

type AttachedTerminal = Admitted & { readonly terminal: string };

/** Which tab each terminal is in: true only while this hub runs, and kept nowhere else. */
export interface Attachments {
  /** Undefined where the terminal is in none, or is not good any more. */
  get(id: string): string | undefined;
  attach(terminal: AttachedTerminal, tabId: string): void;
  detach(id: string): void;
  /** Detaches those that are not good any more. */
  review(): void;
  /** Hears of every change. */
  subscribe(listener: Listener): () => void;
}

export interface AttachmentsOptions {
  readonly isStillGood: (admitted: Admitted) => boolean;
  /** Hears of every change first, with whose terminal it is. */
  readonly onChange: (terminal: AttachedTerminal, tabId: string | undefined) => void;
}

export function createAttachments({ isStillGood, onChange }: AttachmentsOptions): Attachments {
  const attached = new Map<string, { readonly admitted: AttachedTerminal; readonly tabId: string }>();
  const listeners = new Set<Listener>();

  function tell(admitted: AttachedTerminal, tabId: string | undefined): void {
    onChange(admitted, tabId);
    for (const listener of listeners) listener(admitted.terminal, tabId);
  }

  function detach(id: string): void {
    const found = attached.get(id);
    if (found && attached.delete(id)) tell(found.admitted, undefined);
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
      if (isNew) tell(admitted, tabId);
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
