import type { AuditFilter, AuditKind, AuditReader, KeptAuditRecord } from "../../hub/index.ts";
import { numberOption, usageError, timeOption } from "../common/command.ts";
import type { OptionSpecs, OptionValues } from "../common/command.ts";

/** The latest records, in their order. */
export async function readLatest(
  reader: Pick<AuditReader, "audit">,
  filter: AuditFilter,
  limit: number,
): Promise<readonly KeptAuditRecord[]> {
  return (await reader.audit({ ...filter, limit })).toReversed();
}

export const queryOptions = {
  since: {
    type: "string",
    value: "TIME",
    summary: "Nothing before: 1h, 30m, 7d, or a time such as 2026-01-31T12:00Z.",
  },
  until: { type: "string", value: "TIME", summary: "Nothing after." },
  tool: { type: "string", value: "NAME", summary: "Only what is about this tool, as its page calls it." },
  agent: { type: "string", value: "NAME", summary: "Only of this agent." },
  origin: { type: "string", value: "ORIGIN", summary: "Only about pages of this origin." },
  principal: { type: "string", value: "NAME", summary: "Only on behalf of this one." },
  kind: { type: "string", multiple: true, value: "KIND", summary: "Only these: call, question, consent, sign-in …" },
  outcome: { type: "string", value: "WORD", summary: "Only what ended so: ok, tool-error, rejected, refused …" },
  errors: { type: "boolean", summary: "Only calls that did not end well: each outcome but ok." },
  limit: {
    type: "string",
    value: "N",
    summary: "So many of the latest, 100 by default; with --json all; of times 10,000.",
  },
} as const satisfies OptionSpecs;

export interface AuditSelection {
  readonly filter: AuditFilter;
  /** Undefined where all is wanted. */
  readonly limit: number | undefined;
  /** Whether the query skips records, so that the result is not a complete chain. */
  readonly isSelection: boolean;
}

const kinds = [
  "call",
  "question",
  "consent",
  "sign-in",
  "token",
  "policy",
  "person",
  "terminal",
  "hub",
  "gap",
] as const;

export function readQuery(values: OptionValues<typeof queryOptions>, now: Date): AuditSelection {
  const { since, until, tool: name, kind, errors, limit, ...others } = values;
  if (errors && kind.length > 0) throw usageError("--errors is about calls only: leave out --kind.");
  const { agent, origin, principal, outcome } = others;
  const selecting = defined({
    name,
    agent,
    origin,
    principal,
    outcome,
    ...(errors && { isFailure: true as const }),
    kinds: errors ? (["call"] as const) : kind.length > 0 ? kind.map(kindOf) : undefined,
  });
  const between = defined({ since: timeOf("since", since, now), until: timeOf("until", until, now) });
  return {
    filter: { ...selecting, ...between },
    limit: numberOption("limit", limit, { min: 1, max: 1_000_000, isWhole: true }),
    isSelection: Object.keys(selecting).length > 0,
  };
}

function kindOf(word: string): AuditKind {
  const kind = kinds.find((each) => each === word);
  if (kind) return kind;
  throw usageError(`There is no kind "${word}" of records. There are: ${kinds.join(", ")}.`);
}

/** A time as ISO text. */
function timeOf(option: string, text: string | undefined, now: Date): string | undefined {
  return text === undefined ? undefined : new Date(timeOption(option, text, now)).toISOString();
}

type Defined<Values> = { readonly [Name in keyof Values]?: Exclude<Values[Name], undefined> };

function defined<Values extends object>(values: Values): Defined<Values> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<Values>;
}
