import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { signAgentToken, signTerminalToken } from "../../hub/index.ts";
import { closeNameOf } from "../../wire/index.ts";
import { startTestHub } from "../test-support/test-hub.test-helper.ts";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import type { TestIo } from "../test-support/test-io.test-helper.ts";

let cli: TestIo;

beforeEach(() => {
  cli = createTestIo();
});
afterEach(() => cli.close());

const app = "http://localhost:5173";

/** A hub with terminals, started by the command; the result stops it. */
async function startHub(...args: readonly string[]): Promise<{ url: string; said(): string; stop(): Promise<number> }> {
  const one = createTestIo({ home: cli.home, environment: { PATH: process.env["PATH"] ?? "" } });
  const code = one.run("hub", "--terminal", "--port", "0", "--no-demo", "--no-code", ...args);
  await Promise.race([one.wrote("Ctrl-C stops it."), code]);
  return {
    url: cli.state.runningHub()?.url ?? "",
    said: () => one.out() + one.err(),
    async stop() {
      await one.interrupt();
      return code;
    },
  };
}

/** Runs a command of its own in the same state directory. */
async function run(args: readonly string[], environment: Record<string, string> = {}) {
  const one = createTestIo({ home: cli.home, environment });
  const code = await one.run(...args);
  return { code, out: one.out(), err: one.err(), opened: one.opened };
}

/** The outcome of a code or token in a page: "welcome", or the name of the hub's close code. */
function hello(
  hub: string,
  proof: { code?: string; token?: string },
  origin: string = hub,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = new WebSocket(`${hub.replace("http", "ws")}/ws/terminal`, { origin });
    socket.on("open", () => socket.send(JSON.stringify({ type: "hello", version: 1, ...proof })));
    socket.on("message", (data: Buffer) => {
      resolve((JSON.parse(data.toString().split("\n")[0] ?? "") as { type: string }).type);
      socket.close();
    });
    socket.on("close", (code) => resolve(closeNameOf(code)));
  });
}

const codeIn = (url: string) => ({ code: new URL(url).hash.replace("#code=", "") });

