// A headless Chromium that opens one address, with no debugger attached: an attached one slows a tab's sockets.
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { debuggerAddress } from "./debugger-address.ts";
import { processTreeCpu } from "./process-tree.ts";
import { sharedWorkerHeap } from "./worker-heap.ts";

export interface Chromium {
  /** The time of all its processes so far, in µs. */
  cpu(): Promise<number>;
  /**
   * The heap of its only SharedWorker after a garbage collection, in bytes. A debugger asks: measure no times after.
   */
  workerHeap(): Promise<number>;
  /** The address of its debugger, for programs that drive it. */
  address(): Promise<string>;
  close(): Promise<void>;
}

export interface ChromiumSetting {
  /** Has it listen for a debugger, which asks for a heap or drives it. */
  readonly isDebuggable?: boolean;
  /** Additional features to enable. */
  readonly features?: readonly string[];
  /** The folder of an extension to load; without it, none is. */
  readonly extension?: string;
}

const switches = [
  "--headless=new",
  // Chromium refuses to sandbox itself for root, and many containers cannot.
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // Sites of other names than this machine's.
  "--host-resolver-rules=MAP *.test 127.0.0.1",
  // Pages open others: that is how there are many tabs without a debugger.
  "--disable-popup-blocking",
];

/** Cleanups to run if this process ends early. */
const endings = new Set<() => void>();
process.once("exit", () => endings.forEach((end) => end()));

/** Opens one. */
export async function openChromium(
  path: string | undefined,
  url: string,
  { isDebuggable = false, features = [], extension }: ChromiumSetting = {},
): Promise<Chromium> {
  if (path === undefined) throw new Error("No Chromium found: install it, or set PAGEWIRE_CHROMIUM to its path.");
  const profile = await mkdtemp(join(tmpdir(), "pagewire-bench-"));
  const own = [
    `--user-data-dir=${profile}`,
    ...(extension === undefined
      ? ["--disable-extensions"]
      : [`--load-extension=${extension}`, `--disable-extensions-except=${extension}`]),
    ...(isDebuggable ? ["--remote-debugging-port=0"] : []),
    ...(features.length > 0 ? [`--enable-features=${features.join(",")}`] : []),
  ];
  const child = spawn(path, [...switches, ...own, url], { detached: true, stdio: "ignore" });
  const leader = await new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("spawn", () => resolve(child.pid ?? 0));
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const kill = () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-leader, "SIGKILL");
  };
  const leaveNothing = () => {
    kill();
    rmSync(profile, { recursive: true, force: true });
  };
  endings.add(leaveNothing);

  return {
    cpu: () => processTreeCpu(leader),
    workerHeap: () => sharedWorkerHeap(profile),
    address: () => debuggerAddress(profile),
    async close() {
      kill();
      await ended;
      await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
      endings.delete(leaveNothing);
    },
  };
}
