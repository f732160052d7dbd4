import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { signAgentToken, signTerminalToken } from "../../hub/index.ts";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import type { TestIo } from "../test-support/test-io.test-helper.ts";

let cli: TestIo;

beforeEach(() => {
  cli = createTestIo();
});
afterEach(() => cli.close());

// The clock of these commands is stopped at 2026-01-02T03:04:05, in the local time zone.
const now = new Date("2026-01-02T03:04:05");

test("a token is revoked by its id and a subject by time, each is listed and restored, and each command confirms it", async () => {
  const before = now.toISOString();
  for (const args of [
    ["--list"],
    ["--id", "one"],
    ["--id", "one"],
    ["--subject", "ann\u001b[2J", "--not-before", "1h"],
    ["--subject", "ann"],
    ["--subject", "ann", "--not-before", "2025-12-31T00:00:00.5Z"],
    ["--list"],
    ["--id", "one", "--remove"],
    ["--id", "one", "--remove"],
    ["--subject", "ann", "--remove"],
  ])
    expect(await cli.run("token", "revoke", ...args)).toBe(0);
  const hourAgo = new Date(now.getTime() - 3_600_000).toISOString();
  expect(cli.out().trimEnd().split("\n")).toEqual([
    "No token is revoked.",
    "Tokens with the id one are revoked.",
    "Tokens with the id one were revoked before.",
    `Tokens of the subject ann⟨U+001B⟩[2J that were issued before ${hourAgo} are revoked.`,
    `Tokens of the subject ann that were issued before ${before} are revoked.`,
    "Tokens of the subject ann that were issued before 2025-12-31T00:00:01.000Z are already revoked.",
    "id one",
    `subject ann⟨U+001B⟩[2J, before ${hourAgo}`,
    `subject ann, before ${before}`,
    "Tokens with the id one are good again, until they end.",
    "Tokens with the id one were not revoked.",
    "Tokens of the subject ann are good again, until they end.",
  ]);
});

test("a revocation without a running hub is noted, because the state directory may be the wrong one", async () => {
  await cli.run("token", "revoke", "--id", "one");
  expect(cli.err()).toContain(`No hub of the state directory ${cli.home} runs now.`);
  const told = cli.err().length;
  cli.state.announceHub({ url: "http://127.0.0.1:7337", port: 7337, pid: process.pid, version: "1" });
  await cli.run("token", "revoke", "--id", "two");
  expect(cli.err().slice(told)).toBe("");
});

test("with --json, every form prints the current revocations", async () => {
  await cli.run("token", "revoke", "--id", "one", "--json");
  await cli.run("token", "revoke", "--subject", "ann", "--json");
  const [first, second] = cli.out().trimEnd().split("\n");
  expect(JSON.parse(first ?? "")).toEqual({ ids: ["one"], subjects: [] });
  const subjects = [{ subject: "ann", notBefore: now.toISOString() }];
  expect(JSON.parse(second ?? "")).toEqual({ ids: ["one"], subjects });
});

test.each([
  [["revoke"], "Give --id ID, or --subject NAME, or --list."],
  [["revoke", "--id", "one", "--subject", "ann"], "Give --id ID, or --subject NAME, or --list."],
  [["revoke", "--list", "--remove"], "Give --id ID, or --subject NAME, or --list."],
  [["revoke", "--id", ""], "An id or a subject has at least one character."],
  [["revoke", "--id", "one", "--not-before", "1h"], "--not-before is for a --subject"],
  [["revoke", "--subject", "ann", "--not-before", "soon"], "--not-before must be a time ago"],
  [["revoke", "--id", "one", "--shell"], "in jwt mode there is no shell key"],
  [["show", "--id", "one"], "are for: npx pagewire token revoke"],
])("token %j is refused", async (args, message) => {
  expect(await cli.run("token", ...args)).toBe(2);
  expect(cli.err()).toContain(message);
  expect(cli.state.revocations().ids.size).toBe(0);
});

test("`open` signs in the user in person with the token for terminals beside the agent's, and with no other", async () => {
  const secret = "s".repeat(40);
  const path = join(cli.home, "secret");
  writeFileSync(path, secret, { mode: 0o600 });
  const running = cli.run("--port", "0", "--jwt-secret-file", path);
  await cli.wrote("Ctrl-C stops it.");
  const agent = await signAgentToken({ secret, subject: "ann" });
  const open = async (shellKey: string) => {
    const environment = { PAGEWIRE_TOKEN: agent, PAGEWIRE_SHELL_KEY: shellKey };
    const opener = createTestIo({ home: cli.home, environment });
    return { code: await opener.run("open", "console", "--print"), said: opener.out() + opener.err() };
  };
  expect(await open(await signTerminalToken({ secret, subject: "ann" }))).toMatchObject({
    code: 0,
    said: expect.stringMatching(/\/console#code=[\w-]{43}\n$/),
  });
  expect((await open(agent)).said).toContain("pagewire:terminal");
  expect((await open(await signTerminalToken({ secret, subject: "bob" }))).said).toContain("the same user");
  // The key of a hub in local mode, which another command needs.
  expect((await open("a-shell-key")).code).toBe(0);
  await cli.interrupt();
  expect(await running).toBe(0);
});

test("a running hub disconnects clients of a revoked token within a second", async () => {
  const secret = "s".repeat(40);
  const path = join(cli.home, "secret");
  writeFileSync(path, secret, { mode: 0o600 });
  const running = cli.run("--port", "0", "--jwt-secret-file", path);
  await cli.wrote("Ctrl-C stops it.");
  const token = await signAgentToken({ secret, subject: "ann", id: "stolen" });
  const agent = createTestIo({ home: cli.home, environment: { PAGEWIRE_TOKEN: token } });
  const watching = agent.run("watch");
  await agent.wrote("Watching");
  expect(await createTestIo({ home: cli.home }).run("token", "revoke", "--id", "stolen")).toBe(0);
  expect(await watching).toBe(4);
  expect(await agent.run("tabs")).toBe(4);
  expect(agent.err()).toContain("The token was revoked.");
  await cli.interrupt();
  expect(await running).toBe(0);
});
