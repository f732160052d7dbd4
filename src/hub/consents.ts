// What users decided once and for all about tools: what may run unasked, and what never. A decision is bound to its user,
// and to the tool's origin and definition, so that a changed tool is asked about again.
//
// In the store they are records of the kind "consents": `{ principal, tool, origin, approved, at }`, where `origin` is ""
// for tools of the server's own, and `at` milliseconds since 1970. The key is a digest of principal, origin and definition.
import { createHash } from "node:crypto";
import type { AiTool } from "../ai/index.ts";
import { PagewireError, messageOf } from "../wire/index.ts";
import type { JsonObject, Limits } from "../wire/index.ts";
import type { Note } from "./log.ts";
import { readRecords } from "./store/index.ts";
import type { Store } from "./store/index.ts";

/** A decision, as its user is shown it. */
export interface Consent {
  readonly key: string;
  readonly tool: string;
  readonly origin: string;
  readonly approved: boolean;
}

/** What a decision is about. */
export type ConsentTool = Pick<AiTool, "name" | "description" | "parameters" | "origin">;

export interface Consents {
  /** Undefined where the user has not decided, or where that cannot be read. */
  decisionOn(principal: string, tool: ConsentTool): Promise<boolean | undefined>;
  /** Never rejects: what could not be written holds while the hub runs. */
  keep(principal: string, tool: ConsentTool, approved: boolean): Promise<void>;
  /** A principal's own, the latest first. */
  list(principal: string): Promise<readonly Consent[]>;
  /** Takes one back, so that its user is asked again; rejects where the principal has none of this key. */
  remove(principal: string, key: string): Promise<void>;
}

export interface ConsentsOptions {
  readonly store: Pick<Store, "records" | "setRecord">;
  readonly limits: Pick<Limits, "consentsPerPrincipal">;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly note: Note;
}

/** A principal's decisions by their keys, the latest last. */
type Book = Map<string, Consent>;

export function createConsents({ store, limits, now, note }: ConsentsOptions): Consents {
  let loading: Promise<Map<string, Book>> | undefined;

  function books(): Promise<Map<string, Book>> {
    loading ??= readRecords(store, "consents", note).then(booksOf);
    // Another try may do better.
    loading.catch(() => (loading = undefined));
    return loading;
  }

  async function add(principal: string, tool: ConsentTool, approved: boolean): Promise<void> {
    const all = await books();
    const book: Book = all.get(principal) ?? new Map();
    all.set(principal, book);
    const key = keyOf(principal, tool);
    const { name, origin = "" } = tool;
    book.delete(key);
    book.set(key, { key, tool: name, origin, approved });
    const [oldest] = book.keys();
    if (book.size > limits.consentsPerPrincipal && oldest !== undefined) {
      book.delete(oldest);
      await store.setRecord("consents", oldest, undefined);
    }
    await store.setRecord("consents", key, { principal, tool: name, origin, approved, at: now() });
  }

  return {
    async decisionOn(principal, tool) {
      const all = await books().catch(() => undefined);
      return all?.get(principal)?.get(keyOf(principal, tool))?.approved;
    },
    keep: (principal, tool, approved) =>
      add(principal, tool, approved).catch((error: unknown) =>
        note("error", "store-failed", { message: messageOf(error) }),
      ),
    list: async (principal) => [...((await books()).get(principal)?.values() ?? [])].reverse(),
    async remove(principal, key) {
      const book = (await books()).get(principal);
      if (!book?.delete(key)) throw new PagewireError("route-not-found", "There is no such consent.");
      await store.setRecord("consents", key, undefined);
    },
  };
}

function keyOf(principal: string, { origin = "", name, description, parameters }: ConsentTool): string {
  const text = JSON.stringify([principal, origin, name, description, parameters]);
  return createHash("sha256").update(text).digest("base64url");
}

function booksOf(records: ReadonlyMap<string, JsonObject>): Map<string, Book> {
  const books = new Map<string, Book>();
  for (const [key, { principal, tool, origin, approved }] of records) {
    if (typeof principal !== "string" || typeof tool !== "string") continue;
    if (typeof origin !== "string" || typeof approved !== "boolean") continue;
    const book = books.get(principal) ?? new Map<string, Consent>();
    books.set(principal, book.set(key, { key, tool, origin, approved }));
  }
  return books;
}
