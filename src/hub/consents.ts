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
import { PagewireError } from "../wire/index.ts";
import type { Limits } from "../wire/index.ts";
import type { Audit } from "./audit/audit.ts";
import { createPrincipalRecords } from "./store/index.ts";
import type { Later, RecordStore, StoredRecord } from "./store/index.ts";

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
  /** Rejects where it is not saved: then it holds while the hub runs, and is saved when that is possible. */
  keep(principal: string, tool: ConsentTool, approved: boolean): Promise<void>;
  /** Resolves when all that a principal decided is saved. */
  whenSaved(principal: string): Promise<void>;
  /** A principal's own, the latest first. */
  list(principal: string): Promise<readonly Consent[]>;
  /** Takes one back, so that its user is asked again; rejects where the principal has none of this key. */
  remove(principal: string, key: string): Promise<void>;
}

export interface ConsentsOptions {
  readonly store: RecordStore;
  readonly later: Later;
  readonly limits: Pick<Limits, "consentsPerPrincipal">;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onNotSaved: () => void;
  readonly record: Audit["record"];
}

interface Decision extends Consent {
  readonly principal: string;
  readonly name: string;
  readonly at: number;
}

export function createConsents({ store, later, limits, now, onNotSaved, record }: ConsentsOptions): Consents {
  const records = createPrincipalRecords({
    store,
    later,
    onNotSaved,
    kind: "consents",
    parse: parseDecision,
    toRecord,
  });

  /** The latest last; where they cannot be read, those that are not saved yet. */
  async function decisionsOf(principal: string): Promise<readonly Decision[]> {
    return [...(await records.of(principal).catch(() => records.unsaved(principal))).values()];
  }

  function tellAudit({ principal, name, origin }: Pick<Decision, "principal" | "name" | "origin">, outcome: string) {
    record({ kind: "consent", principal, name, origin, outcome, decidedBy: "user" });
  }

  return {
    async decisionOn(principal, tool) {
      const permission = permissionKey(principal, tool);
      const all = await decisionsOf(principal);
      return all.findLast((one) => (one.approved ? one.key === permission : isAbout(one, tool)))?.approved;
    },
    async keep(principal, tool, approved) {
      const all = await decisionsOf(principal);
      const { name: listed, ownName: name = listed, origin = "" } = tool;
      const key = approved ? permissionKey(principal, tool) : digestOf(["never", principal, origin, name]);
      // A refusal that is taken back must not bring an earlier permission back.
      const dropped = all.filter((one) => one.key !== key && isAbout(one, tool) && !(one.approved && approved));
      const others = all.filter((one) => one.key !== key && !dropped.includes(one));
      if (others.length >= limits.consentsPerPrincipal) {
        // Without a permission the user is asked again, without a refusal the tool may run: permissions make room first.
        const oldest = others.find((one) => one.approved) ?? others[0];
        if (oldest) dropped.push(oldest);
      }
      const value = { principal, key, tool: listed, name, origin, approved, at: now() };
      tellAudit(value, approved ? "given" : "refused");
      const gone = dropped.map((one) => ({ principal, key: one.key, value: undefined }));
      await allDone([{ principal, key, value }, ...gone].map(records.hold));
    },
    whenSaved: records.whenSaved,
    async list(principal) {
      const decisions = [...(await records.of(principal)).values()];
      return decisions.reverse().map(({ key, tool, origin, approved }) => ({ key, tool, origin, approved }));
    },
    async remove(principal, key) {
      const taken = (await records.of(principal)).get(key);
      if (!taken) throw new PagewireError("route-not-found", "There is no such consent.");
      tellAudit(taken, "taken-back");
      await records.hold({ principal, key, value: undefined });
    },
  };
}

/** Rejects with the first that does, and not before the others are done. */
async function allDone(works: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(works);
  await Promise.all(works);
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

function toRecord({ principal, tool, name, origin, approved, at }: Decision): StoredRecord {
  return { principal, tool, ...(name === tool ? {} : { name }), origin, approved, at };
}

function parseDecision(key: string, record: StoredRecord): Decision | undefined {
  const { principal, tool, name = tool, origin, approved, at } = record;
  if (typeof tool !== "string" || typeof name !== "string" || typeof origin !== "string") return undefined;
  if (typeof approved !== "boolean") return undefined;
  return { principal, key, tool, name, origin, approved, at: typeof at === "number" ? at : 0 };
}
