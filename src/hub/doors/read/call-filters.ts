// The filters of calls, as a query of the store and a check of what the store does not index.
import { createHmac } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { AuditKind, AuditQuery, KeptAuditRecord } from "../../store/index.ts";
import { readFilters, readLimit, readNumber, readTime, refused } from "./read-filters.ts";
import type { Filters } from "./read-filters.ts";

const most = 500;
const mostMilliseconds = 24 * 60 * 60 * 1000;

const indexed = ["agent", "origin", "outcome"] as const;
/** Fields of a record that must be equal to their filter. */
const exact = ["tab", "app", "door", "code", "ran", "decidedBy", "trace", "call"] as const;
const others = [...exact, "key", "text", "minMilliseconds"] as const;
const selecting = ["tool", "since", "until", ...indexed, ...others] as const;
const paging = ["limit", "before", "after"] as const;

const auditKinds: readonly AuditKind[] = [
  "call",
  "question",
  "consent",
  "sign-in",
  "token",
  "policy",
  "person",
  "terminal",
];

/** Instead of an outcome: each but ok. */
const failed = "failed";

export interface CallFilter {
  readonly query: Omit<AuditQuery, "limit" | "before" | "after">;
  /** Undefined if the store applies all filters. */
  readonly matches: ((record: KeptAuditRecord) => boolean) | undefined;
}

export interface PageFilter extends CallFilter {
  readonly limit: number;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Whose records: one principal's, or those of an organisation. `key` is the key of the audit's digests. */
export interface FilterScope {
  readonly whose: Pick<AuditQuery, "principal" | "organisation">;
  readonly key: string;
}

export function readPageFilter(request: IncomingMessage, scope: FilterScope): PageFilter {
  const filters = readFilters(request, [...selecting, ...paging]);
  const { before, after } = filters;
  return { ...filterOf(filters, scope), limit: readLimit(filters, most), before, after };
}

/** A page of all records, or with `kind` of those of one kind, with `principal` of those of one of the scope's principals. */
export function readAuditFilter(request: IncomingMessage, scope: FilterScope): PageFilter {
  const given = readFilters(request, ["kind", "principal", ...selecting, ...paging]);
  const { kind, principal, before, after, ...filters } = given;
  const { query, matches } = filterOf(filters, scope);
  const whose = principal === undefined ? {} : { principal };
  return {
    query: { ...query, ...whose, kinds: kindsOf(kind) },
    matches,
    limit: readLimit(filters, most),
    before,
    after,
  };
}

/** All records of a stream: from now on, since a time, or after one. */
export function readStreamFilter(request: IncomingMessage, scope: FilterScope): CallFilter & Pick<PageFilter, "after"> {
  const { kind, after, ...filters } = readFilters(request, ["kind", ...selecting, "after"]);
  const { query, matches } = filterOf(filters, scope);
  return { query: { ...query, kinds: kindsOf(kind) }, matches, after: after ?? lastEventOf(request) };
}

function lastEventOf({ headers }: IncomingMessage): string | undefined {
  const id = headers["last-event-id"];
  return typeof id === "string" && id !== "" ? id : undefined;
}

function kindsOf(kind: string | undefined): readonly AuditKind[] {
  const kinds = auditKinds.filter((one) => kind === undefined || one === kind);
  if (kinds.length > 0) return kinds;
  throw refused("kind", `must be one of ${auditKinds.join(", ")}.`);
}

export interface SummaryFilter extends CallFilter {
  readonly buckets: number;
}

const mostBuckets = 500;
const usualBuckets = 60;

export function readSummaryFilter(request: IncomingMessage, scope: FilterScope): SummaryFilter {
  const filters = readFilters(request, [...selecting, "buckets"]);
  const buckets = readNumber("buckets", filters.buckets, mostBuckets) ?? usualBuckets;
  return { ...filterOf(filters, scope), buckets };
}

function filterOf(filters: Filters<(typeof selecting)[number]>, { whose, key }: FilterScope): CallFilter {
  const { tool: name, agent, origin } = filters;
  const outcome = filters.outcome === failed ? undefined : filters.outcome;
  const since = readTime("since", filters.since);
  const until = readTime("until", filters.until);
  const given = Object.entries({ name, agent, origin, outcome, since, until });
  return {
    query: { ...whose, kinds: ["call"], ...Object.fromEntries(given.filter(([, value]) => value !== undefined)) },
    matches: matcherOf(filters, key),
  };
}

function matcherOf(filters: Filters<(typeof selecting)[number]>, secret: string): CallFilter["matches"] {
  const { key, text, outcome } = filters;
  const least = readNumber("minMilliseconds", filters.minMilliseconds, mostMilliseconds);
  const isFailed = outcome === failed;
  if (!isFailed && others.every((name) => filters[name] === undefined)) return undefined;
  const fields = exact.filter((name) => filters[name] !== undefined);
  // Records have the digest of a key.
  const keys = key === undefined ? [] : [key, createHmac("sha256", secret).update(key).digest("hex")];
  const wanted = text?.toLowerCase();
  return (record) =>
    fields.every((name) => record[name] === filters[name]) &&
    (!isFailed || record.outcome !== "ok") &&
    (least === undefined || (record.milliseconds ?? 0) >= least) &&
    (key === undefined || keys.includes(record.key ?? "")) &&
    (wanted === undefined || textsOf(record).some((each) => each.toLowerCase().includes(wanted)));
}

/** The fields that a text search covers. */
function textsOf(record: KeptAuditRecord): readonly string[] {
  const { name, agent, app, origin, tab, door, outcome, code, decidedBy, trace, details = {} } = record;
  const values = Object.values(details).map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
  return [name, agent, app, origin, tab, door, outcome, code, decidedBy, trace, ...values].filter(
    (each) => each !== undefined,
  );
}
