// A PostgreSQL server for one test, on a free port and in a temporary folder. It trusts every user on this machine, and
// does not sync to disk unless `waitsForDisk` is set.
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, cpSync, existsSync, mkdtempSync, realpathSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Client } from "pg";
import { onTestFinished } from "vitest";
import { findPostgres, howToGetPostgres } from "../../scripts/find-postgres.mjs";
import { spawnOwned } from "../e2e/support/processes.ts";
import type { OwnedProcess } from "../e2e/support/processes.ts";
import { freePort } from "./free-port.ts";

export interface PostgresServer {
  readonly port: number;
  /** Creates an empty database; returns its address. */
  newDatabase(): Promise<string>;
  /** Runs a statement in a database, the first one by default. */
  query(sql: string, address?: string): Promise<readonly Record<string, unknown>[]>;
  /** Cleanly with SIGINT, or at once with SIGKILL. */
  stop(how?: "SIGINT" | "SIGKILL"): Promise<void>;
  /** On the same port, with the same data. */
  start(): Promise<void>;
  /** A second server that has all that this one acknowledges. To be called once; it stops this process for a second. */
  startStandby(): Promise<Standby>;
  /** Stops both and removes their data. */
  close(): Promise<void>;
}

export interface Standby {
  readonly port: number;
  /** Takes over: accepts writes from now on. */
  promote(): Promise<void>;
}

export interface PostgresOptions {
  /** Whether acknowledged writes are on the disk. */
  readonly waitsForDisk?: boolean;
}

export async function startPostgres({ waitsForDisk = false }: PostgresOptions = {}): Promise<PostgresServer> {
  const bin = findPostgres();
  if (bin === undefined) throw new Error(`This test needs PostgreSQL. ${howToGetPostgres}`);
  const folder = mkdtempSync(join(tmpdir(), "pagewire-pg-"));
  const user = serverUser();
  if (user) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  cpSync(makeTemplate(bin, user), data, { recursive: true, preserveTimestamps: true });
  chmodSync(data, 0o700);
  if (user) execFileSync("chown", ["-R", `${user.uid}:${user.gid}`, data]);
  const port = await freePort();
  const fast = waitsForDisk ? [] : ["fsync=off", "full_page_writes=off"];
  const flags = [...fast, "max_connections=60", "shared_buffers=16MB"];
  const optionsFor = (at: string, on: number) => {
    const settings = flags.flatMap((flag) => ["-c", flag]);
    return ["-D", at, "-k", folder, "-h", "127.0.0.1", "-p", `${on}`, ...settings];
  };
  const addressOf = (name: string) => `postgres://hub@127.0.0.1:${port}/${name}`;
  let server: OwnedProcess | undefined;
  let standby: OwnedProcess | undefined;
  let databases = 0;

  const start = async () => void (server = await run(optionsFor(data, port)));

  async function run(options: readonly string[]): Promise<OwnedProcess> {
    const owned = await spawnOwned(join(bin ?? "", "postgres"), options, {
      ...{ ...user, cwd: folder, folder },
      stdio: ["ignore", "ignore", "pipe"],
    });
    await new Promise<void>((resolve, reject) => {
      void owned.exited.then(() => reject(new Error(`PostgreSQL did not start: ${owned.output().slice(-2000)}`)));
      owned.child.stderr?.on("data", () => {
        if (/ready to accept (read-only )?connections/.test(owned.output())) resolve();
      });
    });
    return owned;
  }

  async function stop(how: "SIGINT" | "SIGKILL" = "SIGINT"): Promise<void> {
    const ended = server;
    server = undefined;
    await end(ended, how);
    // The postmaster's child processes end a moment later.
    rmSync(join(data, "postmaster.pid"), { force: true });
  }

  async function end(owned: OwnedProcess | undefined, how: "SIGINT" | "SIGKILL"): Promise<void> {
    owned?.signal(how);
    await owned?.exited;
  }

  async function startStandby(): Promise<Standby> {
    const copy = join(folder, "standby");
    const from = ["-h", "127.0.0.1", "-p", `${port}`, "-U", "hub"];
    execFileSync(
      join(dirname(realpathSync(join(bin ?? "", "postgres"))), "pg_basebackup"),
      [...from, "-D", copy, "-R", "-X", "stream", "-c", "fast", "--no-sync"],
      {
        ...user,
        cwd: folder,
      },
    );
    const own = await freePort();
    standby = await run(optionsFor(copy, own));
    // A write counts only once the standby has it, too.
    await query("alter system set synchronous_standby_names = '*'");
    await query("select pg_reload_conf()");
    const promote = () => query("select pg_promote()", `postgres://hub@127.0.0.1:${own}/postgres`);
    return { port: own, promote: async () => void (await promote()) };
  }

  async function query(sql: string, address = addressOf("postgres")): Promise<readonly Record<string, unknown>[]> {
    const client = new Client({ connectionString: address });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  await start();
  return {
    port,
    async newDatabase() {
      const name = `test${++databases}`;
      await query(`create database ${name}`);
      return addressOf(name);
    },
    query,
    stop,
    start,
    startStandby,
    async close() {
      await Promise.all([stop(), end(standby, "SIGKILL")]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

let shared: Promise<PostgresServer> | undefined;

/** A server that the tests of a worker share. It ends with the worker. */
export function sharedPostgres(): Promise<PostgresServer> {
  return (shared ??= startPostgres());
}

/** An empty database at the shared server, dropped after the test. */
export async function newDatabase(): Promise<string> {
  const server = await sharedPostgres();
  const address = await server.newDatabase();
  onTestFinished(
    async () => void (await server.query(`drop database ${new URL(address).pathname.slice(1)} with (force)`)),
  );
  return address;
}

interface User {
  readonly uid: number;
  readonly gid: number;
}

/** PostgreSQL refuses to run as root. */
function serverUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

/** An empty cluster to copy, created once: that takes seconds. */
function makeTemplate(bin: string, user: User | undefined): string {
  const version = /\d+/.exec(execFileSync(join(bin, "postgres"), ["--version"], { encoding: "utf8" }))?.[0];
  const template = join(tmpdir(), `pagewire-postgres-${version}-${process.getuid?.() ?? 0}`);
  if (existsSync(template)) return template;
  const folder = mkdtempSync(join(tmpdir(), "pagewire-initdb-"));
  if (user) chownSync(folder, user.uid, user.gid);
  const made = join(folder, "data");
  const how = ["-D", made, "-U", "hub", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C"];
  execFileSync(join(bin, "initdb"), how, { ...user, cwd: folder, stdio: "ignore" });
  try {
    renameSync(made, template);
  } catch (error) {
    // Another process was faster.
    if (!existsSync(template)) throw error;
  }
  rmSync(folder, { recursive: true, force: true });
  return template;
}
