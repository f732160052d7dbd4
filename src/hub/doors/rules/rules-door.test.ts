import { onTestFinished, expect, test } from "vitest";
import { parsePolicy } from "../../../policy/index.ts";
import { isExtensionOrigin, PagewireError } from "../../../wire/index.ts";
import { signTerminalToken } from "../../guard/tokens.ts";
import { isOrigin } from "../../common/is-origin.ts";
import type { HubOptions } from "../../options/options.ts";
import { createAuditedStore } from "../../audit/test-support/audited.test-helper.ts";
import { callTool } from "../../test-support/http.test-helper.ts";
import { askOwn, errorOf, signIn } from "../../test-support/own.test-helper.ts";
import type { OwnAnswer } from "../../test-support/own.test-helper.ts";
import { connectPage } from "../../test-support/page.test-helper.ts";
import { makeKey } from "../../test-support/page-key.test-helper.ts";
import { shop } from "../../test-support/peer.test-helper.ts";
import { documentedFields, secret, tokenOf } from "../read/read.test-helper.ts";
import { startShellHub } from "../shell/shell.test-helper.ts";
import type { ShellHub } from "../shell/shell.test-helper.ts";

const deny = '{ "rules": [{ "name": "no-work", "tool": "work", "decision": "deny" }] }';
const later = { whenLoaded: async () => {} };

/** A hub with files that its owner changes, in memory. */
async function startRuled(options: Partial<HubOptions> & { readonly text?: string } = {}) {
  const { text: first, ...more } = options;
  let text = first;
  const saved = new Set([shop]);
  const store = createAuditedStore();
  const files = { isFull: false };
  const save = <Value>(value: Value): Value => {
    if (files.isFull) throw new PagewireError("options-invalid", "The disk is full.");
    return value;
  };
  const hub = await startShellHub({
    ...(more.jwt ? {} : later),
    store: () => store,
    policy: () => (text === undefined ? undefined : parsePolicy(text)),
    allowedOrigins: () => [...saved, "https://given.example"],
    settings: {
      policyPath: "/state/policy.json",
      policyText: () => text,
      setPolicy: (next) => void (text = save(next)),
      removePolicy: () => save(text !== undefined && ((text = undefined), true)),
      savedOrigins: () => [...saved],
      parseOrigin(origin) {
        if (isOrigin(origin) || isExtensionOrigin(origin)) return origin;
        throw new PagewireError("options-invalid", "That is not an origin.");
      },
      allowOrigin: (origin) => save(saved.add(origin).has(origin)),
      disallowOrigin: (origin) => save(saved.delete(origin)),
      refusedOrigins: () => [{ origin: "https://new.example", time: "2026-01-01T00:00:00.000Z" }],
      saveModel: () => true,
    },
    ...more,
  });
  return Object.assign(hub, { store, files, textNow: () => text });
}

/** A program's request with the shell key. */
function asOwner(hub: ShellHub, asked: string, body?: unknown): Promise<OwnAnswer> {
  const text = typeof body === "string" ? body : body === undefined ? undefined : JSON.stringify(body);
  return askOwn(hub, asked, { token: hub.key, origin: undefined, ...(text === undefined ? {} : { body: text }) });
}

/** The hub's page, signed in with a code of this credential. */
async function signInPage(hub: ShellHub, codes: "codes" | "owner-codes", isSigning = true) {
  const token = codes === "codes" ? hub.token : hub.key;
  const code = (await askOwn(hub, `POST /api/${codes}`, { token, origin: undefined })).body?.["code"];
  const key = await makeKey(hub);
  const body = JSON.stringify({ code, ...(isSigning && { key: key.key }) });
  const signedIn = String((await askOwn(hub, "POST /api/sign-in", { body })).body?.["token"]);
  const bearer = isSigning ? await key.bearer(signedIn) : signedIn;
  return (asked: string, given?: object) =>
    askOwn(hub, asked, { token: bearer, ...(given && { body: JSON.stringify(given) }) });
}

