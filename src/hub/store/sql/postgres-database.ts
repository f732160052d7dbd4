// A PostgreSQL database in the store's thread. Operations run concurrently; those with several statements run in a
// transaction.
import { hostname } from "node:os";
import { Kysely, PostgresDialect } from "kysely";
import type { Pool, PoolClient } from "pg";
import { PagewireError, messageOf } from "../../../wire/index.ts";
import { lateAnswer } from "./messages.ts";
import type { Answer, Request, ThreadData } from "./messages.ts";
import { operations } from "./operations.ts";
import { migrate, readLatest } from "./migrations.ts";
import { createPool, postgresTrouble } from "./postgres-driver.ts";
import type { Tables } from "./schema.ts";
import type { Context, Operation, Session, SqlValue } from "./session.ts";
import { createStoreTime } from "./store-time.ts";
import type { DatabaseEvents, ThreadDatabase } from "./thread-database.ts";

const connections = 8;

export async function openPostgres(data: ThreadData, events: DatabaseEvents): Promise<ThreadDatabase> {
  const { place, shown } = data.address;
  // The max delay of a timer in Node.
  const timeout = Math.min(data.limits.storeTime, 2 ** 31 - 1);
  const pool = await createPool({
    connectionString: place,
    // Two more, for the probe and for pruning.
    max: connections + 2,
    application_name: "pagewire",
    keepAlive: true,
    connectionTimeoutMillis: timeout / 2,
    query_timeout: timeout,
    statement_timeout: timeout,
  });
  try {
    const build = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
    const isNew = await migrate(build, "postgres", shown);
    const { latest } = await readLatest(build);
    const { hub = hostname(), limits } = data;
    const context = { build, limits, time: createStoreTime({ latest }), hub, onOver: events.onOver };
    return servePool({ pool, context, shown, isNew, events });
  } catch (error) {
    await pool.end();
    throw error;
  }
}

interface OpenPool {
  readonly pool: Pool;
  readonly context: Context;
  readonly shown: string;
  readonly isNew: boolean;
  readonly events: DatabaseEvents;
}

function servePool({ pool, context, shown, isNew, events }: OpenPool): ThreadDatabase {
  const lanes = createLanes(connections);
  const direct = sessionOn(context, pool);

  async function transact<Value>(work: (session: Session) => Promise<Value>): Promise<Value> {
    const client = await pool.connect();
    let failure: Error | undefined;
    try {
      await client.query("begin");
      const value = await work(sessionOn(context, client));
      await client.query("commit");
      return value;
    } catch (error) {
      await client.query("rollback").catch((reason: unknown) => (failure = new Error(messageOf(reason))));
      throw error;
    } finally {
      // If the rollback fails, the connection is closed.
      client.release(failure);
    }
  }

  function serveOne(request: Request): Promise<Answer> {
    const [, name, given] = request;
    const operation: Operation = operations[name];
    return lanes.run(operation.lane?.(given as readonly string[]), () => runOne(operation, request));
  }

  async function runOne(operation: Operation, request: Request): Promise<Answer> {
    const late = lateAnswer(request);
    if (late) return late;
    const [id, , given] = request;
    const run = (session: Session) => operation.run(session, given as never);
    try {
      return [id, true, await (operation.isAtomic ? transact(run) : run(direct))];
    } catch (error) {
      if (PagewireError.isInstance(error)) return [id, false, error.code, error.message];
      const trouble = postgresTrouble(error, shown);
      if (trouble) events.onTrouble(trouble);
      const code = trouble?.code ?? (isForNow(error) ? "not-saved" : "internal-error");
      return [id, false, code, trouble?.message ?? `The store failed: ${messageOf(error)}`];
    }
  }

  return {
    isNew,
    transact,
    serve(requests) {
      for (const request of requests) void serveOne(request).then(events.answer);
    },
    async probe() {
      const sql = "insert into meta (name, value) values ('probe', '') on conflict (name) do update set value = ''";
      return pool.query(sql).then(
        () => true,
        () => false,
      );
    },
    async close() {
      await lanes.settled();
      await pool.end();
    },
  };
}

/** Whether a retry may succeed: after a conflict or a timeout. */
function isForNow(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^(40|55|57014)/.test(String(error.code));
}

export function sessionOn(context: Context, on: Pool | PoolClient): Session {
  async function ask<Row>(sql: string, values: readonly unknown[]) {
    const { rows, rowCount } = await on.query<Row & object>(sql, [...values]);
    return { rows, changes: rowCount ?? 0 };
  }
  return {
    ...context,
    run<Row>(query: { compile(): { readonly sql: string; readonly parameters: readonly unknown[] } }) {
      const { sql, parameters } = query.compile();
      return ask<Row>(sql, parameters);
    },
    text: <Row>(sql: string, values: readonly SqlValue[]) => ask<Row>(numbered(sql), values),
  };
}

const numberedTexts = new Map<string, string>();

/** PostgreSQL numbers its placeholders. The cache is bounded, because all texts are ours. */
function numbered(sql: string): string {
  const known = numberedTexts.get(sql);
  if (known !== undefined) return known;
  let count = 0;
  const text = sql.replaceAll("?", () => `$${++count}`);
  numberedTexts.set(sql, text);
  return text;
}

// Runs work concurrently, except that work of one lane runs in order.
interface Lanes {
  /** Rejects only if this work fails. */
  run<Value>(lane: string | undefined, work: () => Promise<Value>): Promise<Value>;
  /** Resolves when all work is done. */
  settled(): Promise<void>;
}

function createLanes(max: number): Lanes {
  const lanes = new Map<string, Promise<unknown>>();
  const waiting: (() => void)[] = [];
  const open = new Set<Promise<unknown>>();
  let running = 0;

  async function whenFree<Value>(work: () => Promise<Value>): Promise<Value> {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // The next in line takes over the slot.
      if (next) next();
      else running--;
    }
  }

  function inLane<Value>(lane: string, work: () => Promise<Value>): Promise<Value> {
    const free = () => whenFree(work);
    const done = (lanes.get(lane) ?? Promise.resolve()).then(free, free);
    lanes.set(lane, done);
    const forget = () => void (lanes.get(lane) === done && lanes.delete(lane));
    done.then(forget, forget);
    return done;
  }

  return {
    run(lane, work) {
      const done = lane === undefined ? whenFree(work) : inLane(lane, work);
      open.add(done);
      const close = () => void open.delete(done);
      done.then(close, close);
      return done;
    },
    async settled() {
      while (open.size > 0) await Promise.allSettled(open);
    },
  };
}
