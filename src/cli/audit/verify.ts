// Checks that the records of an audit are a complete chain: in the database, or in a file of JSON lines.
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { createChainCheck, readAudit } from "../../hub/index.ts";
import type { AuditReader, ChainProblem, KeptAuditRecord } from "../../hub/index.ts";
import { PagewireError, isJsonObject, messageOf, parseJson } from "../../wire/index.ts";
import type { Printer } from "../common/printer.ts";
import { oneLine } from "../common/plain-text.ts";
import type { ExitCode } from "../common/exit-codes.ts";

export interface Verdict {
  readonly records: number;
  readonly days: number;
  readonly hubs: number;
  /** In order of the chain; the first one matters. */
  readonly problems: readonly (ChainProblem | { readonly problem: "no-end" })[];
}

/** Max problems to report; the first one matters. */
const mostProblems = 20;

export async function verifyDatabase(reader: AuditReader): Promise<Verdict> {
  const first = await verifyOnce(reader);
  // Pruning during the read looks like tampering, so check again.
  return first.problems.length > 0 ? verifyOnce(reader) : first;
}

async function verifyOnce(reader: AuditReader): Promise<Verdict> {
  const count = createCount();
  const check = createChainCheck(await reader.bounds());
  const problems: ChainProblem[] = [];
  for await (const records of readAudit(reader, {})) {
    for (const record of records) problems.push(...check.add(count.add(record)));
    problems.length = Math.min(problems.length, mostProblems);
  }
  return count.verdict([...problems, ...check.end()]);
}

/** Throws a named error where a line is no record. */
export async function verifyFile(path: string): Promise<Verdict> {
  const count = createCount();
  const check = createChainCheck();
  const problems: ChainProblem[] = [];
  let end: EndLine | undefined;
  let last: KeptAuditRecord | undefined;
  for await (const [number, value] of linesOf(path)) {
    if (isEndLine(value)) end = value;
    else if (!isRecord(value) || end) throw notARecord(path, number);
    else problems.push(...check.add(count.add((last = value))));
    problems.length = Math.min(problems.length, mostProblems);
  }
  const heads = Object.entries(end?.heads ?? {});
  const missed = heads.filter(([hub, hash]) => check.heads().get(hub) !== hash);
  const { sequence = 0, day = "" } = last ?? {};
  const cut = missed.map(([hub]): ChainProblem => ({ sequence, hub, day, problem: "missing-after" }));
  return count.verdict([...problems, ...cut, ...(end ? [] : [{ problem: "no-end" } as const])]);
}

function createCount() {
  const days = new Set<string>();
  const hubs = new Set<string>();
  let records = 0;
  return {
    add(record: KeptAuditRecord): KeptAuditRecord {
      records++;
      days.add(record.day);
      hubs.add(record.hub);
      return record;
    },
    verdict: (problems: Verdict["problems"]): Verdict => ({ records, days: days.size, hubs: hubs.size, problems }),
  };
}

async function* linesOf(path: string): AsyncGenerator<readonly [number: number, value: unknown]> {
  let number = 0;
  try {
    for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
      number++;
      if (line !== "") yield [number, parseJson(line, 64)];
    }
  } catch (error) {
    if (PagewireError.isInstance(error)) throw error;
    throw new PagewireError("options-invalid", `The file ${path} cannot be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function isRecord(value: unknown): value is KeptAuditRecord {
  if (!isJsonObject(value)) return false;
  const { sequence, day, hub, previous, hash } = value;
  return typeof sequence === "number" && [day, hub, previous, hash].every((field) => typeof field === "string");
}

function notARecord(path: string, number: number): PagewireError {
  return new PagewireError(
    "options-invalid",
    `Line ${number} of ${path} is no record of an audit. Write the file with: npx pagewire audit --json`,
  );
}

/** The last line of an export. It makes a truncated export detectable. */
interface EndLine {
  readonly kind: "end";
  /** How many records there are. */
  readonly records: number;
  /** The hash of the last record of each hub. */
  readonly heads: Readonly<Record<string, string>>;
}

export function endLine(records: number, heads: ReadonlyMap<string, string>): EndLine {
  return { kind: "end", records, heads: Object.fromEntries(heads) };
}

function isEndLine(value: unknown): value is EndLine {
  return isJsonObject(value) && value["kind"] === "end" && isJsonObject(value["heads"]);
}

/** Prints the verdict; the exit code is 1 for a broken chain. */
export function reportVerdict(verdict: Verdict, printer: Printer): ExitCode {
  const { records, days, hubs, problems } = verdict;
  const code = problems.length > 0 ? 1 : 0;
  if (printer.json) {
    printer.data({ records, days, hubs, isWhole: code === 0, problems });
    return code;
  }
  const of = `${counted(records, "record")} of ${counted(days, "day")}${hubs > 1 ? ` and ${hubs} hubs` : ""}`;
  printer.line(code === 0 ? `${of}: the chain is whole.` : `${of}: the chain is not whole.`);
  for (const problem of problems) printer.line(sentenceOf(problem));
  return code;
}

function sentenceOf(problem: Verdict["problems"][number]): string {
  if (problem.problem === "no-end")
    return "The file has no end line: its end was cut off, or it was written with --follow or --limit, or with some records chosen.";
  const { day, sequence, hub } = problem;
  const place = `Day ${oneLine(day, 10)}, record ${sequence} (hub ${oneLine(hub, 64)})`;
  switch (problem.problem) {
    case "changed":
      return `${place} was changed after it was written.`;
    case "missing-before":
      return `${place} does not follow the one before it: what was between them was removed, or put elsewhere.`;
    case "missing-after":
      return `${place} is the last one here, and was not the last: the end was cut off.`;
  }
}

function counted(count: number, thing: string): string {
  return `${count.toLocaleString("en")} ${thing}${count === 1 ? "" : "s"}`;
}
