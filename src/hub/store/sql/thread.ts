// The thread that owns the hub's database, so that slow disks and networks block nothing else.
import { parentPort, workerData } from "node:worker_threads";
import { PagewireError, messageOf } from "../../../wire/index.ts";
import type { OnOver } from "../../../wire/index.ts";
import type { Answer, FromThread, Request, ThreadData, ToThread, Trouble } from "./messages.ts";
import { importFiles } from "./import-files.ts";
import { openPostgres } from "./postgres-database.ts";
import { postgresTrouble } from "./postgres-driver.ts";
import { openSqlite } from "./sqlite-database.ts";
import { systemReason } from "../port/store.ts";
import { pruneAll } from "./prune.ts";
import { sqliteTrouble } from "./sqlite-trouble.ts";
import type { ThreadDatabase } from "./thread-database.ts";

const retryTime = 1000;
const shortestPause = 1000;
/** The max delay of a timer in Node. */
const maxPause = 2 ** 31 - 1;

const data = workerData as ThreadData;
const port = parentPort;
if (!port) throw new Error("This module is a thread's.");
const post = (message: FromThread) => port.postMessage(message);
const onOver: OnOver = (over) => post({ over });

let answers: Answer[] = [];
let database: ThreadDatabase | undefined;
let trouble: Trouble | undefined;
let retrying: NodeJS.Timeout | undefined;
let pruning: NodeJS.Timeout | undefined;
let isTrying = false;
let isEnding = false;

port.on("message", (message: ToThread) => {
  if (message === "close") void end();
  else serve(message);
});

await open();

async function open(): Promise<void> {
  let opened: ThreadDatabase | undefined;
  try {
    opened = await (data.address.kind === "sqlite" ? openSqlite : openPostgres)(data, { answer, onTrouble, onOver });
    if (data.importFrom !== undefined)
      await importFiles(data.importFrom, opened.transact, (problem) => post({ problem }));
    if (isEnding) return await opened.close();
    database = opened;
    reportOpen(opened);
    // Probes at the start, so that a read-only or full database is known before the first request.
    if (await opened.probe()) void prune();
  } catch (error) {
    await opened?.close();
    const found = troubleOf(error);
    if (data.address.kind === "sqlite" || found.retry === "never") await endWith(found);
    else onTrouble(found);
  }
}

function reportOpen({ isNew }: ThreadDatabase): void {
  clearInterval(retrying);
  [retrying, trouble] = [undefined, undefined];
  post({ open: { isNew } });
}

function serve(requests: readonly Request[]): void {
  // A file that cannot be written may be readable; a server that does not answer would block until its timeout.
  const isAway = trouble && data.address.kind === "postgres";
  if (database && !isAway) return database.serve(requests);
  const { code, message } = trouble ?? { code: "not-saved", message: "The database is not open yet." };
  for (const [id] of requests) answer([id, false, code, message]);
}

/** Answers of one turn of the event loop leave together. */
function answer(one: Answer): void {
  if (answers.push(one) === 1) queueMicrotask(flush);
}

function flush(): void {
  if (answers.length > 0) post({ answers });
  answers = [];
}

function onTrouble(found: Trouble): void {
  // Requests that the problem does not concern are answered first.
  if (found.retry !== "itself" && data.address.kind === "sqlite") return void setImmediate(() => void endWith(found));
  if (trouble?.message !== found.message) post({ trouble: found });
  trouble = found;
  if (retrying) return;
  retrying = setInterval(() => void retry(), retryTime);
  // A server may have closed only one connection.
  if (database && data.address.kind === "postgres") void retry();
}

async function retry(): Promise<void> {
  if (isTrying) return;
  isTrying = true;
  const known = database;
  if (!known) await open();
  else if ((await known.probe()) && database) reportOpen(known);
  isTrying = false;
}

/** Runs at once, and then repeatedly. */
async function prune(): Promise<void> {
  clearTimeout(pruning);
  const { pruneTime } = data.limits;
  if (pruneTime === 0) return;
  try {
    if (database) await pruneAll(database.transact);
  } catch (error) {
    if (!isEnding) post({ problem: `Expired entries could not be removed from the store: ${messageOf(error)}` });
  }
  const time = Math.min(Math.max(pruneTime, shortestPause), maxPause);
  if (!isEnding) pruning = setTimeout(() => void prune(), time);
}

async function endWith(found: Trouble): Promise<void> {
  if (isEnding) return;
  post({ trouble: found.retry === "itself" ? { ...found, retry: "soon" } : found });
  await end();
}

async function end(): Promise<void> {
  isEnding = true;
  clearInterval(retrying);
  clearTimeout(pruning);
  const closing = database;
  database = undefined;
  await closing?.close();
  flush();
  port?.close();
}

function troubleOf(error: unknown): Trouble {
  const message = messageOf(error);
  if (PagewireError.isInstance(error)) return { code: "options-invalid", message, retry: "never" };
  const place = data.address.shown;
  const known = data.address.kind === "sqlite" ? sqliteTrouble(error, place) : postgresTrouble(error, place);
  return (
    known ?? {
      code: "not-saved",
      reason: systemReason(error),
      message: `The database ${place} cannot be opened: ${message}`,
      retry: "soon",
    }
  );
}
