// One call in the list: of its record in the audit, only what a row shows, so that thousands of them are small.
import { isJsonObject } from "pagewire/wire";
import type { JsonObject } from "pagewire/wire";
import type { TimedCallEvent } from "../hub/hub.ts";
import type { Filters } from "./filters.ts";

export interface CallRow {
  /** The id of its record, or of its events while it has none. */
  readonly id: string;
  /** The id of its events. */
  readonly call: string | undefined;
  /** When it ended or, while it runs, began. */
  readonly at: number;
  readonly name: string;
  readonly agent: string;
  readonly app: string;
  readonly tab: string;
  readonly door: string;
  /** Undefined while it runs. */
  readonly outcome: string | undefined;
  readonly code: string | undefined;
  readonly milliseconds: number | undefined;
}

export interface CallPage {
  readonly isRecorded: boolean;
  readonly calls: readonly CallRow[];
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** The hub served this page too: its answers need no closer look than this. */
export function pageIn(answer: unknown): CallPage {
  const { isRecorded, calls, before, after } = (isJsonObject(answer) ? answer : {}) as JsonObject;
  return {
    isRecorded: isRecorded !== false,
    calls: Array.isArray(calls) ? calls.filter(isJsonObject).map(rowOf) : [],
    before: textIn(before),
    after: textIn(after),
  };
}

function rowOf(record: JsonObject): CallRow {
  const { id, call, at, name, agent, app, tab, door, outcome, code, milliseconds } = record;
  return {
    id: textIn(id) ?? "",
    call: textIn(call),
    at: Date.parse(textIn(at) ?? ""),
    name: textIn(name) ?? "",
    agent: textIn(agent) ?? "",
    app: textIn(app) ?? "",
    tab: textIn(tab) ?? "",
    door: textIn(door) ?? "",
    outcome: textIn(outcome) ?? "",
    code: textIn(code),
    milliseconds: typeof milliseconds === "number" ? milliseconds : undefined,
  };
}

/** A call that runs. */
export function rowOfEvent({ id, at, name, agent, app, tabId }: TimedCallEvent): CallRow {
  const none = { door: "", outcome: undefined, code: undefined, milliseconds: undefined };
  return { id, call: id, at, name, agent: agent ?? "", app: app ?? "", tab: tabId ?? "", ...none };
}

/** Whether filters select a call that has no record yet. Those about its record do not. */
export function selects({ text, equal }: Filters, row: CallRow): boolean {
  const {
    tool = row.name,
    agent = row.agent,
    app = row.app,
    tab = row.tab,
    call = row.id,
    since: _,
    ...others
  } = equal;
  const wanted = text.trim().toLowerCase();
  return (
    Object.keys(others).length === 0 &&
    tool === row.name &&
    agent === row.agent &&
    app === row.app &&
    tab === row.tab &&
    call === row.id &&
    (wanted === "" || [row.name, row.agent, row.app, row.tab].some((each) => each.toLowerCase().includes(wanted)))
  );
}

function textIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
