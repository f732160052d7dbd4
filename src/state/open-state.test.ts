import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { openState } from "./open-state.ts";
import type { State } from "./open-state.ts";
import { markProcess } from "./processes.ts";
import { createTemporaryFolder, exitOf, runTogether, waitForStart, writeScript } from "./processes.test-helper.ts";
import type { TemporaryFolder } from "./processes.test-helper.ts";

let folder: TemporaryFolder;
let directory: string;
let state: State;

beforeEach(() => {
  folder = createTemporaryFolder();
  directory = join(folder.path, "state", "pagewire");
  state = openState(directory);
});

afterEach(() => {
  state.close();
  state.close();
  folder.remove();
});

const pathOf = (name: string) => join(directory, name);
const modeOf = (path: string) => statSync(path).mode & 0o777;

test("the token is 256 random bits, made once, in a file and a directory that only their owner can read", () => {
  const token = state.agentToken();
  expect(Buffer.from(token, "base64url")).toHaveLength(32);
  expect(state.agentToken()).toBe(token);
  expect(openState(directory).agentToken()).toBe(token);
  expect(readFileSync(pathOf("token"), "utf8")).toBe(`${token}\n`);
  expect([modeOf(directory), modeOf(pathOf("token"))]).toEqual([0o700, 0o600]);
  expect(readdirSync(directory)).toEqual(["token"]);
});

test("processes that start together agree on one token", async () => {
  const script = await writeScript(
    folder.path,
    `${waitForStart}
    const tokens = [];
    for (let round = 0; round < 25; round++) tokens.push(openState(${JSON.stringify(folder.path)} + "/race-" + round).agentToken());
    console.log(tokens.join(" "));`,
  );
  const found = await runTogether(script, 5);
  expect(new Set(found).size).toBe(1);
  expect(new Set(found[0]?.split(" ")).size).toBe(25);
});

test("a token file that others can read is refused, with the way out", () => {
  state.agentToken();
  for (const mode of [0o640, 0o604, 0o622]) {
    chmodSync(pathOf("token"), mode);
    expect(() => state.agentToken()).toThrow(
      `The token file ${pathOf("token")} is open to others (mode 0${mode.toString(8)})`,
    );
  }
  const token = state.rotateAgentToken();
  expect(state.agentToken()).toBe(token);
  expect(modeOf(pathOf("token"))).toBe(0o600);
});

test.each([
  ["", "is empty"],
  ["\n", "is empty"],
  ["two words", "does not hold one line"],
  ["short", "does not hold one line"],
])("a token file that holds %j is refused, never taken for a token", (text, problem) => {
  writeFileSync(pathOf("token"), text, { mode: 0o600 });
  expect(() => state.agentToken()).toThrow(problem);
  expect(() => state.agentToken()).toThrow("pagewire token rotate");
});

test("a directory that cannot be made is an error that names it", () => {
  writeFileSync(join(folder.path, "file"), "");
  expect(() => openState(join(folder.path, "file", "state"))).toThrow("Set PAGEWIRE_HOME to another.");
});

test("a rotated token is another one, at once and for every process", () => {
  const other = openState(directory);
  const before = other.agentToken();
  const token = state.rotateAgentToken();
  expect(token).not.toBe(before);
  expect([state.agentToken(), other.agentToken()]).toEqual([token, token]);
});

test("origins are allowed once each, in their normal form, and can be taken back", () => {
  expect(state.allowedOrigins()).toEqual([]);
  expect(state.allowOrigin("HTTPS://Shop.example:443")).toBe(true);
  expect(state.allowOrigin("https://shop.example")).toBe(false);
  expect(state.allowOrigin("http://localhost:5173")).toBe(true);
  expect(openState(directory).allowedOrigins()).toEqual(["https://shop.example", "http://localhost:5173"]);
  expect(state.disallowOrigin("https://shop.example")).toBe(true);
  expect(state.disallowOrigin("https://shop.example")).toBe(false);
  expect(state.allowedOrigins()).toEqual(["http://localhost:5173"]);
  expect(modeOf(pathOf("origins.json"))).toBe(0o600);
});

