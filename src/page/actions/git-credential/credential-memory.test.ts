import { expect, test } from "vitest";
import { createAnswer } from "./git-credential.ts";
import { createCredentialMemory } from "./credential-memory.ts";
import type { CredentialTarget } from "./credential-request.ts";

const never = new AbortController().signal;
const ada = { username: "ada", password: "s3cret" };
const bob = { username: "bob", password: "builder" };

function target(more: Partial<CredentialTarget> = {}): CredentialTarget {
  return { protocol: "https", host: "git.example.com", path: undefined, username: undefined, ...more };
}

test("accounts are told apart by protocol, host, path and username; which is meant is never guessed", () => {
  const memory = createCredentialMemory();
  memory.remember(target(), ada);
  for (const other of [{ protocol: "http" }, { host: "git.example.com:8443" }, { path: "x" }, { username: "bob" }]) {
    expect(memory.find(target(other))).toBeUndefined();
  }
  memory.remember(target({ path: "x" }), bob);
  expect([memory.find(target()), memory.find(target({ path: "x" }))]).toEqual([ada, bob]);
  memory.remember(target(), bob);
  expect(memory.find(target())).toBeUndefined();
  expect([memory.find(target({ username: "ada" })), memory.find(target({ username: "bob" }))]).toEqual([ada, bob]);
  memory.clear();
  expect(memory.find(target({ username: "ada" }))).toBeUndefined();
});

test("what is refused is forgotten, with a password only where it is that one, and no other account with it", () => {
  const memory = createCredentialMemory();
  memory.remember(target(), ada);
  memory.remember(target(), bob);
  memory.erase(target({ username: "ada" }), "an older one");
  expect(memory.find(target({ username: "ada" }))).toEqual(ada);
  memory.erase(target({ username: "ada" }), ada.password);
  expect([memory.find(target({ username: "ada" })), memory.find(target())]).toEqual([undefined, bob]);
  memory.erase(target(), undefined);
  expect(memory.find(target())).toBeUndefined();
});

test("refusals are kept for the last hundred places, whatever programs name", () => {
  const memory = createCredentialMemory();
  for (let at = 0; at <= 100; at++) memory.erase(target({ path: String(at), username: "ada" }), undefined);
  expect([0, 1, 100].map((at) => memory.refusedAccount(target({ path: String(at) })))).toEqual([
    undefined,
    "ada",
    "ada",
  ]);
  memory.accept(target({ path: "100" }), undefined);
  expect(memory.refusedAccount(target({ path: "100" }))).toBeUndefined();
});

test("a password that nobody entered here is not kept because a program says that it works", async () => {
  const memory = createCredentialMemory();
  let asked = 0;
  const answer = createAnswer(memory, async () => {
    asked++;
    return { ...ada, isRemembered: false };
  });
  const request = { target: target(), password: undefined, command: undefined, repository: undefined } as const;
  await answer({ ...request, operation: "store", target: target({ username: "bob" }), password: "poison" }, never);
  expect(await answer({ ...request, operation: "get" }, never)).toEqual(ada);
  await answer({ ...request, operation: "store", target: target({ username: "ada" }), password: "s3cret" }, never);
  expect(await answer({ ...request, operation: "get" }, never)).toEqual(ada);
  expect(asked).toBe(2);
});

test("what is expected is remembered once git reports it as good, and nothing else that a program reports", () => {
  const memory = createCredentialMemory();
  const good = target({ username: "x-access-token" });
  memory.accept(good, "reported by a program");
  expect(memory.find(target({}))).toBeUndefined();
  memory.expect(target({}), true);
  memory.accept(good, undefined);
  memory.accept(target({ host: "other.example" }), "of another host");
  memory.accept(good, "gho_1");
  memory.accept(good, "gho_2");
  expect(memory.find(target({}))).toEqual({ username: "x-access-token", password: "gho_1" });
  memory.expect(target({}), true);
  memory.clear();
  memory.accept(good, "gho_3");
  expect(memory.find(target({}))).toBeUndefined();
});

test("what is expected is no longer so once git reports a password as wrong, or the user is asked again", async () => {
  const memory = createCredentialMemory();
  const request = { target: target(), password: undefined, command: undefined, repository: undefined } as const;
  const good = target({ username: "x-access-token" });
  const ends: (() => unknown)[] = [
    () => memory.erase(good, "gho_1"),
    () => memory.expect(target(), false),
    () => createAnswer(memory, async () => ({ ...ada, isRemembered: false }))({ ...request, operation: "get" }, never),
  ];
  for (const end of ends) {
    memory.expect(target(), true);
    await end();
    memory.accept(good, "gho_2");
    expect(memory.find(target())).toBeUndefined();
  }
});

test("a dialog that is left without an answer ends what was expected before it, too", async () => {
  const memory = createCredentialMemory();
  const request = { target: target(), password: undefined, command: undefined, repository: undefined } as const;
  memory.expect(target(), true);
  const answer = createAnswer(memory, async () => undefined);
  await expect(answer({ ...request, operation: "get" }, never)).rejects.toMatchObject({ code: "action-refused" });
  memory.accept(target({ username: "ada" }), "later");
  expect(memory.find(target())).toBeUndefined();
});
