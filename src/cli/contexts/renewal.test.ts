// Tokens of a context are renewed, by real processes at a real identity provider, which takes each refresh token once.
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { removeCommand, startSignInWorld } from "../test-support/sign-in-world.test-helper.ts";
import type { SignInWorld } from "../test-support/sign-in-world.test-helper.ts";

afterAll(removeCommand);

const tokensIn = ({ home }: SignInWorld) => {
  const { tokens } = JSON.parse(readFileSync(join(home, "contexts", "acme.json"), "utf8")) as {
    tokens: { access: string; refresh: string };
  };
  return tokens;
};

/** Signed in, with tokens that are so near their end that each use renews them. */
async function signedIn(ttl?: number): Promise<SignInWorld> {
  const world = await startSignInWorld(ttl === undefined ? {} : { ttl });
  expect((await world.login("--context", "acme")).code).toBe(0);
  return world;
}

test("CL67: a token near its end is renewed before it is used, and the new refresh token is kept", async () => {
  const world = await signedIn(20);
  const seen = [tokensIn(world)];
  for (let use = 0; use < 3; use++) {
    expect((await world.run("whoami")).code).toBe(0);
    const now = tokensIn(world);
    expect(world.hub.requests.at(-1)?.bearer).toBe(now.access);
    expect(seen.map(({ refresh }) => refresh)).not.toContain(now.refresh);
    seen.push(now);
  }
});

test("CL67: many processes renew one at a time, and no refresh token is used twice or lost", async () => {
  const world = await signedIn(20);
  // A refresh token that is used twice ends the sign-in.
  const ended = await Promise.all(Array.from({ length: 5 }, () => world.run("whoami")));
  expect(ended.map(({ code, err }) => [code, err])).toEqual(ended.map(() => [0, ""]));
  expect((await world.run("whoami")).code).toBe(0);
});

test("CL67: a token that the hub refuses is renewed once, by whichever process is first", async () => {
  const world = await signedIn();
  const { access } = tokensIn(world);
  world.hub.refused.add(access);
  const ended = await Promise.all(Array.from({ length: 4 }, () => world.run("whoami")));
  expect(ended.map(({ code, err }) => [code, err])).toEqual(ended.map(() => [0, ""]));
  const good = world.hub.requests.filter(({ bearer }) => bearer !== undefined && bearer !== access);
  expect(new Set(good.map(({ bearer }) => bearer))).toEqual(new Set([tokensIn(world).access]));
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
  const running = await world.start(["whoami"]);
  await asked;
  running.kill("SIGINT");
  release();
  expect((await running.ended).code).toBe(130);
  expect((await world.run("whoami")).code).toBe(0);
});

test("CL68: a sign-in that ended at the provider says how to sign in again", async () => {
  const world = await signedIn(20);
  const grant = await world.provider.provider.RefreshToken.find(tokensIn(world).refresh);
  await world.provider.provider.RefreshToken.revokeByGrantId(grant?.grantId ?? "");
  const { code, err } = await world.run("whoami", "--json");
  expect(code).toBe(4);
  const { error } = JSON.parse(err) as { error: { code: string; message: string } };
  expect(error.code).toBe("token-expired");
  expect(error.message).toContain(`Sign in again: npx pagewire login ${world.hub.url} --context acme`);
});

test("CL68: a provider that is away is no end of a sign-in", async () => {
  const world = await signedIn(20);
  const before = tokensIn(world);
  await world.provider.close();
  const { err } = await world.run("whoami", "--json");
  expect((JSON.parse(err) as { error: { code: string } }).error.code).toBe("identity-unavailable");
  expect(tokensIn(world)).toEqual(before);
});

test.skipIf(process.platform === "win32")("CL62: a sign-in that others can read is refused", async () => {
  const world = await signedIn();
  chmodSync(join(world.home, "contexts", "acme.json"), 0o644);
  const { err } = await world.run("whoami");
  expect(err).toContain("is open to others (mode 0644)");
  expect(world.hub.requests.at(-1)?.line).toBe("GET /api/team/me");
  const { out } = await world.run("context", "list");
  expect(out).toContain("unusable");
  expect((await world.run("context", "remove", "acme")).out).toBe("Removed acme.\n");
});

test("CL69: logout revokes the sign-in at the provider, and forgets it here", async () => {
  const world = await signedIn();
  const { refresh } = tokensIn(world);
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
  const { refresh } = tokensIn(world);
  await world.provider.close();
  const { code, err } = await world.run("logout");
  expect([code, err]).toEqual([0, expect.stringContaining("The identity provider was not told")]);
  expect(readFileSync(join(world.home, "contexts", "acme.json"), "utf8")).not.toContain(refresh);
});

test("a service account's key makes a context, which ends when the hub refuses it", async () => {
  const world = await startSignInWorld();
  const key = join(world.home, "key");
  writeFileSync(key, "a-key-of-a-service-account\n");
  expect((await world.run("login", world.hub.url, "--context", "ci", "--key-file", key)).code).toBe(0);
  expect((await world.run("whoami")).out).toContain("You are acme/service");
  world.hub.refused.add("a-key-of-a-service-account");
  const { code, err } = await world.run("whoami");
  expect([code, err]).toEqual([4, expect.stringContaining("does not take the key of the context ci any more")]);
});
