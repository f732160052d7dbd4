import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ownInstallation } from "../connect/launch.ts";
import { shellWords } from "../console/shell-words.ts";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import type { TestIo } from "../test-support/test-io.test-helper.ts";
import { helperCommand } from "./set-up.ts";

const { node, script } = ownInstallation();
const ours = `!${shellWords([node, script, "git-credential"], "posix")}`;

let cli: TestIo;
let home: TestIo;

beforeEach(() => {
  home = createTestIo();
  cli = withEnvironment({});
});
afterEach(() => {
  cli.close();
  home.close();
});

/** The command in an environment where git uses this home, with these additional variables. */
function withEnvironment(more: Readonly<Record<string, string>>): TestIo {
  const { PATH = "" } = process.env;
  const git = { PATH, HOME: home.home, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: join(home.home, ".gitconfig") };
  return createTestIo({ home: home.home, environment: { ...git, ...more } });
}

const setUp = (...args: readonly string[]) => cli.run("git-credential", "setup", ...args);
const git = (...args: readonly string[]) => execFileSync("git", args, { encoding: "utf8", env: gitEnvironment() });
const gitEnvironment = () => cli.io.environment as NodeJS.ProcessEnv;
const config = () => readFileSync(join(home.home, ".gitconfig"), "utf8");
const helpers = (key = "credential.helper") => git("config", "--get-all", key).trimEnd().split("\n");

test("setup writes the helper into git's config only once, and shows the entry", async () => {
  expect(await setUp()).toBe(0);
  expect(helpers()).toEqual([ours]);
  expect(cli.out()).toBe(`This was written into your git config:\n[credential]\n\thelper = ${JSON.stringify(ours)}\n`);
  expect(cli.err()).toBe(
    `To take it back: ${shellWords(["git", "config", "--global", "--fixed-value", "--unset-all", "credential.helper", ours], "linux")}\n`,
  );
  const before = config();
  expect(await setUp("--global")).toBe(0);
  expect(cli.out()).toContain("This stands in your git config already. Nothing was changed.");
  expect(config()).toBe(before);
});

test("the printed command removes the entry", async () => {
  await setUp();
  const [, command = ""] = /To take it back: (.*)/.exec(cli.err()) ?? [];
  execFileSync("sh", ["-c", command], { env: gitEnvironment() });
  expect(config()).not.toContain("helper");
});

test("options limit it to one host, write a repository's config, and separate accounts by repository", async () => {
  git("init", "--quiet", join(home.home, "shop"));
  cli = withEnvironment({ GIT_DIR: join(home.home, "shop", ".git") });
  expect(await setUp("--local", "--use-http-path", "--host", "https://git.example.com:8443/team/")).toBe(0);
  const section = "credential.https://git.example.com:8443/team";
  expect(git("config", "--local", "--get", `${section}.helper`)).toBe(`${ours}\n`);
  expect(git("config", "--local", "--get", `${section}.useHttpPath`)).toBe("true\n");
  expect(git("config", "--get-urlmatch", "credential.useHttpPath", "https://git.example.com:8443/team/x.git")).toBe(
    "true\n",
  );
  expect(() => config()).toThrow("ENOENT");
});

test("--print writes nothing, and prints a valid git config", async () => {
  expect(await setUp("--print", "--use-http-path", "--host", "https://git.example.com")).toBe(0);
  expect(() => config()).toThrow("ENOENT");
  const file = join(home.home, "printed");
  writeFileSync(file, cli.out());
  const read = (key: string) => git("config", "--file", file, "--get", `credential.https://git.example.com.${key}`);
  expect([read("helper"), read("useHttpPath")]).toEqual([`${ours}\n`, "true\n"]);
});

test("git runs the entry, even from paths with blanks, or as the installed command", () => {
  const root = join(home.home, "a \"folder\" & 'more'");
  const installed = join(home.home, "bin");
  mkdirSync(join(root, "dist", "cli"), { recursive: true });
  mkdirSync(installed);
  const program = join(root, "dist", "cli", "main.js");
  writeFileSync(program, `#!${process.execPath}\nconsole.log("username=ran\\npassword=" + process.argv.slice(2));`, {
    mode: 0o755,
  });
  const installation = { root, script: program, node: process.execPath };
  symlinkSync(program, join(installed, "pagewire"));
  const path = `${installed}:${process.env["PATH"]}`;
  const written = [helperCommand(cli.io, installation), helperCommand({ environment: { PATH: path } }, installation)];
  expect(written[1]).toBe("!pagewire git-credential");
  for (const helper of written) {
    const filled = execFileSync("git", ["-c", `credential.helper=${helper}`, "credential", "fill"], {
      encoding: "utf8",
      input: "protocol=https\nhost=git.example.com\n\n",
      env: { ...gitEnvironment(), PATH: path },
    });
    expect(filled).toContain("password=git-credential,get\n");
  }
});

test("another helper that git asks first is named, with the command that removes it", async () => {
  git("config", "--global", "credential.https://git.example.com.helper", "cache");
  git("config", "--global", "credential.helper", "store");
  await setUp();
  expect(cli.err()).toContain("git asks another helper first, credential.helper = store (global)");
  expect(cli.err()).toContain("credential.https://git.example.com.helper = cache (global)");
  const commands = [...cli.err().matchAll(/To take it out: (.*)/g)].map(([, command = ""]) => command);
  for (const command of commands) execFileSync("sh", ["-c", command], { env: gitEnvironment() });
  cli = withEnvironment({});
  await setUp("--json");
  expect(JSON.parse(cli.out())).toEqual({
    scope: "global",
    entries: [{ key: "credential.helper", value: ours, result: "unchanged" }],
    before: [],
  });
});

test("helpers that come later, were removed, or are for other hosts are not reported", async () => {
  git("config", "--global", "credential.helper", "store");
  git("config", "--global", "--add", "credential.helper", "");
  git("config", "--global", "credential.https://other.example.com.helper", "cache");
  await setUp("--host", "https://git.example.com");
  expect(cli.err()).not.toContain("another helper");
  const late = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "credential.helper", GIT_CONFIG_VALUE_0: "late" };
  cli = withEnvironment(late);
  await setUp("--host", "https://git.example.com", "--print");
  expect(cli.err()).toBe("");
});

test.each([
  [["setup", "--global", "--local"], /--global or --local, not both/],
  [["setup", "--host", "git.example.com"], /--host must be an address/],
  [["setup", "--host", "ssh://git.example.com"], /--host must be an address/],
  [["setup", "--host", "https://git.example.com/?a=b"], /--host must be an address/],
  [["setup", "--host", "https://ada:secret@git.example.com"], /must not hold a password/],
  [["get", "--print"], /--print is for: npx pagewire git-credential setup/],
  [["get", "--host", "https://git.example.com"], /--host is for/],
  [[], /needs get\|store\|erase\|setup/],
])("%s is refused, and nothing is written", async (args, message) => {
  expect(await cli.run("git-credential", ...args)).toBe(2);
  expect(cli.err()).toMatch(message);
  expect(cli.err()).not.toContain("secret@");
  expect(() => config()).toThrow("ENOENT");
});

test("git's own errors are reported unchanged", async () => {
  cli = withEnvironment({ GIT_DIR: join(home.home, "nowhere") });
  expect(await setUp("--local")).toBe(1);
  expect(cli.err()).toMatch(/--local can only be used inside a git repository|not in a git directory/);
  cli = withEnvironment({ PATH: home.home });
  expect(await setUp()).toBe(1);
  expect(cli.err()).toContain("There is no git here.");
});
