// The life of a call, as its record has it, as pieces of time one after the other.
import { isJsonObject } from "pagewire/wire";
import type { JsonObject } from "pagewire/wire";
import { textIn } from "./words.ts";

/** A call's record in the audit, with the id of the hub's API: docs/reference/audit.md. */
export type CallRecord = JsonObject & { readonly id: string; readonly at: string };

export interface Piece {
  readonly kind: "waited" | "queued" | "taken" | "ran" | "asked" | "whole";
  readonly label: string;
  /** In milliseconds since the call's acceptance: below zero before it. */
  readonly from: number;
  readonly to: number;
  readonly note?: string;
}

export interface Mark {
  readonly at: number;
  readonly label: string;
}

export interface Life {
  readonly from: number;
  readonly to: number;
  readonly pieces: readonly Piece[];
  readonly marks: readonly Mark[];
  /** Whether the record has the times of its steps. */
  readonly isKnown: boolean;
}

export function lifeOf(record: CallRecord): Life {
  const steps = isJsonObject(record["steps"]) ? record["steps"] : {};
  const waited = numberIn(steps["waited"]);
  const sent = numberIn(steps["sent"]);
  const resent = numberIn(steps["resent"]);
  const acked = numberIn(steps["acked"]);
  const to = numberIn(steps["ended"]) ?? numberIn(record["milliseconds"]) ?? 0;
  const pieces: Piece[] = [];
  if (waited !== undefined) pieces.push({ kind: "waited", label: waitLabel(record), from: -waited, to: 0 });
  if (sent === undefined) {
    if (to > 0) pieces.push({ kind: waited === undefined ? "whole" : "ran", label: "The call", from: 0, to });
  } else {
    const tab = "Waited for its tab, or for the hub's disk";
    if (sent >= 1) pieces.push({ kind: "queued", label: tab, from: 0, to: sent });
    const note = resent === undefined ? {} : { note: "The tab was cut off, and got it again." };
    pieces.push({ kind: "taken", label: "On its way to the page", from: sent, to: acked ?? to, ...note });
    if (acked !== undefined) pieces.push({ kind: "ran", label: ranLabel(record), from: acked, to });
  }
  const questions = isJsonObject(steps["questions"]) ? steps["questions"] : undefined;
  const first = numberIn(questions?.["first"]);
  if (questions && first !== undefined) {
    const count = numberIn(questions["count"]) ?? 1;
    const label = count === 1 ? "The tool asked its user" : `The tool asked its user ${count} questions`;
    pieces.push({ kind: "asked", label, from: first, to: numberIn(questions["last"]) ?? to });
  }
  return { from: -(waited ?? 0), to, pieces, marks: marksOf(steps, resent), isKnown: sent !== undefined };
}

function marksOf(steps: JsonObject, resent: number | undefined): readonly Mark[] {
  const progress = isJsonObject(steps["progress"]) ? steps["progress"] : {};
  const count = numberIn(progress["count"]) ?? 0;
  const first = numberIn(progress["first"]);
  const last = numberIn(progress["last"]);
  return [
    ...(resent === undefined ? [] : [{ at: resent, label: "Sent again" }]),
    ...(first === undefined ? [] : [{ at: first, label: count > 1 ? "First progress" : "Progress" }]),
    ...(last === undefined || count < 2 ? [] : [{ at: last, label: `Last of ${count} reports of progress` }]),
  ];
}

function waitLabel(record: CallRecord): string {
  const { details } = record;
  if (isJsonObject(details) && details["replay"] === true) return "Waited for the call that it repeats";
  const isPerson = record["decidedBy"] === "user" || record["decidedBy"] === "time";
  return isPerson || textIn(record["code"]).startsWith("policy-") ? "Waited for a person" : "Waited to begin";
}

/** A page that asks the person in front of it does so before it runs the tool, and does not say how long that took. */
function ranLabel(record: CallRecord): string {
  return record["decidedBy"] === "page" ? "In the page: it asked its user, and ran the tool" : "In the page";
}

export function numberIn(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

const deciders: Readonly<Record<string, string>> = {
  "not-asked": "Nobody was asked: the agent has the hub's credential, or the tool needs no approval.",
  user: "A person was asked, and decided.",
  session: "A person had allowed the tool for this conversation.",
  consent: "A person had decided about the tool for always.",
  policy: "A rule of the hub's policy decided. Nobody was asked.",
  page: "The page asked the person in front of it, since a rule wants that.",
  time: "A person was asked, and nobody answered in time.",
};

/** The reason why a call was allowed or refused, in words. */
export function decisionOf(record: CallRecord): string {
  const { decidedBy } = record;
  return deciders[textIn(decidedBy)] ?? "The record does not say.";
}

const runs: Readonly<Record<string, string>> = {
  yes: "The tool ran.",
  no: "The tool did not run.",
  maybe: "The tool may have run.",
};

export function ranText({ ran }: CallRecord): string {
  return runs[textIn(ran)] ?? "";
}
