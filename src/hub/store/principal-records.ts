// A cache of the records of one kind, by principal: read on first use, evicted by recent use. With `hold`, a change that
// cannot be saved takes effect anyway and is retried.
import { PagewireError } from "../../wire/index.ts";
import type { Later } from "./later.ts";
import { reasonWords } from "./port/store.ts";
import type { RecordKind, Store, StoredRecord } from "./port/store.ts";

export interface Owned {
  readonly principal: string;
}

export type RecordStore = Pick<
  Store,
  "record" | "records" | "recordsAfter" | "setRecord" | "replaceRecord" | "health" | "onChanged"
>;

export interface PrincipalRecordsOptions<Value extends Owned> {
  readonly store: RecordStore;
  readonly kind: RecordKind;
  readonly later: Later;
  /** Undefined for an invalid record. */
  readonly parse: (key: string, record: StoredRecord) => Value | undefined;
  readonly toRecord: (value: Value) => StoredRecord;
  /** Called when a change could not be saved. */
  readonly onNotSaved: () => void;
  /** Called when a principal's cached records were read again, because of another hub; with those before. */
  readonly onReread?: (principal: string, before: ReadonlyMap<string, Value>) => void;
  readonly maxPrincipals?: number;
}

/** A change; the value is undefined to remove the record. */
export interface Change<Value extends Owned> {
  readonly key: string;
  readonly principal: string;
  readonly value: Value | undefined;
}

interface Held<Value extends Owned> extends Change<Value> {
  /** Counts changes, to order them. */
  readonly at: number;
}

interface Shelf<Value> {
  readonly values: Map<string, Value>;
  /** Changes made during the read, which its result may lack. */
  readonly changes: Map<string, Value | undefined>;
  /** The last read; undefined if it failed. */
  reading: Promise<void> | undefined;
  isReading: boolean;
  isRead: boolean;
  /** Another hub has changed something since the last read began. */
  isStale: boolean;
}

const defaultPrincipals = 200;
const maxUnsaved = 10_000;

export function createPrincipalRecords<Value extends Owned>(
  options: PrincipalRecordsOptions<Value>,
): PrincipalRecords<Value> {
  return new PrincipalRecords(options);
}

export class PrincipalRecords<Value extends Owned> {
  readonly #options: PrincipalRecordsOptions<Value>;
  /** Least recently used first. */
  readonly #shelves = new Map<string, Shelf<Value>>();
  readonly #principals = new Map<string, string>();
  readonly #unsaved = new Map<string, Held<Value>>();
  readonly #writes = new Map<string, Promise<void>>();
  readonly #waiting = new Map<string, { readonly saved: Promise<void>; readonly resolve: () => void }>();
  #changes = 0;

