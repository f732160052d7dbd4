// Imports the files of older hubs: conversations/<principal>/<id>.jsonl, records/<kind>.jsonl and usage/<day>.jsonl. Terminals
// were keyed by id there; now they are keyed by their token's digest.
import { existsSync, readFileSync, readdirSync, renameSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { isJsonObject, parseJsonObject } from "../../../wire/index.ts";
import type { Json, JsonObject } from "../../../wire/index.ts";
import { isConversationId } from "../port/store.ts";
import { conversationOperations } from "./conversations.ts";
import { recordOperations, usageOperations } from "./records.ts";
import type { Session } from "./session.ts";

/** Runs several statements atomically. */
export type Transact = <Value>(work: (session: Session) => Promise<Value>) => Promise<Value>;

type Say = (problem: string) => void;

const marker = "imported";
const deepest = 128;

/** Imports the folder once, then renames it. If interrupted, it can run again without duplicates. */
export async function importFiles(folder: string, transact: Transact, say: Say): Promise<void> {
  const unmark = () => transact(({ build, run }) => run(build.deleteFrom("meta").where("name", "=", marker)));
  // If the database is read-only for now, the import waits for the next start.
  if (!existsSync(folder)) return void (await unmark().catch(() => {}));
  await transact(async (session) => {
    const { build, run } = session;
    const isDone = await run(build.selectFrom("meta").select("value").where("name", "=", marker));
    if (isDone.rows.length > 0) return;
    await importAll(session, folder, say);
    await run(build.insertInto("meta").values({ name: marker, value: folder }));
  });
  const aside = `${folder}.imported`;
  renameSync(folder, existsSync(aside) ? `${aside}-${Date.now()}` : aside);
  await unmark();
}

async function importAll(session: Session, folder: string, say: Say): Promise<void> {
  const conversations = filesIn(join(folder, "conversations")).map((path) => ({
    path,
    changed: statSync(path).mtimeMs,
  }));
  // Ordered by last change, as they are listed.
  for (const { path, changed } of conversations.sort((one, other) => one.changed - other.changed))
    await importConversation(session, { path, changed: Math.floor(changed) }, say);
  for (const path of filesIn(join(folder, "records"))) await importRecords(session, path, say);
  for (const path of filesIn(join(folder, "usage"))) await importUsage(session, path, say);
}

interface ConversationFile {
  readonly path: string;
  readonly changed: number;
}

async function importConversation(session: Session, { path, changed }: ConversationFile, say: Say): Promise<void> {
  const id = nameOf(path);
  const [header, ...changes] = linesOf(path, say);
  const { conversationOf: principal, origin }: JsonObject = header ?? {};
  if (!isConversationId(id) || typeof principal !== "string")
    return say(`${path} is no conversation, and is left out.`);
  const texts: string[] = [];
  for (const { keep, messages } of changes) {
    if (!isPosition(keep, texts.length) || !isMessages(messages)) say(`A change in ${path} is left out.`);
    else texts.splice(keep, Infinity, ...messages.map((message) => JSON.stringify(message)));
  }
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (bytes > session.limits.conversationBytes) return say(`${path} is too large, and is left out.`);
  const from = typeof origin === "string" ? origin : undefined;
  const change = { keep: 0, texts, origin: from, changed };
  await conversationOperations.writeConversation.run(session, [principal, id, change]);
}

async function importRecords(session: Session, path: string, say: Say): Promise<void> {
  const kind = nameOf(path);
  for (const [key, record] of recordsOf(path, say)) {
    const { principal } = record;
    const [now, value] = kind === "terminals" ? [record["digest"], { id: key, ...record }] : [key, record];
    if (typeof principal !== "string" || typeof now !== "string") say(`A record in ${path} is left out.`);
    else {
      const text = { principal, forgetAt: undefined, value: JSON.stringify(value) };
      await recordOperations.setRecord.run(session, [kind, now, text]);
    }
  }
}

/** The records that were not removed, the most recently set last. */
function recordsOf(path: string, say: Say): ReadonlyMap<string, JsonObject> {
  const records = new Map<string, JsonObject>();
  for (const { key, record } of linesOf(path, say)) {
    if (typeof key !== "string") {
      say(`A record in ${path} is left out.`);
      continue;
    }
    records.delete(key);
    if (isJsonObject(record)) records.set(key, record);
  }
  return records;
}

async function importUsage(session: Session, path: string, say: Say): Promise<void> {
  for (const { principal, tokens } of linesOf(path, say)) {
    if (typeof principal === "string" && typeof tokens === "number")
      await usageOperations.addTokens.run(session, [principal, nameOf(path), Math.round(tokens)]);
  }
}

/** All valid lines; invalid ones are reported, and so is an incomplete last line. */
function linesOf(path: string, say: Say): readonly JsonObject[] {
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.flatMap((line, at) => {
    const value = line === "" ? undefined : parseJsonObject(line, deepest);
    if (line !== "" && !value) say(`Line ${at + 1} of ${path} cannot be read, and is left out.`);
    return value ? [value] : [];
  });
}

function filesIn(folder: string): readonly string[] {
  const entries = existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : [];
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(".jsonl"))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function nameOf(path: string): string {
  return basename(path, ".jsonl");
}

function isPosition(value: Json | undefined, max: number): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= max;
}

function isMessages(value: Json | undefined): value is readonly JsonObject[] {
  return Array.isArray(value) && value.every(isJsonObject);
}
