// Real processes: a hub is killed, and another program takes its port while the hub's clients still run.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { startImpostor } from "../test-support/impostor.test-helper.ts";
import type { Impostor } from "../test-support/impostor.test-helper.ts";
import { buildCommand, startHub, startMcp } from "../mcp/test-support/command.test-helper.ts";
import type { BuiltCommand, HubOfCommand } from "../mcp/test-support/command.test-helper.ts";
import { initialize, initialized, modern, request } from "../mcp/test-support/messages.test-helper.ts";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import type { TestIo } from "../test-support/test-io.test-helper.ts";

let command: BuiltCommand;
let cli: TestIo;
let hub: HubOfCommand;

beforeAll(async () => {
  command = await buildCommand();
});
afterAll(() => command.remove());
beforeEach(async () => {
  cli = createTestIo();
  hub = await startHub({ program: command.program, home: cli.home });
});
afterEach(async () => {
  await hub.end();
  cli.close();
});

/** Starts a command; returns its output and how it ended. */
function start(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [command.program, ...args], {
    env: { PATH, HOME, PAGEWIRE_HOME: cli.home, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (more) => (text += more));
  const ended = once(child, "close").then(([code]) => code as number | null);
  const wrote = async (what: string) => {
    while (!text.includes(what)) await Promise.race([once(child.stdout, "data"), once(child.stderr, "data")]);
  };
  return { child, ended, wrote, text: () => text };
}

/** Kills the hub and listens in its place. */
async function takePlace(): Promise<Impostor> {
  const port = Number(new URL(hub.url).port);
  await hub.end();
  const impostor = await startImpostor(port);
  onTestFinished(() => impostor.close());
  return impostor;
}

function expectNoSecret(impostor: Impostor): void {
  const received = impostor.received();
  expect(received).toContain("GET /api/proof?");
  expect(received.toLowerCase()).not.toContain("authorization");
  expect(received).not.toContain("pagewire-proven");
  expect(received).not.toContain(cli.state.agentToken());
}

test("a `watch` whose hub was killed sends nothing to another program on its port, and reports it", async () => {
  const watching = start(["watch", "--hub", hub.url], { PAGEWIRE_TOKEN: cli.state.agentToken() });
  await watching.wrote("Ctrl-C");
  const impostor = await takePlace();
  expect(await watching.ended).toBe(4);
  expect(watching.text()).toContain(`What answers at ${impostor.url} did not prove that it is the hub of this token.`);
  expectNoSecret(impostor);
});

test("an MCP client's proxy sends it nothing either, with or without a session, and continues after the hub is back", async () => {
  const { url } = hub;
  const environment = { PAGEWIRE_URL: url, PAGEWIRE_TOKEN: cli.state.agentToken() };
  const mcp = startMcp({ program: command.program, home: cli.home, environment });
  onTestFinished(() => void mcp.child.kill("SIGKILL"));
  mcp.send(initialize(1), initialized, request(2, "tools/list"), modern(3, "tools/list"));
  for (const id of [1, 2, 3]) expect(await mcp.answer(id)).toHaveProperty("result");
  const impostor = await takePlace();
  let id = 10;
  for (const ask of [request, modern]) {
    let text: string;
    do {
      mcp.send(ask(++id, "tools/list"));
      text = JSON.stringify(await mcp.answer(id));
      // The connections to the hub may break at the first command; the next one reaches the impostor.
      expect(text).toMatch(/did not prove that it is the hub|The connection to the hub broke/);
    } while (!text.includes("did not prove"));
  }
  expectNoSecret(impostor);
  impostor.close();
  hub = await startHub({ program: command.program, home: cli.home }, String(impostor.port));
  mcp.send(request(6, "tools/list"), modern(7, "tools/list"));
  for (const id of [6, 7]) expect(await mcp.answer(id)).toHaveProperty("result");
});

test("credentials of a killed hub are not valid at its successor", async () => {
  const mcp = startMcp({ program: command.program, home: cli.home, args: ["--no-start"] });
  onTestFinished(() => void mcp.child.kill("SIGKILL"));
  mcp.send(modern(1, "tools/list"));
  expect(await mcp.answer(1)).toHaveProperty("result");
  const port = new URL(hub.url).port;
  await hub.end();
  hub = await startHub({ program: command.program, home: cli.home }, port);
  // The proxy has not noticed yet: its request is refused, and it asks the hub to prove itself again.
  mcp.send(modern(2, "tools/list"));
  expect(await mcp.answer(2)).toHaveProperty("result");
});

test("a second hub names the process that has the state directory, and changes nothing; that of a killed hub is taken over", async () => {
  const announced = readFileSync(join(cli.home, "hub.json"), "utf8");
  const second = start(["hub", "--port", "0"]);
  expect(await second.ended).toBe(1);
  expect(second.text()).toContain(`A hub already runs at ${hub.url} (process ${hub.child.pid}).`);
  expect(second.text()).toContain(`It has the state directory ${cli.home} since `);
  expect(readFileSync(join(cli.home, "hub.json"), "utf8")).toBe(announced);
  await hub.end("SIGKILL");
  expect(existsSync(join(cli.home, "hub.lock"))).toBe(true);
  hub = await startHub({ program: command.program, home: cli.home });
  expect(cli.state.runningHub()).toMatchObject({ url: hub.url, pid: hub.child.pid });
  await hub.end("SIGTERM");
  expect([cli.state.runningHub(), existsSync(join(cli.home, "hub.json"))]).toEqual([undefined, false]);
});

test("a suspended hub keeps the state directory", async () => {
  hub.child.kill("SIGSTOP");
  const second = start(["hub", "--port", "0"]);
  expect(await second.ended).toBe(1);
  expect(second.text()).toContain(`(process ${hub.child.pid})`);
  hub.child.kill("SIGCONT");
});
