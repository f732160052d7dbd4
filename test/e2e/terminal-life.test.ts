// A terminal's programs and their calls when tabs and the hub come and go.
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { recordFault } from "../support/record-fault.ts";
import { createCallTab } from "./support/delegate.ts";
import type { CallTab, DelegateAnswer } from "./support/delegate.ts";
import type { ShownTerminal } from "./support/shown-terminal.ts";
import type { Tab } from "./support/tab.ts";
import { waitUntil } from "./support/wait.ts";
import { createTerminalWorld } from "./terminal.test-helper.ts";
import type { TerminalWorld } from "./terminal.test-helper.ts";

let world: TerminalWorld;

beforeAll(async () => {
  world = await createTerminalWorld();
  world.served["/api/orders"] = { body: '{"orders":3}', type: "application/json" };
  world.served["/logo.png"] = { body: Uint8Array.of(0x89, 0x50, 0xff, 0x00), type: "image/png" };
});
afterEach(async () => {
  for (const tab of await world.browser.tabs()) await tab.close();
});
afterAll(() => world?.close());

const run = promisify(execFile);
const tabIdOf = (tab: Tab): Promise<string> => tab.evaluate("pagewire.state.tabId");

/** A program in this terminal that calls without a shell in between. */
async function programIn(terminal: ShownTerminal): Promise<{ readonly id: string; readonly call: CallTab }> {
  const environment = await terminal.environment("PAGEWIRE_");
  return { id: environment["PAGEWIRE_TERMINAL"] ?? "", call: createCallTab(environment) };
}

/** Starts a call that lasts until the page releases it, and waits until it runs there. */
async function hold({ tab }: ShownTerminal, begin: () => Promise<DelegateAnswer>): Promise<Promise<DelegateAnswer>[]> {
  await tab.evaluate("localStorage.removeItem('held')");
  const call = begin();
  await tab.waitFor("localStorage.getItem('held') !== null");
  // In a list, so that `await` does not wait for the call.
  return [call];
}

function note(fault: string, { body }: DelegateAnswer): void {
  const { code, ran } = body;
  const observed = [code, ran].join(", ran: ");
  recordFault("terminal", { fault, expected: "the program hears at once", observed, count: 1 });
}

/** Clicks a terminal to focus it. */
async function takeFocus({ tab }: ShownTerminal): Promise<void> {
  await tab.activate();
  await tab.click("pagewire-terminal >>> .xterm-screen");
  await tab.waitFor("view.state.attachment === 'here'");
}

test("when the tab is closed or reloaded while it works, the program hears so without waiting for its time to be over", async () => {
  const terminal = await world.openApp();
  const { call } = await programIn(terminal);
  const [reloaded] = await hold(terminal, () => call("hold", { text: "a" }));
  await terminal.tab.reload();
  const first = await reloaded;
  expect(first).toMatchObject({ status: 502, body: { detail: "Browser connection not available", ran: "maybe" } });
  note("tab reloaded while it works", first as DelegateAnswer);

  await terminal.ready();
  const [closed] = await hold(terminal, () => call("hold", { text: "b" }));
  await terminal.tab.close();
  const second = await closed;
  expect(second).toMatchObject({ status: 502, body: { detail: "Browser connection not available", ran: "maybe" } });
  note("tab closed while it works", second as DelegateAnswer);
});

test("the same key after a reload returns the outcome of the earlier run, and runs nothing", async () => {
  const terminal = await world.openApp();
  const { call } = await programIn(terminal);
  await terminal.tab.evaluate("localStorage.removeItem('echo')");
  const first = await call("echo", { text: "a" }, { key: "once" });
  await terminal.tab.reload();
  const again = await call("echo", { text: "a" }, { key: "once" });
  expect([first.status, again.body["result"]]).toEqual([200, first.body["result"]]);
  expect(await terminal.tab.evaluate("localStorage.getItem('echo')")).toBe("1");
});

