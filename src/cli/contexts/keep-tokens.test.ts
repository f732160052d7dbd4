import { readFileSync, writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { createContextFiles } from "../../state/index.ts";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import { readContext, writeContext } from "./context.ts";
import type { HubContext } from "./context.ts";
import { forgetKey, keepTokens, replaceTokens, tokensOf } from "./keep-tokens.ts";
import type { TokenPlace } from "./keep-tokens.ts";
import type { Keyring } from "./keyring.ts";

const context: HubContext = {
  ...{ name: "acme", hub: "https://hub.example.com", issuer: "https://id.example.com", clientId: "cli" },
  ...{ scopes: ["tools"], kept: undefined },
};
const tokens = { access: "a".repeat(9000), refresh: "r".repeat(3000), expiresAt: 1 };

function placeWith(keyring: Keyring | undefined): TokenPlace {
  const { home, close } = createTestIo();
  onTestFinished(close);
  return { files: createContextFiles(home), keyring: async () => keyring };
}

function memoryKeyring(kept = new Map<string, string>()): Keyring & { readonly kept: Map<string, string> } {
  return {
    ...{ name: "the Keychain", kept },
    get: async (account) => kept.get(account),
    set: async (account, secret) => void kept.set(account, secret),
    remove: async (account) => void kept.delete(account),
  };
}

test("CL62: tokens are sealed with a key of the system's place for secrets, which holds nothing long", async () => {
  const keyring = memoryKeyring();
  const place = placeWith(keyring);
  const { kept, where } = await keepTokens(context, tokens, place);
  writeContext(place.files, { ...context, kept });
  const path = place.files.path("acme");
  expect(where).toBe(`the file ${path}, sealed with a key in the Keychain`);
  expect(readFileSync(path, "utf8")).not.toMatch(/aaaa|rrrr/);
  expect([...keyring.kept].map(([account, { length }]) => [account, length])).toEqual([[path, 44]]);
  const read = readContext(place.files, "acme") ?? context;
  expect(await tokensOf(read, place)).toEqual(tokens);
  const next = { ...read, kept: await replaceTokens(read, { access: "next" }, place) };
  expect(await tokensOf(next, place)).toMatchObject({ access: "next" });
  await forgetKey(next, place);
  expect(keyring.kept.size).toBe(0);
  await expect(tokensOf(next, place)).rejects.toThrow(
    "the Keychain has no key of it. Sign in again: npx pagewire login",
  );
});

test("CL67: where the key of sealed tokens cannot be had any more, the new ones are in the file", async () => {
  for (const key of [undefined, "c2hvcnQ=", new Error("The Keychain is locked.")]) {
    const place = placeWith(memoryKeyring());
    const { kept } = await keepTokens(context, tokens, place);
    const get = async () => {
      if (key instanceof Error) throw key;
      return key;
    };
    const broken = { ...place, keyring: async () => ({ ...memoryKeyring(), get }) };
    const next = { access: "next", refresh: "the only one" };
    expect(await replaceTokens({ ...context, kept }, next, broken)).toEqual({ plain: next });
  }
});

test("CL64: sealed tokens are for their own hub and provider, also in a file that was changed", async () => {
  const place = placeWith(memoryKeyring());
  const { kept } = await keepTokens(context, tokens, place);
  writeContext(place.files, { ...context, kept });
  const path = place.files.path("acme");
  for (const name of ["https://hub.example.com", "https://id.example.com"]) {
    const before = readFileSync(path, "utf8");
    writeFileSync(path, before.replace(name, "https://attacker.example"));
    const changed = readContext(place.files, "acme") ?? context;
    await expect(tokensOf(changed, place)).rejects.toThrow("It was changed, or its key is another one");
    writeFileSync(path, before);
  }
});

test("CL62: where the place for secrets cannot be reached, tokens are in the file", async () => {
  const broken: Keyring = { ...memoryKeyring(), set: () => Promise.reject(new Error("no session bus")) };
  for (const keyring of [broken, undefined]) {
    const place = placeWith(keyring);
    const { kept, where } = await keepTokens(context, tokens, place);
    expect([where, await tokensOf({ ...context, kept }, place)]).toEqual([
      `the file ${place.files.path("acme")}, for you alone`,
      tokens,
    ]);
  }
});
