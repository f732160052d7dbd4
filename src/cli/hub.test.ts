import { existsSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { signAgentToken } from "../hub/index.ts";
import { createHubLog } from "./hub-log.ts";
import { createHubSources } from "./hub-sources.ts";
import { createTestIo } from "./test-io.test-helper.ts";
import type { TestIo } from "./test-io.test-helper.ts";
import { connectTestPage } from "./test-page.test-helper.ts";
import { createPrinter } from "./terminal/printer.ts";

let cli: TestIo;

beforeEach(() => {
  cli = createTestIo();
});
afterEach(() => cli.close());

const another = () => createTestIo({ home: cli.home });

test("CL18: the hub says where it is, how a page connects and how to call, and is found by the other commands", async () => {
  const code = cli.run("--port", "0", "--open");
  await cli.wrote("Ctrl-C stops it.");
  const url = cli.state.runningHub()?.url ?? "";
  for (const part of [
    url,
    `${url}/demo/`,
    `<script src="${url}/pagewire.js"`,
    "npx pagewire tools",
    "npx pagewire call",
    "npx pagewire allow",
  ]) {
    expect(cli.out()).toContain(part);
  }
  expect(cli.out() + cli.err()).not.toContain(cli.state.agentToken());
  expect(cli.opened).toEqual([`${url}/demo/`]);
  expect(await another().run("tabs")).toBe(0);
  await cli.interrupt();
  expect(await code).toBe(0);
  expect(cli.err()).toContain("Stopping.");
  expect(cli.state.runningHub()).toBeUndefined();
});

test("CL18: for programs everything that happens is a line of JSON", async () => {
  const code = cli.run("hub", "--port", "0", "--json");
  await cli.wrote("hub-listening");
  await another().run("tabs");
  await cli.interrupt();
  expect(await code).toBe(0);
  const lines = cli
    .out()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { event: string });
  expect(lines.map(({ event }) => event)).toEqual(expect.arrayContaining(["hub-listening", "agent-connected"]));
  expect(lines.find(({ event }) => event === "hub-listening")).toMatchObject({ pid: process.pid, level: "info" });
  expect(cli.err()).toBe("");
});

test("CL18: the first signal lets running calls finish, the second one does not", async () => {
  const code = cli.run("--port", "0");
  await cli.wrote("Ctrl-C stops it.");
  const hub = cli.state.runningHub()?.url ?? "";
  await connectTestPage({
    hub,
    handle({ say, frame: { id } }) {
      say({ type: "progress", id, progress: 1, message: "begun" });
      return new Promise(() => {});
    },
  });
  const caller = another();
  const call = caller.run("call", "greet");
  await caller.wrote("begun");
  await cli.interrupt();
  await cli.wrote("Stopping.");
  expect(await Promise.race([code, call, Promise.resolve("running")])).toBe("running");
  await cli.interrupt();
  expect(await code).toBe(130);
  expect(await call).toBe(7);
  expect(caller.err()).toContain("Nobody knows how it ended");
});

test("CL18: a second hub on the same port is pointed to the first", async () => {
  const code = cli.run("--port", "0");
  await cli.wrote("Ctrl-C stops it.");
  const running = cli.state.runningHub();
  const second = another();
  expect(await second.run("--port", String(running?.port))).toBe(1);
  expect(second.err()).toContain(`A hub already runs at ${running?.url ?? ""} (process ${process.pid}).`);
  expect(cli.state.runningHub()).toEqual(running);
  await cli.interrupt();
  await code;
});

test("CL18: a port that another program has is named, with that program where the system tells", async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as AddressInfo;
  expect(await cli.run("--port", String(port))).toBe(1);
  expect(cli.err()).toContain(`Port ${port} is used by another program: process ${process.pid}`);
  expect(cli.err()).toContain("Choose another port with --port.");
  other.close();
});

test.each([
  [["--host", "0.0.0.0"], 2, "without jwt mode"],
  [["--allow-origin", "http://localhost:5173/"], 2, 'Did you mean "http://localhost:5173"?'],
  [["--port", "x"], 2, "--port must be a whole number from 0 to 65535"],
  [["--issuer", "me"], 2, "--issuer is for jwt mode"],
  [["--jwks", "https://id.example", "--jwt-secret-file", "/x"], 2, "not both"],
  [["--jwt-secret-file", "/no/such/file"], 2, "The secret cannot be read from /no/such/file"],
])("CL18: a hub with %j does not start, and says why", async (args, code, message) => {
  expect(await cli.run("--port", "0", ...args)).toBe(code);
  expect(cli.err()).toContain(message);
  expect(existsSync(join(cli.home, "hub.json"))).toBe(false);
});

