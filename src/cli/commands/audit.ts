import { once } from "node:events";
import { createChainCheck, openAudit } from "../../hub/index.ts";
import type { AuditReader, KeptAuditRecord } from "../../hub/index.ts";
import { endLine, verifyDatabase, verifyFile, reportVerdict } from "../audit/verify.ts";
import { queryOptions, readQuery, readAll, readLatest } from "../audit/read-query.ts";
import type { AuditFilter, AuditWish } from "../audit/read-query.ts";
import { createRows } from "../audit/render-rows.ts";
import { commonOptions, defineCommand, usageError } from "../common/command.ts";
import type { CommandContext } from "../common/command.ts";
import type { ExitCode } from "../common/exit-codes.ts";
import { openOwnState } from "../reach-hub/find-hub.ts";
import { hubDatabase } from "../run-hub/hub-store.ts";

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
/** How often to poll for new records, in milliseconds. */
const lookTime = 500;
/**
 * How many of the last records to read again: hubs that share a database may write in another order than they numbered.
 */
const lookBack = 200;

export const audit = defineCommand({
  name: "audit",
  summary: "Show who called what, when, with what outcome.",
  usage: "[verify [file]]",
  positionals: { min: 0, max: 2 },
  options,
  notes: [
    "Reads the hub's database itself, while the hub runs and while it does not. Times are in UTC.",
    "With --json: a line for each record, with everything that is known of it, in the order of the chain; all of them, unless there is a --limit. The last line says where the chain ends.",
    "pagewire audit verify looks whether the chain of the database, or of a file that --json has written without choosing among records, is whole: it finds a record that was changed, one that was removed, and an end that was cut off, and ends with exit code 1. Whoever can write the whole chain anew is not found out so.",
  ],
  examples: [
    "pagewire audit --since 1h",
    "pagewire audit --tool place_order --outcome tool-error",
    "pagewire audit --follow",
    "pagewire audit --json > audit.jsonl",
    "pagewire audit verify audit.jsonl",
  ],
  async run(context) {
    const [action, file] = context.positionals;
    if (action === undefined) return withAudit(context, (reader) => show(reader, context));
    if (action !== "verify")
      throw usageError(`"${action}" cannot be done to the audit. Write: npx pagewire audit verify`);
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
  const wish = readQuery(values, io.now());
  const print = createPrint(context);
  let last = await newestIn(reader);
  if (printer.json && wish.limit === undefined) last = await exportAll(reader, wish, context);
  else {
    const records = await readLatest(reader, wish.filter, wish.limit ?? defaultLimit);
    if (records.length === 0 && !values.follow && !printer.json) printer.line("Nothing of this is in the audit.");
    await print(records);
    last = Math.max(last, records.at(-1)?.sequence ?? 0);
  }
  return values.follow ? follow(reader, { context, filter: wish.filter, print, last }) : 0;
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
async function exportAll(reader: AuditReader, wish: AuditWish, context: Context): Promise<number> {
  const print = createPrint(context);
  const check = createChainCheck();
  let count = 0;
  let last = 0;
  for await (const records of readAll(reader, wish.filter)) {
    for (const record of records) check.add(record);
    await print(records);
    count += records.length;
    last = records.at(-1)?.sequence ?? last;
  }
  if (!wish.isSelection && !context.values.follow) context.printer.data(endLine(count, check.heads()));
  return last;
}

interface Following {
  readonly context: Context;
  readonly filter: AuditFilter;
  readonly print: Print;
  readonly last: number;
}

async function follow(reader: AuditReader, { context, filter, print, last: from }: Following): Promise<ExitCode> {
  const seen = new Set<number>();
  const interrupted = new AbortController();
  const { signal } = interrupted;
  const stop = context.io.onInterrupt(() => interrupted.abort());
  let last = from;
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const newest = await newestIn(reader);
    for await (const records of readAll(reader, filter, Math.max(0, last - lookBack))) {
      const news = records.filter(({ sequence }) => !seen.has(sequence) && !(isFirst && sequence <= from));
      for (const { sequence } of records) seen.add(sequence);
      await print(news);
    }
    last = Math.max(last, newest);
    for (const sequence of seen) if (sequence <= last - lookBack) seen.delete(sequence);
    await pause(signal);
  }
  stop();
  return 0;
}

async function newestIn(reader: AuditReader): Promise<number> {
  return (await reader.audit({ limit: 1 }))[0]?.sequence ?? 0;
}

/** Waits for the next poll, or until the wait is aborted. */
function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, lookTime);
    signal.addEventListener("abort", done);
    if (signal.aborted) done();
  });
}
