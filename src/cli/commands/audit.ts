import { once } from "node:events";
import { createChainCheck, followAudit, newestIn, openAudit, readAudit } from "../../hub/index.ts";
import type { AuditFilter, AuditReader, KeptAuditRecord } from "../../hub/index.ts";
import { endLine, verifyDatabase, verifyFile, reportVerdict } from "../audit/verify.ts";
import { showTimes } from "../audit/show-times.ts";
import { queryOptions, readQuery, readLatest } from "../audit/read-query.ts";
import type { AuditSelection } from "../audit/read-query.ts";
import { commonOptions, defineCommand, usageError } from "../common/command.ts";
import type { CommandContext } from "../common/command.ts";
import type { ExitCode } from "../common/exit-codes.ts";
import { openOwnState } from "../reach-hub/find-hub.ts";
import { hubDatabase } from "../run-hub/hub-store.ts";
import { oneLine } from "../common/plain-text.ts";

const options = {
  ...queryOptions,
  follow: { type: "boolean", summary: "Go on with what happens from now on, until Ctrl-C." },
  database: {
    type: "string",
    value: "PLACE",
    summary: "Of this database: a file, or postgres://user@host/name; else the hub's own, as it finds it.",
  },
  ...commonOptions,
} as const;

type Context = CommandContext<typeof options>;

const defaultLimit = 100;

export const audit = defineCommand({
  name: "audit",
  summary: "Show who called what, when, with what outcome.",
  usage: "[times|verify [file]]",
  positionals: { min: 0, max: 2 },
  options,
  notes: [
    "Reads the hub's database itself, while the hub runs and while it does not. Times are in UTC.",
    "With --json: a line for each record, with everything that is known of it, in the order of the chain; all of them, unless there is a --limit. The last line says where the chain ends.",
    "pagewire audit times says how many calls each tool had, how many failed, and how long they took: the middle one (P50), and the one that 95 of 100 are no slower than (P95).",
    "pagewire audit verify checks the chain of the database, or of a file that --json has written without filters. It detects changed and removed records and a missing end, and exits with code 1. It cannot detect that the whole chain was rewritten.",
  ],
  examples: [
    "pagewire audit --since 1h",
    "pagewire audit --tool place_order --outcome tool-error",
    "pagewire audit --errors --since 1d",
    "pagewire audit times --since 7d",
    "pagewire audit --follow",
    "pagewire audit --json > audit.jsonl",
    "pagewire audit verify audit.jsonl",
  ],
  async run(context) {
    const [action, file] = context.positionals;
    if (action === undefined) return withAudit(context, (reader) => show(reader, context));
    if (action === "times") {
      if (file !== undefined) throw usageError("pagewire audit times reads the hub's database, and takes no file.");
      return withAudit(context, (reader) => showTimes(reader, context));
    }
    if (action !== "verify")
      throw usageError(`"${action}" cannot be done to the audit. Write: npx pagewire audit verify, or times`);
    const verdict = file === undefined ? await withAudit(context, verifyDatabase) : await verifyFile(file);
    return reportVerdict(verdict, context.printer);
  },
});

async function withAudit<Value>({ io, values }: Context, use: (reader: AuditReader) => Promise<Value>): Promise<Value> {
  const { directory } = openOwnState(io);
  const reader = await openAudit(hubDatabase({ io, stateDirectory: directory, database: values.database }));
  try {
    return await use(reader);
  } finally {
    await reader.close();
  }
}

async function show(reader: AuditReader, context: Context): Promise<ExitCode> {
  const { io, printer, values } = context;
  const query = readQuery(values, io.now());
  const print = createPrint(context);
  let last = await newestIn(reader);
  if (printer.json && query.limit === undefined) last = await exportAll(reader, query, context);
  else {
    const records = await readLatest(reader, query.filter, query.limit ?? defaultLimit);
    if (records.length === 0 && !values.follow && !printer.json) printer.line("Nothing of this is in the audit.");
    await print(records);
    last = Math.max(last, records.at(-1)?.sequence ?? 0);
  }
  return values.follow ? follow(reader, { context, filter: query.filter, print, last }) : 0;
}