const writes = [
  ["PUT /api/policy", { rules: [] }],
  ["DELETE /api/policy", undefined],
  ["POST /api/origins", { origin: "https://evil.example" }],
  [`DELETE /api/origins/${encodeURIComponent(shop)}`, undefined],
  ["PUT /api/model", { model: "dear" }],
  ["POST /api/owner-codes", undefined],
] as const;

test("RU1: an agent's token, its sign-ins, a view of terminals and pages of other origins change nothing", async () => {
  const hub = await startRuled({ text: deny, ai: { provider: "openai", model: "cheap", apiKey: "k" } });
  const bearer = await signIn(hub, hub.token);
  const plain = await signInPage(hub, "codes");
  for (const [asked, body] of [...writes, ["POST /api/browser-codes", undefined] as const]) {
    const text = body && JSON.stringify(body);
    const send = (token: string, origin?: string) =>
      askOwn(hub, asked, { token, origin, ...(text === undefined ? {} : { body: text }) });
    expect(errorOf(await send(hub.token)), asked).toEqual([403, "option-refused"]);
    expect(errorOf(await send(bearer, hub.url)), asked).toEqual([403, "option-refused"]);
    expect(errorOf(await plain(asked, body)), asked).toEqual([403, "option-refused"]);
    for (const origin of [shop, "https://evil.example", "null"])
      expect(errorOf(await send(hub.key, origin)), asked).toEqual([403, "origin-not-allowed"]);
    for (const token of ["x", "pagewire-shell.x", "pagewire-terminal.x", `${hub.key}x`])
      expect((await send(token)).status, asked).toBe(401);
  }
  expect([hub.textNow(), (await plain("GET /api/policy")).body?.["mayChange"]]).toEqual([deny, false]);
  expect((await plain("GET /api/model")).body).toMatchObject({ model: "cheap", mayChange: false });
});

test("RU2: the owner's page changes the rules while it signs and the shell key is the same", async () => {
  const hub = await startRuled();
  const [owner, unsigned] = [await signInPage(hub, "owner-codes"), await signInPage(hub, "owner-codes", false)];
  expect((await owner("GET /api/policy")).body).toMatchObject({ source: "none", rules: [], mayChange: true });
  expect((await owner("PUT /api/policy", { rules: [] })).status).toBe(200);
  expect(errorOf(await owner("POST /api/owner-codes"))[0]).toBe(401);
  expect(errorOf(await unsigned("PUT /api/policy", { rules: [] }))).toEqual([403, "option-refused"]);
  hub.rotateKey("another-shell-key");
  expect(errorOf(await owner("PUT /api/policy", { rules: [] }))).toEqual([403, "option-refused"]);
  expect((await owner("GET /api/policy")).status).toBe(200);
});

test("RU2: the owner's page is still the owner's after a restart, and not at a hub whose owner cannot act over HTTP", async () => {
  const hub = await startRuled();
  const { body } = await asOwner(hub, "POST /api/owner-codes");
  const key = await makeKey(hub);
  const signed = await askOwn(hub, "POST /api/sign-in", {
    body: JSON.stringify({ code: body?.["code"], key: key.key }),
  });
  const { port, store } = hub;
  await hub.close();
  const again = await startRuled({ port, store: () => store });
  const token = await (await makeKeyFrom(key, again)).bearer(String(signed.body?.["token"]));
  expect((await askOwn(again, "PUT /api/policy", { token, body: deny })).status).toBe(200);
  const bare = await startShellHub({ shell: undefined as never });
  const refused = await askOwn(bare, "PUT /api/policy", { token: bare.token, origin: undefined, body: deny });
  expect(JSON.stringify(refused.body)).toContain("this is changed where it runs");
});

