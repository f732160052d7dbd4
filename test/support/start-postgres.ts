// A PostgreSQL server for one test, on a free port and in a temporary folder. It trusts every user on this machine, and
// does not sync to disk unless `waitsForDisk` is set.
import { execFileSync, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, cpSync, existsSync, mkdtempSync, realpathSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Client } from "pg";
import { findPostgres, howToGetPostgres } from "../../scripts/find-postgres.mjs";
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
  let server: ChildProcess | undefined;
  let standby: ChildProcess | undefined;
  let databases = 0;

  const start = async () => void (server = await run(optionsFor(data, port)));

  async function run(options: readonly string[]): Promise<ChildProcess> {
    const child = spawn(join(bin ?? "", "postgres"), options, {
      ...user,
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"],
    });
    process.once("exit", () => child.kill("SIGKILL"));
    let said = "";
    await new Promise<void>((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", () => reject(new Error(`PostgreSQL did not start: ${said}`)));
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        said = (said + text).slice(-2000);
        if (/ready to accept (read-only )?connections/.test(text)) resolve();
      });
    });
    return child;
  }

  async function stop(how: "SIGINT" | "SIGKILL" = "SIGINT"): Promise<void> {
    const child = server;
    server = undefined;
    await end(child, how);
    // The postmaster's child processes end a moment later.
    rmSync(join(data, "postmaster.pid"), { force: true });
  }

  async function end(child: ChildProcess | undefined, how: "SIGINT" | "SIGKILL"): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(how);
    await ended;
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
