import { defineOperation } from "./session.ts";
import type { Session } from "./session.ts";

/** Times are ISO texts. */
export interface TableStatus {
  readonly count: number;
  readonly bytes: number;
  readonly oldest: string | undefined;
  readonly newest: string | undefined;
}

export type TablesStatus = Readonly<
  Record<"conversations" | "records" | "usage" | "keys" | "outcomes" | "audit", TableStatus>
>;

interface Counted {
  readonly count: number;
  readonly bytes: number | null;
  readonly oldest: number | string | null;
  readonly newest: number | string | null;
}

const queries: Readonly<Record<keyof TablesStatus, string>> = {
  conversations: `select count(*) as count, sum(bytes) as bytes, min(changed) as oldest, max(changed) as newest
    from conversations`,
  records: `select count(*) as count, sum(length(value)) as bytes, min(changed) as oldest, max(changed) as newest
    from records`,
  usage: `select count(*) as count, 0 as bytes, min(day) as oldest, max(day) as newest from usage`,
  keys: `select count(*) as count, 0 as bytes, min(used) as oldest, max(used) as newest from keys`,
  outcomes: `select count(*) as count, sum(bytes) as bytes, min(ended) as oldest, max(ended) as newest
    from keys where outcome is not null`,
  audit: `select sum(records) as count, sum(bytes) as bytes, min(day) as oldest, max(day) as newest from "auditDays"`,
};

export const statusOperations = {
  status: defineOperation({
    isReading: true,
    async run(session): Promise<TablesStatus> {
      const names = Object.keys(queries) as (keyof TablesStatus)[];
      const found = await Promise.all(
        names.map(async (name) => [name, await statusOf(session, queries[name])] as const),
      );
      return Object.fromEntries(found) as unknown as TablesStatus;
    },
  }),
};

async function statusOf({ text }: Session, query: string): Promise<TableStatus> {
  const [row] = (await text<Counted>(query, [])).rows;
  const { count, bytes, oldest, newest } = row ?? { count: 0, bytes: 0, oldest: null, newest: null };
  return { count: count ?? 0, bytes: bytes ?? 0, oldest: timeOf(oldest), newest: timeOf(newest) };
}

/** A day is a text already. */
function timeOf(value: number | string | null): string | undefined {
  return typeof value === "number" ? new Date(value).toISOString() : (value ?? undefined);
}
