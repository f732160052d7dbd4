import { UnsecuredJWT } from "jose";
import type { JWTPayload } from "jose";
import { expect, test } from "vitest";
import { agentHelloOf, connectAgent, openAgent } from "../agent.test-helper.ts";
import { startHub } from "../hub.test-helper.ts";
import type { TestHub } from "../hub.test-helper.ts";
import { callTool } from "../http.test-helper.ts";
import { byHand, connectPage, helloOf, openChannels, openPage, plainResult } from "../page.test-helper.ts";
import { sign, startKeyServer } from "./jwks.test-helper.ts";
import { signAgentToken, signPageToken } from "./tokens.ts";

const secret = "a-secret-of-at-least-32-characters";
const key = new TextEncoder().encode(secret);
const jwt = { secret };
const inAnHour = () => Math.floor(Date.now() / 1000) + 3600;

/** Claims that are good for an agent, with changes; a claim that is undefined is left out. */
function claimsOf(changes: Record<string, unknown> = {}): JWTPayload {
  return JSON.parse(JSON.stringify({ sub: "ann", aud: "pagewire:agent", exp: inAnHour(), ...changes })) as JWTPayload;
}

/** How a hub answers a token, asked in each of the four ways to bring it. */
async function answersTo(hub: TestHub, token: string): Promise<readonly string[]> {
  const headers = { Authorization: `Bearer ${token}` };
  const byRequest = await fetch(`${hub.url}/metrics`, { headers });
  const body = await byRequest.text();
  const byUpgrade = await openAgent(hub.url, { headerToken: token }).then(
    () => "open",
    (error: Error) => error.message.replace(/\D/g, ""),
  );
  const agent = await openAgent(hub.url);
  agent.send(agentHelloOf({ token }));
  const page = await openPage(hub.url);
  page.send(helloOf({ token }));
  return [
    byRequest.ok ? "open" : (JSON.parse(body) as { error: { code: string } }).error.code,
    byUpgrade,
    (await agent.verdict()).replace("welcome", "open"),
    (await page.verdict()).replace("welcome", "open"),
  ];
}

const refusedAs = (code: string) => [code, "401", code, code];

test("H20: an agent's token is good for agents only, and a page's for pages only", async () => {
  const hub = await startHub({ jwt });
  const invalid = "token-invalid";
  expect(await answersTo(hub, await signAgentToken({ secret, subject: "ann" }))).toEqual([
    "open",
    "open",
    "open",
    invalid,
  ]);
  expect(await answersTo(hub, await signPageToken({ secret, subject: "ann" }))).toEqual([
    invalid,
    "401",
    invalid,
    "open",
  ]);
});

test("H20: without a token nobody comes in, whatever the origin", async () => {
  const hub = await startHub({ jwt });
  for (const origin of ["https://shop.example", hub.url]) {
    const page = await openPage(hub.url, { origin });
    page.send(helloOf({}));
    expect(await page.closeName()).toBe("token-required");
  }
  expect((await fetch(`${hub.url}/metrics`)).status).toBe(401);
});

test(
  "H21: a token that was not signed as it must be is refused, wherever it is brought",
  { timeout: 60_000 },
  async () => {
    const hub = await startHub({ jwt: { secret, issuer: "https://app.example" } });
    const iss = "https://app.example";
    const good = await sign(claimsOf({ iss }), { alg: "HS256" }, key);
    expect((await answersTo(hub, good))[0]).toBe("open");
    const [head = "", body = "", signature = ""] = good.split(".");
    const forgedBody = Buffer.from(JSON.stringify(claimsOf({ iss, sub: "bob" }))).toString("base64url");
    const both = ["pagewire:agent", "pagewire:page"];
    const tokens: Readonly<Record<string, string>> = {
      "no token at all": "x",
      "another secret": await sign(
        claimsOf({ iss, aud: both }),
        { alg: "HS256" },
        new TextEncoder().encode(`${secret}!`),
      ),
      "another algorithm": await sign(claimsOf({ iss, aud: both }), { alg: "HS512" }, new Uint8Array(64)),
      "another algorithm with the secret": await sign(
        claimsOf({ iss, aud: both }),
        { alg: "HS384" },
        Buffer.from(secret.padEnd(48)),
      ),
      "no algorithm": new UnsecuredJWT(claimsOf({ iss, aud: both })).encode(),
      "no signature": `${head}.${body}.`,
      "another subject under the old signature": `${head}.${forgedBody}.${signature}`,
      "another issuer": await sign(claimsOf({ iss: "https://evil.example", aud: both }), { alg: "HS256" }, key),
      "no issuer": await sign(claimsOf({ aud: both }), { alg: "HS256" }, key),
      "no audience": await sign(claimsOf({ iss, aud: undefined }), { alg: "HS256" }, key),
      "an audience alike": await sign(
        claimsOf({ iss, aud: ["pagewire", "pagewire:agents", "pagewire:"] }),
        { alg: "HS256" },
        key,
      ),
      "no subject": await sign(claimsOf({ iss, aud: both, sub: undefined }), { alg: "HS256" }, key),
      "an empty subject": await sign(claimsOf({ iss, aud: both, sub: "" }), { alg: "HS256" }, key),
      "an origin that is no text": await sign(
        claimsOf({ iss, aud: both, origin: ["https://shop.example"] }),
        { alg: "HS256" },
        key,
      ),
      "an app that is no text": await sign(claimsOf({ iss, aud: both, app: 7 }), { alg: "HS256" }, key),
      "a subject that is no text": await sign(claimsOf({ iss, aud: both, sub: { a: 1 } }), { alg: "HS256" }, key),
      "no end": await sign(claimsOf({ iss, aud: both, exp: undefined }), { alg: "HS256" }, key),
      "not valid yet": await sign(claimsOf({ iss, aud: both, nbf: inAnHour() }), { alg: "HS256" }, key),
    };
    for (const [name, token] of Object.entries(tokens)) {
      expect(await answersTo(hub, token), name).toEqual(refusedAs("token-invalid"));
    }
    const late = await sign(claimsOf({ iss, aud: both, exp: inAnHour() - 7200 }), { alg: "HS256" }, key);
    expect(await answersTo(hub, late)).toEqual(refusedAs("token-expired"));
  },
);

