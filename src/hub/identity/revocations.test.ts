import { join } from "node:path";
import { expect, test } from "vitest";
import { connectAgent, openAgent } from "../test-support/agent.test-helper.ts";
import { createAuditedStore } from "../audit/test-support/audited.test-helper.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import type { TestHub } from "../test-support/hub.test-helper.ts";
import { answerTo, beginCall } from "../test-support/http.test-helper.ts";
import { askOwn, errorOf, mintCode, exchange, signIn } from "../test-support/own.test-helper.ts";
import { byHand, connectPage, helloOf, openPage } from "../test-support/page.test-helper.ts";
import type { HubOptions } from "../options/options.ts";
import { makeFolder, openTestStore } from "../store/test-support/store-contract.test-helper.ts";
import { sign } from "../guard/test-support/jwks.test-helper.ts";
import type { Revocations } from "./revocations.ts";
import { signAgentToken, signPageToken } from "../guard/tokens.ts";

const secret = "a-secret-of-at-least-32-characters";
const now = () => Math.floor(Date.now() / 1000);

interface RevokingHub extends TestHub {
  revokeId(id: string): void;
  revokeSubject(subject: string, notBefore: number): void;
  restore(): void;
}

async function startRevokingHub(options: Partial<HubOptions> = {}): Promise<RevokingHub> {
  const ids = new Set<string>();
  const subjects = new Map<string, number>();
  const revocations = (): Revocations => ({ ids, subjects });
  const hub = await startHub({ jwt: { secret }, revocations, ...options });
  const tell = () => hub.allow("https://another.example");
  return Object.assign(hub, {
    revokeId(id: string) {
      ids.add(id);
      tell();
    },
    revokeSubject(subject: string, notBefore: number) {
      subjects.set(subject, notBefore);
      tell();
    },
    restore() {
      ids.clear();
      subjects.clear();
      tell();
    },
  });
}

const statusOf = async (hub: TestHub, token: string) => errorOf(await askOwn(hub, "GET /api/app", { token }));
const good = [200, undefined];
const over = [401, "token-expired"];
/** A token for Ann, valid for an hour, unless a claim says otherwise. */
const signed = (claims: Readonly<Record<string, unknown>>) =>
  sign({ sub: "ann", aud: "pagewire:agent", exp: now() + 3600, ...claims }, { alg: "HS256" }, Buffer.from(secret));

test("H26: a token that is valid for longer than tokenTime is refused, whatever its issue time", async () => {
  const hub = await startHub({ jwt: { secret }, limits: { tokenTime: 3600_000 } });
  const at = (iat: number | undefined, exp: number) => signed({ ...(iat === undefined ? {} : { iat }), exp });
  for (const token of [
    await at(now(), now() + 3600),
    await at(now() - 1800, now() + 1800),
    await at(undefined, now() + 3500),
    await at(now() + 3, now() + 3603),
  ])
    expect(await statusOf(hub, token)).toEqual(good);
  const aCentury = 100 * 365 * 24 * 3600;
  for (const token of [
    await at(now(), now() + aCentury),
    await at(now(), now() + 3700),
    await at(now() - 3000, now() + 1000),
    await at(undefined, now() + 3700),
    await at(now() + aCentury - 10, now() + aCentury),
  ])
    expect(await statusOf(hub, token)).toEqual([401, "token-invalid"]);
  const { body } = await askOwn(hub, "GET /api/app", { token: await at(now(), now() + aCentury) });
  expect(JSON.stringify(body)).toContain("the limit tokenTime, 3600 seconds from when it was issued");
});

test("H27: a revoked token is refused, and what it let in ends at once: sockets, streams and calls that run", async () => {
  const hub = await startRevokingHub();
  const page = await connectPage(hub.url, {
    token: await signPageToken({ secret, subject: "ann", id: "page" }),
    handle: byHand,
  });
  const token = await signAgentToken({ secret, subject: "ann", id: "agent" });
  const agent = await connectAgent(hub.url, { token });
  const cut = answerTo(beginCall({ url: hub.url, token }, "work")).catch((error: Error) => error.message);
  await page.nextCall();
  const other = await signAgentToken({ secret, subject: "ann", id: "other" });
  hub.revokeId("agent");
  expect(await agent.closeName()).toBe("token-expired");
  expect(await cut).toBe("socket hang up");
  expect([await statusOf(hub, token), await statusOf(hub, other)]).toEqual([over, good]);
  expect(page.socket.readyState).toBe(page.socket.OPEN);
  hub.revokeId("page");
  expect(await page.closeName()).toBe("token-expired");
  hub.restore();
  expect(await statusOf(hub, token)).toEqual(good);
});

