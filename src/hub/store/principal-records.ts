// The records of one kind, by their principals: read when first needed, and let go when others are. What could not be
// written holds here all the same where its user asks for that, and is written later.
import { PagewireError } from "../../wire/index.ts";
import type { Later } from "./later.ts";
import { reasonWords } from "./port/store-reasons.ts";
import type { RecordKind, Store, StoredRecord } from "./port/store.ts";

/** A record as its users work with it. */
export interface Owned {
  readonly principal: string;
}

/** What keeps records. */
export type RecordStore = Pick<Store, "record" | "records" | "setRecord" | "health">;

export interface PrincipalRecordsOptions<Value extends Owned> {
  readonly store: RecordStore;
  readonly kind: RecordKind;
  readonly later: Later;
  /** Undefined for what is none. */
  readonly parse: (key: string, record: StoredRecord) => Value | undefined;
  readonly toRecord: (value: Value) => StoredRecord;
  /** Hears that something is not saved, whether it holds or not. */
  readonly onNotSaved: () => void;
  /** Of how many principals at most the records are in memory. */
  readonly most?: number;
}

/** One change: a record that is gone is undefined. */
export interface Change<Value extends Owned> {
  readonly key: string;
  readonly principal: string;
  readonly value: Value | undefined;
}

export interface PrincipalRecords<Value extends Owned> {
  /** All of a principal's, the one that changed last comes last. */
  of(principal: string): Promise<ReadonlyMap<string, Value>>;
  find(key: string): Promise<Value | undefined>;
  /** Those that are in memory, if all of them are. */
  known(principal: string): ReadonlyMap<string, Value> | undefined;
  /** Those of a principal that are not saved. */
  unsaved(principal: string): ReadonlyMap<string, Value>;
  /** Saves a change; where that is not possible it rejects, and nothing is changed. */
  save(change: Change<Value>): Promise<void>;
  /** Makes a change, which holds from now on. Rejects where it is not saved yet; it is tried again until it is. */
  hold(change: Change<Value>): Promise<void>;
  /** Resolves when nothing of a principal's waits to be saved. */
  whenSaved(principal: string): Promise<void>;
  /** Changes what is in memory only. */
  note(change: Change<Value>): void;
}

interface Held<Value extends Owned> extends Change<Value> {
  /** The how manieth change it is. */
  readonly at: number;
}

interface Shelf<Value> {
  readonly values: Map<string, Value>;
  /** Made while the shelf was read: what is read may lack them. */
  readonly changes: Map<string, Value | undefined>;
  reading: Promise<void> | undefined;
  isRead: boolean;
}

const mostPrincipals = 200;
const mostUnsaved = 10_000;

export function createPrincipalRecords<Value extends Owned>(
  options: PrincipalRecordsOptions<Value>,
): PrincipalRecords<Value> {
  const { store, kind, later, parse, toRecord, onNotSaved, most = mostPrincipals } = options;
  /** The one that was not used for longest comes first. */
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
      // Whoever reads it still adds to it.
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
      // Another try may do better.
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

  /** One write at a time of each record, so that the last is the last. */
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
      // With its principal's others: whoever comes once comes again.
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
      if (value && unsaved.size >= mostUnsaved && !unsaved.has(key)) return notSaved(tooMuch());
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
