// A SQLite file in the store's thread. Operations that queue up during a commit share the next transaction, and so one sync to
// disk.
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
import type { Transact } from "./import-files.ts";
import type { DatabaseEvents, ThreadDatabase } from "./thread-database.ts";

/** How long to wait for another process, such as a backup or pruning, in milliseconds. */
const busyTime = 2000;
/** Max operations in a transaction, which bounds the wait of the first. */
const maxTogether = 500;
/** The interval of checking whether the file was replaced. */
const checkInterval = 1000;

export async function openSqlite(data: ThreadData, events: DatabaseEvents): Promise<ThreadDatabase> {
  const { place } = data.address;
  const { DatabaseSync } = await loadSqlite();
  makeFile(place);
  if (data.isReplaced) setAside(place);
  const connection = new DatabaseSync(place, { timeout: busyTime });
  // With exec, because a connection with open statements stays open until its thread ends.
  connection.exec("pragma journal_mode = wal; pragma synchronous = full; pragma journal_size_limit = 67108864");
  const build = sqliteKysely(connection);
  const isNew = await migrate(build, "sqlite", place);
  const { latest, id } = await readLatest(build);
  const { onOver } = events;
  const context = { build, limits: data.limits, time: createStoreTime({ latest }), hub: data.hub ?? id, onOver };
  const runSql = createRunSql(connection);
  const session = createSqliteSession(context, runSql);
  return new SqliteFile({ place, isNew, connection, session, runSql, events });
}

interface OpenFile {
  readonly place: string;
  readonly isNew: boolean;
  readonly connection: SqliteConnection;
  readonly session: Session;
  readonly runSql: RunSql;
  readonly events: DatabaseEvents;
}

class SqliteFile implements ThreadDatabase {
  readonly #file: OpenFile;
  readonly #inode: number;
  #checkedAt = performance.now();
  #waiting: Request[] = [];
  #isServing = false;
  #served = Promise.resolve();
  #transaction: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(file: OpenFile) {
    this.#file = file;
    this.#inode = statSync(file.place).ino;
  }

  get isNew(): boolean {
    return this.#file.isNew;
  }

  readonly transact: Transact = (work) => this.#together("begin immediate", () => work(this.#file.session));

  serve(requests: readonly Request[]): void {
    this.#waiting = this.#waiting.concat(requests);
    if (this.#isServing) return;
    this.#isServing = true;
    this.#served = this.#serveAll();
  }

  async probe(): Promise<boolean> {
    const sql = "insert into meta (name, value) values ('probe', '') on conflict (name) do update set value = ''";
    try {
      this.#checkFile();
      await this.#together("begin immediate", async () => this.#file.runSql(sql, []));
      return true;
    } catch (error) {
      this.#reasonOf(error);
      return false;
    }
  }

  async close(): Promise<void> {
    await this.#served;
    await this.#transaction;
    this.#isClosed = true;
  }

  /** Writes to a deleted file would be lost. */
  #checkFile(): void {
    if (performance.now() < this.#checkedAt + checkInterval) return;
    this.#checkedAt = performance.now();
    const { place } = this.#file;
    if (statSync(place, { throwIfNoEntry: false })?.ino === this.#inode) return;
    throw new Moved(`The database ${place} was moved away, or replaced.`);
  }

  async #serveAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const requests = this.#waiting.splice(0, maxTogether);
      const answers = await this.#commit(requests).catch((error: unknown) => this.#failAll(requests, error));
      for (const answer of answers) this.#file.events.answer(answer);
      // Lets queued messages in.
      await new Promise(setImmediate);
    }
    this.#isServing = false;
  }

  async #commit(requests: readonly Request[]): Promise<readonly Answer[]> {
    this.#checkFile();
    const isReading = requests.every(([, name]) => operationOf(name).isReading);
    return this.#together(isReading ? "begin" : "begin immediate", async () => {
      const answers: Answer[] = [];
      for (const request of requests) answers.push(await this.#runOne(request));
      return answers;
    });
  }

  #together<Value>(begin: string, work: () => Promise<Value>): Promise<Value> {
    const { runSql, connection } = this.#file;
    const done = this.#transaction.then(async () => {
      if (this.#isClosed) throw notSaved("The store is closed.");
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
    this.#transaction = done.catch(() => {});
    return done;
  }

  async #runOne(request: Request): Promise<Answer> {
    const late = lateAnswer(request);
    if (late) return late;
    const { runSql, connection, session } = this.#file;
    const [id, name, given] = request;
    const operation = operationOf(name);
    if (operation.isAtomic) runSql("savepoint one", []);
    try {
      const value = await operation.run(session, given as never);
      if (operation.isAtomic) runSql("release one", []);
      return [id, true, value];
    } catch (error) {
      // A full disk has rolled back the whole transaction.
      if (!connection.isTransaction) throw error;
      if (operation.isAtomic) runSql("rollback to one", []);
      if (operation.isAtomic) runSql("release one", []);
      return [id, false, ...this.#reasonOf(error)];
    }
  }

  #reasonOf(error: unknown): readonly [ErrorCode, string] {
    if (PagewireError.isInstance(error)) return [error.code, error.message];
    const trouble = this.#troubleOf(error);
    if (!trouble) return ["internal-error", `The store failed: ${messageOf(error)}`];
    this.#file.events.onTrouble(trouble);
    return [trouble.code, trouble.message];
  }

  #troubleOf(error: unknown): Trouble | undefined {
    if (error instanceof Moved) return { code: "not-saved", reason: "away", message: error.message, retry: "soon" };
    return sqliteTrouble(error, this.#file.place);
  }

  #failAll(requests: readonly Request[], error: unknown): readonly Answer[] {
    const reason = this.#reasonOf(error);
    return requests.map(([id]) => [id, false, ...reason]);
  }
}

class Moved extends Error {}

function operationOf(name: Request[1]): Operation {
  return operations[name];
}

/** Creates it readable by its owner only. SQLite gives the files beside it the same mode. */
function makeFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    closeSync(openSync(path, "a", 0o600));
  } catch (error) {
    // An existing file that is not writable may still be readable.
    if (!statSync(path, { throwIfNoEntry: false })) throw error;
  }
}

/** The old file's journal would be applied to the new file. */
function setAside(path: string): void {
  for (const beside of ["-wal", "-shm"]) {
    if (statSync(path + beside, { throwIfNoEntry: false })) renameSync(path + beside, `${path}${beside}.damaged`);
  }
}