test(
  "H21: with public keys, tokens of these keys are good, and one signed with a public key as its secret is not",
  { timeout: 60_000 },
  async () => {
    const keys = await startKeyServer();
    const hub = await startHub({ jwt: { jwks: keys.url } });
    for (const algorithm of ["RS256", "ES256"] as const) {
      expect((await answersTo(hub, await keys.sign(algorithm, claimsOf())))[0]).toBe("open");
    }
    const forged = [
      ...keys.publicTexts.flatMap((text) =>
        [{ alg: "HS256" }, { alg: "HS256", kid: "RS256" }].map((header) => sign(claimsOf(), header, Buffer.from(text))),
      ),
      sign(claimsOf(), { alg: "HS256" }, key),
      Promise.resolve(new UnsecuredJWT(claimsOf()).encode()),
    ];
    for (const token of await Promise.all(forged)) {
      expect(await answersTo(hub, token)).toEqual(refusedAs("token-invalid"));
    }
    expect(keys.requests).toBe(1);
  },
);

test("H21: while the keys cannot be had, nobody comes in, and the log says why", { timeout: 60_000 }, async () => {
  const keys = await startKeyServer();
  const hub = await startHub({ jwt: { jwks: "http://127.0.0.1:1/keys" } });
  const internal = "internal-error";
  expect(await answersTo(hub, await keys.sign("RS256", claimsOf()))).toEqual([internal, "500", internal, internal]);
  expect(hub.records).toContainEqual(
    expect.objectContaining({ level: "error", message: expect.stringContaining("http://127.0.0.1:1/keys") }),
  );
});

test("H22: principals with the same tools, call ids and keys see nothing of each other", async () => {
  const hub = await startHub({ jwt });
  const sides = await Promise.all(
    ["ann", "bob"].map(async (subject) => {
      const page = await connectPage(hub.url, {
        token: await signPageToken({ secret, subject }),
        handle(call, self) {
          self.ack(call.id);
          self.send({ type: "progress", id: call.id, progress: 1, message: subject });
          self.result(call.id, JSON.stringify({ content: [{ type: "text", text: subject }] }));
        },
      });
      const agent = await connectAgent(hub.url, { token: await signAgentToken({ secret, subject }) });
      return { subject, page, agent };
    }),
  );
  for (const { agent } of sides) agent.send({ type: "watch", on: true });
  const ends = await Promise.all(sides.map(({ agent }) => agent.call("work", { id: "1", key: "one-key" })));
  for (const [index, { subject, page, agent }] of sides.entries()) {
    expect(ends[index]?.payload).toContain(subject);
    expect(page.calls).toHaveLength(1);
    agent.send({ type: "list", id: "list", what: "tabs" });
    const tabs = JSON.parse((await agent.next("listing")).payload) as { tabId: string }[];
    expect(tabs.map(({ tabId }) => tabId)).toEqual([page.tabId]);
    await agent.settled();
    const other = sides[1 - index]?.subject ?? "";
    expect(JSON.stringify(agent.received)).not.toContain(other);
    const watched = agent.received
      .filter(({ frame }) => frame.type === "watched")
      .map(({ payload }) => JSON.parse(payload) as { tabId: string });
    expect(new Set(watched.map(({ tabId }) => tabId))).toEqual(new Set([page.tabId]));
  }
  const [ann, bob] = sides;
  const stranger = await ann?.agent.call("work", { id: "2", tab: bob?.page.tabId ?? "" });
  expect(stranger?.frame).toMatchObject({ type: "failure", code: "tab-not-found" });
});