test("what is no origin is neither allowed nor taken back", () => {
  for (const change of [state.allowOrigin, state.disallowOrigin]) {
    expect(() => change("https://shop.example/cart")).toThrow('Did you mean "https://shop.example"?');
    expect(() => change("*")).toThrow("Wildcards are not possible");
  }
  expect(existsSync(pathOf("origins.json"))).toBe(false);
});

test("many origins are changed at once, and what is no origin is left out", () => {
  const all = Array.from({ length: 10_000 }, (_, index) => `https://${index}.example`);
  state.allowOrigin("https://old.example");
  state.changeOrigins((origins) => {
    origins.delete("https://old.example");
    for (const origin of ["*", ...all]) origins.add(origin);
  });
  expect(openState(directory).allowedOrigins()).toEqual(all);
  const { mtimeMs } = statSync(pathOf("origins.json"));
  state.changeOrigins((origins) => origins.add("no origin"));
  expect(statSync(pathOf("origins.json")).mtimeMs).toBe(mtimeMs);
});

test("processes that allow origins at the same time lose none", async () => {
  const script = await writeScript(
    folder.path,
    `${waitForStart}
    const state = openState(${JSON.stringify(directory)});
    for (let index = 0; index < 10; index++) state.allowOrigin("http://localhost:" + (1000 + 10 * process.argv[2] + index));
    console.log("done");`,
  );
  await runTogether(script, 4);
  expect(new Set(state.allowedOrigins()).size).toBe(40);
  expect(readdirSync(directory)).toEqual(["origins.json"]);
});

test("the lock of a process that died is not waited for", () => {
  writeFileSync(pathOf("origins.json.lock"), "");
  const longAgo = new Date(Date.now() - 60_000);
  utimesSync(pathOf("origins.json.lock"), longAgo, longAgo);
  expect(state.allowOrigin("https://shop.example")).toBe(true);
});

test.each(["", "[]", "not JSON", '{"origins":"https://shop.example"}', '{"origins":[7]}', '{"other":[]}'])(
  "an origins file that holds %j is an error that names the file and the way out, never an empty list",
  (text) => {
    writeFileSync(pathOf("origins.json"), text);
    for (const use of [state.allowedOrigins, () => state.allowOrigin("https://shop.example")]) {
      expect(use).toThrow(pathOf("origins.json"));
      expect(use).toThrow("delete it and allow each origin again");
    }
    expect(readFileSync(pathOf("origins.json"), "utf8")).toBe(text);
  },
);

test("an origins file with one bad origin is an error that names the origin", () => {
  writeFileSync(pathOf("origins.json"), '{"origins":["https://shop.example","https://*.example"]}');
  expect(state.allowedOrigins).toThrow('"https://*.example" is not an origin');
});

test("a change by another process is noticed, and again, until listening stops", async () => {
  state.agentToken();
  const other = openState(directory);
  let heard = 0;
  let tell = () => {};
  const stop = state.onChange(() => {
    heard++;
    tell();
  });
  const next = () => new Promise<void>((resolve) => (tell = resolve));
  for (const change of [
    () => other.allowOrigin("https://shop.example"),
    () => other.rotateAgentToken(),
    () => other.disallowOrigin("https://shop.example"),
  ]) {
    const noticed = next();
    change();
    await noticed;
  }
  expect(heard).toBe(3);
  stop();
  const watched = openState(directory);
  const changed = new Promise<void>((resolve) => watched.onChange(resolve));
  other.rotateAgentToken();
  await changed;
  watched.close();
  expect(heard).toBe(3);
});

test("listening for changes does not keep a process alive", async () => {
  const script = await writeScript(folder.path, `openState(${JSON.stringify(directory)}).onChange(() => {});`);
  expect(await exitOf(spawn(process.execPath, [script], { stdio: "inherit" }))).toBe(0);
});

const hub = { url: "http://127.0.0.1:7337", port: 7337, pid: process.pid, version: "1.2.3" };

test("a running hub is found by every process until it takes its announcement back", () => {
  const other = openState(directory);
  expect(other.runningHub()).toBeUndefined();
  state.announceHub(hub);
  expect(other.runningHub()).toEqual(hub);
  other.forgetHub();
  expect(other.runningHub()).toEqual(hub);
  state.forgetHub();
  state.forgetHub();
  expect(other.runningHub()).toBeUndefined();
});

