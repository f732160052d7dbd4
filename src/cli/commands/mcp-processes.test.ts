import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { buildCommand, startHub, startMcp } from "../mcp/test-support/command.test-helper.ts";
import type { BuiltCommand, McpProcess } from "../mcp/test-support/command.test-helper.ts";
import { initialize, initialized, modern, request } from "../mcp/test-support/messages.test-helper.ts";
import { startTestHub } from "../test-support/test-hub.test-helper.ts";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import type { TestIo } from "../test-support/test-io.test-helper.ts";
import { connectTestPage, someTool } from "../test-support/test-page.test-helper.ts";

// Each test starts several processes.

let command: BuiltCommand;
let cli: TestIo;
const processes: McpProcess[] = [];

beforeAll(async () => {
  command = await buildCommand();
});
afterAll(() => command.remove());
beforeEach(() => {
  cli = createTestIo();
});
afterEach(async () => {
  for (const { child } of processes) child.kill("SIGKILL");
  await Promise.all(processes.splice(0).map(({ exited }) => exited));
  const hub = cli.state.runningHub();
  if (hub !== undefined && hub.pid !== process.pid) process.kill(hub.pid, "SIGKILL");
  cli.close();
});

function start(args: readonly string[] = [], environment: Readonly<Record<string, string>> = {}): McpProcess {
  const { program } = command;
  const started = startMcp({ program, home: cli.home, args: ["--port", "0", ...args], environment });
  processes.push(started);
  return started;
}

const hubsStarted = () => readFileSync(join(cli.home, "hub.log"), "utf8").match(/ listens on /g)?.length;

test("without a hub, one is started, which outlives the client and its command", async () => {
  const mcp = start();
  mcp.send(modern(1, "server/discover"), initialize(2), initialized, request(3, "tools/list"));
  expect(await mcp.answer(1)).toMatchObject({ result: { supportedVersions: ["2026-07-28"] } });
  expect(await mcp.answer(2)).toMatchObject({ result: { protocolVersion: "2025-11-25" } });
  expect(JSON.stringify(await mcp.answer(3))).toContain("list_browser_tabs");
  const hub = cli.state.runningHub();
  expect(hub?.pid).not.toBe(mcp.child.pid);
  mcp.child.stdin?.end();
  expect(await mcp.exited).toBe(0);
  expect(mcp.notes()).toMatch(/^pagewire mcp: Started a hub \(process \d+\), which goes on running\. Its log: .*\n$/);
  expect(cli.state.runningHub()).toEqual(hub);
  const next = start();
  next.send(modern(1, "tools/list"));
  expect(await next.answer(1)).toHaveProperty("result");
  expect(hubsStarted()).toBe(1);
});

test("concurrent clients start one hub", async () => {
  const all = Array.from({ length: 5 }, () => start());
  for (const mcp of all) mcp.send(modern(1, "tools/list"));
  for (const mcp of all) expect(await mcp.answer(1)).toHaveProperty("result");
  expect(hubsStarted()).toBe(1);
  expect(all.map((mcp) => mcp.notes()).join("")).toMatch(/^pagewire mcp: Started a hub .*\n$/);
  const files = readdirSync(cli.home).filter((name) => !name.startsWith("pagewire.db"));
  expect(files.sort()).toEqual(["audit-key", "hub.json", "hub.lock", "hub.log", "token"]);
});

test("a hub that cannot be started is an error with the reason, for every request", async () => {
  const busy = await startTestHub({ state: createTestIo().state });
  const port = new URL(busy.url).port;
  const mcp = startMcp({ program: command.program, home: cli.home, args: ["--port", port] });
  processes.push(mcp);
  for (const id of [1, 2]) {
    mcp.send(request(id, "initialize"));
    const { error } = await mcp.answer(id);
    expect(error).toMatchObject({ code: -32_000, data: { "pagewire/code": "hub-unreachable", "pagewire/ran": "no" } });
    expect(JSON.stringify(error)).toMatch(/none could be started: Port \d+ is used by .*hub\.log/);
  }
  await busy.close();
});

