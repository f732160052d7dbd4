// A cache of the records of one kind, by principal: read on first use, evicted by recent use. With `hold`, a change that
// cannot be saved takes effect anyway and is retried.
import { PagewireError } from "../../wire/index.ts";
import type { Later } from "./later.ts";
import { reasonWords } from "./port/store-reasons.ts";
import type { RecordKind, Store, StoredRecord } from "./port/store.ts";

export interface Owned {
  readonly principal: string;
}

export type RecordStore = Pick<Store, "record" | "records" | "setRecord" | "health">;

export interface PrincipalRecordsOptions<Value extends Owned> {
  readonly store: RecordStore;
  readonly kind: RecordKind;
  readonly later: Later;
  /** Undefined for an invalid record. */
  readonly parse: (key: string, record: StoredRecord) => Value | undefined;
  readonly toRecord: (value: Value) => StoredRecord;
  /** Called when a change could not be saved. */
  readonly onNotSaved: () => void;
  /** Max principals in the cache. */
  readonly most?: number;
}

/** A change; the value is undefined to remove the record. */
export interface Change<Value extends Owned> {
  readonly key: string;
  readonly principal: string;
  readonly value: Value | undefined;
}

export interface PrincipalRecords<Value extends Owned> {
  /** A principal's records, the most recently changed last. */
  of(principal: string): Promise<ReadonlyMap<string, Value>>;
  find(key: string): Promise<Value | undefined>;
  /** A principal's records, if they are cached. */
  known(principal: string): ReadonlyMap<string, Value> | undefined;
  /** A principal's unsaved records. */
  unsaved(principal: string): ReadonlyMap<string, Value>;
  /** Saves a change; if that fails it rejects, and nothing changes. */
  save(change: Change<Value>): Promise<void>;
  /** Makes a change that takes effect at once. Rejects if it is not saved yet; it is retried. */
  hold(change: Change<Value>): Promise<void>;
  /** Resolves when all of a principal's changes are saved. */
  whenSaved(principal: string): Promise<void>;
  /** Changes only the cache. */
  note(change: Change<Value>): void;
}

interface Held<Value extends Owned> extends Change<Value> {
  /** Counts changes, to order them. */
  readonly at: number;
}

interface Shelf<Value> {
  readonly values: Map<string, Value>;
  /** Changes made during the read, which its result may lack. */
  readonly changes: Map<string, Value | undefined>;
  reading: Promise<void> | undefined;
  isRead: boolean;
}

const maxPrincipals = 200;
const maxUnsaved = 10_000;

