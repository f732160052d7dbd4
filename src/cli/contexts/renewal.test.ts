// Tokens of a context are renewed, by real processes at a real identity provider, which takes each refresh token once.
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { removeCommand, startSignInWorld } from "../test-support/sign-in-world.test-helper.ts";
import type { SignInWorld } from "../test-support/sign-in-world.test-helper.ts";
import { createContextFiles } from "../../state/index.ts";
import { createContextToken } from "./context-token.ts";
import { contextNamed, writeContext } from "./context.ts";
import { keepTokens, tokensOf } from "./keep-tokens.ts";
import type { Keyring } from "./keyring.ts";

afterAll(removeCommand);

/** Signed in, with how many tokens were renewed since. A life of 20 seconds is so near its end that each use renews. */
async function signedIn(ttl?: number): Promise<SignInWorld & { readonly renewals: () => number }> {
  const world = await startSignInWorld(ttl === undefined ? {} : { ttl });
  let renewals = 0;
  world.provider.provider.on("refresh_token.consumed", () => void renewals++);
  expect((await world.login("--context", "acme")).code).toBe(0);
  return { ...world, renewals: () => renewals };
}

async function runTogether(world: SignInWorld, count: number): Promise<void> {
  const ended = await Promise.all(Array.from({ length: count }, () => world.run("whoami")));
  expect(ended.map(({ code, err }) => [code, err])).toEqual(ended.map(() => [0, ""]));
}

test("CL67: a token near its end is renewed before it is used, and the new refresh token is kept", async () => {
  const world = await signedIn(20);
  const seen = [world.kept().tokens];
  for (let use = 1; use <= 3; use++) {
    expect((await world.run("whoami")).code).toBe(0);
    const { tokens } = world.kept();
    expect(seen.map(({ refresh }) => refresh)).not.toContain(tokens.refresh);
    expect(world.renewals()).toBe(use);
    seen.push(tokens);
  }
});

test("CL67: many processes renew one at a time, and no refresh token is used twice or lost", async () => {
  const world = await signedIn(20);
  // A refresh token that is used twice ends the sign-in.
  await runTogether(world, 5);
  expect((await world.run("whoami")).code).toBe(0);
});

test("CL67: of processes with a token near its end one renews it, and the others take the new one", async () => {
  const world = await signedIn();
  const { tokens, ...rest } = world.kept();
  const ending = { ...tokens, expiresAt: Date.now() + 1000 };
  writeFileSync(join(world.home, "contexts", "acme.json"), JSON.stringify({ ...rest, tokens: ending }));
  await runTogether(world, 4);
  expect(world.renewals()).toBe(1);
});

test("CL67: a token that the hub refuses is renewed once, by whichever process is first", async () => {
  const world = await signedIn();
  world.spoil();
  await runTogether(world, 4);
  expect(world.renewals()).toBe(1);
});

test("CL67: many requests of one process with a token near its end wait for one renewal", async () => {
  const world = await signedIn(20);
  let waiting = 0;
  let most = 0;
  const token = createContextToken(createContextFiles(world.home), "acme", {
    ...{ fetch, keyring: async () => undefined, now: () => new Date() },
    onInterrupt() {
      most = Math.max(most, ++waiting);
      return () => void waiting--;
    },
  });
  const all = await Promise.all(Array.from({ length: 20 }, () => token.current()));
  expect([new Set(all).size, world.renewals(), most, waiting]).toEqual([1, 1, 1, 0]);
  const [refused = ""] = all;
  expect(new Set(await Promise.all([1, 2, 3].map(() => token.renewed(refused)))).size).toBe(1);
  expect(world.renewals()).toBe(2);
});

test("CL67: two commands work across the end of a token", async () => {
  const world = await signedIn(2);
  const { access } = world.kept().tokens;
  expect((await world.run("whoami")).code).toBe(0);
  await world.untilRefused(access);
  expect((await world.run("whoami")).code).toBe(0);
});

test("CL67: Ctrl-C while a token is renewed does not lose the new refresh token", async () => {
  const held: { gate?: Promise<void> } = {};
  let [ask, release] = [() => {}, () => {}];
  const asked = new Promise<void>((resolve) => (ask = resolve));
  const world = await startSignInWorld({
    ttl: 20,
    provider: {
      configuration: {
        async extraTokenClaims() {
          if (held.gate) ask();
          await held.gate;
          return {};
        },
      },
    },
  });
  expect((await world.login("--context", "acme")).code).toBe(0);
  held.gate = new Promise((resolve) => (release = resolve));
  const tell = encodeURIComponent(`process.on("SIGINT", () => process.stderr.write("It was interrupted."))`);
  const running = await world.start(["whoami"], { NODE_OPTIONS: `--import=data:text/javascript,${tell}` });
  await asked;
  running.kill("SIGINT");
  await running.wrote(/It was interrupted\./);
  release();
  expect((await running.ended).code).toBe(130);
  expect((await world.run("whoami")).code).toBe(0);
});

