import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { serveGit } from "../../../test/e2e/support/git-server.ts";
import type { GitServer } from "../../../test/e2e/support/git-server.ts";
import { shellWords } from "../console/shell-words.ts";
import { buildCommand } from "../mcp/test-support/command.test-helper.ts";
import type { BuiltCommand } from "../mcp/test-support/command.test-helper.ts";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import { createGitWorld } from "../test-support/git-world.test-helper.ts";
import type { GitWorld } from "../test-support/git-world.test-helper.ts";
import { createScriptedTab } from "../test-support/scripted-tab.test-helper.ts";
import type { ScriptedTab, TabQuestion } from "../test-support/scripted-tab.test-helper.ts";

// Each test starts a dozen processes.

let command: BuiltCommand;
let server: GitServer;
let tab: ScriptedTab;
let world: GitWorld;

beforeAll(async () => {
  command = await buildCommand();
});
beforeEach(async () => {
  const both = { ada: "s3cret & =x ", bob: "builder" };
  server = await serveGit({ "shop.git": both, "ada/one.git": { ada: "one" }, "ada/two.git": { deploy: "two" } });
  tab = await createScriptedTab();
  world = createGitWorld(command, tab);
  const helper = `!${shellWords([process.execPath, command.program, "git-credential"], "posix")}`;
  await world.git(["config", "--global", "credential.helper", helper]);
});
afterEach(async () => {
  world.close();
  await tab.close();
  await server.close();
});
afterAll(() => command.remove());

const push = (folder: string, environment = {}) => world.git(["push", "origin", "main"], { folder, environment });
const signIn = (username: string, password: string) => ({ structured: { username, password } });
const ada = signIn("ada", "s3cret & =x ");
const operations = () => tab.questions.map(({ operation }) => operation);
const cancelled = { code: "action-refused", detail: "cancelled" };

/** Answers git's questions for a credential, and records the rest. */
function answerGets(respond: (question: TabQuestion) => ReturnType<Parameters<ScriptedTab["answer"]>[0]>): void {
  tab.answer((question) => (question["operation"] === "get" ? respond(question) : undefined));
}

test("the tab answers a push that needs a password, and git reports to it that the password was right", async () => {
  answerGets(() => ada);
  const folder = await world.repository("shop", server.url("shop.git"));
  expect(await push(folder)).toMatchObject({ code: 0, err: expect.stringContaining("main -> main") });
  expect(server.pushes).toEqual([{ username: "ada", repository: "shop.git" }]);
  expect(server.head("shop.git")).toBe((await world.git(["rev-parse", "main"], { folder })).out.trim());
  expect(operations()).toEqual(["get", "store"]);
  expect(tab.asked("get")[0]).toMatchObject({ action: "git_credential", browser_id: "terminal-1" });
  expect(tab.asked("store")[0]).toMatchObject({ host: server.host, username: "ada", password: "s3cret & =x " });
});

test("the tab gets the typed command, the repository and its remote, without secrets", async () => {
  answerGets(() => ada);
  const folder = await world.repository("shop", server.url("shop.git"));
  const address = `http://ada:wrong@${server.host}/shop.git`;
  await world.git(["push", "--quiet", address, "main"], { folder });
  await push(folder);
  expect(tab.asked("get")).toEqual([
    {
      action: "git_credential",
      browser_id: "terminal-1",
      operation: "get",
      protocol: "http",
      host: server.host,
      command: "git push origin main",
      repository: `${folder} (${server.url("shop.git")})`,
    },
  ]);
  await world.git(["-C", folder, "push", "--force", `http://bob@${server.host}/shop.git`, "main"]);
  expect(tab.asked("get")[1]).toMatchObject({
    username: "bob",
    command: `git -C ${folder} push --force http://***@${server.host}/shop.git main`,
  });
});

test("a clone, a bare repository and a further work tree are named by their own folders", async () => {
  answerGets(() => ada);
  const folder = await world.repository("shop", server.url("shop.git"));
  await push(folder);
  await world.git(["clone", "--quiet", server.url("shop.git"), "copy"]);
  await world.git(["worktree", "add", "--quiet", join(world.home, "tree")], { folder });
  await push(join(world.home, "tree"));
  await world.git(["clone", "--quiet", "--bare", folder, "bare"]);
  await world.git(["push", "--quiet", server.url("shop.git"), "main"], { folder: join(world.home, "bare") });
  const places = tab.asked("get").map(({ repository }) => String(repository).split(" ")[0]);
  expect(places).toEqual(["shop", "copy", "tree", "bare"].map((name) => join(world.home, name)));
});

