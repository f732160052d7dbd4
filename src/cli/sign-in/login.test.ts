// Signing in to a hub with the real command and a real identity provider.
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { startIdentityProvider } from "../../../test/support/identity-provider.ts";
import { commandLineClientPath } from "../../wire/index.ts";
import { playHub, providerScopes, removeCommand, startSignInWorld } from "../test-support/sign-in-world.test-helper.ts";
import type { SignInWorldOptions } from "../test-support/sign-in-world.test-helper.ts";

afterAll(removeCommand);

test("CL61: a person signs in with the browser, and the commands ask the hub of that context", async () => {
  const { home, hub, login, run, kept } = await startSignInWorld();
  const { code, out, err } = await login("--context", "acme");
  expect([code, err.replace(/Sign in at: \S+\n/, "")]).toEqual([0, ""]);
  expect(out).toContain(`Signed in to ${hub.url} as Ada Lovelace (acme/ada).`);
  expect(out).toContain(join(home, "contexts", "acme.json"));
  const who = await run("whoami", "--json");
  expect(JSON.parse(who.out)).toMatchObject({
    ...{ context: "acme", hub: hub.url, principal: "acme/ada", organisation: "acme", credential: "token" },
    ...{ groups: ["staff"], isAdmin: false, scopes: ["tools"], expiresAt: expect.any(Number) },
  });
  expect(out + err + who.out).not.toContain(kept().tokens.access);
  expect((await run("status", "--context", "acme")).code).toBe(0);
  expect((await run("context", "use", "local")).out).toBe("The commands use the hub of this machine now.\n");
  expect((await run("whoami")).code).toBe(3);
  expect((await run("whoami", "--hub", hub.url)).out).toMatch(
    /^You are Ada Lovelace \(acme\/ada\) .*\nOrganisation: acme\nGroups: staff\nScopes: tools\nGood until: .*, and renewed by itself\n$/,
  );
});

test("CL61: several hubs are contexts by their names, and a second sign-in at one takes the place of the first", async () => {
  const [one, two] = [await startSignInWorld(), await startSignInWorld()];
  expect((await one.login("--context", "one")).code).toBe(0);
  const back = await two.start(["login", two.hub.url, "--no-browser"], { PAGEWIRE_HOME: one.home });
  const [, address = ""] = await back.wrote(/Sign in at: (\S+)/);
  two.provider.signInAs("grace");
  await fetch(await two.provider.visit(address));
  expect((await back.ended).code).toBe(0);
  const name = new URL(two.hub.url).host.replace(":", "-");
  const { contexts } = JSON.parse((await one.run("context", "list", "--json")).out) as { contexts: object[] };
  expect(contexts).toMatchObject([
    { name: "local", isInUse: false },
    { name, hub: two.hub.url, isInUse: true, state: "signed in" },
    { name: "one", hub: one.hub.url, isInUse: false, state: "signed in" },
  ]);
  expect((await one.run("whoami")).out).toContain("acme/grace");
  expect((await one.run("whoami", "--context", "one")).out).toContain("acme/ada");
  one.provider.signInAs("grace");
  expect((await one.login("--context", "one")).code).toBe(0);
  expect((await one.run("whoami")).out).toContain(`acme/grace) at ${one.hub.url}`);
});

test.skipIf(process.platform === "win32")(
  "CL62: what signs a person in is in files that only this user can read",
  async () => {
    const { home, login } = await startSignInWorld();
    await login("--context", "acme");
    const folder = join(home, "contexts");
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const file of readdirSync(folder))
      expect([file, statSync(join(folder, file)).mode & 0o777]).toEqual([file, 0o600]);
  },
);

test("CL61: a person signs in by a code in the browser of another machine", async () => {
  const { hub, start, confirmCode, run } = await startSignInWorld();
  const running = await start(["login", hub.url, "--device", "--context", "acme"]);
  const [, address = ""] = await running.wrote(/Or open (\S+) and see/);
  await running.wrote(/type the code \S+/);
  await confirmCode(address);
  const { code, out } = await running.ended;
  expect([code, out]).toEqual([0, expect.stringContaining("as Ada Lovelace (acme/ada)")]);
  expect((await run("whoami")).code).toBe(0);
});

