// Signing in to a hub with the real command and a real identity provider.
import { readFileSync, readdirSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { removeCommand, startSignInWorld } from "../test-support/sign-in-world.test-helper.ts";

afterAll(removeCommand);

const contextFile = (home: string, name: string) =>
  JSON.parse(readFileSync(join(home, "contexts", `${name}.json`), "utf8")) as {
    clientId: string;
    tokens: { access: string; refresh: string };
  };

test("CL61: a person signs in with the browser, and the commands ask the hub of that context", async () => {
  const { home, hub, login, run } = await startSignInWorld();
  const { code, out, err } = await login("--context", "acme");
  expect([code, err.replace(/Sign in at: \S+\n/, "")]).toEqual([0, ""]);
  expect(out).toContain(`Signed in to ${hub.url} as Ada Lovelace (acme/ada).`);
  expect(out).toContain(join(home, "contexts", "acme.json"));
  const { tokens } = contextFile(home, "acme");
  const who = await run("whoami", "--json");
  expect(JSON.parse(who.out)).toMatchObject({ context: "acme", hub: hub.url, principal: "acme/ada" });
  expect(hub.requests.at(-1)).toEqual({ line: "GET /api/team/me", bearer: tokens.access });
  expect(out + err + who.out).not.toContain(tokens.access);
  expect((await run("status", "--context", "acme")).code).toBe(0);
  expect((await run("context", "use", "local")).out).toBe("The commands use the hub of this machine now.\n");
  expect((await run("whoami")).code).toBe(3);
  expect((await run("whoami", "--hub", hub.url)).out).toContain("You are Ada Lovelace (acme/ada)");
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

test("CL63: a hub whose metadata is for another hub signs nobody in", async () => {
  const { hub, run } = await startSignInWorld();
  hub.metadata = { ...hub.metadata, resource: "https://hub.example.com/mcp" };
  const { code, err } = await run("login", hub.url, "--no-browser");
  expect([code, err]).toEqual([4, expect.stringContaining('says that it is "https://hub.example.com/mcp"')]);
});

test.each(["http://hub.example.com", "http://127.0.0.1:7337"])(
  "CL63: nobody signs in over plain http, as at %s",
  async (url) => {
    const { run } = await startSignInWorld();
    const { code, err } = await run("login", url);
    expect([code, err]).toEqual([2, expect.stringContaining("over https only")]);
  },
);

test("CL63: an untrusted certificate is reported with a remedy", async () => {
  const { hub, start } = await startSignInWorld();
  const { code, err } = await (await start(["login", hub.url], { NODE_EXTRA_CA_CERTS: "" })).ended;
  expect([code, err]).toEqual([3, expect.stringContaining("NODE_EXTRA_CA_CERTS=ca.pem")]);
});

test("CL64: a redirect of the hub is not followed, and its target gets no token", async () => {
  const { hub, login, run } = await startSignInWorld();
  await login();
  const stolen: unknown[] = [];
  const thief = createServer((request, response) => {
    stolen.push(request.headers);
    response.end("{}");
  });
  await once(thief.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void thief.close());
  const target = `http://127.0.0.1:${(thief.address() as AddressInfo).port}`;
  hub.answer = (request, response) => {
    response.writeHead(307, { location: `${target}${request.url}` }).end();
    return true;
  };
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
  const running = await start(["login", hub.url, "--no-browser"]);
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

test("CL66: the client is the given one, else the hub's, else a registered one, which is registered once", async () => {
  const world = await startSignInWorld({
    provider: {
      clients: ["given", "published"].map((client_id) => ({
        client_id,
        token_endpoint_auth_method: "none" as const,
        application_type: "native" as const,
        redirect_uris: ["http://127.0.0.1/callback"],
        grant_types: ["authorization_code", "refresh_token"],
      })),
    },
  });
  const { hub, home, login } = world;
  const clientOf = async (...args: string[]) => {
    const { code, err } = await login("--context", "acme", ...args);
    expect([code, err]).toEqual([0, expect.anything()]);
    return contextFile(home, "acme").clientId;
  };
  const registered = await clientOf();
  expect(["given", "published"]).not.toContain(registered);
  expect(await clientOf()).toBe(registered);
  hub.metadata = { ...hub.metadata, pagewire_client_id: "published" };
  expect(await clientOf()).toBe("published");
  expect(await clientOf("--client-id", "given")).toBe("given");
});
