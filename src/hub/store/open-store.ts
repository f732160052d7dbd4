// A store whose database is owned by another thread.
import type { Limits, JsonObject, Outcome } from "../../wire/index.ts";
import { parseDatabase, storeLimits } from "./port/database-address.ts";
import { startStoreThread } from "./store-thread.ts";
import type { StoreThread } from "./store-thread.ts";
import { notFound, isConversationId } from "./port/store.ts";
import type { Store, AuditRecord, KeptAuditRecord, KeyLedger, StoredRecord, UsedKey } from "./port/store.ts";
import type { Ask } from "./operation-queue.ts";
import type { KeptKey, KeptOutcome } from "./sql/keys.ts";
import type { RecordText } from "./sql/records.ts";

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Arguments are sent as JSON text, which costs less than cloning objects. */
function createThreadStore(thread: StoreThread): Store {
  const { ask } = thread;
  return {
    async read({ principal, id }) {
      const found = isConversationId(id) ? await ask("readConversation", [principal, id]) : undefined;
      return found && { messages: found.texts.map(parse), origin: found.origin };
    },
    async write({ principal, id }, { keep, messages, origin, hub }) {
      if (!isConversationId(id)) throw notFound();
      const texts = messages.map((message) => JSON.stringify(message));
      const size = texts.reduce((sum, text) => sum + text.length, 0);
      await ask("writeConversation", [principal, id, { keep, texts, origin, hub }], { size });
    },
    list: (principal) => ask("listConversations", [principal]),
    async remove({ principal, id }, hub) {
      if (isConversationId(id)) await ask("removeConversation", [principal, id, hub]);
    },
    tokens: (principal, day) => ask("tokens", [principal, day]),
    addTokens: (principal, day, tokens) => ask("addTokens", [principal, day, tokens]),
    async record(kind, key) {
      const found = await ask("record", [kind, key]);
      return found === undefined ? undefined : parseRecord(found);
    },
    async records(kind, principal) {
      return new Map((await ask("records", [kind, principal])).map(([key, found]) => [key, parseRecord(found)]));
    },
    async recordsAfter(kind, principal, page) {
      const found = await ask("recordsAfter", [kind, principal, page]);
      return new Map(found.map(([key, text]) => [key, parseRecord(text)]));
    },
    async setRecord(kind, key, record) {
      await ask("setRecord", [kind, key, record && textOf(record)]);
    },
    replaceRecord: (kind, key, { before, after }) =>
      ask("replaceRecord", [kind, key, { before: before && JSON.stringify(before), after: after && textOf(after) }]),
    keys: createKeyLedger(thread),
    homes: {
      take: (name, hub, from) => ask("takeHome", [name, hub, from]),
      find: (name) => ask("findHome", [name]),
      leave: (name, hub) => ask("leaveHome", [name, hub]),
    },
    async addAudit(records, undigested) {
      if (records.length === 0) return;
      const text = JSON.stringify(records);
      await ask("addAudit", [text, undigested], { size: text.length + (undigested?.bytes.length ?? 0) });
    },
    async audit(query) {
      return (await ask("audit", [query])).map(({ record, ...place }): KeptAuditRecord => ({
        ...(JSON.parse(record) as AuditRecord),
        ...place,
      }));
    },
    health: () => thread.health(),
    onHealth: (listener) => thread.onHealth(listener),
    onOver: (listener) => thread.onOver(listener),
    close: () => thread.close(),
  };
}

function createKeyLedger(thread: StoreThread): KeyLedger {
  const ask: Ask = thread.ask;
  return {
    get isNew() {
      return thread.isNew();
    },
    async use(principal, key, { call, fingerprint, tab, epoch }) {
      const given = { call, fingerprint, tab, epoch };
      return usedKey(await ask("useKey", [principal, key, given], { size: fingerprint.length }));
    },
    async find(principal, key, fingerprint) {
      return usedKey(await ask("findKey", [principal, key, fingerprint], { size: fingerprint.length }));
    },
    async end(principal, key, outcome) {
      const kept = keptOutcome(outcome);
      const size = kept.payload?.length ?? 0;
      const buffers = kept.payload ? [kept.payload.buffer] : [];
      await ask("endKey", [principal, key, kept], { size, buffers });
    },
    free: (principal, key) => ask("freeKey", [principal, key]),
  };
}

/** A copy of the payload's bytes: they are usually a view of a larger buffer. */
function keptOutcome({ payload, ...rest }: Outcome): KeptOutcome & { payload: Uint8Array<ArrayBuffer> | undefined } {
  if (payload === undefined) return { head: JSON.stringify(rest), payload };
  const isText = typeof payload === "string";
  const bytes = isText ? new TextEncoder().encode(payload) : new Uint8Array(payload);
  return { head: JSON.stringify({ ...rest, payload: isText ? "text" : "bytes" }), payload: bytes };
}

function outcomeOf({ head, payload }: KeptOutcome): Outcome {
  const { payload: kind, ...rest } = JSON.parse(head) as Omit<Outcome, "payload"> & {
    readonly payload?: "text" | "bytes";
  };
  if (!payload) return rest;
  return { ...rest, payload: kind === "text" ? utf8.decode(payload) : payload };
}

function usedKey(kept: KeptKey | undefined): UsedKey | undefined {
  if (!kept) return undefined;
  const { outcome } = kept;
  return { ...kept, outcome: typeof outcome === "object" ? outcomeOf(outcome) : outcome };
}

function parseRecord(text: string): StoredRecord {
  return JSON.parse(text) as StoredRecord;
}

function parse(text: string): JsonObject {
  return JSON.parse(text) as JsonObject;
}

export interface StoreOptions {
  /** The path of a file for SQLite, or an address such as postgres://user@host/name. */
  readonly database: string;
  readonly limits?: Partial<Limits>;
  /** The hub's name in its audit; by default a name stored in the SQLite file, or with PostgreSQL the machine's. */
  readonly hub?: string;
  /** The folder with an older hub's files, which is imported once and then renamed. */
  readonly importFrom?: string;
  /** Called with messages for the hub's owner about the database and about skipped imports. */
  readonly onProblem?: (message: string) => void;
}

/**
 * Opens a store in a database, which is created if needed. Rejects if only the owner can help: a driver is missing, the
 * address is malformed, or another hub uses the file. If the database is temporarily unavailable it is retried; meanwhile all
 * operations reject, and `health()` has the reason.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const address = parseDatabase(options.database);
  const limits = storeLimits(options.limits);
  const { hub, importFrom, onProblem = () => {} } = options;
  return createThreadStore(await startStoreThread({ address, limits, hub, importFrom, onProblem }));
}

function textOf(record: StoredRecord): RecordText {
  const { principal, forgetAt } = record;
  return { principal, forgetAt, value: JSON.stringify(record) };
}
