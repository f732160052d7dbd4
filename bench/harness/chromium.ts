// A headless Chromium that opens one address, with no debugger attached: an attached one slows a tab's sockets.
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processTreeCpu } from "./process-tree.ts";

export interface Chromium {
  /** The time of all its processes so far, in µs. */
  cpu(): Promise<number>;
  close(): Promise<void>;
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
  "--disable-extensions",
];

export async function openChromium(path: string | undefined, url: string): Promise<Chromium> {
  if (path === undefined) throw new Error("No Chromium found: install it, or set PAGEWIRE_CHROMIUM to its path.");
  const profile = await mkdtemp(join(tmpdir(), "pagewire-bench-"));
  const child = spawn(path, [...switches, `--user-data-dir=${profile}`, url], { detached: true, stdio: "ignore" });
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
  process.once("exit", leaveNothing);

  return {
    cpu: () => processTreeCpu(leader),
    async close() {
      kill();
      await ended;
      await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
      process.off("exit", leaveNothing);
    },
  };
}