  constructor(options: PrincipalRecordsOptions<Value>) {
    this.#options = options;
    options.store.onChanged?.((change) => {
      if (change && change.kind !== options.kind) return;
      const whose = change?.principal ?? (change && this.#principals.get(change.key));
      // One that is being read for the first time may be anybody's.
      for (const [principal, { isReading }] of whose === undefined ? this.#shelves : [])
        if (!change || isReading) this.#changedElsewhere(principal);
      this.#changedElsewhere(whose);
    });
  }

  /** A principal's records, the most recently changed last. */
  async of(principal: string): Promise<ReadonlyMap<string, Value>> {
    const shelf = this.#shelfOf(principal);
    await (shelf.reading ??= this.#read(principal, shelf));
    return shelf.values;
  }

  /** The same, read again; a read that had begun before may lack what is looked for, and another one follows it. */
  async #again(principal: string): Promise<ReadonlyMap<string, Value>> {
    this.#changedElsewhere(principal);
    await this.of(principal);
    return this.of(principal);
  }

  async find(key: string): Promise<Value | undefined> {
    const held = this.#unsaved.get(key);
    if (held) return held.value;
    const { store, kind } = this.#options;
    const known = this.#principals.get(key);
    if (known !== undefined) return (await this.of(known)).get(key);
    const principal = (await store.record(kind, key))?.principal;
    if (principal === undefined) return undefined;
    // Loads all of its principal's records: they will likely be needed. Another hub may have added this one just now.
    return (await this.of(principal)).get(key) ?? (await this.#again(principal)).get(key);
  }

  /** A principal's records, if they are cached. */
  known(principal: string): ReadonlyMap<string, Value> | undefined {
    const shelf = this.#shelves.get(principal);
    return shelf?.isRead ? shelf.values : undefined;
  }

  /** A principal's unsaved records. */
  unsaved(principal: string): ReadonlyMap<string, Value> {
    return new Map(this.#heldOf(principal).flatMap(({ key, value }) => (value ? [[key, value] as const] : [])));
  }

  /** Saves a change; if that fails it rejects, and nothing changes. */
  save(change: Change<Value>): Promise<void> {
    const { key } = change;
    const at = ++this.#changes;
    return this.#inOrder(key, async () => {
      await this.#write(change).catch((error: unknown) => this.#notSaved(error));
      if ((this.#unsaved.get(key)?.at ?? 0) > at) return;
      this.#saved(change);
      this.note(change);
    });
  }

  /**
   * Changes a record as the store has it, unless it changes meanwhile: another hub may end what it is about. Resolves with the
   * changed one; undefined if it was not changed, also where the change is none.
   */
  async touch(
    { key, principal }: { key: string; principal: string },
    change: (value: Value) => Value | undefined,
  ): Promise<Value | undefined> {
    const { store, kind, parse, toRecord } = this.#options;
    let value: Value | undefined;
    await this.#inOrder(key, async () => {
      const before = await store.record(kind, key);
      const known = before && parse(key, before);
      if (!known || this.#unsaved.has(key)) return;
      const after = change(known);
      if (!after || !(await store.replaceRecord(kind, key, { before, after: toRecord(after) }))) return;
      value = after;
      const cached = this.known(principal)?.get(key);
      // The cached one may be newer than what the store had.
      const next = cached && change(cached);
      if (next) this.note({ key, principal, value: next });
    });
    return value;
  }

  /** Makes a change that takes effect at once. Rejects if it is not saved yet; it is retried. */
  async hold(change: Change<Value>): Promise<void> {
    const { key, value } = change;
    if (value && this.#unsaved.size >= maxUnsaved && !this.#unsaved.has(key)) return this.#notSaved(tooMuch());
    this.note(change);
    const held = { ...change, at: ++this.#changes };
    this.#unsaved.set(key, held);
    try {
      await this.#writeHeld(held);
    } catch (error) {
      const { later, store } = this.#options;
      later.add(this.#writeAll);
      const words = `This holds only while the hub runs${reasonWords(store.health().reason)}. It will be tried again.`;
      this.#notSaved(new PagewireError("not-saved", words, { cause: error }));
    }
  }

  /** Resolves when all of a principal's changes are saved. */
  async whenSaved(principal: string): Promise<void> {
    if (this.#heldOf(principal).length === 0) return;
    const known = this.#waiting.get(principal);
    if (known) return known.saved;
    let resolve = () => {};
    const saved = new Promise<void>((done) => (resolve = done));
    this.#waiting.set(principal, { saved, resolve });
    await saved;
  }

  /** Reads a principal's cached records again, in case that a message of another hub was lost. */
  readAgain(principal: string): void {
    this.#changedElsewhere(principal);
  }

  note(change: Change<Value>): void {
    const shelf = this.#shelves.get(change.principal);
    if (shelf?.isRead) this.#put(shelf, change);
    if (shelf && (shelf.isReading || !shelf.isRead)) shelf.changes.set(change.key, change.value);
  }

  /** A cached record counts until it was read again. */
  #changedElsewhere(principal: string | undefined): void {
    const shelf = principal === undefined ? undefined : this.#shelves.get(principal);
    if (!shelf || principal === undefined) return;
    shelf.isStale = true;
    if (shelf.isRead && !shelf.isReading)
      shelf.reading = this.#read(principal, shelf).catch(() => this.#options.later.add(this.#readStale));
  }

  #shelfOf(principal: string): Shelf<Value> {
    const { maxPrincipals = defaultPrincipals } = this.#options;
    const shelf = this.#shelves.get(principal) ?? newShelf<Value>();
    this.#shelves.delete(principal);
    this.#shelves.set(principal, shelf);
    for (const [oldest, { values, isReading }] of this.#shelves) {
      if (this.#shelves.size <= maxPrincipals) break;
      // A pending read still adds to it.
      if (isReading) continue;
      this.#shelves.delete(oldest);
      for (const key of values.keys()) this.#principals.delete(key);
    }
    return shelf;
  }

  async #read(principal: string, shelf: Shelf<Value>): Promise<void> {
    const { store, kind } = this.#options;
    shelf.isStale = false;
    shelf.isReading = true;
    for (const { key, value } of this.#heldOf(principal)) shelf.changes.set(key, value);
    try {
      this.#fill(principal, shelf, await store.records(kind, principal));
    } catch (error) {
      shelf.isStale = true;
      // The next use tries again.
      if (!shelf.isRead) shelf.reading = undefined;
      throw error;
    } finally {
      shelf.isReading = false;
      if (shelf.isRead) shelf.changes.clear();
    }
    if (shelf.isStale) this.#changedElsewhere(principal);
  }

  #fill(principal: string, shelf: Shelf<Value>, found: ReadonlyMap<string, StoredRecord>): void {
    const { parse, onReread } = this.#options;
    const before = shelf.isRead ? new Map(shelf.values) : undefined;
    for (const key of shelf.values.keys()) this.#principals.delete(key);
    shelf.values.clear();
    shelf.isRead = true;
    for (const [key, record] of found) this.#put(shelf, { key, principal, value: parse(key, record) });
    for (const [key, value] of shelf.changes) this.#put(shelf, { key, principal, value });
    if (before) onReread?.(principal, before);
  }

  /** One function, so that it is queued once. */
  readonly #readStale = async (): Promise<void> => {
    for (const [principal, shelf] of this.#shelves)
      if (shelf.isStale && !shelf.isReading) await this.#read(principal, shelf);
  };

  #put({ values }: Shelf<Value>, { key, principal, value }: Change<Value>): void {
    values.delete(key);
    if (value) values.set(key, value);
    if (value) this.#principals.set(key, principal);
    else this.#principals.delete(key);
  }

  /** One write at a time per record, to keep their order. */
  #inOrder(key: string, work: () => Promise<void>): Promise<void> {
    const done = (this.#writes.get(key) ?? Promise.resolve()).then(work, work);
    this.#writes.set(key, done);
    const forget = () => {
      if (this.#writes.get(key) === done) this.#writes.delete(key);
    };
    done.then(forget, forget);
    return done;
  }

  #write({ key, value }: Change<Value>): Promise<void> {
    const { store, kind, toRecord } = this.#options;
    return store.setRecord(kind, key, value && toRecord(value));
  }

  #writeHeld(held: Held<Value>): Promise<void> {
    return this.#inOrder(held.key, async () => {
      await this.#write(held);
      if (this.#unsaved.get(held.key) === held) this.#saved(held);
    });
  }

  /** One function, so that it is queued once. */
  readonly #writeAll = async (): Promise<void> => {
    for (const held of this.#unsaved.values()) await this.#writeHeld(held);
  };

  #heldOf(principal: string): readonly Held<Value>[] {
    return [...this.#unsaved.values()].filter((change) => change.principal === principal);
  }

  #saved({ key, principal }: Change<Value>): void {
    this.#unsaved.delete(key);
    if (this.#waiting.size === 0 || this.#heldOf(principal).length > 0) return;
    this.#waiting.get(principal)?.resolve();
    this.#waiting.delete(principal);
  }

  #notSaved(error: unknown): never {
    this.#options.onNotSaved();
    throw error;
  }
}

function newShelf<Value>(): Shelf<Value> {
  return {
    ...{ values: new Map(), changes: new Map(), reading: undefined },
    ...{ isReading: false, isRead: false, isStale: false },
  };
}

function tooMuch(): PagewireError {
  return new PagewireError(
    "not-saved",
    "The hub has too much already that it could not save yet. Try again in a while.",
  );
}
