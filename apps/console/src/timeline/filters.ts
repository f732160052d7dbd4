// The filters of the timeline, as a link has them, as the hub's API takes them, and as words.
import { href } from "../frame/route.ts";

/** Fields that a filter compares, with their names for people. */
export const fields = {
  tool: "Tool",
  agent: "Agent",
  app: "App",
  origin: "Site",
  tab: "Tab",
  outcome: "Outcome",
  code: "Error code",
  door: "Door",
  ran: "Has run",
  decidedBy: "Allowed by",
  key: "Key",
  trace: "Trace",
  call: "Call",
  minMilliseconds: "At least (ms)",
  since: "Since",
  until: "Until",
} as const;

export type FieldName = keyof typeof fields;

/** How far back a link looks that moves with the time, in milliseconds. */
export const spans = { "15m": 900_000, "1h": 3_600_000, "24h": 86_400_000, "7d": 604_800_000 } as const;

export type Span = keyof typeof spans;

export interface Filters {
  readonly text: string;
  readonly last: Span | undefined;
  readonly equal: Readonly<Partial<Record<FieldName, string>>>;
}

export const fieldNames = Object.keys(fields) as readonly FieldName[];

export function readFilters(query: URLSearchParams): Filters {
  const last = query.get("last") ?? "";
  const given = fieldNames.flatMap((name) => {
    const value = query.get(name);
    return value ? [[name, value] as const] : [];
  });
  return {
    text: query.get("text") ?? "",
    last: last in spans ? (last as Span) : undefined,
    equal: Object.fromEntries(given),
  };
}

/** The place of these filters, and in it of an open call. */
export function placeOf({ text, last, equal }: Filters, call?: string): string {
  const query = { ...equal, last, text: text === "" ? undefined : text };
  return href(call === undefined ? ["calls"] : ["calls", call], query);
}

/** With another value of a field, or without it. A time replaces the span, and the span a time. */
export function withField({ text, last, equal }: Filters, name: FieldName, value: string | undefined): Filters {
  const { [name]: _, ...others } = equal;
  const isTime = name === "since" || name === "until";
  return {
    text,
    last: isTime && value !== undefined ? undefined : last,
    equal: value === undefined ? others : { ...others, [name]: value },
  };
}

export function withSpan({ text, equal }: Filters, last: Span | undefined): Filters {
  const { since: _, until: __, ...others } = equal;
  return { text, last, equal: others };
}

/** The query of a request to the hub. */
export function queryOf({ text, last, equal }: Filters, now: number): URLSearchParams {
  const query = new URLSearchParams(equal);
  if (text.trim() !== "") query.set("text", text.trim());
  if (last) query.set("since", new Date(now - spans[last]).toISOString());
  return query;
}

/** Whether nothing is left out. */
export function isAll({ text, last, equal }: Filters): boolean {
  return text.trim() === "" && last === undefined && Object.keys(equal).length === 0;
}