test("with --terminal, the hub reports that terminals are on, and `terminal` opens its page with a one-time code", async () => {
  const hub = await startHub();
  expect(hub.said()).toMatch(/Terminals +on: npx pagewire terminal/);
  const { code, out, opened } = await run(["terminal"]);
  expect(code).toBe(0);
  expect(opened).toEqual([expect.stringMatching(/\/terminal#code=[\w-]{43}$/)]);
  expect(out).toBe(
    `Opens a terminal at ${hub.url}/terminal in your browser. If nothing opens: npx pagewire terminal --print\n`,
  );
  const [address = ""] = opened;
  expect(new URL(address).origin).toBe(hub.url);
  expect([await hello(hub.url, codeIn(address)), await hello(hub.url, codeIn(address))]).toEqual([
    "welcome",
    "token-invalid",
  ]);
  expect(hub.said() + out).not.toContain(cli.state.shellKey());
  expect(await hub.stop()).toBe(0);
  expect(cli.state.runningHub()).toBeUndefined();
});

test("with --print, --code and --json, the address or the code is printed, and no page is opened", async () => {
  const hub = await startHub();
  const [print, onlyCode, json] = [
    await run(["terminal", "--print"]),
    await run(["terminal", "--code"]),
    await run(["terminal", "--json"]),
  ];
  expect([print, onlyCode, json].flatMap(({ code, opened }) => [code, ...opened])).toEqual([0, 0, 0]);
  expect(await hello(hub.url, codeIn(print.out.trim()))).toBe("welcome");
  expect(onlyCode.out).toMatch(/^[\w-]{43}\n$/);
  expect(onlyCode.err).toContain(`for the terminal page of ${hub.url}, good once`);
  expect(await hello(hub.url, { code: onlyCode.out.trim() })).toBe("welcome");
  const made = JSON.parse(json.out) as { url: string; code: string; expiresAt: string };
  expect(made.url).toBe(`${hub.url}/terminal#code=${made.code}`);
  expect(Date.parse(made.expiresAt)).toBeGreaterThan(Date.now());
  expect(await hello(hub.url, { code: made.code })).toBe("welcome");
  await hub.stop();
});

test("`terminal --for` prints a code for the pages of an allowed origin", async () => {
  const hub = await startHub();
  const refused = await run(["terminal", "--for", app]);
  expect([refused.code, refused.out]).toEqual([4, ""]);
  expect(refused.err).toContain(`npx pagewire allow ${app}`);
  cli.state.allowOrigin(app);
  const { out, err } = await run(["terminal", "--for", app]);
  expect(out).toMatch(/^[\w-]{43}\n$/);
  expect(err).toContain(`for pages of ${app}, good once`);
  expect(await hello(hub.url, { code: out.trim() }, app)).toBe("welcome");
  const json = await run(["terminal", "--for", `${app}`, "--json"]);
  expect(JSON.parse(json.out)).toEqual({ code: expect.any(String), origin: app, expiresAt: expect.any(String) });
  const odd = await run(["terminal", "--for", `${app}/page`]);
  expect([odd.code, odd.err.includes(`Did you mean "${app}"?`)]).toEqual([2, true]);
  await hub.stop();
});

test("without a hub, `terminal` runs one with terminals, shows one of them, and stops it on Ctrl-C", async () => {
  const starter = createTestIo({ home: cli.home });
  const code = starter.run("terminal", "--port", "0", "--no-demo");
  await starter.wrote("Opens a terminal at");
  const url = cli.state.runningHub()?.url ?? "";
  expect(starter.out()).toMatch(/Terminals +on: npx pagewire terminal/);
  expect(starter.opened).toEqual([expect.stringContaining(`${url}/terminal#code=`)]);
  expect(await hello(url, codeIn(starter.opened[0] ?? ""))).toBe("welcome");
  await starter.interrupt();
  expect(await code).toBe(0);
  expect(cli.state.runningHub()).toBeUndefined();
});

test("Ctrl-C before the hub runs opens no terminal", async () => {
  const starter = createTestIo({ home: cli.home });
  const code = starter.run("terminal", "--port", "0", "--no-demo");
  await starter.interrupt();
  expect([await code, starter.opened]).toEqual([0, []]);
  expect(cli.state.runningHub()).toBeUndefined();
});

test("a hub whose terminal cannot be shown is stopped", async () => {
  const { code, err } = await run(["terminal", "--port", "0", "--no-demo", "--for", app]);
  expect([code, err.includes(`npx pagewire allow ${app}`)]).toEqual([4, true]);
  expect(cli.state.runningHub()).toBeUndefined();
});

test("if the running hub has no terminals, the command says how to turn them on", async () => {
  const hub = await startTestHub(cli);
  const { code, err, opened } = await run(["terminal"]);
  expect([code, opened]).toEqual([1, []]);
  expect(err).toContain(
    `The hub at ${hub.url} runs without terminals. End it, with Ctrl-C where it runs or with: kill ${process.pid}. Then run this again`,
  );
  const other = createTestIo();
  const elsewhere = await startTestHub(other);
  const named = await run(["terminal", "--hub", elsewhere.url], { PAGEWIRE_SHELL_KEY: other.state.shellKey() });
  expect(named.err).toContain("Have it started again with: npx pagewire hub --terminal");
  await elsewhere.close();
  other.close();
  await hub.close();
});

test.each([
  [["--print", "--code"], "Write --print for the address"],
  [["--print", "--for", app], "Write --print for the address"],
  [["--for", "*"], "Wildcards are not possible"],
])("`terminal` with %j is refused", async (args, message) => {
  const { code, err } = await run(["terminal", ...args]);
  expect([code, err.includes(message)]).toEqual([2, true]);
});

test("options for starting a hub are refused if one runs", async () => {
  const hub = await startHub();
  for (const args of [["--port", "0"], ["--klangk"], ["--allow-origin", app], ["--terminal-fetch", app]]) {
    const { code, err } = await run(["terminal", ...args]);
    expect([code, err.includes(`${args[0]} is for a hub that is started, and one runs at ${hub.url}.`)]).toEqual([
      2,
      true,
    ]);
  }
  await hub.stop();
});

test("the shell key is sent only to hubs on this machine, and a hub with another key refuses it", async () => {
  const elsewhere = await run(["terminal", "--hub", "http://hub.example.com"]);
  expect([elsewhere.code, elsewhere.err.includes("is not sent to http://hub.example.com")]).toEqual([4, true]);
  expect(existsSync(cli.state.shellKeyPath)).toBe(false);
  const hub = await startHub();
  const wrong = await run(["terminal"], { PAGEWIRE_SHELL_KEY: "another-shell-key" });
  expect([wrong.code, wrong.err.includes("PAGEWIRE_SHELL_KEY holds another shell key than it takes")]).toEqual([
    4,
    true,
  ]);
  const right = await run(["terminal", "--print"], { PAGEWIRE_SHELL_KEY: cli.state.shellKey() });
  expect(await hello(hub.url, codeIn(right.out.trim()))).toBe("welcome");
  expect((await run(["terminal"], { PAGEWIRE_URL: "http://127.0.0.1:1" })).code).toBe(3);
  await hub.stop();
});

test.each([
  [["--klangk"], "--klangk is for terminals: give --terminal too."],
  [["--terminal-fetch", app], "--terminal-fetch is for terminals: give --terminal too."],
  [["--terminal", "--terminal-fetch", "https://*.example.com"], "Wildcards are not possible"],
  [["--terminal", "--terminal-fetch", "http://[::1]:8080"], 'not from "http://[::1]:8080"'],
  [["--terminal", "--host", "0.0.0.0"], "without jwt mode"],
  [["--terminal", "--public-host", "hub.example.com"], "a shell is for this machine only"],
])("a hub with %j does not start, and says why", async (args, message) => {
  const { code, err } = await run(["hub", "--port", "0", ...args]);
  expect([code, err.includes(message)]).toEqual([2, true]);
  expect(cli.state.runningHub()).toBeUndefined();
});

test("a hub with terminals does not start with a shell key that others can read, and refuses everybody while the key is broken", async () => {
  cli.state.shellKey();
  chmodSync(cli.state.shellKeyPath, 0o644);
  const { code, err } = await run(["hub", "--terminal", "--port", "0"]);
  expect([code, err.includes("npx pagewire token rotate --shell")]).toEqual([2, true]);
  const key = cli.state.rotateShellKey();
  const hub = await startHub();
  writeFileSync(cli.state.shellKeyPath, "");
  expect((await run(["terminal"], { PAGEWIRE_SHELL_KEY: key })).code).toBe(4);
  expect(hub.said()).toContain("The shell key file");
  await hub.stop();
});

test("the shell key is shown and rotated separately from the token, and pages with the old one are disconnected", async () => {
  const hub = await startHub();
  const token = cli.state.agentToken();
  const address = (await run(["terminal", "--print"])).out.trim();
  const before = (await run(["token", "show", "--shell"])).out;
  expect(before).toBe(`${cli.state.shellKey()}\n`);
  const rotated = await run(["token", "rotate", "--shell"]);
  expect([rotated.code, rotated.out]).toEqual([0, expect.stringContaining("npx pagewire terminal")]);
  const after = cli.state.shellKey();
  expect(before).not.toContain(after);
  expect([rotated.out.includes(after), cli.state.agentToken()]).toEqual([false, token]);
  expect(JSON.parse((await run(["token", "show", "--shell", "--json"])).out)).toEqual({ shellKey: after });
  expect(await hello(hub.url, codeIn(address))).toBe("token-invalid");
  await hub.stop();
});

test("the help says what rotating a key ends, and a wrong argument suggests the key", async () => {
  const { out } = await run(["help", "token"]);
  expect(out.replace(/\s+/g, " ")).toContain("ends the terminals that were opened with it and the programs in them");
  const wrong = await run(["token", "change", "--shell"]);
  expect([wrong.code, wrong.err.includes("the shell key. Write: npx pagewire token show --shell")]).toEqual([2, true]);
});

test("in jwt mode a hub has terminals for users' tokens, and neither the shell key nor an agent's token opens one", async () => {
  const secret = "s".repeat(40);
  writeFileSync(join(cli.home, "secret"), secret, { mode: 0o600 });
  const hub = await startHub("--host", "0.0.0.0", "--insecure", "--jwt-secret-file", join(cli.home, "secret"));
  expect(hub.said()).toContain("PAGEWIRE_SHELL_KEY=<token> npx pagewire terminal");
  const [token, agent] = await Promise.all([
    signTerminalToken({ secret, subject: "ann" }),
    signAgentToken({ secret, subject: "ann" }),
  ]);
  expect(await hello(hub.url, { token })).toBe("welcome");
  expect(await hello(hub.url, { token: agent })).toBe("token-invalid");
  const refused = await run(["terminal"]);
  expect([refused.code, refused.err.includes("Bring one for the audience pagewire:terminal")]).toEqual([4, true]);
  const { out } = await run(["terminal", "--print"], { PAGEWIRE_SHELL_KEY: token });
  expect(await hello(hub.url, codeIn(out.trim()))).toBe("welcome");
  await hub.stop();
});