test("a frozen tab fails the call that runs at once as suspended, and works again when it thaws", async () => {
  const terminal = await world.openApp();
  const { call } = await programIn(terminal);
  const [running] = await hold(terminal, () => call("hold", { text: "a" }));
  await terminal.tab.freeze();
  const frozen = await running;
  expect(frozen).toMatchObject({
    status: 502,
    body: { detail: "Browser connection not available", code: "tab-suspended" },
  });
  note("tab frozen while it works", frozen as DelegateAnswer);
  await terminal.tab.activate();
  // Poll: the hub is notified of the activation a moment later.
  await expect.poll(async () => (await call("echo", { text: "b" })).status).toBe(200);
});

test("a program that runs on after its tab closed is served again by the tab in which the terminal is opened next", async () => {
  const first = await world.openApp();
  const { id } = await programIn(first);
  const log = join(world.home, "agent.log");
  await writeFile(join(world.home, "agent.mjs"), agent(log));
  const agentRun = await first.start(`${process.execPath} ~/agent.mjs`);
  const heard = (words: string) =>
    waitUntil(
      async () => (await readFile(log, "utf8").catch(() => "")).split("\n").filter((line) => line.includes(words))[0],
      () => `The agent did not hear "${words}".`,
    );
  await heard(`in ${await tabIdOf(first.tab)}`);
  await first.tab.close();
  await heard("No browser client connected");
  const second = await world.openApp(id);
  await heard(`in ${await tabIdOf(second.tab)}`);
  await second.tab.evaluate("registerAction('stop', () => 'stopped')");
  expect(await agentRun.ended()).toMatchObject({ code: 0 });
});

test("of two tabs that show one terminal the one that has the focus is called, and the other hears nothing", async () => {
  const one = await world.openApp();
  const { id, call } = await programIn(one);
  const two = await world.openApp(id);
  const ids = [await tabIdOf(one.tab), await tabIdOf(two.tab)];
  const seen: unknown[] = [];
  for (const shown of [two, one, two]) {
    await takeFocus(shown);
    seen.push((await call("echo", { text: "x" })).body["result"]);
  }
  expect(seen).toEqual([`x in ${ids[1]}`, `x in ${ids[0]}`, `x in ${ids[1]}`]);
  expect((await call("echo", { text: "x" }, { browserId: ids[0] ?? "" })).status).toBe(403);
  expect((await call("echo", { text: "x" }, { browserId: ids[1] ?? "" })).status).toBe(200);
  await two.type("echo both-$((40 + 2))");
  await two.shows("both-42");
  // A browser paints only visible tabs.
  await one.tab.activate();
  await one.shows("both-42");
});

test("two terminals of one tmux server in two tabs never get each other's calls, and its global environment names neither", async () => {
  const shown = [await world.openApp(), await world.openApp()] as const;
  const [one, two] = [await programIn(shown[0]), await programIn(shown[1])];
  const turns = Array.from({ length: 20 }, (_, index) => ({ text: `turn ${index}` }));
  const answers = await Promise.all([one, two].map(({ call }) => Promise.all(turns.map((turn) => call("echo", turn)))));
  const said = answers.map((each) => [...new Set(each.map(({ body }) => String(body["result"]).split(" in ")[1]))]);
  expect(said).toEqual([[await tabIdOf(shown[0].tab)], [await tabIdOf(shown[1].tab)]]);
  const { output } = await shown[1].run(
    "tmux list-sessions -F x | grep -c x; tmux show-environment -g | grep -c 'PAGEWIRE_TERM\\|KLANGK'; pagewire browser-id",
  );
  const [sessions, named, id] = output.split("\n");
  expect([Number(sessions) >= 2, named, id]).toEqual([true, "0", two.id]);
});