test("H22: a page cannot answer the call of another principal, nor take over its tab", async () => {
  const hub = await startHub({ jwt });
  const connect = async (subject: string) =>
    connectPage(hub.url, { token: await signPageToken({ secret, subject }), tab: "same", handle: byHand });
  const [ann, bob] = [await connect("ann"), await connect("bob")];
  const agent = await connectAgent(hub.url, { token: await signAgentToken({ secret, subject: "ann" }) });
  const end = agent.call("work", { id: "1" });
  const { id } = await ann.nextCall();
  bob.result(id, '"stolen"');
  await bob.settled();
  ann.ack(id);
  ann.result(id, plainResult);
  expect((await end).payload).toBe(plainResult);
  expect(ann.tabId).not.toBe(bob.tabId);
});

test("H22: a second hello, with another principal's token, changes nothing", async () => {
  const hub = await startHub({ jwt });
  const annsPage = await connectPage(hub.url, {
    token: await signPageToken({ secret, subject: "ann" }),
    tools: ["anns"],
  });
  const page = await connectPage(hub.url, { token: await signPageToken({ secret, subject: "bob" }), tools: ["bobs"] });
  page.send(helloOf({ token: await signPageToken({ secret, subject: "ann" }) }));
  const agent = await connectAgent(hub.url, { token: await signAgentToken({ secret, subject: "bob" }) });
  agent.send(agentHelloOf({ token: await signAgentToken({ secret, subject: "ann" }) }));
  await page.settled();
  expect((await agent.call("anns", { id: "1" })).frame).toMatchObject({ code: "tool-not-found" });
  expect((await agent.call("bobs", { id: "2" })).frame.type).toBe("result");
  expect([annsPage.calls.length, page.calls.length]).toEqual([0, 1]);
});

test("H23: a page token that names an origin is good for that origin only", async () => {
  const hub = await startHub({ jwt });
  const token = await signPageToken({ secret, subject: "ann", origin: "https://shop.example" });
  for (const origin of ["https://evil.example", "https://shop.example:8443", "null", null, hub.url]) {
    const page = await openPage(hub.url, { origin });
    page.send(helloOf({ token }));
    expect(await page.closeName()).toBe("token-invalid");
  }
  expect((await connectPage(hub.url, { token })).tabId).not.toBe("");
  const anywhere = await signPageToken({ secret, subject: "ann" });
  expect((await connectPage(hub.url, { token: anywhere, origin: "https://evil.example" })).tabId).not.toBe("");
});

test("H23: a page token that names an app decides what the app is called", async () => {
  const hub = await startHub({ jwt });
  await connectPage(hub.url, {
    token: await signPageToken({ secret, subject: "ann", app: "the-bank" }),
    app: "not-the-bank",
  });
  await connectPage(hub.url, { token: await signPageToken({ secret, subject: "ann" }), app: "own-word", tab: "2" });
  const agent = await connectAgent(hub.url, { token: await signAgentToken({ secret, subject: "ann" }) });
  agent.send({ type: "list", id: "1", what: "tabs" });
  const tabs = JSON.parse((await agent.next("listing")).payload) as { app: string }[];
  expect(tabs.map(({ app }) => app)).toEqual(["the-bank", "own-word"]);
});

test("H24: a connection ends when the token that let it in does", async () => {
  const hub = await startHub({ jwt });
  const soon = { secret, subject: "ann", expiresIn: 1 };
  const agents = [
    await connectAgent(hub.url, { token: await signAgentToken(soon) }),
    await openAgent(hub.url, { headerToken: await signAgentToken(soon) }),
  ];
  const page = await connectPage(hub.url, { token: await signPageToken(soon) });
  const lasting = await connectAgent(hub.url, { token: await signAgentToken({ secret, subject: "ann" }) });
  for (const peer of [...agents, page]) expect((await peer.closed).code).toBe(4013);
  await lasting.settled();
  expect(lasting.link.open).toBe(true);
});

test("H24: each channel ends with its own token, whichever came last", async () => {
  const hub = await startHub({ jwt });
  const open = await openChannels(hub.url);
  const long = () => signPageToken({ secret, subject: "ann" });
  const before = await open({ tab: "before", token: await long() }).greet();
  const brief = await open({
    tab: "brief",
    token: await signPageToken({ secret, subject: "bob", expiresIn: 1 }),
  }).greet();
  const after = await open({ tab: "after", token: await long() }).greet();
  expect(await brief.closeName()).toBe("token-expired");
  await after.settled();
  expect([before.link.open, after.link.open]).toEqual([true, true]);
});

test("H25: a token that signPageToken or signAgentToken made is accepted, for as long as was said", async () => {
  const issuer = "https://app.example";
  const hub = await startHub({ jwt: { secret, issuer } });
  const page = await connectPage(hub.url, {
    token: await signPageToken({ secret, subject: "ann", issuer, origin: "https://shop.example", app: "shop" }),
  });
  const token = await signAgentToken({ secret, subject: "ann", issuer, expiresIn: 60 });
  expect((await callTool(hub, "work", { headers: { Authorization: `Bearer ${token}` } })).status).toBe(200);
  expect(page.calls).toHaveLength(1);
  const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as {
    iat: number;
    exp: number;
  };
  expect(claims.exp - claims.iat).toBe(60);
});
