// A hub that was started as `npx pagewire` starts one, without terminals: its user switches them on from another shell, and
// works in one in a real Chromium.
import { fileURLToPath } from "node:url";
import { spawn } from "@lydell/node-pty";
import { afterAll, beforeAll, expect, test } from "vitest";
import { spawnOwned } from "./support/processes.ts";
import { waitUntil } from "./support/wait.ts";
import { createTerminalWorld } from "./terminal.test-helper.ts";
import type { TerminalWorld } from "./terminal.test-helper.ts";

const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

let world: TerminalWorld;

beforeAll(async () => {
  world = await createTerminalWorld({ isOff: true });
});
afterAll(() => world?.close());

function environment(): Record<string, string> {
  const { PATH = "" } = process.env;
  return { PATH, HOME: world.home, PAGEWIRE_HOME: world.hub.home, TERM: "xterm-256color", NO_COLOR: "1" };
}

async function run(...args: readonly string[]): Promise<{ readonly code: number | null; readonly output: string }> {
  const owned = await spawnOwned(process.execPath, [main, ...args], { env: environment() });
  return { code: (await owned.closed).code, output: owned.output() };
}

async function hasTerminals(): Promise<unknown> {
  const headers = { authorization: `Bearer ${await world.hub.token()}` };
  const response = await fetch(`${world.hub.url}/api/app`, { headers });
  return ((await response.json()) as { readonly terminals: unknown }).terminals;
}

/** Runs the command on a terminal, and types the answer to its question. */
async function runOnTerminal(args: readonly string[], answer: string): Promise<{ code: number; output: string }> {
  const program = spawn(process.execPath, [main, ...args], { cols: 200, rows: 24, env: environment() });
  let output = "";
  program.onData((text) => (output += text));
  const ended = new Promise<number>((resolve) => program.onExit(({ exitCode }) => resolve(exitCode)));
  await waitUntil(
    async () => output.includes("[y/N]"),
    () => `It did not ask:\n${output}`,
  );
  program.write(answer);
  return { code: await ended, output };
}

interface Listed {
  readonly id: string;
  readonly program?: string;
  readonly columns?: number;
  readonly createdAt: string;
  readonly tab?: { readonly tabId: string };
}

async function listed(): Promise<readonly Listed[]> {
  return (JSON.parse((await run("terminal", "list", "--json")).output) as { terminals: readonly Listed[] }).terminals;
}

test("the user switches terminals on, works in one, lists it, and ends it", async () => {
  const unasked = await run("terminal", "--print");
  expect([unasked.code, unasked.output]).toEqual([1, expect.stringContaining("npx pagewire terminal --yes")]);
  expect(await runOnTerminal(["terminal", "--print"], "n\r")).toMatchObject({ code: 1 });
  expect(await hasTerminals()).toBe(false);

  const { code, output } = await runOnTerminal(["terminal", "--print"], "y\r");
  expect([code, await hasTerminals()]).toEqual([0, true]);
  const [address = ""] = /http:\/\/127\.0\.0\.1:\d+\/terminal#code=[\w-]{43}/.exec(output) ?? [];
  const shown = await world.shownIn(await world.browser.open(address));
  expect(await shown.run("echo works")).toEqual({ code: 0, output: "works\n" });
  expect(world.hub.output()).toContain("terminals-switched-on");

  expect((await listed())[0]?.program).toBe("bash");
  await shown.type("sleep 1000");
  await expect.poll(async () => (await listed())[0]?.program, { timeout: 15_000 }).toBe("sleep");
  const terminals = await listed();
  const tab = { tabId: expect.any(String), title: expect.any(String), url: `${world.hub.url}/terminal` };
  expect(terminals).toEqual([expect.objectContaining({ columns: expect.any(Number), views: 1, tab })]);
  const id = terminals[0]?.id ?? "";
  const tabId = terminals[0]?.tab?.tabId;
  const list = await run("terminal", "list");
  expect(list.output).toMatch(new RegExp(`${id} .+sleep +\\d+x\\d+ +\\d\\d:\\d\\d +${tabId}`));

  expect(await run("terminal", "end", "nothing")).toMatchObject({ code: 5 });
  expect(await run("terminal", "end", id)).toMatchObject({ code: 0, output: expect.stringMatching(/^Ended .+\n$/) });
  expect(await listed()).toEqual([]);
  await shown.tab.waitFor(
    "document.querySelector('pagewire-terminal').shadowRoot.textContent.includes('Press Enter to start')",
  );
});
