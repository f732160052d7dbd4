import { createHash } from "node:crypto";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createHub, openStore } from "../../hub/index.ts";
import type { Hub } from "../../hub/index.ts";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import type { TestIo } from "../test-support/test-io.test-helper.ts";

const secret = "x".repeat(43);
const digestOf = (text: string) => createHash("sha256").update(text).digest("base64url");
const id = digestOf("acme:service/admin").slice(0, 16);

let home: TestIo;
let hub: Hub;
let environment: Record<string, string>;

beforeEach(async () => {
  home = createTestIo();
  const store = await openStore({ database: join(home.home, "hub.db") });
  const about = { principal: "acme", groups: ["staff"], isAdmin: false, claimedAt: 1, seenAt: Date.now() };
  await store.setRecord("people", "acme/ada", { ...about, id: "acme/ada", name: "Ada", email: "ada@acme.example" });
  await store.setRecord("people", "acme/bob", { ...about, id: "acme/bob", name: "Bob\u001b[2J" });
  const times = { madeAt: Date.now(), expiresAt: Date.now() + 3_600_000 };
  await store.setRecord("services", id, {
    ...{ principal: "", organisation: "acme", name: "admin", scopes: ["admin"], madeBy: "", madeAt: times.madeAt },
    keys: [{ digest: digestOf(secret), ...times }],
  });
  const team = { secret: "s".repeat(32), providers: [{ name: "acme", issuer: "https://id.acme.example" }] };
  hub = await createHub({ port: 0, team, store: () => Promise.resolve(store) });
  environment = { PAGEWIRE_URL: hub.url, PAGEWIRE_TOKEN: await signIn() };
});
afterEach(async () => {
  await hub.close();
  home.close();
});

/** A lasting key is not sent over plain http, but what it signed in is. */
async function signIn(): Promise<string> {
  const headers = { Authorization: `Bearer pagewire-key.${id}.${secret}` };
  const made = await fetch(`${hub.url}/api/codes`, { method: "POST", headers });
  const { code } = (await made.json()) as { code: string };
  const own = { "Content-Type": "application/json", Origin: hub.url };
  const body = JSON.stringify({ code });
  const signed = await fetch(`${hub.url}/api/sign-in`, { method: "POST", headers: own, body });
  return ((await signed.json()) as { token: string }).token;
}

async function run(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const cli = createTestIo({ environment });
  const code = await cli.run("team", ...args);
  const said = { code, out: cli.out(), err: cli.err() };
  cli.close();
  return said;
}

test("people are listed, blocked by principal or address, and let in again", async () => {
  const { out } = await run("people");
  expect(out).toMatch(/^PRINCIPAL +NAME +EMAIL +GROUPS .*\nacme\/ada +Ada +ada@acme.example +staff /);
  expect(out).not.toContain("\u001b");
  expect(await run("people", "block", "ADA@acme.example")).toMatchObject({ code: 0, out: "acme/ada is blocked.\n" });
  expect((await run("people")).out).toContain("blocked");
  expect((await run("people", "unblock", "acme/ada", "--json")).out).toContain('"blocked":false');
  expect(await run("people", "end", "acme/bob")).toMatchObject({ code: 0 });
  expect(await run("people", "end", "acme/nobody")).toMatchObject({
    code: expect.any(Number),
    err: expect.stringMatching(/nobody by this name/),
  });
  expect((await run("people", "block", "nobody@acme.example")).err).toContain("Nobody has this email address");
});

test("sessions are listed and ended", async () => {
  expect((await run("sessions")).out).toBe("Nobody is signed in.\n");
  const { out } = await run("sessions", "list", "acme:service/admin", "--json");
  const { sessions } = JSON.parse(out) as { sessions: { id: string; use: string }[] };
  expect(sessions).toMatchObject([{ use: "app" }]);
  expect(await run("sessions", "end", sessions[0]?.id ?? "")).toMatchObject({ code: 0 });
  expect((await run("sessions")).err).toContain("not signed in any more");
});

test("a service account is made, gets a new key, and is removed; a key is printed alone, and once", async () => {
  const made = await run("services", "make", "deploy", "--scope", "tools", "--expires", "30d");
  expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/^pagewire-key\.[\w-]{16}\.[\w-]{43}\n$/) });
  const rotated = await run("services", "rotate", "deploy", "--keep-old", "1d", "--json");
  expect(JSON.parse(rotated.out)).toMatchObject({ name: "deploy", key: expect.stringContaining("pagewire-key.") });
  const { out } = await run("services");
  expect(out.match(/^deploy +tools /gm)).toHaveLength(2);
  expect(out).not.toContain(made.out.trim().split(".")[2]);
  expect(await run("services", "remove", "deploy")).toMatchObject({ code: 0 });
  expect((await run("services", "remove", "deploy")).err).toContain("no service account of this name");
});

test.each([[["people", "block"]], [["nothing"]], [["services", "make", "x", "--expires", "soon"]]])(
  "team %j is a wrong command line",
  async (args) => {
    expect(await run(...args)).toMatchObject({ code: 2 });
  },
);

test("the audit shows what happened in the organisation, and goes on with what happens then", async () => {
  await run("people", "block", "acme/ada");
  const cli = createTestIo({ environment });
  const running = cli.run("team", "audit", "--follow", "--json");
  await expect.poll(() => cli.out()).toContain('"acme/ada"');
  await run("people", "unblock", "acme/ada");
  await expect.poll(() => cli.out()).toContain('"outcome":"unblocked"');
  await cli.interrupt();
  expect(await running).toBe(0);
  const records = cli.out().trim().split("\n");
  expect(new Set(records).size).toBe(records.length);
  cli.close();
  expect((await run("audit")).out).toMatch(/person .*blocked/);
  expect(await run("people", "--follow")).toMatchObject({ code: 2 });
});
