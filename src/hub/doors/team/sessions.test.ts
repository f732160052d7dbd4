import { expect, test } from "vitest";
import { errorOf, mintCode, exchange } from "../../test-support/own.test-helper.ts";
import { defaultLimits } from "../../../wire/index.ts";
import { createLater } from "../../store/index.ts";
import { systemClock } from "../../../link/index.ts";
import { createSeal } from "../../common/seal.ts";
import { SignIns } from "../../team/sign-in/sign-ins.ts";
import { asker, pathTo, startTeamHub } from "../../team/test-support/team-world.test-helper.ts";
import type { TeamHub } from "../../team/test-support/team-world.test-helper.ts";

/** Signs a person in, as another hub would. */
async function signIn({ store }: TeamHub, subject: string): Promise<void> {
  const nothing = () => {};
  const signIns = new SignIns({
    ...{ store, later: createLater(systemClock), limits: defaultLimits, seal: createSeal(Buffer.alloc(32)) },
    ...{
      access: { refusedBefore: () => undefined },
      now: Date.now,
      record: nothing,
      onNotSaved: nothing,
      onEnded: nothing,
    },
  });
  await signIns.begin({ principal: `acme/${subject}`, provider: "acme", subject, browser: "Firefox", tokens: {} });
}

const sessionsIn = (body: unknown) => (body as { readonly sessions: readonly { readonly id: string }[] }).sessions;

test("TM7: an admin sees what people are signed in with, and ends one of it or all", async () => {
  const hub = await startTeamHub();
  await signIn(hub, "ada");
  await signIn(hub, "ada");
  await signIn(hub, "bob");
  const { body } = await hub.acme("GET sessions?limit=1");
  expect(body).toMatchObject({ next: "acme/ada" });
  expect(sessionsIn(body)).toHaveLength(2);
  const [first] = sessionsIn(body);
  expect(first).toMatchObject({ principal: "acme/ada", use: "sign-in", provider: "acme", browser: "Firefox" });
  expect((await hub.acme(`DELETE sessions/${first?.id}`)).status).toBe(204);
  expect(errorOf(await hub.acme(`DELETE sessions/${first?.id}`))).toEqual([404, "route-not-found"]);
  expect(sessionsIn((await hub.acme("GET sessions")).body)).toHaveLength(2);
  expect((await hub.acme(`DELETE ${pathTo("acme/ada")}/access`)).status).toBe(204);
  expect(sessionsIn((await hub.acme("GET sessions")).body)).toMatchObject([{ principal: "acme/bob" }]);
});

test("TM7: what was signed in with a code of a service account ends with that session, and with the account", async () => {
  const hub = await startTeamHub();
  const key = String((await hub.acme("POST services", { name: "kiosk" })).body?.["key"]);
  const signInByCode = async () => String((await exchange(hub, await mintCode(hub, key))).body?.["token"]);
  const [one, other] = [await signInByCode(), await signInByCode()];
  const { body } = await hub.acme("GET sessions?principal=acme:service/kiosk");
  expect(sessionsIn(body)).toMatchObject([{ use: "app" }, { use: "app" }]);
  await hub.acme(`DELETE sessions/${sessionsIn(body)[0]?.id}`);
  const statuses = async () => [(await asker(hub, one)("GET me")).status, (await asker(hub, other)("GET me")).status];
  expect((await statuses()).toSorted((a, b) => a - b)).toEqual([200, 401]);
  await hub.acme("DELETE services/kiosk");
  expect(await statuses()).toEqual([401, 401]);
});

test("TM8: people, sessions and service accounts of another organisation do not exist for an admin", async () => {
  const hub = await startTeamHub();
  await signIn(hub, "ada");
  await hub.acme("POST services", { name: "deploy" });
  const [session] = sessionsIn((await hub.acme("GET sessions")).body);
  const idOf = (principal: string) => `sessions/0123456789abcdef.${Buffer.from(principal).toString("base64url")}`;
  const tries: readonly (readonly [string, theirs: string, missing: string, body?: object])[] = [
    ["POST", pathTo("acme/ada"), pathTo("globex/nobody"), { blocked: true }],
    ["POST", pathTo("acme/ada"), pathTo("nobody"), { blocked: false }],
    ["DELETE", `${pathTo("acme/ada")}/access`, `${pathTo("globex/nobody")}/access`],
    ["DELETE", `${pathTo("acme:service/deploy")}/access`, `${pathTo("globex/nobody")}/access`],
    ["GET", "sessions?principal=acme/ada", "sessions?principal=local"],
    ["DELETE", `sessions/${session?.id}`, idOf("globex/nobody")],
    ["POST", "services/deploy/keys", "services/nothing/keys", {}],
    ["DELETE", "services/deploy", "services/nothing"],
  ];
  for (const [method, theirs, missing, body] of tries) {
    const answers = [await hub.globex(`${method} ${theirs}`, body), await hub.globex(`${method} ${missing}`, body)];
    const [one, other] = answers.map(({ status, body: answer }) => ({ status, answer }));
    expect(one).toEqual(other);
    expect(one?.status).toBe(404);
  }
  expect((await hub.acme("GET services")).body?.["services"]).toMatchObject([{ name: "admin" }, { name: "deploy" }]);
  expect((await hub.globex("GET services")).body?.["services"]).toMatchObject([{ name: "admin" }]);
  expect(sessionsIn((await hub.acme("GET sessions")).body)).toHaveLength(1);
  expect(sessionsIn((await hub.globex("GET sessions")).body)).toEqual([]);
});
