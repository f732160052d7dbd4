// `pagewire hub --background`, status, logs, restart and stop, as a user types them.
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { spawnOwned } from "./support/processes.ts";
import { waitUntil } from "./support/wait.ts";

const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "pagewire-control-"));
});

afterEach(async () => {
  const running = runningHub();
  if (running) process.kill(running.pid, "SIGKILL");
  await rm(home, { recursive: true, force: true });
});

function runningHub(): { readonly pid: number; readonly url: string } | undefined {
  const path = join(home, "hub.json");
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as { pid: number; url: string }) : undefined;
}

async function start(...args: readonly string[]) {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, PAGEWIRE_HOME: home };
  const owned = await spawnOwned(process.execPath, [main, ...args], { env });
  const ended = owned.closed.then(({ code }) => ({ code, text: owned.output() }));
  return { ...owned, ended };
}

async function run(...args: readonly string[]) {
  return (await start(...args)).ended;
}

test("a hub in the background is started, seen, read, started again with another option, and stopped", async () => {
  expect(await run("status")).toEqual({ code: 3, text: expect.stringContaining("npx pagewire") as string });
  const begun = await run("hub", "--background", "--port", "0", "--no-demo");
  const first = runningHub();
  expect(begun).toEqual({
    code: 0,
    text: expect.stringContaining(
      `Pagewire runs in the background at ${first?.url} (process ${first?.pid}).`,
    ) as string,
  });

  const status = await run("status");
  expect(status.text).toMatch(new RegExp(`^Hub +${first?.url} \\(process ${first?.pid}, for \\d+ \\w+\\)\nVersion`));
  expect(status.text).toContain("Terminals  off");
  expect((await run("logs")).text).toContain("Pagewire 0.1.0 listens on");
  expect(await run("hub", "--background")).toEqual({
    code: 1,
    text: `Error: A hub already runs at ${first?.url} (process ${first?.pid}). Use that hub, or end it first: npx pagewire stop\n`,
  });

  expect((await run("restart", "--terminal")).code).toBe(0);
  const second = runningHub();
  expect(second?.pid).not.toBe(first?.pid);
  // Pages find it where it was.
  expect(second?.url).toBe(first?.url);
  expect(JSON.parse((await run("status", "--json")).text)).toMatchObject({ hasTerminals: true, demo: null, tabs: 0 });

  expect((await run("stop")).text).toContain(`The hub at ${second?.url} (process ${second?.pid}) has stopped.`);
  expect(runningHub()).toBeUndefined();
  expect((await run("stop")).code).toBe(3);
});

test("the log is followed over a restart, until Ctrl-C", async () => {
  await run("hub", "--background", "--port", "0", "--no-demo");
  const follower = await start("logs", "--follow", "--lines", "1");
  // By then it has found the log's end.
  await waitUntil(
    async () => follower.output() !== "",
    () => "It printed nothing.",
  );
  await run("restart");
  await waitUntil(
    async () => /hub-stopped[^]*Pagewire 0\.1\.0 listens on/.test(follower.output()),
    () => `It printed only: ${follower.output()}`,
  );
  follower.signal("SIGINT");
  expect((await follower.ended).code).toBe(0);
});

test("a hub in a terminal is seen and stopped too, and its log is said to be there", async () => {
  const hub = await start("--port", "0", "--no-demo");
  await waitUntil(
    async () => runningHub() !== undefined,
    () => hub.output(),
  );
  expect((await run("status")).text).toContain("Log        in the terminal that it was started in");
  expect(await run("logs")).toEqual({ code: 3, text: expect.stringContaining("logs to the terminal") as string });
  expect((await run("stop", "--now")).code).toBe(0);
  expect((await hub.ended).text).toContain("Stopping.");
});

test("a hub that cannot start in the background says why, and where its log is", async () => {
  const failed = await run(
    "hub",
    "--background",
    "--port",
    "0",
    "--tls-cert",
    "nowhere.pem",
    "--tls-key",
    "nowhere.pem",
  );
  expect(failed.code).not.toBe(0);
  expect(failed.text).toMatch(/^Error: No hub runs, and none could be started: .*nowhere\.pem.*hub\.log/);
});
