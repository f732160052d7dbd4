import { createHash, createHmac, randomBytes } from "node:crypto";
import { expect, test, vi } from "vitest";
import type { ProofRound } from "../../wire/index.ts";
import { openTerminal } from "../doors/delegate/delegate.test-helper.ts";
import { startShellHub } from "../doors/shell/shell.test-helper.ts";
import { openAgent } from "../test-support/agent.test-helper.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import { createMemoryStore } from "../store/index.ts";

const nonce = () => randomBytes(32).toString("base64url");
const ask = (url: string, query: string) => fetch(`${url}/api/proof?${query}`);
/** The status of a request with a token, such as "GET /metrics". */
async function at(url: string, asked: string, token: string): Promise<number> {
  const [method = "", path = ""] = asked.split(" ");
  return (await fetch(url + path, { method, headers: { authorization: `Bearer ${token}` } })).status;
}

const code = (key: string, parts: readonly unknown[]) =>
  createHmac("sha256", key).update(JSON.stringify(parts)).digest("base64url");

/** The text that a client sends instead of the secret, after the hub has proved itself. */
async function prove(url: string, key: string, secret = "agent"): Promise<string> {
  const mine = nonce();
  const { answer, expiresAt } = (await (await ask(url, `secret=${secret}&nonce=${mine}`)).json()) as ProofRound;
  return `pagewire-proven.${expiresAt}.${mine}.${code(key, ["pagewire/1 bearer", secret, mine, answer, expiresAt])}`;
}

test("H95: a hub proves that it has its token, for the address that it is asked at and for the nonce that it is given", async () => {
  const { url, token } = await startHub();
  const mine = nonce();
  const response = await ask(url, `secret=agent&nonce=${mine}`);
  const { address, answer, expiresAt, proof } = (await response.json()) as ProofRound & Record<string, string>;
  expect(address).toBe(new URL(url).host);
  expect(proof).toBe(code(token, ["pagewire/1 hub", "agent", address, mine, answer, expiresAt]));
  const other = (await (await ask(url, `secret=agent&nonce=${nonce()}`)).json()) as ProofRound;
  expect(other.answer).not.toBe(answer);
});

test("H95: what asks for no proof, or for one of what the hub does not have, is refused", async () => {
  const { url } = await startHub();
  for (const query of ["", "secret=agent", `secret=page&nonce=${nonce()}`, "secret=agent&nonce=short"])
    expect((await ask(url, query)).status, query).toBe(400);
  expect((await ask(url, `secret=shell&nonce=${nonce()}`)).status).toBe(503);
  const signed = await startHub({ jwt: { secret: "s".repeat(32) } });
  expect((await ask(signed.url, `secret=agent&nonce=${nonce()}`)).status).toBe(401);
  const broken = await startHub({ agentToken: () => "" });
  expect((await ask(broken.url, `secret=agent&nonce=${nonce()}`)).status).toBe(404);
});

test("H96: what proves the token lets in wherever the token does, by request and by socket", async () => {
  const { url, token } = await startHub();
  const proven = await prove(url, token);
  expect(await at(url, "GET /metrics", proven)).toBe(200);
  expect(await at(url, "POST /api/codes", proven)).toBe(200);
  const agent = await openAgent(url);
  agent.send({ type: "hello", versions: [1], token: proven, agent: { name: "prover" }, session: "s" });
  expect(await agent.next("welcome")).toBeDefined();
});

test("H96: what proves one secret does not open what the other one opens", async () => {
  const { url, token, key } = await startShellHub();
  const agent = await prove(url, token);
  const terminals = await prove(url, key, "shell");
  expect(await at(url, "POST /api/shell-codes", terminals)).toBe(200);
  expect(await at(url, "POST /api/shell-codes", agent)).toBe(401);
  expect(await at(url, "GET /metrics", terminals)).toBe(401);
});

test("H97: what proves the token is worth nothing after its time, for another run of the hub, and once the token is another", async () => {
  const first = await startHub();
  const token = await prove(first.url, first.token);
  const second = await startHub();
  expect(await at(second.url, "GET /metrics", token)).toBe(401);
  const now = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 10 * 60_000 - 1000);
  expect(await at(first.url, "GET /metrics", token)).toBe(200);
  now.mockReturnValue(Date.now() + 2000);
  expect(await at(first.url, "GET /metrics", token)).toBe(401);
  now.mockRestore();
  expect(await at(first.url, "GET /metrics", token)).toBe(200);
  first.rotate("another-token-of-this-test");
  expect(await at(first.url, "GET /metrics", token)).toBe(401);
});

test("H97: a proof of the token is invalid after any change", async () => {
  const hub = await startHub();
  const token = await prove(hub.url, hub.token);
  for (let index = 0; index < token.length; index++) {
    const letter = token[index] === "7" ? "8" : "7";
    const wrong = token.slice(0, index) + letter + token.slice(index + 1);
    expect(await at(hub.url, "GET /metrics", wrong), wrong).toBe(401);
  }
});

test("H98: a hub proves that it knows a terminal, also after a restart, and its proof needs the terminal's token", async () => {
  const store = createMemoryStore();
  const keep = { ...store, close: async () => {} };
  const first = await startHub({ store: () => keep });
  const { token } = await openTerminal(first);
  const digest = createHash("sha256").update(token).digest("base64url");
  await first.close();
  const { url } = await startHub({ store: () => keep });
  const mine = nonce();
  const response = await ask(url, `secret=given&nonce=${mine}&digest=${digest}`);
  const { address, answer, expiresAt, proof } = (await response.json()) as ProofRound & Record<string, string>;
  const key = createHmac("sha256", token).update("pagewire/1 given").digest("base64url");
  expect(proof).toBe(code(key, ["pagewire/1 hub", "given", address, mine, answer, expiresAt]));
  expect((await ask(url, `secret=given&nonce=${mine}&digest=${nonce()}`)).status).toBe(404);
  expect((await ask(url, `secret=given&nonce=${mine}`)).status).toBe(400);
  // The stored part of a token gives no access.
  const bearer = code(key, ["pagewire/1 bearer", "given", mine, answer, expiresAt]);
  for (const tried of [digest, key, `pagewire-proven.${expiresAt}.${mine}.${bearer}`])
    expect(await at(url, "GET /api/browser-delegate/actions", tried)).toBe(401);
});
