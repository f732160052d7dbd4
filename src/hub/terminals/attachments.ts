import type { Admitted } from "../identity/admitted.ts";

export type AttachmentListener = (id: string, tabId: string | undefined) => void;

type AttachedTerminal = Admitted & { readonly terminal: string };

/** The tab that each terminal is attached to, in memory only. */
export interface Attachments {
  /** Undefined if the terminal is detached or no longer valid. */
  get(id: string): string | undefined;
  attach(terminal: AttachedTerminal, tabId: string): void;
  detach(id: string): void;
  /** Detaches terminals that are no longer valid. */
  review(): void;
  subscribe(listener: AttachmentListener): () => void;
}

export interface AttachmentsOptions {
  readonly isStillGood: (admitted: Admitted) => boolean;
  /** Called before the subscribers. */
  readonly onChange: (terminal: AttachedTerminal, tabId: string | undefined) => void;
}

export function createAttachments({ isStillGood, onChange }: AttachmentsOptions): Attachments {
  const attached = new Map<string, { readonly admitted: AttachedTerminal; readonly tabId: string }>();
  const listeners = new Set<AttachmentListener>();

  function notify(admitted: AttachedTerminal, tabId: string | undefined): void {
    onChange(admitted, tabId);
    for (const listener of listeners) listener(admitted.terminal, tabId);
  }

  function detach(id: string): void {
    const found = attached.get(id);
    if (found && attached.delete(id)) notify(found.admitted, undefined);
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
      if (isNew) notify(admitted, tabId);
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