test("RU3: in jwt mode nobody changes anything, and a reader sees the rules for them, without names", async () => {
  const rules = [
    { name: "bob-only", principal: "bob", decision: "deny" },
    { name: "teams", principal: ["ann", "team-*"], tool: "pay", decision: "ask" },
    { name: "all", tool: "drop_*", decision: "deny" },
  ];
  const hub = await startRuled({ jwt: { secret }, shell: undefined as never, text: JSON.stringify({ rules }) });
  const token = await tokenOf("ann");
  const read = async (asked: string, body?: object) =>
    askOwn(hub, asked, { token, origin: undefined, ...(body && { body: JSON.stringify(body) }) });
  const { body } = await read("GET /api/policy");
  expect(body).toMatchObject({ path: null, text: null, digest: null, mayChange: false });
  expect(body?.["rules"]).toMatchObject([{ label: "teams", when: { tool: ["pay"] } }, { label: "all" }]);
  expect(JSON.stringify(body)).not.toMatch(/bob|team-|"ann"/);
  expect((await read("GET /api/origins")).body).toMatchObject({ refused: [], mayChange: false });
  expect((await read("POST /api/policy/test", { tool: "x" })).body).toEqual({ decision: "allow", rule: null });
  expect(errorOf(await read("POST /api/policy/test", { tool: "x", principal: "bob" }))[0]).toBe(400);
  const terminal = await signTerminalToken({ secret, subject: "ann" });
  for (const [asked, given] of writes)
    for (const each of [token, terminal])
      expect(
        (await askOwn(hub, asked, { token: each, origin: undefined, ...(given && { body: JSON.stringify(given) }) }))
          .status,
      ).toBeGreaterThanOrEqual(401);
});

test("RU4: a policy holds when it is answered, and one that cannot be used changes nothing", async () => {
  const hub = await startRuled();
  await connectPage(hub.url);
  const put = await asOwner(hub, "PUT /api/policy", deny);
  expect(put.body).toMatchObject({
    source: "file",
    text: deny,
    rules: [{ label: "no-work", words: "Refuses calls of work." }],
  });
  expect(Object.keys(put.body ?? {})).toEqual(documentedFields("The policy: `GET /api/policy`"));
  expect((await callTool(hub, "work")).status).toBe(403);
  for (const [text, problem] of [
    ["{", "line 1, column 2"],
    ['{ "rules": [{ "decision": "maybe" }] }', "line 1"],
    [`{ "rules": [] }${" ".repeat(1024 * 1024)}`, "1048576 characters"],
  ] as const) {
    const refused = await asOwner(hub, "PUT /api/policy", text);
    expect([...errorOf(refused), JSON.stringify(refused.body)]).toEqual([
      400,
      "request-malformed",
      expect.stringContaining(problem),
    ]);
  }
  hub.files.isFull = true;
  expect(errorOf(await asOwner(hub, "DELETE /api/policy"))).toEqual([503, "not-saved"]);
  hub.files.isFull = false;
  expect((await callTool(hub, "work")).status).toBe(403);
  expect((await asOwner(hub, "DELETE /api/policy")).body).toMatchObject({ source: "none", text: null, rules: [] });
  expect((await callTool(hub, "work")).status).toBe(200);
  await hub.close();
  const records = hub.store.of("policy", "name", "outcome", "decidedBy");
  expect(records).toContainEqual(["policy.json", "set", "user"]);
  expect(records).toContainEqual(["policy.json", "removed", "user"]);
});

test("RU5: a policy that somebody else has changed meanwhile is not written over", async () => {
  const hub = await startRuled({ text: deny });
  const digest = String(
    (await askOwn(hub, "GET /api/policy", { token: hub.token, origin: undefined })).body?.["digest"],
  );
  const over = `PUT /api/policy?replaces=${digest}`;
  expect((await asOwner(hub, over, '{"rules":[]}')).status).toBe(200);
  expect(errorOf(await asOwner(hub, over, deny))).toEqual([400, "request-malformed"]);
  expect(errorOf(await asOwner(hub, "PUT /api/policy?replace=x", deny))).toEqual([400, "request-malformed"]);
  expect(hub.textNow()).toBe('{"rules":[]}');
});

