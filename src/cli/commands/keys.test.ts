// A person makes keys for their own agents at a real hub.
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { removeCommand, startSignInWorld } from "../test-support/sign-in-world.test-helper.ts";
import { startTestHub } from "../test-support/test-hub.test-helper.ts";
import { createTestIo } from "../test-support/test-io.test-helper.ts";

afterAll(removeCommand);

test("a key is made, listed, signs a machine in, and is removed", async () => {
  const { home, hub, login, runHere } = await startSignInWorld();
  await login("--context", "acme", "--scope", "tools:destructive");
  expect((await runHere("keys")).out).toBe("You have no key. Make one with: npx pagewire keys make <name>\n");
  const made = await runHere("keys", "make", "ci");
  expect([made.code, made.out]).toEqual([0, expect.stringMatching(/^pagewire-key\.\S+\n$/)]);
  const file = join(home, "key");
  const out = await runHere("keys", "make", "laptop", "--expires", "30d", "--out", file);
  expect([out.code, out.out]).toEqual([0, expect.stringContaining(`The key laptop is in ${file}, until `)]);
  expect([readFileSync(file, "utf8"), statSync(file).mode & 0o777]).toEqual([
    expect.stringMatching(/^pagewire-key\.\S+\n$/),
    0o600,
  ]);
  expect((await runHere("keys", "make", "again", "--out", file)).code).toBe(2);
  const { keys } = JSON.parse((await runHere("keys", "--json")).out) as { keys: { id: string; name: string }[] };
  expect(keys.map(({ name }) => name).toSorted()).toEqual(["ci", "laptop"]);
  expect((await runHere("login", hub.url, "--context", "mine", "--key-file", file)).code).toBe(0);
  expect((await runHere("whoami")).out).toContain("You are Ada Lovelace (acme/ada)");
  expect((await runHere("keys", "make", "from a key")).code).not.toBe(0);
  const laptop = keys.find(({ name }) => name === "laptop")?.id ?? "";
  expect((await runHere("keys", "remove", laptop, "--context", "acme")).code).toBe(0);
  expect((await runHere("whoami")).err).toContain("does not take the key of the context mine any more");
  expect((await runHere("keys", "remove", laptop, "--context", "acme")).err).toContain("You have no such key");
});

test("a sign-in for too little does not make a key, and no file", async () => {
  const { home, login, runHere } = await startSignInWorld();
  await login("--context", "acme");
  const file = join(home, "key");
  const { code, err } = await runHere("keys", "make", "ci", "--out", file);
  expect([code, err]).toEqual([4, expect.stringContaining("npx pagewire login --scope tools:destructive")]);
  expect(statSync(file, { throwIfNoEntry: false })).toBeUndefined();
});

test("a hub that is not in team mode says so to an admin, and where to sign in", async () => {
  const cli = createTestIo();
  onTestFinished(() => cli.close());
  const hub = await startTestHub(cli);
  expect(await cli.run("team", "people")).not.toBe(0);
  expect(cli.err()).toMatch(/^Error: This hub is not in team mode, .*npx pagewire login \S+ --scope admin\n$/);
  await hub.close();
});

test("a hub of one's own machine has a token, and no keys", async () => {
  const cli = createTestIo();
  onTestFinished(() => cli.close());
  const hub = await startTestHub(cli);
  expect(await cli.run("keys")).toBe(1);
  expect(cli.err()).toContain("npx pagewire token show");
  await hub.close();
});

test.each([
  [["make"], "keys make <name>"],
  [["list", "x"], "keys make <name>"],
  [["remove", "x", "--out", "y"], "--out is for: npx pagewire keys make"],
  [["make", "x", "--expires", "soon"], "--expires must be a time"],
])("keys %j is a wrong command line", async (args, message) => {
  const cli = createTestIo({ environment: { PAGEWIRE_URL: "https://127.0.0.1:9", PAGEWIRE_TOKEN: "x" } });
  onTestFinished(() => cli.close());
  expect(await cli.run("keys", ...args)).toBe(2);
  expect(cli.err()).toContain(message);
});
