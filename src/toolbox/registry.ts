// The registry and its change notifications. It handles keys and public definitions, but no calls or handlers.
import { PagewireError } from "../wire/index.ts";
import type { Offer, OfferChange, OnError } from "../wire/index.ts";
import { createListeners } from "./listeners.ts";

export interface Registration {
  readonly name: string;
  /** Removes it, unless it was replaced since. Can be called twice. */
  remove(): void;
}

export interface RegisterOptions {
  /** Removes the registration when it aborts. */
  readonly signal?: AbortSignal | undefined;
}

/** An entry: its public definition, and that as JSON, to detect changes. */
export interface Listed {
  readonly kind: keyof Offer;
  readonly key: string;
  readonly item: object;
  readonly json: string;
}

export interface Registry<Entry extends Listed> {
  /** Adds an entry, or replaces one with the same kind and key. */
  add(entry: Entry, signal: AbortSignal | undefined): Registration;
  get<Kind extends keyof Offer>(kind: Kind, key: string): Extract<Entry, { kind: Kind }> | undefined;
  all<Kind extends keyof Offer>(kind: Kind): Extract<Entry, { kind: Kind }>[];
  subscribe(listener: (change: OfferChange) => void): () => void;
  /** Removes all entries and listeners. */
  close(): void;
}

export function createRegistry<Entry extends Listed>(most: number, onError: OnError): Registry<Entry> {
  type Of<Kind> = Extract<Entry, { kind: Kind }>;
  const listeners = createListeners<OfferChange>(onError);
  const entries = new Map<string, Entry>();
  let announced = new Map(entries);
  /** By entry: removes its abort listener. */
  const releases = new Map<string, () => void>();
  let isDue = false;
  let isClosed = false;

  function changed(): void {
    if (!isDue) queueMicrotask(announce);
    isDue = true;
  }

  function announce(): void {
    const before = announced;
    announced = new Map(entries);
    isDue = false;
    const add: Partial<Record<keyof Offer, object[]>> = {};
    const remove: Partial<Record<keyof Offer, string[]>> = {};
    for (const [id, { kind, item, json }] of announced) {
      if (before.get(id)?.json !== json) (add[kind] ??= []).push(item);
    }
    for (const [id, { kind, key }] of before) {
      if (!announced.has(id)) (remove[kind] ??= []).push(key);
    }
    if (Object.keys({ ...add, ...remove }).length === 0) return;
    listeners.tell({ add, remove } as OfferChange);
  }

  return {
    add(entry, signal) {
      const { kind, key } = entry;
      const id = `${kind} ${key}`;
      const release = () => signal?.removeEventListener("abort", remove);
      const remove = () => {
        if (entries.get(id) !== entry) return;
        release();
        entries.delete(id);
        changed();
      };
      if (!signal?.aborted && !isClosed) {
        if (!entries.has(id) && entries.size >= most) {
          throw new PagewireError(
            "offers-too-many",
            `${most} is the most that a page may offer (limit offersPerPage): "${key}" is one too many.`,
          );
        }
        releases.get(id)?.();
        releases.set(id, release);
        entries.set(id, entry);
        signal?.addEventListener("abort", remove);
        changed();
      }
      return { name: key, remove };
    },
    get: (kind, key) => entries.get(`${kind} ${key}`) as Of<typeof kind> | undefined,
    all: (kind) => [...entries.values()].filter((entry): entry is Of<typeof kind> => entry.kind === kind),
    subscribe: listeners.add,
    close() {
      isClosed = true;
      for (const release of releases.values()) release();
      listeners.clear();
      entries.clear();
    },
  };
}

/** Notifications about updated resources. */
export interface Updates {
  /** Reports an updated resource; repeated reports are merged per microtask. */
  add(uri: string): void;
  subscribe(listener: (uri: string) => void): () => void;
  /** Removes all listeners. */
  close(): void;
}

export function createUpdates(onError: OnError): Updates {
  const listeners = createListeners<string>(onError);
  const due = new Set<string>();

  function announce(): void {
    const uris = [...due];
    due.clear();
    for (const uri of uris) listeners.tell(uri);
  }

  return {
    add(uri) {
      if (due.size === 0) queueMicrotask(announce);
      due.add(uri);
    },
    subscribe: listeners.add,
    close: listeners.clear,
  };
}
