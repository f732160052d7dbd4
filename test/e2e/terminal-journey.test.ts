// The whole journey of one person: a terminal in the browser, in which git asks the tab for a password.
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { dialogIn } from "./support/dialog.ts";
import { serveGit } from "./support/git-server.ts";
import type { GitServer } from "./support/git-server.ts";
import type { ShownTerminal } from "./support/shown-terminal.ts";
import { createTerminalWorld } from "./terminal.test-helper.ts";
import type { TerminalWorld } from "./terminal.test-helper.ts";

const command = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const run = promisify(execFile);
const guide = readFileSync(new URL("../../docs/guide/your-terminal-your-tab.md", import.meta.url), "utf8");
const script = new URL("../../.cache/guide/terminal.mjs", import.meta.url);

let world: TerminalWorld;
let server: GitServer;

beforeAll(async () => {
  server = await serveGit({ "ada/shop.git": { ada: "a word" } });
  world = await createTerminalWorld();
});
afterAll(async () => {
  await world?.close();
  await server?.close();
});

async function pagewire(...args: readonly string[]): Promise<string> {
  const env = { PATH: process.env["PATH"], HOME: world.home, PAGEWIRE_HOME: world.hub.home };
  return (await run(process.execPath, [command, ...args], { env })).stdout.trim();
}

/** The guide's sample that contains this text. */
function sampleOf(language: string, words: string): string {
  const samples = Array.from(guide.matchAll(/^```(\w+)\n(.*?)^```/gms), ([, kind, sample = ""]) => ({ kind, sample }));
  const found = samples.find(({ kind, sample }) => kind === language && sample.includes(words));
  return (found?.sample ?? "").replaceAll("http://127.0.0.1:7337", world.hub.url);
}

/** Types `git push`, and answers the dialog that it opens in this tab. */
async function push(terminal: ShownTerminal): Promise<void> {
  await terminal.type("git push");
  const dialog = await dialogIn(terminal.tab);
  expect(dialog.text).toContain(server.host);
  await dialog.fill("ada", "a word");
  await terminal.tab.press("Enter");
  await terminal.shows("main -> main");
}

test("pagewire terminal opens a shell, git push asks in its tab and goes through, and again after a reload", async () => {
  const tab = await world.browser.open(await pagewire("terminal", "--print"));
  expect(await tab.evaluate("location.hash")).toBe("");
  const terminal = await world.shownIn(tab);
  await terminal.type(`git config --global user.name Ada; git config --global user.email ada@example.com`);
  await terminal.type("pagewire git-credential setup");
  await terminal.shows("was written into your git config");
  await terminal.type(`git init -q -b main shop && cd shop && git remote add origin ${server.url("ada/shop.git")}`);
  await terminal.type("git config push.autoSetupRemote true; git commit -q --allow-empty -m one; clear");
  await push(terminal);
  const first = server.head("ada/shop.git");
  expect(first).toMatch(/^[\da-f]{40}$/);

  await tab.reload();
  await terminal.shows("main -> main");
  await terminal.type("git commit -q --allow-empty -m two; clear");
  await push(terminal);
  expect(server.head("ada/shop.git")).not.toBe(first);
  expect(server.pushes).toHaveLength(2);
});

test("the guide's page shows a terminal once a code was pasted, and its actions, its client and its request do what they say", async () => {
  const actions = sampleOf("js", "open_order");
  // The sample's last script is the terminal's.
  world.served["/guide"] = sampleOf("html", "mountTerminal").replace(/<\/script>\s*$/, () => `${actions}</script>`);
  world.served["/api/orders/7"] = { body: '{"total":3}', type: "application/json" };
  const tab = await world.browser.open(world.app.url("/guide"));
  await tab.type("pagewire-terminal >>> #code", await pagewire("terminal", "--for", world.app.origin));
  await tab.press("Enter");
  const terminal = await world.shownIn(tab);
  expect(await terminal.run("pagewire delegate count '{\"to\":3}' --stream")).toMatchObject({
    output: expect.stringContaining("1\n2\n3\n"),
  });

  mkdirSync(new URL(".", script), { recursive: true });
  const client = sampleOf("js", "createDelegate").replace(
    "const tab",
    "const { signal } = new AbortController();\nconst tab",
  );
  writeFileSync(script, `${client}\nconsole.log(text);`);
  try {
    const { output } = await terminal.run(`${process.execPath} ${fileURLToPath(script)}`);
    expect(output).toContain('{"total":3}');
    const { output: answer } = await terminal.run(sampleOf("sh", "curl"));
    expect(JSON.parse(answer)).toMatchObject({
      cmd: "browser_response",
      status: "ok",
      result: "Celebration triggered!",
    });
  } finally {
    rmSync(script);
  }
});
