import { CallSummary } from "../../hub/index.ts";
import type { AuditFilter, AuditReader, SummaryOfCalls } from "../../hub/index.ts";
import { table } from "../console/layout.ts";
import { oneLine } from "../common/plain-text.ts";
import { usageError } from "../common/command.ts";
import type { CommandContext } from "../common/command.ts";
import type { ExitCode } from "../common/exit-codes.ts";
import { readQuery } from "./read-query.ts";
import type { queryOptions } from "./read-query.ts";

const usualLimit = 10_000;
const atOnce = 2000;
/** Of the time that they cover, for programs. */
const buckets = 60;
const longestName = 40;

type Context = Pick<CommandContext<typeof queryOptions>, "io" | "printer" | "values">;

/** Shows how many calls each tool had, how many failed, and how long they took. */
export async function showTimes(reader: Pick<AuditReader, "audit">, context: Context): Promise<ExitCode> {
  const { io, printer, values } = context;
  if (values.kind.length > 0) throw usageError("Only calls have times: leave out --kind.");
  const { filter, limit = usualLimit } = readQuery(values, io.now());
  const summary = await summarize(reader, { ...filter, kinds: ["call"] }, limit);
  if (printer.json) printer.data(summary);
  else if (summary.calls === 0) printer.line("Nothing of this is in the audit.");
  else for (const line of table(rowsOf(summary), io.stdout.columns || undefined)) printer.line(line);
  if (!summary.isWhole && !printer.json)
    printer.note(`These are the latest ${limit} calls, since ${summary.since}. --limit takes more.`);
  return 0;
}

async function summarize(
  reader: Pick<AuditReader, "audit">,
  query: AuditFilter,
  limit: number,
): Promise<SummaryOfCalls> {
  const summary = new CallSummary({ query, buckets });
  let before: number | undefined;
  for (let left = limit; left > 0;) {
    const asked = Math.min(atOnce, left);
    const records = await reader.audit({ ...query, limit: asked, ...(before !== undefined && { before }) });
    for (const record of records) summary.add(record);
    left -= records.length;
    before = records.at(-1)?.sequence;
    if (records.length < asked) return summary.end(true);
  }
  return summary.end(
    (await reader.audit({ ...query, limit: 1, ...(before !== undefined && { before }) })).length === 0,
  );
}

function rowsOf({ tools, otherTools }: SummaryOfCalls): readonly (readonly string[])[] {
  const rows = tools.map(({ tool, calls, failures, p50, p95, longest }) => [
    oneLine(tool, longestName),
    ...[calls, failures, p50, p95, longest].map((value) => String(value ?? "")),
  ]);
  const rest = otherTools === 0 ? [] : [[`and ${otherTools} more`, "", "", "", "", ""]];
  return [["TOOL", "CALLS", "FAILED", "P50", "P95", "LONGEST (MS)"], ...rows, ...rest];
}