test("RU6: a call is tried against the policy in force", async () => {
  const rules = [
    { name: "reads", tool: "get_*", annotations: { readOnlyHint: true }, decision: "allow" },
    { name: "ask-shop", origin: shop, agent: "claude-*", door: "mcp", decision: "ask" },
  ];
  const hub = await startRuled({ text: JSON.stringify({ rules }) });
  const tried = async (body: object) =>
    askOwn(hub, "POST /api/policy/test", { token: hub.token, origin: undefined, body: JSON.stringify(body) });
  const reads = { tool: "get_x", annotations: { readOnlyHint: true } };
  expect((await tried(reads)).body).toMatchObject({ decision: "allow", rule: { label: "reads" } });
  expect((await tried({ tool: "get_x" })).body).toEqual({ decision: "allow", rule: null });
  const asks = { tool: "pay", origin: shop, agent: "claude-code", door: "mcp" };
  expect((await tried(asks)).body).toMatchObject({ decision: "ask", rule: { label: "ask-shop" } });
  for (const wrong of [
    { tools: "x" },
    { tool: 1 },
    { door: "front" },
    { annotations: { x: true } },
    { annotations: [] },
  ])
    expect(errorOf(await tried(wrong))).toEqual([400, "request-malformed"]);
});

test("RU7: an origin may offer tools, or not any more, when that is answered", async () => {
  const hub = await startRuled();
  const read = await askOwn(hub, "GET /api/origins", { token: hub.token, origin: undefined });
  expect(read.body).toEqual({
    origins: [
      { origin: shop, isSaved: true },
      { origin: "https://given.example", isSaved: false },
    ],
    refused: [{ origin: "https://new.example", time: "2026-01-01T00:00:00.000Z" }],
    mayChange: false,
  });
  const origin = "https://new.example";
  const added = await asOwner(hub, "POST /api/origins", { origin });
  expect([added.status, added.body?.["refused"], added.body?.["mayChange"]]).toEqual([200, [], true]);
  const page = await connectPage(hub.url, { origin, tab: "new" });
  onTestFinished(() => page.link.close());
  await asOwner(hub, `DELETE /api/origins/${encodeURIComponent(origin)}`);
  await expect.poll(() => page.link.open).toBe(false);
  for (const wrong of [{ origin: "new.example" }, { origin: 1 }, {}])
    expect(errorOf(await asOwner(hub, "POST /api/origins", wrong))).toEqual([400, "request-malformed"]);
  const extension = await asOwner(hub, "POST /api/origins", { origin: "chrome-extension://abcdefgh" });
  expect(errorOf(extension)).toEqual([403, "option-refused"]);
  expect(extension.body).toMatchObject({ error: { message: expect.stringContaining("npx pagewire extension") } });
  expect(errorOf(await asOwner(hub, "DELETE /api/origins/%E0%A4%A"))).toEqual([400, "request-malformed"]);
});

test("a hub whose program gave no files shows its policy, and changes nothing", async () => {
  const hub = await startShellHub({ ...later, policy: () => parsePolicy(deny) });
  const { body } = await askOwn(hub, "GET /api/policy", { token: hub.token, origin: undefined });
  expect(body).toMatchObject({ source: "program", path: null, text: null, rules: [{ label: "no-work" }] });
  expect(errorOf(await asOwner(hub, "PUT /api/policy", deny))).toEqual([403, "option-refused"]);
});

/** The same key in front of the hub's next run. */
async function makeKeyFrom(key: Awaited<ReturnType<typeof makeKey>>, hub: ShellHub) {
  const challenge = await key.challengeOf(hub);
  return { bearer: (token: string) => key.bearer(token, { challenge, origin: hub.url }) };
}