test("the state says when a hub ran last: its end where it said goodbye, and now where it was killed", () => {
  expect(state.lastRun()).toBeUndefined();
  const before = Date.now() - 1;
  state.announceHub(hub);
  state.forgetHub();
  const ended = state.lastRun() ?? 0;
  expect(ended).toBeGreaterThanOrEqual(before);
  expect(ended).toBeLessThanOrEqual(Date.now() + 1);
  utimesSync(pathOf("last-hub.json"), 1000, 1000);
  expect(openState(directory).lastRun()).toBe(1_000_000);
  state.announceHub(hub);
  expect(openState(directory).lastRun()).toBeGreaterThanOrEqual(ended);
});

test("a hub that ended without a word is not running", async () => {
  const child = spawn(process.execPath, ["--eval", ""]);
  await exitOf(child);
  state.announceHub({ ...hub, pid: child.pid ?? 0 });
  expect(state.runningHub()).toBeUndefined();
});

test("what a hub that ended has left is nobody's, also where another process has its number", () => {
  const { pid } = hub;
  writeFileSync(pathOf("hub.json"), JSON.stringify({ ...hub, pid: process.ppid, started: "at another time" }));
  expect(state.runningHub()).toBeUndefined();
  for (const left of ["", "{", JSON.stringify({ pid, started: "at another time" }), JSON.stringify({ pid })]) {
    writeFileSync(pathOf("hub.lock"), left);
    state.holdHub()();
  }
  const release = state.holdHub();
  expect(() => openState(directory).holdHub()).toThrow(`A hub starts or stops at the moment (process ${process.pid}).`);
  state.announceHub(hub);
  expect(() => openState(directory).holdHub()).toThrow(`A hub already runs at ${hub.url} (process ${process.pid}).`);
  release();
  release();
  expect(existsSync(pathOf("hub.lock"))).toBe(false);
});

test("of processes that start a hub at the same moment one gets the state directory", async () => {
  const script = await writeScript(
    folder.path,
    `try { openState(${JSON.stringify(directory)}).holdHub(); console.log("mine"); setInterval(() => {}, 1000); }
     catch { console.log("taken"); }`,
  );
  writeFileSync(pathOf("hub.lock"), JSON.stringify({ pid: 2 ** 22 + 1 }));
  const children = Array.from({ length: 6 }, () =>
    spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"] }),
  );
  const said = await Promise.all(children.map(async (child) => String((await once(child.stdout, "data"))[0]).trim()));
  expect(said.toSorted()).toEqual(["mine", "taken", "taken", "taken", "taken", "taken"]);
  const ended = Promise.all(children.map(async (child) => child.exitCode ?? (await once(child, "exit"))));
  children[said.indexOf("mine")]?.kill("SIGKILL");
  await ended;
  state.holdHub()();
});

test("a hub does not take back what a later one announced", () => {
  const later = openState(directory);
  state.announceHub(hub);
  later.announceHub({ ...hub, port: 7338, url: "http://127.0.0.1:7338" });
  state.forgetHub();
  expect(state.runningHub()?.port).toBe(7338);
  later.forgetHub();
  expect(state.runningHub()).toBeUndefined();
});

test.each([
  "",
  "{}",
  '{"url":"nowhere","port":1,"pid":1,"version":"1"}',
  '{"url":"http://h","port":1,"pid":-1,"version":"1"}',
])("a hub file that holds %j is an error that names the file", (text) => {
  writeFileSync(pathOf("hub.json"), text);
  expect(state.runningHub).toThrow(`The file ${pathOf("hub.json")} does not say where a hub is.`);
});

test("a hub that stops leaves a file alone that it did not write, also one that nobody can read", () => {
  state.announceHub(hub);
  writeFileSync(pathOf("hub.json"), "{");
  state.forgetHub();
  expect(readFileSync(pathOf("hub.json"), "utf8")).toBe("{");
});