test.each([
  [["--no-start"], {}],
  [["--hub", "http://127.0.0.1:1"], {}],
  [[], { PAGEWIRE_URL: "http://127.0.0.1:1" }],
  [[], { PAGEWIRE_TOKEN: "a-token-of-another-hub" }],
])("with %j and %j no hub is started, and a request says how to", async (args, environment) => {
  const mcp = start(args, environment);
  mcp.send(modern(1, "tools/list"));
  expect(JSON.stringify(await mcp.answer(1))).toMatch(/safe to make it again.*Start it with: npx pagewire/);
  expect(existsSync(join(cli.home, "hub.log"))).toBe(false);
});

test("clients share the running hub, whether it was named or found", async () => {
  const hub = await startTestHub(cli);
  await hub.page();
  const all = [start(), start(["--hub", hub.url]), start([], { PAGEWIRE_URL: hub.url.replace("http", "ws") })];
  for (const [index, mcp] of all.entries()) {
    mcp.send(modern(index, "tools/call", { name: "greet", arguments: { name: `client ${index}` } }));
  }
  for (const [index, mcp] of all.entries())
    expect(JSON.stringify(await mcp.answer(index))).toContain(`client ${index}`);
  await hub.close();
});

test("with --tab, one tab's tools are served under their own names, and the error for an unknown tab names it", async () => {
  const hub = await startTestHub(cli);
  const page = await hub.page();
  const [mcp, lost] = [start(["--tab", page.tabId]), start(["--tab", "no-such-tab"])];
  for (const one of [mcp, lost]) one.send(modern(1, "tools/list"), initialize(2));
  expect(await mcp.answer(1)).toMatchObject({ result: { tools: [{ name: "greet" }] } });
  expect(await mcp.answer(2)).toHaveProperty("result");
  for (const id of [1, 2]) {
    expect(await lost.answer(id)).toMatchObject({ error: { data: { "pagewire/code": "tab-not-found" } } });
    expect(JSON.stringify(await lost.answer(id))).toContain('no tab \\"no-such-tab\\". See which there are with');
  }
  await hub.close();
});

/** A hub whose page runs a call of a client with a session; the call's signal. */
async function callInPage(mcp: McpProcess) {
  const hub = await startTestHub(cli);
  // A call that only reads would be given up as soon as its connection breaks.
  const tools = [{ ...someTool, annotations: {} }];
  const page = await hub.page({ tools, handle: () => new Promise(() => {}) });
  mcp.send(
    initialize("begin"),
    initialized,
    request("call", "tools/call", { name: "greet", arguments: { name: "x" } }),
  );
  const { signal } = await page.firstCall;
  const aborted = new Promise((resolve) => signal.addEventListener("abort", () => resolve(signal.reason)));
  return { hub, aborted };
}

test.each([
  ["its client ends its output", ({ child }: McpProcess) => void child.stdin?.end()],
  ["its client crashes", ({ child }: McpProcess) => void child.stdin?.destroy()],
  ["it is told to by SIGTERM", ({ child }: McpProcess) => void child.kill("SIGTERM")],
  ["its terminal is closed", ({ child }: McpProcess) => void child.kill("SIGHUP")],
  ["it is told to by SIGINT", ({ child }: McpProcess) => void child.kill("SIGINT")],
  [
    "nobody reads what it writes",
    (mcp: McpProcess) => {
      mcp.child.stdout?.destroy();
      mcp.send("nonsense");
    },
  ],
])("when %s it ends, and with it what runs for that client in pages", async (_, leave) => {
  const mcp = start();
  const { hub, aborted } = await callInPage(mcp);
  leave(mcp);
  expect(await mcp.exited).toBe(0);
  expect(await aborted).toContain("session ended");
  expect(mcp.notes()).toBe("");
  await hub.close();
});

