// What users decided once and for all about tools: what may run unasked, and what never. A permission is bound to its
// user, and to the tool's origin and definition, so that a changed tool is asked about again. A refusal is bound to the
// user, the origin and the name that the page gives the tool: a page could undo it otherwise by changing a word.
//
// In the store they are records of the kind "consents": `{ principal, tool, name?, origin, approved, at }`, where `tool`
// is the listed name, `name` the page's own where that differs, `origin` is "" for tools of the server's own, and `at`
// milliseconds since 1970. The key is a digest of what the decision is bound to. Refusals of older hubs have a
// permission's key and no `name`: they hold for the listed name.
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
export interface ConsentTool extends Pick<AiTool, "name" | "description" | "parameters" | "origin"> {
  /** What its page calls it, where that is not the listed name, which can change with the tabs that are open. */
  readonly ownName?: string;
}

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

interface Decision extends Consent {
  readonly name: string;
}

/** A principal's decisions by their keys, the latest last. */
type Book = Map<string, Decision>;

export function createConsents({ store, limits, now, note }: ConsentsOptions): Consents {
  let loading: Promise<Map<string, Book>> | undefined;

  function books(): Promise<Map<string, Book>> {
    loading ??= readRecords(store, "consents", note).then(booksOf);
    // Another try may do better.
    loading.catch(() => (loading = undefined));
    return loading;
  }

  async function add(principal: string, tool: ConsentTool, approved: boolean): Promise<void> {
    const known = await books();
    const book: Book = known.get(principal) ?? new Map();
    known.set(principal, book);
    const { name: listed, ownName: name = listed, origin = "" } = tool;
    const key = approved ? permissionKey(principal, tool) : digestOf(["never", principal, origin, name]);
    // A refusal that is taken back must not bring an earlier permission back.
    const dropped = [...book.values()].filter((one) => isAbout(one, tool) && !(one.approved && approved));
    for (const one of [...dropped, { key }]) book.delete(one.key);
    if (book.size >= limits.consentsPerPrincipal) {
      // Without a permission the user is asked again, without a refusal the tool may run: permissions make room first.
      const all = [...book.values()];
      const oldest = all.find((one) => one.approved) ?? all[0];
      if (oldest && book.delete(oldest.key)) dropped.push(oldest);
    }
    book.set(key, { key, tool: listed, name, origin, approved });
    const own = name === listed ? {} : { name };
    await store.setRecord("consents", key, { principal, tool: listed, ...own, origin, approved, at: now() });
    for (const one of dropped) if (one.key !== key) await store.setRecord("consents", one.key, undefined);
  }

  return {
    async decisionOn(principal, tool) {
      const book = (await books().catch(() => undefined))?.get(principal);
      if (!book) return undefined;
      const isRefused = [...book.values()].some((one) => !one.approved && isAbout(one, tool));
      return isRefused ? false : book.get(permissionKey(principal, tool))?.approved;
    },
    keep: (principal, tool, approved) =>
      add(principal, tool, approved).catch((error: unknown) =>
        note("error", "store-failed", { message: messageOf(error) }),
      ),
    async list(principal) {
      const decisions = [...((await books()).get(principal)?.values() ?? [])];
      return decisions.reverse().map(({ key, tool, origin, approved }) => ({ key, tool, origin, approved }));
    },
    async remove(principal, key) {
      const book = (await books()).get(principal);
      if (!book?.delete(key)) throw new PagewireError("route-not-found", "There is no such consent.");
      await store.setRecord("consents", key, undefined);
    },
  };
}

/** Whether a decision is about this tool, however it is defined now. */
function isAbout(one: Decision, { name: listed, ownName = listed, origin = "" }: ConsentTool): boolean {
  return one.origin === origin && (one.name === ownName || one.tool === listed);
}

function permissionKey(principal: string, { origin = "", name, description, parameters }: ConsentTool): string {
  return digestOf([principal, origin, name, description, parameters]);
}

function digestOf(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}

function booksOf(records: ReadonlyMap<string, JsonObject>): Map<string, Book> {
  const books = new Map<string, Book>();
  for (const [key, { principal, tool, name = tool, origin, approved }] of records) {
    if (typeof principal !== "string" || typeof tool !== "string" || typeof name !== "string") continue;
    if (typeof origin !== "string" || typeof approved !== "boolean") continue;
    const book = books.get(principal) ?? new Map<string, Decision>();
    books.set(principal, book.set(key, { key, tool, name, origin, approved }));
  }
  return books;
}
