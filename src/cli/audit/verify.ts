// Looks whether the records of an audit are a whole chain: in the database, or in a file of lines of JSON.
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { createChainCheck } from "../../hub/index.ts";
import type { AuditReader, ChainProblem, KeptAuditRecord } from "../../hub/index.ts";
import { PagewireError, isJsonObject, messageOf, parseJson } from "../../wire/index.ts";
import { isEndLine } from "./end-line.ts";
import type { EndLine } from "./end-line.ts";
import { readAll } from "./read-records.ts";

export interface Verdict {
  readonly records: number;
  readonly days: number;
  readonly hubs: number;
  /** The first of them says where to look. */
  readonly problems: readonly (ChainProblem | { readonly problem: "no-end" })[];
}

/** So many problems are told; where the first is counts. */
const mostProblems = 20;

export async function verifyDatabase(reader: AuditReader): Promise<Verdict> {
  const first = await look(reader);
  // A hub that removes what is old while it is read looks like somebody who does.
  return first.problems.length > 0 ? look(reader) : first;
}

async function look(reader: AuditReader): Promise<Verdict> {
  const count = createCount();
  const check = createChainCheck(await reader.bounds());
  const problems: ChainProblem[] = [];
  for await (const records of readAll(reader, {})) {
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