type Print = (records: readonly KeptAuditRecord[]) => Promise<void>;

function createPrint({ io, printer }: Context): Print {
  const rows = createRows(io.stdout.columns || undefined);
  return async (records) => {
    if (printer.json) for (const record of records) printer.data(record);
    else if (records.length > 0) for (const line of rows(records)) printer.line(line);
    // The reader may be slower than the disk.
    if (io.stdout.writableNeedDrain) await once(io.stdout, "drain");
  };
}

/** Writes all records, and where they are a chain, where that ends. Returns the number of the last. */
async function exportAll(reader: AuditReader, query: AuditSelection, context: Context): Promise<number> {
  const print = createPrint(context);
  const check = createChainCheck();
  let count = 0;
  let last = 0;
  for await (const records of readAudit(reader, query.filter)) {
    for (const record of records) check.add(record);
    await print(records);
    count += records.length;
    last = records.at(-1)?.sequence ?? last;
  }
  if (!query.isSelection && !context.values.follow) context.printer.data(endLine(count, check.heads()));
  return last;
}

interface Following {
  readonly context: Context;
  readonly filter: AuditFilter;
  readonly print: Print;
  readonly last: number;
}

async function follow(reader: AuditReader, { context, filter, print, last: from }: Following): Promise<ExitCode> {
  const interrupted = new AbortController();
  const { signal } = interrupted;
  const stop = context.io.onInterrupt(() => interrupted.abort());
  for await (const records of followAudit(reader, { filter, from, signal })) await print(records);
  stop();
  return 0;
}

/** The widest that each column but the last becomes. */
const columns = [
  ["TIME", 20],
  ["KIND", 8],
  ["NAME", 28],
  ["OUTCOME", 17],
  ["MS", 7],
  ["DOOR", 8],
  ["AGENT", 20],
  ["ABOUT", Infinity],
] as const;

/** Formats records as lines with columns. A column that has become wider keeps its width. */
function createRows(width = Infinity): (records: readonly KeptAuditRecord[]) => readonly string[] {
  const widths: number[] = columns.map(([head]) => head.length);
  let isFirst = true;

  function lineOf(cells: readonly string[]): string {
    const padded = cells.map((cell, at) => cell + " ".repeat(Math.max(0, (widths[at] ?? 0) - lengthOf(cell))));
    const last = cells.at(-1) ?? "";
    return oneLineKept([...padded.slice(0, -1), last].join("  "), width);
  }

  return (records) => {
    const rows = records.map((record) => cellsOf(record).map((cell, at) => oneLine(cell, columns[at]?.[1])));
    for (const row of rows)
      for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, lengthOf(cell));
    const lines = rows.map(lineOf);
    if (!isFirst) return lines;
    isFirst = false;
    return [lineOf(columns.map(([head]) => head)), ...lines];
  };
}

function cellsOf(record: KeptAuditRecord): readonly string[] {
  const { at, kind, name = "", outcome = "", milliseconds, door = "", agent = "" } = record;
  const time = `${at.slice(0, 10)} ${at.slice(11, 19)}Z`;
  return [time, kind, name, outcome, String(milliseconds ?? ""), door, agent, aboutOf(record)];
}

/** All other details that help to identify the call. */
function aboutOf(record: KeptAuditRecord): string {
  const { app, origin, tab, principal, code, ran, decidedBy = "not-asked", details = {} } = record;
  const { waited } = record.steps ?? {};
  const parts = [
    app,
    origin,
    tab && `tab ${tab}`,
    principal !== "" && principal !== "local" && `for ${principal}`,
    code !== record.outcome && code,
    ran === "maybe" && "may have run",
    decidedBy !== "not-asked" && `by ${decidedBy}`,
    waited !== undefined && `waited ${Math.round(waited)} ms`,
    ...Object.entries(details).map(([name, value]) => `${name}: ${textOf(value)}`),
  ];
  return parts.filter(Boolean).join(", ");
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function oneLineKept(line: string, width: number): string {
  const characters = Array.from(line.trimEnd());
  return characters.length <= width ? characters.join("") : `${characters.slice(0, width - 1).join("")}…`;
}

function lengthOf(text: string): number {
  return Array.from(text).length;
}