test("CL61: Ctrl-C ends the wait for a code", async () => {
  const { hub, home, start } = await startSignInWorld();
  const running = await start(["login", hub.url, "--device"]);
  await running.wrote(/type the code \S+/);
  running.kill("SIGINT");
  expect((await running.ended).code).toBe(130);
  expect(readdirSync(home)).not.toContain("contexts");
});

test("CL61: whom the hub does not let in is not signed in, and what the provider gave is revoked", async () => {
  const { home, provider, login } = await startSignInWorld({ settings: { memberGroups: ["board"] } });
  const revoked: unknown[] = [];
  provider.provider.on("grant.revoked", (_: unknown, grant: unknown) => revoked.push(grant));
  const { code, err } = await login("--context", "acme");
  expect([code, err]).toEqual([expect.toSatisfy((each) => each !== 0), expect.stringContaining("in no group")]);
  expect(revoked).toHaveLength(1);
  expect(readdirSync(home)).not.toContain("contexts");
});

test("CL63: a hub whose metadata is for another hub signs nobody in", async () => {
  const { hub, run } = await startSignInWorld();
  const { code, err } = await run("login", hub.url.replace("127.0.0.1", "localhost"), "--no-browser");
  expect([code, err]).toEqual([4, expect.stringContaining(`says that it is "${hub.url}/mcp"`)]);
});

test("CL63: an untrusted certificate is reported with a remedy", async () => {
  const { hub, start } = await startSignInWorld();
  const { code, err } = await (await start(["login", hub.url], { NODE_EXTRA_CA_CERTS: "" })).ended;
  expect([code, err]).toEqual([3, expect.stringContaining("NODE_EXTRA_CA_CERTS=ca.pem")]);
});

test("CL64: a redirect of the hub is not followed, and its target gets no token", async () => {
  const { hub, login, run } = await startSignInWorld();
  await login();
  const stolen: unknown[] = [];
  const thief = await playHub((request, response) => {
    stolen.push(request.headers);
    response.end("{}");
  });
  await hub.close();
  const redirect = ({ url }: { url?: string | undefined }) => ({ location: `${thief}${url}` });
  await playHub((request, response) => response.writeHead(307, redirect(request)).end(), Number(new URL(hub.url).port));
  for (const line of ["whoami", "status", "tabs", "call get_title", "watch", "waits", `login ${hub.url}`])
    expect([line, (await run(...line.split(" "))).code]).toEqual([line, expect.toSatisfy((code) => code !== 0)]);
  expect(stolen).toEqual([]);
});

test("CL65: an answer of another provider, or to another request, is not taken", async () => {
  const { hub, provider, start } = await startSignInWorld();
  const running = await start(["login", hub.url, "--no-browser"]);
  const [, address = ""] = await running.wrote(/Sign in at: (\S+)/);
  const back = await provider.visit(address);
  const forged = new URL(back);
  forged.searchParams.set("state", "another");
  expect((await fetch(forged)).status).toBe(404);
  const mixedUp = new URL(back);
  mixedUp.searchParams.set("iss", "https://attacker.example");
  const page = await fetch(mixedUp);
  expect([page.status, await page.text()]).toEqual([400, expect.stringContaining("You are not signed in")]);
  const { code, err } = await running.ended;
  expect([code, err]).toEqual([expect.toSatisfy((each) => each !== 0), expect.stringContaining("iss")]);
});

test("CL65: the page that the browser ends at says so, has no script, and is for nothing else", async () => {
  const { hub, provider, start } = await startSignInWorld();
  const running = await start(["login", `${hub.url}/mcp`, "--no-browser"]);
  const [, address = ""] = await running.wrote(/Sign in at: (\S+)/);
  const back = await provider.visit(address);
  expect((await fetch(new URL("/", back))).status).toBe(404);
  const page = await fetch(back);
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(await page.text()).toContain("You can close this page");
  expect((await running.ended).code).toBe(0);
});

test("CL65: Ctrl-C ends a sign-in, and nothing listens any more", async () => {
  const { hub, home, start } = await startSignInWorld();
  const running = await start(["login", hub.url, "--no-browser"]);
  const [, address = ""] = await running.wrote(/Sign in at: (\S+)/);
  running.kill("SIGINT");
  expect((await running.ended).code).toBe(130);
  await expect(fetch(new URL(address).searchParams.get("redirect_uri") ?? "")).rejects.toThrow("fetch failed");
  expect(readdirSync(home)).not.toContain("contexts");
});

