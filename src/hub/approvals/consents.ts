// What users decided once and for all about tools: what may run unasked, and what never. A permission is bound to its
// user, and to the tool's origin and definition, so that a changed tool is asked about again. A refusal is bound to the
// user, the origin and the name that the page gives the tool: a page could undo it otherwise by changing a word.
//
// In the store they are records of the kind "consents": `{ principal, tool, name?, origin, approved, at, text? }`, where
// `tool` is the listed name, `name` the page's own where that differs, `origin` is "" for tools of the server's own, `at`
// milliseconds since 1970, and `text` what a tool that may run said of itself. The key is a digest of what the decision is
// bound to. Permissions of older hubs have no `text`, and a key without the tool's hints. Refusals of older hubs have such
// a key and no `name`: they hold for the listed name.
import { createHash } from "node:crypto";
import { toolText } from "../../ai/index.ts";
import type { AiTool } from "../../ai/index.ts";
import { PagewireError } from "../../wire/index.ts";
import type { Limits, OnOver } from "../../wire/index.ts";
import type { Audit } from "../audit/audit.ts";
import { createPrincipalRecords } from "../store/index.ts";
import type { Later, RecordStore, StoredRecord } from "../store/index.ts";

/** A decision, as its user is shown it. */
export interface Consent {
  readonly key: string;
  readonly tool: string;
  readonly origin: string;
  readonly approved: boolean;
}

/** What a decision is about. */
export interface ConsentTool extends Pick<AiTool, "name" | "description" | "parameters" | "annotations" | "origin"> {
  /** What its page calls it, where that is not the listed name, which can change with the tabs that are open. */
  readonly ownName?: string;
}

/** What a user has decided about a tool, as it is defined now. */
export interface PastDecision {
  /** Undefined where the user has not decided, or where that cannot be read. */
  readonly approved?: boolean;
  /** What it said of itself when it was allowed last, where it has another definition now; "" where that was not kept. */
  readonly allowedAs?: string;
}

export interface Consents {
  decisionOn(principal: string, tool: ConsentTool): Promise<PastDecision>;
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
  readonly onOver?: OnOver;
}

/** As many characters as are kept of what all tools of one principal said of themselves. */
const mostText = 256 * 1024;

interface Decision extends Consent {
  readonly principal: string;
  readonly name: string;
  readonly at: number;
  readonly text?: string;
}

export function createConsents(options: ConsentsOptions): Consents {
  const { store, later, limits, now, onNotSaved, record, onOver } = options;
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
      const about = (await decisionsOf(principal)).filter((one) => isAbout(one, tool));
      const inForce = about.findLast((one) => !one.approved || isPermissionOf(one, tool));
      if (inForce) return { approved: inForce.approved };
      const last = about.at(-1);
      // Another name in the list is no other definition.
      const isChanged = last && !isPermissionOf(last, { ...tool, name: last.tool });
      return isChanged ? { allowedAs: last.text ?? "" } : {};
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
        onOver?.("consentsPerPrincipal");
      }
      const text = approved ? { text: textToKeep(tool, others) } : {};
      const value = { principal, key, tool: listed, name, origin, approved, at: now(), ...text };
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

/** What a tool says of itself; "" where its user's permissions have no room left for it. */
function textToKeep(tool: ConsentTool, others: readonly Decision[]): string {
  const text = toolText(tool);
  return others.reduce((sum, one) => sum + (one.text?.length ?? 0), text.length) > mostText ? "" : text;
}

/** Whether a decision is about this tool, however it is defined now. */
function isAbout(one: Decision, { name: listed, ownName = listed, origin = "" }: ConsentTool): boolean {
  return one.origin === origin && (one.name === ownName || one.tool === listed);
}

/** Whether a permission is for exactly this definition. */
function isPermissionOf({ key, principal, text }: Decision, tool: ConsentTool): boolean {
  return key === (text === undefined ? olderKey(principal, tool) : permissionKey(principal, tool));
}

function permissionKey(principal: string, tool: ConsentTool): string {
  const { origin = "", name, description, parameters, annotations = {} } = tool;
  return digestOf(["allowed", principal, origin, name, description, parameters, annotations]);
}

/** As hubs made it that did not yet keep what the tool said. */
function olderKey(principal: string, { origin = "", name, description, parameters }: ConsentTool): string {
  return digestOf([principal, origin, name, description, parameters]);
}

function digestOf(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}

function toRecord({ principal, tool, name, origin, approved, at, text }: Decision): StoredRecord {
  const more = { ...(name !== tool && { name }), ...(text !== undefined && { text }) };
  return { principal, tool, origin, approved, at, ...more };
}

function parseDecision(key: string, record: StoredRecord): Decision | undefined {
  const { principal, tool, name = tool, origin, approved, at, text } = record;
  if (typeof tool !== "string" || typeof name !== "string" || typeof origin !== "string") return undefined;
  if (typeof approved !== "boolean") return undefined;
  const more = typeof text === "string" ? { text } : {};
  return { principal, key, tool, name, origin, approved, at: typeof at === "number" ? at : 0, ...more };
}
