// A file of SQLite's, in its thread. Operations that wait while others are written are written together: one transaction,
// and one wait for the disk.
import { closeSync, mkdirSync, openSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { PagewireError, messageOf } from "../../../wire/index.ts";
import type { ErrorCode } from "../../../wire/index.ts";
import { notSaved } from "../port/store.ts";
import type { Answer, Request, ThreadData, Trouble } from "./messages.ts";
import { lateAnswer } from "./messages.ts";
import { operations } from "./operations.ts";
import { migrate, readLatest } from "./migrations.ts";
import type { Operation, Session } from "./session.ts";
import { loadSqlite, createRunSql, createSqliteSession, sqliteKysely } from "./sqlite-session.ts";
import type { SqliteConnection, RunSql } from "./sqlite-session.ts";
import { sqliteTrouble } from "./sqlite-trouble.ts";
import { createStoreTime } from "./store-time.ts";
import type { DatabaseEvents, ThreadDatabase } from "./thread-database.ts";

/** How long another process may hold the file, in milliseconds: a backup, or one that prunes. */
const busyTime = 2000;
/** How many operations become one transaction, so that the first does not wait for very many. */
const mostTogether = 500;
/** How often it is looked whether the file is still the one that was opened. */
const lookTime = 1000;

export async function openSqlite(data: ThreadData, events: DatabaseEvents): Promise<ThreadDatabase> {
  const { place } = data.address;
  const { DatabaseSync } = await loadSqlite();
  makeFile(place);
  if (data.isReplaced) setAside(place);
  const connection = new DatabaseSync(place, { timeout: busyTime });
  // By exec, which leaves no statement behind: a connection that has some is open until its thread ends.
  connection.exec("pragma journal_mode = wal; pragma synchronous = full; pragma journal_size_limit = 67108864");
  const build = sqliteKysely(connection);
  const isNew = await migrate(build, "sqlite", place);
  const { latest, id } = await readLatest(build);
  const { onOver } = events;
  const context = { build, limits: data.limits, time: createStoreTime({ latest }), hub: data.hub ?? id, onOver };
  const runSql = createRunSql(connection);
  const session = createSqliteSession(context, runSql);
  return serveFile({ place, isNew, connection, session, runSql, events });
}

interface OpenFile {
  readonly place: string;
  readonly isNew: boolean;
  readonly connection: SqliteConnection;
  readonly session: Session;
  readonly runSql: RunSql;
  readonly events: DatabaseEvents;
}

function serveFile({ place, isNew, connection, session, runSql, events }: OpenFile): ThreadDatabase {
  const opened = statSync(place).ino;
  let lookedAt = performance.now();
  let waiting: Request[] = [];
  let isRunning = false;
  let done = Promise.resolve();
  let turn: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  /** What is written to a file that has no name any more is lost. */
  function checkFile(): void {
    if (performance.now() < lookedAt + lookTime) return;
    lookedAt = performance.now();
    if (statSync(place, { throwIfNoEntry: false })?.ino === opened) return;
    throw new Moved(`The database ${place} was moved away, or replaced.`);
  }

  async function serveAll(): Promise<void> {
    while (waiting.length > 0) {
      const some = waiting.splice(0, mostTogether);
      const answers = await commit(some).catch((error: unknown) => failAll(some, error));
      for (const answer of answers) events.answer(answer);
      // What came meanwhile is read.
      await new Promise(setImmediate);
    }
    isRunning = false;
  }

  async function commit(requests: readonly Request[]): Promise<readonly Answer[]> {
    checkFile();
    const isReading = requests.every(([, name]) => operationOf(name).isReading);
    return together(isReading ? "begin" : "begin immediate", async () => {
      const answers: Answer[] = [];
      for (const request of requests) answers.push(await runOne(request));
      return answers;
    });
  }

  /** One transaction after the other. */
  function together<Value>(begin: string, work: () => Promise<Value>): Promise<Value> {
    const mine = turn.then(async () => {
      if (isClosed) throw notSaved("The store is closed.");
      runSql(begin, []);
      try {
        const value = await work();
        runSql("commit", []);
        return value;
      } catch (error) {
        if (connection.isTransaction) runSql("rollback", []);
        throw error;
      }
    });
    turn = mine.catch(() => {});
    return mine;
  }

  async function runOne(request: Request): Promise<Answer> {
    const late = lateAnswer(request);
    if (late) return late;
    const [id, name, given] = request;
    const operation = operationOf(name);
    if (operation.isAtomic) runSql("savepoint one", []);
    try {
      const value = await operation.run(session, given as never);
      if (operation.isAtomic) runSql("release one", []);
      return [id, true, value];
    } catch (error) {
      // A disk that is full has ended the transaction with all that is in it.
      if (!connection.isTransaction) throw error;
      if (operation.isAtomic) runSql("rollback to one", []);
      if (operation.isAtomic) runSql("release one", []);
      return [id, false, ...reasonOf(error)];
    }
  }

  function reasonOf(error: unknown): readonly [ErrorCode, string] {
    if (PagewireError.isInstance(error)) return [error.code, error.message];
    const trouble = troubleOf(error);
    if (!trouble) return ["internal-error", `The store failed: ${messageOf(error)}`];
    events.onTrouble(trouble);
    return [trouble.code, trouble.message];
  }

  function troubleOf(error: unknown): Trouble | undefined {
    if (error instanceof Moved) return { code: "not-saved", reason: "away", message: error.message, retry: "soon" };
    return sqliteTrouble(error, place);
  }

  function failAll(requests: readonly Request[], error: unknown): readonly Answer[] {
    const reason = reasonOf(error);
    return requests.map(([id]) => [id, false, ...reason]);
  }

  return {
    isNew,
    transact: (work) => together("begin immediate", () => work(session)),
    serve(requests) {
      waiting = waiting.concat(requests);
      if (isRunning) return;
      isRunning = true;
      done = serveAll();
    },
    async probe() {
      try {
        checkFile();
        await together("begin immediate", async () =>
          runSql("insert into meta (name, value) values ('probe', '') on conflict (name) do update set value = ''", []),
        );
        return true;
      } catch (error) {
        reasonOf(error);
        return false;
      }
    },
    async close() {
      await done;
      await turn;
      isClosed = true;
    },
  };
}

class Moved extends Error {}

function operationOf(name: Request[1]): Operation {
  return operations[name];
}

/** Only its owner may read it, and SQLite gives the files beside it the same mode. */
function makeFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    closeSync(openSync(path, "a", 0o600));
  } catch (error) {
    // One that is there and cannot be written can perhaps be read.
    if (!statSync(path, { throwIfNoEntry: false })) throw error;
  }
}

/** What a damaged file left beside it would be taken for the latest changes of the one that is there now. */
function setAside(path: string): void {
  for (const beside of ["-wal", "-shm"]) {
    if (statSync(path + beside, { throwIfNoEntry: false })) renameSync(path + beside, `${path}${beside}.damaged`);
  }
}
