import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { JsonObject } from "../../wire/index.ts";
import { isJsonObject } from "../../wire/index.ts";
import { addLines, damaged, readLines } from "./line-file.ts";
import type { OnProblem } from "./line-file.ts";
import type { RecordKind, StoredRecord } from "./store.ts";

/** Records by their keys, in one file for each kind. Not to be asked twice at one time for a kind. */
export interface RecordFiles {
  one(kind: RecordKind, key: string): Promise<StoredRecord | undefined>;
  all(kind: RecordKind, principal: string): Promise<ReadonlyMap<string, StoredRecord>>;
  set(kind: RecordKind, key: string, record: StoredRecord | undefined): Promise<void>;
}

interface Kept {
  /** Each record as JSON, so that nobody changes what is kept. */
  readonly texts: Map<string, string>;
  /** How many lines the file has: more than there are records, because it only grows. */
  lines: number;
}

/** A file is written anew when so many of its lines say nothing any more. */
const mostIdle = 100;

export function createRecordFiles(directory: string, onProblem: OnProblem): RecordFiles {
  const known = new Map<RecordKind, Kept>();
  const pathOf = (kind: RecordKind) => join(directory, `${kind}.jsonl`);

  async function keptOf(kind: RecordKind): Promise<Kept> {
    const kept = known.get(kind) ?? (await load(pathOf(kind), onProblem));
    known.set(kind, kept);
    return kept;
  }

  async function writeAnew(kind: RecordKind, { texts }: Kept): Promise<void> {
    const temporary = `${pathOf(kind)}.tmp`;
    await rm(temporary, { force: true });
    const lines = [...texts].map(([key, text]) => ({ key, record: JSON.parse(text) as JsonObject }));
    await addLines(temporary, lines, onProblem);
    await rename(temporary, pathOf(kind));
  }

  return {
    async one(kind, key) {
      const text = (await keptOf(kind)).texts.get(key);
      return text === undefined ? undefined : (JSON.parse(text) as StoredRecord);
    },
    async all(kind, principal) {
      const { texts } = await keptOf(kind);
      const all = [...texts].map(([key, text]) => [key, JSON.parse(text) as StoredRecord] as const);
      return new Map(all.filter(([, record]) => record.principal === principal));
    },
    async set(kind, key, record) {
      const kept = await keptOf(kind);
      if (record === undefined && !kept.texts.has(key)) return;
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await addLines(pathOf(kind), [record === undefined ? { key } : { key, record }], onProblem);
      kept.lines++;
      note(kept.texts, key, record);
      if (kept.lines <= kept.texts.size + mostIdle) return;
      await writeAnew(kind, kept);
      kept.lines = kept.texts.size;
    },
  };
}

async function load(path: string, onProblem: OnProblem): Promise<Kept> {
  const lines = (await readLines(path, onProblem)) ?? [];
  const texts = new Map<string, string>();
  for (const [at, { key, record }] of lines.entries()) {
    if (typeof key !== "string" || !(record === undefined || isJsonObject(record))) damaged(path, at + 1);
    note(texts, key, record);
  }
  return { texts, lines: lines.length };
}

/** The record that was set last comes last. */
function note(texts: Map<string, string>, key: string, record: JsonObject | undefined): void {
  texts.delete(key);
  if (record !== undefined) texts.set(key, JSON.stringify(record));
}
