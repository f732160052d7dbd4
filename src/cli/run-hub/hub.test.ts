import { existsSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { signAgentToken } from "../../hub/index.ts";
import { createHubLog } from "./hub-output.ts";
import { createHubSources } from "./hub-sources.ts";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import type { TestIo } from "../test-support/test-io.test-helper.ts";
import { connectTestPage } from "../test-support/test-page.test-helper.ts";
import { createPrinter } from "../common/printer.ts";

let cli: TestIo;

beforeEach(() => {
  cli = createTestIo();
});
afterEach(() => cli.close());

const another = () => createTestIo({ home: cli.home });

test("the hub prints its address and how to connect and call, and other commands find it", async () => {
  const code = cli.run("--port", "0", "--open");
  await cli.wrote("Ctrl-C stops it.");
  const url = cli.state.runningHub()?.url ?? "";
  for (const part of [
    `${url}/#code=`,
    `<script src="${url}/pagewire.js"`,
    "npx pagewire tools",
    "npx pagewire call",
    "npx pagewire allow",
  ]) {
    expect(cli.out()).toContain(part);
  }
  expect(cli.out() + cli.err()).not.toContain(cli.state.agentToken());
  expect(await another().run("tabs")).toBe(0);
  await cli.interrupt();
  expect(await code).toBe(0);
  expect(cli.err()).toContain("Stopping.");
  expect(cli.state.runningHub()).toBeUndefined();
});

/** The result of signing in with a code on the hub's own pages. */
async function signIn(url: string): Promise<number> {
  const { origin, hash } = new URL(url);
  const headers = { Origin: origin, "Content-Type": "application/json" };
  const body = JSON.stringify({ code: hash.replace("#code=", "") });
  return (await fetch(`${origin}/api/sign-in`, { method: "POST", headers, body })).status;
}

test("each address that the hub prints or `open` opens signs in once", async () => {
  const code = cli.run("--port", "0", "--open");
  await cli.wrote("Ctrl-C stops it.");
  const printed = /Open +(\S+)/.exec(cli.out())?.[1] ?? "";
  const opener = another();
  expect(await opener.run("open")).toBe(0);
  const { origin } = new URL(printed);
  expect(opener.out()).toBe(
    `Opens ${origin} in your browser, signed in. If nothing opens: npx pagewire open --print\n`,
  );
  const addresses = [printed, ...cli.opened, ...opener.opened];
  expect(new Set(addresses).size).toBe(3);
  for (const address of addresses) {
    expect(new URL(address).origin).toBe(cli.state.runningHub()?.url);
    expect([await signIn(address), await signIn(address)]).toEqual([200, 401]);
  }
  await cli.interrupt();
  await code;
});

test("`open --print` and `open --json` only print the address", async () => {
  const code = cli.run("--port", "0");
  await cli.wrote("Ctrl-C stops it.");
  const [forPeople, forPrograms] = [another(), another()];
  expect([await forPeople.run("open", "--print"), await forPrograms.run("open", "--json")]).toEqual([0, 0]);
  expect(forPeople.out()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#code=[\w-]{43}\n$/);
  const { url, expiresAt } = JSON.parse(forPrograms.out()) as { url: string; expiresAt: string };
  expect([await signIn(forPeople.out().trim()), await signIn(url)]).toEqual([200, 200]);
  expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now());
  expect([...forPeople.opened, ...forPrograms.opened]).toEqual([]);
  const { url: hub = "" } = cli.state.runningHub() ?? {};
  const elsewhere = another();
  expect(
    await elsewhere.run("open", "--print", "--hub", hub.replace("http", "ws").replace("127.0.0.1", "localhost")),
  ).toBe(0);
  // On localhost, a browser may reach another program, which would receive the code.
  expect(elsewhere.out()).toContain(`${hub}/#code=`);
  await cli.interrupt();
  await code;
});

test("`open` reports a missing hub, another program, or an invalid token", async () => {
  expect(await cli.run("open", "--hub", "http://127.0.0.1:1")).toBe(3);
  expect(cli.err()).toContain("Start it with: npx pagewire");
  expect(await another().run("open", "--hub", "x")).toBe(2);
  const other = createHttpServer((_, response) => response.end("hello"));
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const stranger = createTestIo({ home: cli.home, environment: { PAGEWIRE_TOKEN: "a-token-of-another-hub" } });
  expect(await stranger.run("open", "--hub", `http://127.0.0.1:${(other.address() as AddressInfo).port}`)).toBe(4);
  expect(stranger.err()).toContain("It is no hub.");
  other.close();
  const code = cli.run("--port", "0", "--no-code");
  await cli.wrote("Ctrl-C stops it.");
  const wrong = createTestIo({ home: cli.home, environment: { PAGEWIRE_TOKEN: "wrong" } });
  expect([await wrong.run("open"), wrong.opened]).toEqual([4, []]);
  await cli.interrupt();
  await code;
});

test("with --no-code, no address that signs in is printed, even with --json", async () => {
  for (const args of [[], ["--json"]]) {
    const one = another();
    const code = one.run("hub", "--port", "0", "--no-code", ...args);
    await one.wrote(args.length === 0 ? "Ctrl-C stops it." : "hub-listening");
    expect(one.out() + one.err()).not.toContain("#code");
    await one.interrupt();
    await code;
  }
});

/** A free port, followed by one that is in use until `free` is called. */
async function portBeforeTaken(): Promise<{ port: number; free(): void }> {
  const [one, next] = [createServer(), createServer()];
  await new Promise<void>((resolve) => one.listen(0, "127.0.0.1", resolve));
  const { port } = one.address() as AddressInfo;
  const isNextFree = await new Promise<boolean>((resolve) => {
    next.once("error", () => resolve(false)).listen(port + 1, "127.0.0.1", () => resolve(true));
  });
  if (!isNextFree) return portBeforeTaken().finally(() => one.close());
  await new Promise((resolve) => one.close(resolve));
  return { port, free: () => void next.close() };
}

test("the demo is at the next port, or at a free one with a note", async () => {
  const { port, free } = await portBeforeTaken();
  const demoOf = async () => {
    const one = another();
    const code = one.run("--port", String(port), "--no-code");
    await one.wrote("Ctrl-C stops it.");
    const demo = /Try it +(\S+)/.exec(one.out())?.[1] ?? "";
    expect((await fetch(demo)).headers.get("x-content-type-options")).toBe("nosniff");
    await one.interrupt();
    await code;
    return { demo, said: one.err() };
  };
  const elsewhere = await demoOf();
  expect(elsewhere.demo).not.toContain(`:${port + 1}/`);
  expect(elsewhere.said).toContain(`Port ${port + 1} is taken, so that the demo is at ${elsewhere.demo}.`);
  free();
  const next = await demoOf();
  expect(next.demo).toBe(`http://127.0.0.1:${port + 1}/`);
  expect(next.said).not.toContain("is taken");
});

test("the demo is at the given port, or off", async () => {
  const { port, free } = await portBeforeTaken();
  free();
  for (const [args, demo] of [
    [["--demo-port", String(port)], `http://127.0.0.1:${port}`],
    [["--demo-port", "0"], expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/)],
    [[], expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/)],
    [["--no-demo"], undefined],
  ] as const) {
    const one = another();
    const code = one.run("hub", "--no-code", "--json", "--port", "0", ...args);
    await one.wrote("hub-listening");
    const line = one
      .out()
      .split("\n")
      .find((each) => each.includes("hub-listening"));
    expect((JSON.parse(line ?? "") as { demo?: string }).demo).toEqual(demo);
    await one.interrupt();
    await code;
  }
});