test("origins that were refused are remembered, the last first, each once and not endlessly many", () => {
  expect(state.refusedOrigins()).toEqual([]);
  for (let port = 1; port <= 30; port++) state.noteRefusedOrigin(`http://localhost:${port}`);
  state.noteRefusedOrigin("http://localhost:30");
  state.noteRefusedOrigin("null");
  const refused = openState(directory).refusedOrigins();
  expect(refused).toHaveLength(20);
  expect(refused[0]?.origin).toBe("http://localhost:30");
  expect(new Set(refused.map(({ origin }) => origin)).size).toBe(20);
  expect(Math.abs(Date.now() - Date.parse(refused[0]?.time ?? ""))).toBeLessThan(60_000);
});

test("a broken list of refused origins is taken for none", () => {
  writeFileSync(pathOf("refused.json"), '{"refused":[{"origin":"x"},7');
  expect(state.refusedOrigins()).toEqual([]);
  state.noteRefusedOrigin("http://localhost:1");
  expect(state.refusedOrigins()).toHaveLength(1);
});

test("a file that cannot be read is an error that says why and what to do", () => {
  mkdirSync(pathOf("token"), { mode: 0o700 });
  expect(state.agentToken).toThrow(
    /^The state directory cannot be read: .*token is no file.* set PAGEWIRE_HOME to another\.$/,
  );
});

test("a file that cannot be replaced is an error that says why, and nothing stays behind", () => {
  mkdirSync(pathOf("token"));
  expect(state.rotateAgentToken).toThrow(/^The state directory cannot be changed: .*EISDIR/);
  expect(readdirSync(directory)).toEqual(["token"]);
});

test("a directory that has gone is an error too", () => {
  rmSync(directory, { recursive: true });
  for (const change of [
    state.agentToken,
    () => state.allowOrigin("http://localhost:1"),
    () => state.announceHub(hub),
  ]) {
    expect(change).toThrow(/^The state directory cannot be changed: ENOENT/);
  }
});

test("the key to terminals is a secret of its own in a file of its own, made when it is first needed", () => {
  state.agentToken();
  expect(readdirSync(directory)).toEqual(["token"]);
  const key = state.shellKey();
  expect(Buffer.from(key, "base64url")).toHaveLength(32);
  expect([state.shellKey(), openState(directory).shellKey()]).toEqual([key, key]);
  expect(key).not.toBe(state.agentToken());
  expect(state.shellKeyPath).toBe(pathOf("shell-key"));
  expect([readFileSync(state.shellKeyPath, "utf8"), modeOf(state.shellKeyPath)]).toEqual([`${key}\n`, 0o600]);
});

test("a shell key file that is open to others or broken is refused, with the command that makes a new one", () => {
  state.shellKey();
  chmodSync(state.shellKeyPath, 0o644);
  expect(() => state.shellKey()).toThrow(`The shell key file ${state.shellKeyPath} is open to others (mode 0644)`);
  state.rotateShellKey();
  writeFileSync(state.shellKeyPath, "short");
  expect(() => state.shellKey()).toThrow(/does not hold one line .* npx pagewire token rotate --shell$/);
});

test("a new shell key replaces the old one and leaves the token as it is, and other processes notice", async () => {
  const [token, key] = [state.agentToken(), state.shellKey()];
  const other = openState(directory);
  const noticed = new Promise<void>((resolve) => state.onChange(resolve));
  const next = other.rotateShellKey();
  await noticed;
  expect(next).not.toBe(key);
  expect([state.shellKey(), state.agentToken()]).toEqual([next, token]);
});

test.skipIf(process.platform !== "linux")(
  "what a killed hub left is taken over before anybody has asked how it ended",
  async () => {
    const parent = spawn("sh", ["-c", "sleep 60 & echo $!; exec sleep 60"], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void parent.kill("SIGKILL"));
    const [said] = (await once(parent.stdout, "data")) as [Buffer];
    const pid = Number(said.toString());
    // A shell waits for its children; the program that replaces it does not.
    await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, "utf8")).toBe("sleep\n");
    writeFileSync(pathOf("hub.lock"), JSON.stringify(markProcess(pid)));
    expect(() => state.holdHub()).toThrow(`process ${pid}`);
    process.kill(pid, "SIGKILL");
    await expect.poll(() => readFileSync(`/proc/${pid}/stat`, "utf8")).toMatch(/\) Z /);
    state.holdHub()();
  },
);