test("a client that reads nothing does not keep the command from exiting", async () => {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, PAGEWIRE_HOME: cli.home };
  const child = spawn(process.execPath, [command.program, "mcp", "--no-start"], {
    env,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const exited = once(child, "exit");
  const long = `{"jsonrpc":"2.0","id":"${"x".repeat(100_000)}"}\n`;
  await new Promise<void>((resolve) => void child.stdin.write(long.repeat(50), () => resolve()));
  child.kill("SIGTERM");
  expect(await exited).toEqual([0, null]);
});

/** A client that gives the command its own pipes, or the test's; it reports when the command serves. */
const client = `
import { spawn } from "node:child_process";
const [mode, program] = process.argv.slice(2);
const stdio = mode === "own" ? ["pipe", "pipe", "inherit", 3] : [4, "inherit", "inherit", 3];
const { stdin, stdout } = spawn(process.execPath, [program, "mcp", "--no-start"], { stdio });
stdin?.write("nonsense\\n");
stdout?.pipe(process.stdout);
setInterval(() => {}, 1000);
`;

test.each(["own", "foreign"])("it ends when its parent is killed, also when its %s streams stay open", async (mode) => {
  const path = join(cli.home, "client.mjs");
  writeFileSync(path, client);
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, PAGEWIRE_HOME: cli.home };
  const stdio = ["ignore", "pipe", "inherit", "pipe", "pipe"] as const;
  const parent = spawn(process.execPath, [path, mode, command.program], { env, stdio: [...stdio] });
  const [, , , mark, input] = parent.stdio as unknown as readonly [null, Readable, null, Readable, Writable];
  // Killing a process resets connections with unread data.
  for (const stream of [mark, input]) stream.on("error", () => {});
  input.write("nonsense\n");
  if (parent.stdout) await once(parent.stdout, "data");
  parent.kill("SIGKILL");
  // This stream ends when the last holder of its other end is gone.
  await once(mark.resume(), "close");
});

test("a hub that is killed and restarted at another address is found, and the session continues", async () => {
  const { program } = command;
  const first = await startHub({ program, home: cli.home });
  const mcp = start();
  mcp.send(initialize(1), initialized, request(2, "tools/list"));
  await mcp.answer(2);
  await first.end();
  const second = await startHub({ program, home: cli.home });
  expect(second.url).not.toBe(first.url);
  await mcp.told("notifications/tools/list_changed");
  mcp.send(request(3, "tools/list"), modern(4, "tools/list"));
  expect(await mcp.answer(3)).toHaveProperty("result");
  expect(await mcp.answer(4)).toHaveProperty("result");
  expect(existsSync(join(cli.home, "hub.log"))).toBe(false);
  expect(mcp.notes()).toContain("The session was taken up again.\n");
  await second.end();
});

test("a call that runs when the hub is killed gets an unknown outcome", async () => {
  const { program } = command;
  const hub = await startHub({ program, home: cli.home });
  let calls = 0;
  let bothRun: () => void = () => {};
  const running = new Promise<void>((resolve) => (bothRun = resolve));
  const handle = () => {
    if (++calls === 2) bothRun();
    return new Promise<never>(() => {});
  };
  await connectTestPage({ hub: hub.url, handle });
  const mcp = start(["--no-start"]);
  const call = { name: "greet", arguments: { name: "x" } };
  mcp.send(initialize(1), initialized, request(2, "tools/call", call), modern(3, "tools/call", call));
  await running;
  await hub.end();
  for (const id of [2, 3]) {
    const { error } = await mcp.answer(id);
    expect(error).toMatchObject({ data: { "pagewire/code": "outcome-unknown", "pagewire/ran": "maybe" } });
  }
});

test("after the hub has exited, the next request starts another", async () => {
  const mcp = start();
  mcp.send(initialize(1), initialized, request(2, "tools/list"));
  await mcp.answer(2);
  process.kill(cli.state.runningHub()?.pid ?? 0, "SIGKILL");
  await mcp.noted("The hub is gone.");
  mcp.send(modern(3, "subscriptions/listen", { notifications: { toolsListChanged: true } }), request(4, "tools/list"));
  expect(await mcp.answer(4)).toHaveProperty("result");
  await mcp.told("notifications/subscriptions/acknowledged");
  expect(hubsStarted()).toBe(2);
  expect(
    mcp
      .notes()
      .split("\n")
      .every((line) => line === "" || line.startsWith("pagewire mcp: ")),
  ).toBe(true);
});

test("a rotated token is used from then on", async () => {
  const hub = await startTestHub(cli);
  const mcp = start();
  mcp.send(initialize(1), initialized, request(2, "tools/list"));
  await mcp.answer(2);
  cli.state.rotateAgentToken();
  mcp.send(request(3, "tools/list"), modern(4, "tools/list"));
  expect(await mcp.answer(3)).toHaveProperty("result");
  expect(await mcp.answer(4)).toHaveProperty("result");
  await hub.close();
});