test("a wrong password is reported to the tab and the push fails; the next one asks again and goes through", async () => {
  const answers = [signIn("ada", "wrong"), ada];
  answerGets(() => answers.shift());
  const folder = await world.repository("shop", server.url("shop.git"));
  expect(await push(folder)).toMatchObject({ code: 128, err: expect.stringContaining("Authentication failed") });
  expect(tab.asked("erase")[0]).toMatchObject({ host: server.host, username: "ada", password: "wrong" });
  expect((await push(folder)).code).toBe(0);
  expect(operations()).toEqual(["get", "erase", "get", "store"]);
  expect(server.signIns.map(({ isAccepted }) => isAccepted)).toContain(false);
});

test.each([
  ["may ask on a terminal", {}],
  ["may not ask on a terminal", { GIT_TERMINAL_PROMPT: "0" }],
])("cancelling in the tab stops a git that %s, before its other helpers", async (_name, environment) => {
  tab.answer(() => cancelled);
  await world.git(["config", "--global", "--add", "credential.helper", `!${world.askpass} next-helper`]);
  const folder = await world.repository("shop", server.url("shop.git"));
  const { code, err } = await push(folder, { GIT_ASKPASS: world.askpass, ...environment });
  expect(code).toBe(128);
  expect(err).toContain("pagewire: The sign-in was cancelled in the browser.");
  expect(err).toMatch(/told us to quit/);
  expect(existsSync(join(world.home, "asked"))).toBe(false);
  expect(operations()).toEqual(["get"]);
});

test("concurrent pushes get their own answers", async () => {
  const waiting: (() => void)[] = [];
  answerGets(async ({ username }) => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    return username === "bob" ? signIn("bob", "builder") : ada;
  });
  const first = push(await world.repository("one", server.url("shop.git", "bob")));
  await tab.untilAsked(1);
  const second = world.git(["push", server.url("shop.git"), "main:other"], {
    folder: await world.repository("two", server.url("shop.git")),
  });
  await tab.untilAsked(2);
  for (const release of waiting.toReversed()) release();
  expect([(await first).code, (await second).code]).toEqual([0, 0]);
  expect(server.pushes.map(({ username }) => username).toSorted()).toEqual(["ada", "bob"]);
});

test("the username of an address is passed on, so two accounts on one host stay apart", async () => {
  answerGets(({ username }) => (username === "bob" ? signIn("bob", "builder") : ada));
  await push(await world.repository("one", server.url("shop.git", "bob")));
  const folder = await world.repository("two", server.url("shop.git", "ada"));
  await world.git(["push", "origin", "main:other"], { folder });
  expect(tab.asked("get").map(({ username }) => username)).toEqual(["bob", "ada"]);
  expect(server.pushes.map(({ username }) => username)).toEqual(["bob", "ada"]);
});

test("with accounts by repository, git sends the path after setup", async () => {
  answerGets(({ path }) => (path === "ada/one.git" ? signIn("ada", "one") : signIn("deploy", "two")));
  const io = createTestIo({ environment: world.environment });
  expect(await io.run("git-credential", "setup", "--host", server.origin, "--use-http-path")).toBe(0);
  io.close();
  // The one that was built from these sources answers for it.
  await world.git(["config", "--global", "--unset-all", `credential.${server.origin}.helper`]);
  await push(await world.repository("one", server.url("ada/one.git")));
  await push(await world.repository("two", server.url("ada/two.git")));
  expect(tab.asked("get").map(({ path }) => path)).toEqual(["ada/one.git", "ada/two.git"]);
  expect(server.pushes).toEqual([
    { username: "ada", repository: "ada/one.git" },
    { username: "deploy", repository: "ada/two.git" },
  ]);
});

test("a page that answers with more than a credential stops git, which stores nothing for another host", async () => {
  tab.answer(() => signIn("ada\nhost=evil.example", "x"));
  const folder = await world.repository("shop", server.url("shop.git"));
  const { code, err } = await push(folder);
  expect(code).toBe(128);
  expect(err).toContain("could smuggle in another host");
  expect(err).not.toContain("evil.example");
  expect(operations()).toEqual(["get"]);
});

test("if no tab can be asked, git gets the reason, and asks its next helper", async () => {
  await world.git(["config", "--global", "--add", "credential.helper", "store"]);
  const folder = await world.repository("shop", server.url("shop.git"));
  await world.git(["credential", "approve"], { input: `url=http://bob:builder@${server.host}\n\n` });
  tab.answer(() => ({ code: "tool-not-found", detail: "Unknown action: git_credential" }));
  const without = { PAGEWIRE_TERMINAL_TOKEN: "", PAGEWIRE_TERMINAL: "" };
  const closed = { PAGEWIRE_URL: "http://127.0.0.1:1" };
  for (const [environment, why] of [
    [{}, /offers no action git_credential/],
    [without, /npx pagewire terminal/],
    [closed, /No hub answers at http:\/\/127\.0\.0\.1:1/],
  ] as const) {
    const { code, err } = await push(folder, environment);
    expect(err).toMatch(why);
    expect(err.match(/pagewire: /g)).toHaveLength(1);
    expect(code).toBe(0);
  }
  expect(server.pushes.map(({ username }) => username)).toContain("bob");
});