const registered = (client_id: string) => ({
  ...{ client_id, token_endpoint_auth_method: "none" as const, application_type: "native" as const },
  ...{ redirect_uris: ["http://127.0.0.1/callback"], grant_types: ["authorization_code", "refresh_token"] },
});

/** Signs in, and returns the client that it was done with. */
async function signInWith(options: SignInWorldOptions = {}) {
  const world = await startSignInWorld(options);
  const clientOf = async (...args: string[]) => {
    const { code, err } = await world.login("--context", "acme", ...args);
    expect([code, err]).toEqual([0, expect.anything()]);
    expect((await world.run("whoami")).code).toBe(0);
    return world.kept().clientId;
  };
  return { ...world, clientOf };
}

test("CL66: the client is the given one, else the hub's", async () => {
  const provider = { clients: ["given", "published"].map(registered), hasDocuments: true };
  const { clientOf } = await signInWith({ provider, settings: { commandLineClientId: "published" } });
  expect(await clientOf()).toBe("published");
  expect(await clientOf("--client-id", "given")).toBe("given");
});

test("CL66: where the hub has none, its document is the client of a provider that reads such documents", async () => {
  const { clientOf, hub, start, confirmCode } = await signInWith({ provider: { hasDocuments: true } });
  expect(await clientOf()).toBe(hub.url + commandLineClientPath);
  const running = await start(["login", hub.url, "--device", "--context", "acme"]);
  const [, address = ""] = await running.wrote(/Or open (\S+) and see/);
  await confirmCode(address);
  expect((await running.ended).code).toBe(0);
});

test("CL66: at other providers the client registers itself, once, for what the provider has", async () => {
  for (const provider of [{}, { hasDocuments: true, lacks: ["deviceFlow"] as const }]) {
    const { clientOf } = await signInWith({ provider });
    const first = await clientOf();
    expect([await clientOf(), first.startsWith("https:")]).toEqual([first, false]);
  }
});

test("CL66: where there is no client, the administrator learns what to register, and where it goes", async () => {
  const provider = { lacks: ["registration"] as const };
  const { hub, run } = await startSignInWorld({ provider });
  const { code, err } = await run("login", hub.url, "--no-browser");
  expect(code).toBe(4);
  for (const part of ["http://127.0.0.1/callback", 'in team.json: "commandLineClientId"', "--client-id ID"])
    expect(err).toContain(part);
});

test("CL71: of several providers one is chosen by its name, and is asked for scopes by its own names", async () => {
  const resources: Record<string, { scope: string }> = {};
  const globex = await startIdentityProvider({
    resources,
    configuration: { scopes: [...providerScopes, "api:tools", "api:admin"] },
  });
  const scopes = { tools: "api:tools", admin: "api:admin" };
  const { hub, run, start, kept } = await startSignInWorld({
    other: { name: "globex", issuer: globex.issuer, adminGroups: ["staff"], scopes },
  });
  resources[`${hub.url}/mcp`] = { scope: "api:tools api:admin" };
  const none = await run("login", hub.url, "--no-browser");
  expect([none.code, none.err]).toEqual([
    2,
    expect.stringMatching(/--provider NAME\. There are: acme \(http.*globex \(http/),
  ]);
  const wrong = await run("login", hub.url, "--provider", "initech");
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('called "initech". There are: acme')]);
  const running = await start([
    ...["login", hub.url, "--no-browser", "--context", "globex"],
    ...["--provider", "globex", "--scope", "admin"],
  ]);
  const [, address = ""] = await running.wrote(/Sign in at: (\S+)/);
  expect(new URL(address).searchParams.get("scope")).toContain("api:tools api:admin");
  await fetch(await globex.visit(address));
  const { code, out, err } = await running.ended;
  expect([code, out]).toEqual([0, expect.stringContaining("(globex/ada)")]);
  expect(err).not.toContain("did not grant");
  expect(kept("globex").scopes).toEqual(expect.arrayContaining(["tools", "admin"]));
  expect((await run("team", "people")).code).toBe(0);
});