test("CL67: a keyring that fails right after a renewal does not lose the new refresh token", async () => {
  const world = await signedIn(20);
  const files = createContextFiles(world.home);
  const keys = new Map<string, string>();
  let isLocked = false;
  const keyring = async (): Promise<Keyring> => ({
    name: "the Keychain",
    async get(account) {
      if (isLocked) throw new Error("It is locked.");
      return keys.get(account);
    },
    set: async (account, secret) => void keys.set(account, secret),
    remove: async () => {},
  });
  const context = contextNamed(files, "acme");
  if (context === undefined) throw new Error("There is no context.");
  const before = await tokensOf(context, { files, keyring });
  const { kept } = await keepTokens(context, before, { files, keyring });
  writeContext(files, { ...context, kept });
  const token = createContextToken(files, "acme", {
    keyring,
    onInterrupt: () => () => {},
    now: () => new Date(),
    fetch(...asked) {
      isLocked = true;
      return fetch(...asked);
    },
  });
  const access = await token.current();
  expect(world.kept().tokens).toMatchObject({ access, refresh: expect.not.stringMatching(before.refresh ?? "") });
  expect((await world.run("whoami")).code).toBe(0);
});

test("CL68: a sign-in that ended at the provider says how to sign in again", async () => {
  const world = await signedIn(20);
  const grant = await world.provider.provider.RefreshToken.find(world.kept().tokens.refresh);
  await world.provider.provider.RefreshToken.revokeByGrantId(grant?.grantId ?? "");
  const { code, err } = await world.run("whoami", "--json");
  expect(code).toBe(4);
  const { error } = JSON.parse(err) as { error: { code: string; message: string } };
  expect(error.code).toBe("token-expired");
  expect(error.message).toContain(`Sign in again: npx pagewire login ${world.hub.url} --context acme`);
});

test("CL68: a provider that does not know the client any more says how to sign in with another", async () => {
  const world = await signedIn(20);
  const { adapter } = world.provider.provider.Client as unknown as { adapter: { destroy(id: string): Promise<void> } };
  await adapter.destroy(world.kept().clientId);
  const { code, err } = await world.run("whoami");
  const next = `npx pagewire context remove acme; npx pagewire login ${world.hub.url} --context acme`;
  expect([code, err]).toEqual([4, expect.stringContaining(next)]);
});

test("CL68: a provider that is away is no end of a sign-in", async () => {
  const world = await signedIn(20);
  const before = world.kept();
  await world.provider.close();
  const { err } = await world.run("whoami", "--json");
  expect((JSON.parse(err) as { error: { code: string } }).error.code).toBe("identity-unavailable");
  expect(world.kept()).toEqual(before);
});

test.skipIf(process.platform === "win32")("CL62: a sign-in that others can read is refused", async () => {
  const world = await signedIn();
  chmodSync(join(world.home, "contexts", "acme.json"), 0o644);
  const { err } = await world.run("whoami");
  expect(err).toContain("is open to others (mode 0644)");
  const { out } = await world.run("context", "list");
  expect(out).toContain("unusable");
  expect((await world.run("context", "remove", "acme")).out).toBe("Removed acme.\n");
});

test("CL69: logout revokes the sign-in at the provider, and forgets it here", async () => {
  const world = await signedIn();
  const { refresh } = world.kept().tokens;
  expect((await world.run("logout")).out).toBe(`Signed out of ${world.hub.url}.\n`);
  expect(await world.provider.provider.RefreshToken.find(refresh)).toBeUndefined();
  expect(readFileSync(join(world.home, "contexts", "acme.json"), "utf8")).not.toContain(refresh);
  const { code, err } = await world.run("whoami");
  expect([code, err]).toEqual([4, expect.stringContaining("The context acme is signed out.")]);
  expect((await world.run("context", "list")).out).toMatch(/\* +acme +signed out/);
  expect((await world.login("--context", "acme")).code).toBe(0);
});

test("CL69: logout forgets a sign-in also when the provider is away, and says so", async () => {
  const world = await signedIn();
  const { refresh } = world.kept().tokens;
  await world.provider.close();
  const { code, err } = await world.run("logout");
  expect([code, err]).toEqual([0, expect.stringContaining("The identity provider was not told")]);
  expect(readFileSync(join(world.home, "contexts", "acme.json"), "utf8")).not.toContain(refresh);
});

test("CL72: the key of a service account makes a context, which ends when the hub refuses it", async () => {
  const world = await startSignInWorld();
  world.provider.signInAs("grace");
  await world.login("--context", "acme", "--scope", "admin");
  const file = join(world.home, "key");
  writeFileSync(file, (await world.run("team", "services", "make", "deploy")).out);
  expect((await world.run("login", world.hub.url, "--context", "ci", "--key-file", file)).code).toBe(0);
  const { out } = await world.run("whoami");
  expect(out).toMatch(
    /^You are deploy \(acme:service\/deploy\) .*\nOrganisation: acme\nScopes: tools\nGood until: [\d: -]+\n$/,
  );
  expect((await world.run("team", "services", "remove", "deploy", "--context", "acme")).code).toBe(0);
  const { code, err } = await world.run("whoami");
  expect([code, err]).toEqual([4, expect.stringContaining("does not take the key of the context ci any more")]);
  expect((await world.run("logout")).out).toBe(`Signed out of ${world.hub.url}.\n`);
  const bad = await world.run("login", world.hub.url, "--context", "ci", "--key-file", file);
  expect([bad.code, bad.err]).toEqual([4, expect.stringContaining("Error")]);
});