test("with --json, every event is a line of JSON", async () => {
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

test("the first signal lets running calls finish, the second one does not", async () => {
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
  expect(caller.err()).toContain("Outcome unknown");
});

test("the error for a second hub on the same port names the first", async () => {
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

test("the error for a port in use names the program, if the system reveals it", async () => {
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
  [["--demo-port", "x"], 2, "--demo-port must be a whole number from 0 to 65535"],
  [["--demo-port", "7", "--no-demo"], 2, "either --demo-port or --no-demo"],
  [["--demo-port", "7", "--jwks", "https://id.example/keys"], 2, "jwt mode, which has no demo"],
  [["--issuer", "me"], 2, "--issuer is for jwt mode"],
  [["--jwks", "https://id.example", "--jwt-secret-file", "/x"], 2, "not both"],
  [["--jwt-secret-file", "/no/such/file"], 2, "The secret cannot be read from /no/such/file"],
  [["--host", "0.0.0.0", "--jwks", "https://id.example/keys"], 2, "does not listen on 0.0.0.0 in clear"],
  [["--tls-cert", "/no/such/file"], 2, "Give both: --tls-cert and --tls-key."],
  [["--tls-cert", "/no/such/file", "--tls-key", "/nor/this"], 2, "The certificate cannot be read from /no/such/file"],
  [["--behind-proxy", "proxy.example"], 2, '"proxy.example" is not the address of a proxy'],
])("a hub with %j does not start, and says why", async (args, code, message) => {
  expect(await cli.run("--port", "0", ...args)).toBe(code);
  expect(cli.err()).toContain(message);
  expect(existsSync(join(cli.home, "hub.json"))).toBe(false);
});

test.each([
  [{ issuer: "https://id.example" }, 'an identity provider without "name"'],
  [{ name: "acme" }, 'an identity provider without "issuer"'],
  [{ nome: "acme" }, '"nome", which is no setting of an identity provider'],
])("a hub with the identity provider %j in its team's file does not start, and says why", async (provider, message) => {
  const file = join(cli.home, "team.json");
  writeFileSync(file, JSON.stringify({ providers: [provider] }));
  expect(await cli.run("hub", "--port", "0", "--team", file)).toBe(2);
  expect(cli.err()).toContain(message);
});

test("in jwt mode, the hub reads the secret from a file, listens at the given address, and accepts tokens", async () => {
  const secret = join(cli.home, "secret");
  writeFileSync(secret, `${"s".repeat(40)}\n`, { mode: 0o600 });
  const code = cli.run("--port", "0", "--host", "0.0.0.0", "--insecure", "--jwt-secret-file", secret, "--issuer", "me");
  await cli.wrote("Ctrl-C stops it.");
  expect(cli.state.runningHub()?.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const token = await signAgentToken({ secret: "s".repeat(40), subject: "ada", issuer: "me" });
  const agent = createTestIo({ home: cli.home, environment: { PAGEWIRE_TOKEN: token } });
  expect([await agent.run("tabs"), await another().run("tabs")]).toEqual([0, 4]);
  expect(cli.out()).toContain("PAGEWIRE_TOKEN=<token> npx pagewire tools");
  expect(cli.out()).not.toContain("sss");
  expect(cli.out()).not.toMatch(/Try it|#code/);
  await cli.interrupt();
  expect(await code).toBe(0);
});

test("the hub applies the limits of its command line, including those for tokens", async () => {
  const secret = join(cli.home, "secret");
  writeFileSync(secret, "s".repeat(40), { mode: 0o600 });
  const code = cli.run("--port", "0", "--jwt-secret-file", secret, "--limit", "tokenTime=10m");
  await cli.wrote("Ctrl-C stops it.");
  const token = (expiresIn: number) => signAgentToken({ secret: "s".repeat(40), subject: "ada", expiresIn });
  const [short, long] = await Promise.all([token(600), token(660)]);
  const agent = (one: string) => createTestIo({ home: cli.home, environment: { PAGEWIRE_TOKEN: one } });
  expect(await agent(short).run("tabs")).toBe(0);
  const refused = agent(long);
  expect(await refused.run("tabs")).toBe(4);
  expect(refused.err()).toContain("longer than the limit tokenTime, 600 seconds");
  await cli.interrupt();
  expect(await code).toBe(0);
});

test("a hub does not start with an invalid limit", async () => {
  expect(await cli.run("--port", "0", "--limit", "tabPerPrincipal=5")).toBe(2);
  expect(cli.err()).toContain("Did you mean tabsPerPrincipal?");
  expect(existsSync(join(cli.home, "hub.json"))).toBe(false);
});

test("a hub does not start with a broken file", async () => {
  writeFileSync(join(cli.home, "origins.json"), "{");
  expect(await cli.run("--port", "0")).toBe(2);
  expect(cli.err()).toContain("origins.json");
});

test("a file that breaks while the hub runs is reported once; origins are unchanged, and no token is valid", () => {
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

test("a refused page is logged once a minute with the command that allows it, and stored for the doctor", () => {
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

test("an extension that was refused is logged with the command that pairs it, and is not listed to be allowed", () => {
  const log = createHubLog({ printer: createPrinter(cli.io, false), now: () => new Date(0), state: cli.state });
  const origin = "chrome-extension://abcdefghijklmnopabcdefghijklmnop";
  const refusal = { time: "2026-01-02T03:04:05", level: "warn", event: "page-refused", origin } as const;
  log.record({ ...refusal, code: "token-required", command: "npx pagewire extension" });
  log.record({ ...refusal, code: "origin-not-allowed" });
  expect(cli.err()).toContain("command=npx pagewire extension");
  expect([cli.err().includes("pagewire allow"), cli.state.refusedOrigins()]).toEqual([false, []]);
});

test("a page that was refused for another reason is logged once a minute, and each time with --json", () => {
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

test("an invalid origin is logged without a command, which a user could copy into a shell", () => {
  const log = createHubLog({ printer: createPrinter(cli.io, false), now: () => new Date(0), state: cli.state });
  const refusal = { time: "2026-01-02T03:04:05", level: "warn", event: "page-refused" } as const;
  for (const origin of ["null", "none", "http://x;id", "http://x;id", "http://$(id).example"])
    log.record({ ...refusal, code: "origin-not-allowed", origin });
  expect(cli.err()).not.toContain("npx pagewire allow");
  expect(cli.err().match(/origin=\S+/g)).toEqual([
    "origin=null",
    "origin=none",
    "origin=http://x;id",
    "origin=http://$(id).example",
  ]);
});

test("each event is one line, even if a page's name contains line breaks", () => {
  const log = createHubLog({ printer: createPrinter(cli.io, false), now: () => new Date(0), state: cli.state });
  log.record({ time: "2026-01-02T03:04:05", level: "info", event: "page-connected", app: "a\u001b[2J\nb", tab: "t1" });
  log.record({ time: "2026-01-02T03:04:06", level: "warn", event: "page-refused", code: "x", command: undefined });
  log.problem("The file is broken.");
  expect(cli.err()).toContain("03:04:05 page-connected app=a⟨U+001B⟩[2J b tab=t1\n");
  expect(cli.err()).toContain("03:04:06 page-refused code=x\n");
  expect(cli.err()).toContain("state-unreadable message=The file is broken.\n");
});