test("ending git cancels its question", async () => {
  const never = new Promise<undefined>(() => {});
  answerGets(() => never);
  const folder = await world.repository("shop", server.url("shop.git"));
  const { child, ended } = world.start("git", ["push", "origin", "main"], { folder });
  await tab.untilAsked(1);
  child.kill("SIGKILL");
  await tab.untilLeft;
  await ended;
});

test("Ctrl-C cancels the question", async () => {
  const never = new Promise<undefined>(() => {});
  answerGets(() => never);
  const folder = await world.repository("shop", server.url("shop.git"));
  const { child, ended } = world.start("git", ["push", "origin", "main"], { folder });
  await tab.untilAsked(1);
  // Like a terminal: to all of its programs.
  process.kill(-(child.pid ?? 0), "SIGINT");
  await tab.untilLeft;
  expect((await ended).err).not.toContain("pagewire:");
});

test("Ctrl-C ends a helper that reads from a terminal", async () => {
  const io = createTestIo({ isTerminal: true, environment: world.environment });
  const ended = io.run("git-credential", "get");
  io.type("protocol=https\n");
  await io.interrupt();
  expect(await ended).toBe(130);
  io.close();
  expect(tab.questions).toEqual([]);
});

test("the log shows the exchange, without passwords", async () => {
  answerGets(() => ({ structured: { username: "ada", password: "s3cret & =x ", oauth_refresh_token: "again" } }));
  const folder = await world.repository("shop", server.url("shop.git"));
  const { err } = await push(folder, { PAGEWIRE_DEBUG: "1" });
  expect(err).toContain(`pagewire: git's get protocol=http host=${server.host}`);
  expect(err).toMatch(/git's store .*username=ada password=\*\*\*/);
  expect(err).not.toMatch(/s3cret|again/);
});

test("store and erase without a tab print nothing, and write nothing to disk", async () => {
  const input = "protocol=https\nhost=git.example.com\nusername=ada\npassword=s3cret\n";
  const environment = { PAGEWIRE_TERMINAL_TOKEN: "" };
  for (const operation of ["store", "erase"]) {
    const ended = await world.pagewire(["git-credential", operation], { input, environment });
    expect(ended).toEqual({ code: 1, out: "", err: "" });
  }
  expect(readFileSync(join(world.home, ".gitconfig"), "utf8")).not.toContain("s3cret");
});

test("unknown operations of a later git are ignored, and do not reach the tab", async () => {
  const ended = await world.pagewire(["git-credential", "capability"], { input: "version 0\n" });
  expect(ended).toEqual({ code: 0, out: "", err: "" });
  expect(tab.questions).toEqual([]);
});

test("attributes of newer versions of git reach the tab, and those of the tab reach git", async () => {
  answerGets(() => ({ structured: { authtype: "Bearer", credential: "t0ken", "capability[]": ["authtype"] } }));
  const words = "protocol=https\nhost=git.example.com\ncapability[]=authtype\ncapability[]=state\n";
  const input = `${words}wwwauth[]=Basic realm="x"\npassword_expiry_utc=1796000000\noauth_refresh_token=again\n`;
  const { out } = await world.pagewire(["git-credential", "get"], { input });
  expect(out).toBe("authtype=Bearer\ncredential=t0ken\ncapability[]=authtype\n");
  expect(tab.questions[0]).toMatchObject({
    "capability[]": ["authtype", "state"],
    "wwwauth[]": ['Basic realm="x"'],
    password_expiry_utc: "1796000000",
    oauth_refresh_token: "again",
  });
});

test("attributes of git cannot set arguments of the tab's action", async () => {
  answerGets(() => ada);
  const forged = "action=fetch\nbrowser_id=other\noperation=erase\ncommand=harmless\nrepository=harmless\n";
  const input = `${forged}protocol=https\nhost=git.example.com\n`;
  expect((await world.pagewire(["git-credential", "get"], { input })).code).toBe(0);
  expect(tab.questions[0]).toMatchObject({ action: "git_credential", browser_id: "terminal-1", operation: "get" });
  expect(JSON.stringify(tab.questions[0])).not.toContain("harmless");
  const refused = await world.pagewire(["git-credential", "get"], { input: "protocol=https\nhost=a\rhost=b\n" });
  expect(refused).toMatchObject({ code: 1, out: "", err: expect.stringContaining("line break or a NUL") });
});