test("a restarted hub has the same shells, with the programs that run in them and their tokens", async () => {
  const terminal = await world.openApp();
  const { call } = await programIn(terminal);
  const waiting = await terminal.start(
    "echo began; until [ -e ~/go ]; do sleep 0.05; done; echo went-on | tee /dev/tty",
  );
  await waitUntil(waiting.output, () => "The shell does not begin.");
  await world.hub.kill();
  await writeFile(join(world.home, "go"), "");
  expect(await waiting.ended()).toEqual({ code: 0, output: "began\nwent-on\n" });
  await world.hub.restart();
  await terminal.shows("went-on");
  await terminal.tab.waitFor("pagewire.state.status === 'connected' && view.state.attachment === 'here'");
  expect((await call("echo", { text: "a" })).body["result"]).toBe(`a in ${await tabIdOf(terminal.tab)}`);
  expect(await terminal.run('pagewire delegate echo \'{"text":"b"}\'')).toMatchObject({ code: 0 });
});

test("a terminal in an app's own page fetches with the session of the app, text and bytes", async () => {
  const terminal = await world.openApp();
  const fetched = await terminal.run(`pagewire delegate fetch '{"url":"/api/orders"}'`);
  expect(JSON.parse(fetched.output)).toMatchObject({ status: 200, body: '{"orders":3}', encoding: "utf8" });
  const asked = world.app.requests.find(({ path }) => path === "/api/orders");
  expect(asked?.headers.cookie).toBe("session=ada");
  const picture = await terminal.run(`pagewire delegate fetch '{"url":"/logo.png"}'`);
  expect(JSON.parse(picture.output)).toMatchObject({ body: "iVD/AA==", encoding: "base64" });
});

test("an ordinary terminal is attached by command, before any tmux client is there, and after its session forgot the id", async () => {
  const shown = await world.openApp();
  const tabId = await tabIdOf(shown.tab);
  const server = ["-L", "ordinary", "-f", "/dev/null"];
  const environment = {
    PATH: process.env["PATH"],
    HOME: world.home,
    PAGEWIRE_HOME: world.hub.home,
    TMUX_TMPDIR: join(world.home, ".tmux"),
  };
  const tmux = (...args: string[]) => run("tmux", [...server, ...args], { env: environment });
  const file = join(world.home, "ordinary.out");
  const pagewire = `PATH="$PATH:${world.hub.home}/terminal/bin"; `;
  const inSession = async (commands: string): Promise<string> => {
    await tmux(
      "send-keys",
      "-t",
      "work",
      `{ ${pagewire}${commands}; } > ${file} 2>&1; tmux ${server.join(" ")} wait-for -S done`,
      "Enter",
    );
    await tmux("wait-for", "done");
    return readFile(file, "utf8");
  };
  await tmux("new-session", "-d", "-s", "work", "/bin/sh");
  try {
    expect(await inSession("pagewire browser-id; echo $?")).toBe("1\n");
    await inSession(`pagewire attach-browser ${tabId}`);
    expect(await inSession(`pagewire delegate echo '{"text":"a"}'`)).toBe(`a in ${tabId}\n`);
    await tmux("set-environment", "-t", "work", "-r", "PAGEWIRE_BROWSER_ID");
    expect(await inSession("pagewire browser-id; true")).not.toContain("PAGEWIRE_BROWSER_ID");
    expect(await inSession(`pagewire attach-browser "two words"; echo $?`)).toMatch(/2\n$/);
  } finally {
    await tmux("kill-server");
  }
});

/** Calls again and again, and logs each answer, until the tab has an action that stops it. */
const agent = (log: string): string => `
import { appendFileSync } from "node:fs";
const { PAGEWIRE_URL: url, PAGEWIRE_TERMINAL: id, PAGEWIRE_TERMINAL_TOKEN: token } = process.env;
const call = (action) => fetch(url + "/api/browser-delegate", {
  method: "POST",
  headers: { authorization: "Bearer " + token, "content-type": "application/json" },
  body: JSON.stringify({ action, text: "", browser_id: id }),
}).then((response) => response.json());
for (;;) {
  const { result, detail } = await call("echo");
  appendFileSync(${JSON.stringify(log)}, (result ?? detail) + "\\n");
  if ((await call("stop")).result === "stopped") break;
}
`;
