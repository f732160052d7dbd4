// The thread that owns the hub's database. What the disk, or the network, takes its time for holds up nothing else.
import { parentPort, workerData } from "node:worker_threads";
import { PagewireError, messageOf } from "../../../wire/index.ts";
import { sharedTime } from "./messages.ts";
import type { Answer, FromThread, Request, Requests, ThreadData, ToThread, Trouble } from "./messages.ts";
import { importFiles } from "./import-files.ts";
import { openSqlite } from "./sqlite-database.ts";
import { sqliteTrouble } from "./sqlite-trouble.ts";
import type { ThreadDatabase } from "./thread-database.ts";

const retryTime = 1000;

const data = workerData as ThreadData;
const port = parentPort;
if (!port) throw new Error("This module is a thread's.");
const post = (message: FromThread) => port.postMessage(message);

let answers: Answer[] = [];
let database: ThreadDatabase | undefined;
let retrying: NodeJS.Timeout | undefined;

port.on("message", (message: ToThread) => {
  if (message === "close") void end();
  else serve(message);
});

try {
  const opened = await openSqlite(data, { answer, onTrouble });
  if (data.importFrom !== undefined)
    await importFiles(data.importFrom, opened.transact, (problem) => post({ problem }));
  database = opened;
  post({ open: { isNew: opened.isNew } });
} catch (error) {
  await endWith(troubleOf(error));
}

function serve({ at, requests }: Requests): void {
  const isLate = sharedTime() - at > data.limits.storeTime;
  if (database && !isLate) database.serve(requests);
  else for (const request of requests) refuse(request);
}

/** The hub does not wait for it any more, or is told of the trouble with it. */
function refuse([id]: Request): void {
  answer([id, false, "not-saved", "The database is not open, or did not answer in time."]);
}

/** Answers of one turn of the event loop leave together. */
function answer(one: Answer): void {
  if (answers.push(one) === 1) queueMicrotask(flush);
}

function flush(): void {
  if (answers.length > 0) post({ answers });
  answers = [];
}

function onTrouble(trouble: Trouble): void {
  // Those that it does not concern are answered first.
  if (trouble.retry !== "itself") setImmediate(() => void endWith(trouble));
  else if (!retrying) {
    post({ trouble });
    retrying = setInterval(() => void retry(), retryTime);
  }
}

async function retry(): Promise<void> {
  if (!database || !(await database.probe())) return;
  clearInterval(retrying);
  retrying = undefined;
  post({ open: { isNew: database.isNew } });
}

async function endWith(trouble: Trouble): Promise<void> {
  post({ trouble: trouble.retry === "itself" ? { ...trouble, retry: "soon" } : trouble });
  await end();
}

async function end(): Promise<void> {
  clearInterval(retrying);
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
  const known = sqliteTrouble(error, place);
  return (
    known ?? {
      code: "not-saved",
      reason: "away",
      message: `The database ${place} cannot be opened: ${message}`,
      retry: "soon",
    }
  );
}