test("H27: a token that is revoked between its check and the registration of its socket is refused", async () => {
  const revoked: Revocations = { ids: new Set(["late"]), subjects: new Map() };
  const none: Revocations = { ids: new Set(), subjects: new Map() };
  let looks = 0;
  const hub = await startHub({ jwt: { secret }, revocations: () => (looks++ === 0 ? none : revoked) });
  const token = await signAgentToken({ secret, subject: "ann", id: "late" });
  looks = 0;
  const agent = await openAgent(hub.url, { headerToken: token });
  expect([await agent.closeName(), looks]).toEqual(["token-expired", 2]);
  looks = 0;
  const page = await openPage(hub.url);
  page.send(helloOf({ token: await signPageToken({ secret, subject: "ann", id: "late" }) }));
  expect([await page.verdict(), looks]).toEqual(["token-expired", 2]);
});

test("H27: after a subject is revoked, its earlier tokens and those without an issue time are refused", async () => {
  const hub = await startRevokingHub();
  const [before, same, later] = await Promise.all([-60, 0, 1].map((seconds) => signed({ iat: now() + seconds })));
  const undated = await signed({});
  const bobs = await signed({ sub: "bob", iat: now() - 60 });
  hub.revokeSubject("ann", now() * 1000);
  const all = [before, same, later, undated, bobs].map((token) => statusOf(hub, token ?? ""));
  expect(await Promise.all(all)).toEqual([over, good, good, over, good]);
});

test("H27: sign-ins, codes and terminals end with the token that they were made with, also after a restart", async () => {
  const database = join(makeFolder(), "pagewire.db");
  const store = () => openTestStore(database);
  const ids = new Set<string>();
  const subjects = new Map<string, number>();
  const options = { jwt: { secret }, store, revocations: () => ({ ids, subjects }) };
  const first = await startHub(options);
  const token = await signAgentToken({ secret, subject: "ann", id: "stolen" });
  const other = await signAgentToken({ secret, subject: "ann", id: "other" });
  const [ofStolen, ofOther] = [await signIn(first, token), await signIn(first, other)];
  const terminal = await askOwn(first, "POST /api/terminals", { token, origin: undefined, body: "{}" });
  const terminalToken = String(terminal.body?.["token"]);
  const useTerminal = async (hub: TestHub) =>
    errorOf(await askOwn(hub, "GET /api/browser-delegate/actions", { token: terminalToken, origin: undefined }));
  const code = await mintCode(first, token);
  const page = await connectAgent(first.url, { token: ofStolen });
  expect([await statusOf(first, ofStolen), (await useTerminal(first))[0]]).not.toContainEqual(over);
  ids.add("stolen");
  first.allow("https://another.example");
  expect(await page.closeName()).toBe("token-expired");
  expect([await statusOf(first, ofStolen), await statusOf(first, ofOther)]).toEqual([over, good]);
  expect([(await exchange(first, code)).status, (await useTerminal(first))[0]]).toEqual([401, 401]);
  await first.close();
  const second = await startHub(options);
  expect([await statusOf(second, ofStolen), await statusOf(second, ofOther)]).toEqual([over, good]);
  expect((await useTerminal(second))[0]).toBe(401);
  subjects.set("ann", Date.now() + 1000);
  second.allow("https://another.example");
  expect(await statusOf(second, ofOther)).toEqual(over);
});

test("H27: an id of a token that is no text does not pass for none", async () => {
  const hub = await startRevokingHub();
  expect(await statusOf(hub, await signed({ jti: 7 }))).toEqual([401, "token-invalid"]);
});

test("what is revoked, and what is not any more, is a record each", async () => {
  const store = createAuditedStore();
  const hub = await startRevokingHub({ store: () => store });
  hub.revokeId("one");
  hub.revokeSubject("ann", 0);
  hub.revokeSubject("ann", 1000);
  hub.restore();
  await hub.close();
  const [first, second] = [{ notBefore: "1970-01-01T00:00:00.000Z" }, { notBefore: "1970-01-01T00:00:01.000Z" }];
  expect(store.of("token", "outcome", "name", "principal", "details")).toEqual([
    ["revoked", "id", "", { id: "one" }],
    ["revoked", "subject", "ann", first],
    ["revoked", "subject", "ann", second],
    ["restored", "id", "", { id: "one" }],
    ["restored", "subject", "ann", second],
  ]);
});

test("keys are asked for over https, in clear of this machine only", async () => {
  for (const jwks of ["http://id.example/keys", "http://127.0.0.1.nip.io/keys", "ftp://127.0.0.1/", "file:///keys"])
    await expect(startHub({ jwt: { jwks } })).rejects.toMatchObject({
      code: "options-invalid",
      message: `The keys at ${jwks} could be others by the time that they are here. Give an https address.`,
    });
  for (const jwks of ["https://id.example/keys", "http://localhost:1/keys", "http://[::1]:1/", "http://127.0.0.1:1/"])
    await startHub({ jwt: { jwks } });
});
