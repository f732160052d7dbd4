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

export interface AddOptions extends RegisterOptions {
  /** An entry of the same key is hidden until this one is removed, instead of being replaced. */
  readonly covers?: boolean;
}

/** An entry: its public definition, and that as JSON, to detect changes. */
export interface Listed {
  readonly kind: keyof Offer;
  readonly key: string;
  readonly item: object;
  readonly json: string;
  /** The entry that it covers. */
  below?: Listed | undefined;
  /** Removes its abort listener. */
  release?(): void;
}

export interface Registry<Entry extends Listed> {
  /** Adds an entry, or replaces one with the same kind and key. */
  add(entry: Entry, options?: AddOptions): Registration;
  get<Kind extends keyof Offer>(kind: Kind, key: string): Extract<Entry, { kind: Kind }> | undefined;
  all<Kind extends keyof Offer>(kind: Kind): Extract<Entry, { kind: Kind }>[];
  subscribe(listener: (change: OfferChange) => void): () => void;
  /** Removes all entries and listeners. */
  close(): void;
}

/** Also the entries that it covers. */
const releaseAll = (entry: Listed | undefined): void => {
  for (; entry; entry = entry.below) entry.release?.();
};

export function createRegistry<Entry extends Listed>(most: number, onError: OnError): Registry<Entry> {
  type Of<Kind> = Extract<Entry, { kind: Kind }>;
  const listeners = createListeners<OfferChange>(onError);
  const entries = new Map<string, Entry>();
  let announced = new Map(entries);
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
    if (Object.keys({ ...add, ...remove })[0]) listeners.tell({ add, remove } as OfferChange);
  }

  return {
    add(entry, { signal, covers } = {}) {
      const { kind, key } = entry;
      const id = `${kind} ${key}`;
      const remove = () => {
        let now: Listed | undefined = entries.get(id);
        if (now === entry) {
          if (entry.below) entries.set(id, entry.below as Entry);
          else entries.delete(id);
          changed();
        }
        for (; now; now = now.below) if (now.below === entry) now.below = entry.below;
        entry.release?.();
      };
      if (!signal?.aborted && !isClosed) {
        const before = entries.get(id);
        if (!before && entries.size >= most) {
          throw new PagewireError("offers-too-many", `"${key}" is too many (limit offersPerPage: ${most}).`);
        }
        if (covers) entry.below = before;
        else releaseAll(before);
        signal?.addEventListener("abort", remove);
        entry.release = () => signal?.removeEventListener("abort", remove);
        entries.set(id, entry);
        changed();
      }
      return { name: key, remove };
    },
    get: (kind, key) => entries.get(`${kind} ${key}`) as Of<typeof kind> | undefined,
    all: (kind) => [...entries.values()].filter((entry): entry is Of<typeof kind> => entry.kind === kind),
    subscribe: listeners.add,
    close() {
      isClosed = true;
      entries.forEach(releaseAll);
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
