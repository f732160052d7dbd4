import { readFile, readdir, readlink } from "node:fs/promises";

/** The program that listens on a port of this machine, or its user, as far as the system reveals it: on Linux only. */
export async function findListener(port: number): Promise<string | undefined> {
  const tables = await Promise.all(["/proc/net/tcp", "/proc/net/tcp6"].map((path) => listeners(path, port)));
  const [first, ...more] = tables.flat();
  if (first === undefined) return undefined;
  const sockets = new Set([first, ...more].map(({ inode }) => `socket:[${inode}]`));
  for (const pid of await list("/proc")) {
    if (/^\d+$/.test(pid) && (await hasOpen(pid, sockets))) return describe(pid);
  }
  // The programs of others cannot be looked into.
  return `a program of ${await nameOf(first.user)}`;
}

interface Listener {
  readonly user: string;
  readonly inode: string;
}

/** The sockets that listen on a port, from a table of the kernel's. */
async function listeners(path: string, port: number): Promise<readonly Listener[]> {
  const LISTEN = "0A";
  const address = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const rows = (await text(path)).split("\n").map((line) => line.trim().split(/\s+/));
  return rows.flatMap(([, local = "", , state, , , , user = "", , inode = ""]) => {
    return state === LISTEN && local.endsWith(address) ? [{ user, inode }] : [];
  });
}

async function nameOf(user: string): Promise<string> {
  const line = (await text("/etc/passwd")).split("\n").find((each) => each.split(":")[2] === user);
  return line === undefined ? `user ${user}` : `the user ${line.split(":")[0] ?? ""}`;
}

async function hasOpen(pid: string, sockets: ReadonlySet<string>): Promise<boolean> {
  const folder = `/proc/${pid}/fd`;
  const targets = await Promise.all((await list(folder)).map((name) => orNothing(readlink(`${folder}/${name}`))));
  return targets.some((target) => target !== undefined && sockets.has(target));
}

async function describe(pid: string): Promise<string> {
  const command = (await text(`/proc/${pid}/cmdline`)).replaceAll("\0", " ").trim();
  return `process ${pid}${command === "" ? "" : ` (${command.slice(0, 120)})`}`;
}

async function text(path: string): Promise<string> {
  return (await orNothing(readFile(path, "utf8"))) ?? "";
}

async function list(path: string): Promise<readonly string[]> {
  return (await orNothing(readdir(path))) ?? [];
}

/** Processes may end during the check, and those of other users cannot be inspected. */
async function orNothing<Value>(promise: Promise<Value>): Promise<Value | undefined> {
  return promise.catch(() => undefined);
}
