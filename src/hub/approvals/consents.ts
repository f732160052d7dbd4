// Permanent decisions of users about tools. A permission is bound to the user and to the tool's origin and definition, so a
// changed tool is asked about again. A refusal is bound to the user, the origin and the page's own name of the tool: otherwise
// a page could undo it by changing a word.
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

export interface Consent {
  readonly key: string;
  readonly tool: string;
  readonly origin: string;
  readonly approved: boolean;
}

/** The tool that a decision is about. */
export interface ConsentTool extends Pick<AiTool, "name" | "description" | "parameters" | "annotations" | "origin"> {
  /** The page's own name, if it differs from the listed name, which depends on the open tabs. */
  readonly ownName?: string;
}

/** A user's decision about the current definition of a tool. */
export interface PastDecision {
  /** Undefined if the user has not decided, or the store cannot be read. */
  readonly approved?: boolean;
  /** The description that was allowed last, if the definition has changed since; "" if it was not stored. */
  readonly allowedAs?: string;
}

export interface Consents {
  decisionOn(principal: string, tool: ConsentTool): Promise<PastDecision>;
  /** Takes effect at once. Rejects if it is not saved yet; it is retried. */
  keep(principal: string, tool: ConsentTool, approved: boolean): Promise<void>;
  whenSaved(principal: string): Promise<void>;
  /** A principal's decisions, the latest first. */
  list(principal: string): Promise<readonly Consent[]>;
  /** Revokes a decision, so that the user is asked again; rejects if the principal has none with this key. */
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

/** Max characters of stored descriptions per principal. */
const maxText = 256 * 1024;

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

  /** The latest last. If the store cannot be read, only the unsaved ones. */
  async function decisionsOf(principal: string): Promise<readonly Decision[]> {
    return [...(await records.of(principal).catch(() => records.unsaved(principal))).values()];
  }

  function recordDecision(
    { principal, name, origin }: Pick<Decision, "principal" | "name" | "origin">,
    outcome: string,
  ) {
    record({ kind: "consent", principal, name, origin, outcome, decidedBy: "user" });
  }

  return {
    async decisionOn(principal, tool) {
      const about = (await decisionsOf(principal)).filter((one) => isAbout(one, tool));
      const inForce = about.findLast((one) => !one.approved || isPermissionOf(one, tool));
      if (inForce) return { approved: inForce.approved };
      const last = about.at(-1);
      // The listed name is not part of the definition.
      const isChanged = last && !isPermissionOf(last, { ...tool, name: last.tool });
      return isChanged ? { allowedAs: last.text ?? "" } : {};
    },
    async keep(principal, tool, approved) {
      const all = await decisionsOf(principal);
      const { name: listed, ownName: name = listed, origin = "" } = tool;
      const key = approved ? permissionKey(principal, tool) : digestOf(["never", principal, origin, name]);
      // Revoking a refusal must not restore an earlier permission.
      const dropped = all.filter((one) => one.key !== key && isAbout(one, tool) && !(one.approved && approved));
      const others = all.filter((one) => one.key !== key && !dropped.includes(one));
      if (others.length >= limits.consentsPerPrincipal) {
        // Permissions are evicted first: without one the user is asked again, but without a refusal the tool could run.
        const oldest = others.find((one) => one.approved) ?? others[0];
        if (oldest) dropped.push(oldest);
        onOver?.("consentsPerPrincipal");
      }
      const text = approved ? { text: textToKeep(tool, others) } : {};
      const value = { principal, key, tool: listed, name, origin, approved, at: now(), ...text };
      recordDecision(value, approved ? "given" : "refused");
      const removed = dropped.map((one) => ({ principal, key: one.key, value: undefined }));
      await allDone([{ principal, key, value }, ...removed].map((change) => records.hold(change)));
    },
    whenSaved: (principal) => records.whenSaved(principal),
    async list(principal) {
      const decisions = [...(await records.of(principal)).values()];
      return decisions.reverse().map(({ key, tool, origin, approved }) => ({ key, tool, origin, approved }));
    },
    async remove(principal, key) {
      const taken = (await records.of(principal)).get(key);
      if (!taken) throw new PagewireError("route-not-found", "There is no such consent.");
      recordDecision(taken, "taken-back");
      await records.hold({ principal, key, value: undefined });
    },
  };
}

/** Like Promise.all, but settles only when all have settled. */
async function allDone(works: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(works);
  await Promise.all(works);
}

/** A tool's description; "" if the principal's stored descriptions have reached their limit. */
function textToKeep(tool: ConsentTool, others: readonly Decision[]): string {
  const text = toolText(tool);
  return others.reduce((sum, one) => sum + (one.text?.length ?? 0), text.length) > maxText ? "" : text;
}

/** Whether a decision is about this tool, in any version of its definition. */
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

/** The key format of hubs that did not store descriptions. */
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