export function createPrincipalRecords<Value extends Owned>(
  options: PrincipalRecordsOptions<Value>,
): PrincipalRecords<Value> {
  const { store, kind, later, parse, toRecord, onNotSaved, most = maxPrincipals } = options;
  /** Least recently used first. */
  const shelves = new Map<string, Shelf<Value>>();
  const principals = new Map<string, string>();
  const unsaved = new Map<string, Held<Value>>();
  const turns = new Map<string, Promise<void>>();
  const waiting = new Map<string, { readonly saved: Promise<void>; readonly resolve: () => void }>();
  let changes = 0;

  function shelfOf(principal: string): Shelf<Value> {
    const shelf = shelves.get(principal) ?? newShelf<Value>();
    shelves.delete(principal);
    shelves.set(principal, shelf);
    for (const [oldest, { values, isRead, reading }] of shelves) {
      if (shelves.size <= most) break;
      // A pending read still adds to it.
      if (reading && !isRead) continue;
      shelves.delete(oldest);
      for (const key of values.keys()) principals.delete(key);
    }
    return shelf;
  }

  async function read(principal: string, shelf: Shelf<Value>): Promise<void> {
    for (const { key, value } of heldOf(principal)) shelf.changes.set(key, value);
    try {
      const found = await store.records(kind, principal);
      for (const [key, record] of found) put(shelf, { key, principal, value: parse(key, record) });
      for (const [key, value] of shelf.changes) put(shelf, { key, principal, value });
      shelf.isRead = true;
      shelf.changes.clear();
    } catch (error) {
      // The next read tries again.
      shelf.reading = undefined;
      throw error;
    }
  }

  function put({ values }: Shelf<Value>, { key, principal, value }: Change<Value>): void {
    values.delete(key);
    if (value) values.set(key, value);
    if (value) principals.set(key, principal);
    else principals.delete(key);
  }

  function note(change: Change<Value>): void {
    const shelf = shelves.get(change.principal);
    if (shelf?.isRead) put(shelf, change);
    else shelf?.changes.set(change.key, change.value);
  }

  async function of(principal: string): Promise<ReadonlyMap<string, Value>> {
    const shelf = shelfOf(principal);
    await (shelf.reading ??= read(principal, shelf));
    return shelf.values;
  }

  /** One write at a time per record, to keep their order. */
  function inTurn(key: string, work: () => Promise<void>): Promise<void> {
    const done = (turns.get(key) ?? Promise.resolve()).then(work, work);
    turns.set(key, done);
    const forget = () => {
      if (turns.get(key) === done) turns.delete(key);
    };
    done.then(forget, forget);
    return done;
  }

  const write = ({ key, value }: Change<Value>) => store.setRecord(kind, key, value && toRecord(value));

  function notSaved(error: unknown): never {
    onNotSaved();
    throw error;
  }

  const writeHeld = (held: Held<Value>) =>
    inTurn(held.key, async () => {
      await write(held);
      if (unsaved.get(held.key) === held) saved(held);
    });

  const heldOf = (principal: string) => [...unsaved.values()].filter((change) => change.principal === principal);

  function saved({ key, principal }: Change<Value>): void {
    unsaved.delete(key);
    if (waiting.size === 0 || heldOf(principal).length > 0) return;
    waiting.get(principal)?.resolve();
    waiting.delete(principal);
  }

  async function writeAll(): Promise<void> {
    for (const held of unsaved.values()) await writeHeld(held);
  }

  return {
    of,
    note,
    async find(key) {
      const held = unsaved.get(key);
      if (held) return held.value;
      const principal = principals.get(key) ?? (await store.record(kind, key))?.principal;
      // Loads all of its principal's records: they will likely be needed.
      return principal === undefined ? undefined : (await of(principal)).get(key);
    },
    known(principal) {
      const shelf = shelves.get(principal);
      return shelf?.isRead ? shelf.values : undefined;
    },
    unsaved(principal) {
      return new Map(heldOf(principal).flatMap(({ key, value }) => (value ? [[key, value] as const] : [])));
    },
    save(change) {
      const { key } = change;
      const at = ++changes;
      return inTurn(key, async () => {
        await write(change).catch(notSaved);
        if ((unsaved.get(key)?.at ?? 0) > at) return;
        saved(change);
        note(change);
      });
    },
    async hold(change) {
      const { key, value } = change;
      if (value && unsaved.size >= maxUnsaved && !unsaved.has(key)) return notSaved(tooMuch());
      note(change);
      const held = { ...change, at: ++changes };
      unsaved.set(key, held);
      try {
        await writeHeld(held);
      } catch (error) {
        later.add(writeAll);
        const words = `This holds only while the hub runs${reasonWords(store.health().reason)}. It will be tried again.`;
        notSaved(new PagewireError("not-saved", words, { cause: error }));
      }
    },
    async whenSaved(principal) {
      if (heldOf(principal).length === 0) return;
      const known = waiting.get(principal);
      if (known) return known.saved;
      let resolve = () => {};
      const saved = new Promise<void>((done) => (resolve = done));
      waiting.set(principal, { saved, resolve });
      await saved;
    },
  };
}

function newShelf<Value>(): Shelf<Value> {
  return { values: new Map(), changes: new Map(), reading: undefined, isRead: false };
}

function tooMuch(): PagewireError {
  return new PagewireError(
    "not-saved",
    "The hub has too much already that it could not save yet. Try again in a while.",
  );
}