test("CL18: in jwt mode the hub takes the secret from a file, listens where it is told to, and lets in who brings a token", async () => {
  const secret = join(cli.home, "secret");
  writeFileSync(secret, `${"s".repeat(40)}\n`);
  const code = cli.run("--port", "0", "--host", "0.0.0.0", "--jwt-secret-file", secret, "--issuer", "me");
  await cli.wrote("Ctrl-C stops it.");
  expect(cli.state.runningHub()?.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const token = await signAgentToken({ secret: "s".repeat(40), subject: "ada", issuer: "me" });
  const agent = createTestIo({ home: cli.home, environment: { PAGEWIRE_TOKEN: token } });
  expect([await agent.run("tabs"), await another().run("tabs")]).toEqual([0, 4]);
  expect(cli.out()).toContain("PAGEWIRE_TOKEN=<token> npx pagewire tools");
  expect(cli.out()).not.toContain("sss");
  expect(cli.out()).not.toContain("/demo/");
  await cli.interrupt();
  expect(await code).toBe(0);
});

test("CL20: a hub does not start with a broken file", async () => {
  writeFileSync(join(cli.home, "origins.json"), "{");
  expect(await cli.run("--port", "0")).toBe(2);
  expect(cli.err()).toContain("origins.json");
});

test("CL20: a file that breaks while the hub runs is reported once; origins stay as they were, no token is good any more", () => {
  const problems: string[] = [];
  cli.state.allowOrigin("https://shop.example");
  const sources = createHubSources(cli.state, ["HTTP://localhost:5173"], (message) => problems.push(message));
  const origins = ["https://shop.example", "http://localhost:5173"];
  expect([sources.allowedOrigins(), sources.agentToken()]).toEqual([origins, cli.state.agentToken()]);
  writeFileSync(join(cli.home, "origins.json"), "{");
  writeFileSync(join(cli.home, "token"), "");
  for (let time = 0; time < 3; time++) expect([sources.allowedOrigins(), sources.agentToken()]).toEqual([origins, ""]);
  expect(problems).toHaveLength(2);
  const token = cli.state.rotateAgentToken();
  expect(sources.agentToken()).toBe(token);
});

test("CL20: a page that is refused is named with the command that lets it in, once a minute, and noted for the doctor", () => {
  let now = 0;
  const log = createHubLog({ printer: createPrinter(cli.io, false), now: () => new Date(now), state: cli.state });
  const origin = "https://shop.example";
  const refusal = {
    time: "2026-01-02T03:04:05",
    level: "warn",
    event: "page-refused",
    code: "origin-not-allowed",
    origin,
  } as const;
  for (now = 0; now <= 60_000; now += 10_000) log.record(refusal);
  const line = `03:04:05 A page of ${origin} wants to use this hub. Let it with: npx pagewire allow ${origin}\n`;
  expect(cli.err()).toBe(line + line);
  expect(cli.state.refusedOrigins().map((each) => each.origin)).toEqual([origin]);
});

test("CL20: a page that is refused for another reason is named once a minute, too, and each time in JSON", () => {
  const refusal = { time: "2026-01-02T03:04:05", level: "warn", event: "page-refused", origin: "https://a.example" };
  const logTo = (json: boolean) =>
    createHubLog({ printer: createPrinter(cli.io, json), now: () => new Date(0), state: cli.state });
  const codes = ["model-missing", "model-missing", "token-expired"];
  for (const log of [logTo(false), logTo(true)]) {
    for (const code of codes) log.record({ ...refusal, level: "warn", code });
  }
  expect(cli.err().match(/code=[a-z-]+/g)).toEqual(["code=model-missing", "code=token-expired"]);
  expect(cli.out().trimEnd().split("\n")).toHaveLength(3);
  expect(cli.state.refusedOrigins()).toEqual([]);
});

test("CL20: what happens is a line for people, whatever a page calls itself", () => {
  const log = createHubLog({ printer: createPrinter(cli.io, false), now: () => new Date(0), state: cli.state });
  log.record({ time: "2026-01-02T03:04:05", level: "info", event: "page-connected", app: "a\u001b[2J\nb", tab: "t1" });
  log.record({ time: "2026-01-02T03:04:06", level: "warn", event: "page-refused", code: "x", command: undefined });
  log.problem("The file is broken.");
  expect(cli.err()).toContain("03:04:05 page-connected app=a\u{fffd}[2J b tab=t1\n");
  expect(cli.err()).toContain("03:04:06 page-refused code=x\n");
  expect(cli.err()).toContain("state-unreadable message=The file is broken.\n");
});
