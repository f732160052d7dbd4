import { expect, test } from "vitest";
import { noRevocations } from "../../identity/revocations.ts";
import { signAgentToken, signPageToken, signTerminalToken } from "../../guard/tokens.ts";
import { callTool } from "../../test-support/http.test-helper.ts";
import { askOwn, errorOf } from "../../test-support/own.test-helper.ts";
import { connectPage } from "../../test-support/page.test-helper.ts";
import { answerWait, askingPage, onlyWait, shellKey, signInWith, startAskingHub } from "./waits.test-helper.ts";

const secret = "a-secret-of-at-least-32-characters";
const agentToken = (subject: string) => signAgentToken({ secret, subject });

async function startTeamHub() {
  let revocations = noRevocations;
  const hub = await startAskingHub({ jwt: { secret }, revocations: () => revocations });
  const codeOf = async (person: string, subject = "ann") =>
    askOwn(hub, "POST /api/codes", {
      token: await agentToken(subject),
      origin: undefined,
      body: JSON.stringify({ person }),
    });
  const callThatWaits = async () => {
    await connectPage(hub.url, { ...askingPage, token: await signPageToken({ secret, subject: "ann" }) });
    const ended = callTool({ url: hub.url, token: await agentToken("ann") }, "work");
    return { ended, wait: await onlyWait(hub, await agentToken("ann")) };
  };
  const revoke = (id: string) => void (revocations = { ...revocations, ids: new Set([id]) });
  return { hub, codeOf, callThatWaits, revoke };
}

test("IN2: in jwt mode a page answers that was signed in with both of its user's tokens, until either is revoked", async () => {
  const { hub, codeOf, callThatWaits, revoke } = await startTeamHub();
  const { ended, wait } = await callThatWaits();
  const person = await signTerminalToken({ secret, subject: "ann", id: "in-person" });
  const { body } = await codeOf(person);
  const bearer = await signInWith(hub, body?.["code"]);
  const answer = async () => answerWait(hub, wait, { answer: "allow", token: await bearer(), origin: hub.url });
  const rules = await askOwn(hub, "PUT /api/policy", { token: await bearer(), body: "{}" });
  expect(errorOf(rules)).toEqual([403, "option-refused"]);
  revoke("in-person");
  expect(errorOf(await answer())).toEqual([403, "option-refused"]);
  revoke("another");
  expect((await answer()).status).toBe(200);
  expect((await ended).status).toBe(200);
});

test("IN2: neither an agent's token, nor another user's, nor one of a page shows that a page's user is there in person", async () => {
  const { hub, codeOf } = await startTeamHub();
  for (const person of [
    await agentToken("ann"),
    await signPageToken({ secret, subject: "ann" }),
    await signTerminalToken({ secret, subject: "bob" }),
    await signTerminalToken({ secret, subject: "ann", origin: "https://shop.example" }),
    shellKey,
  ])
    expect((await codeOf(person)).status, person).toBeGreaterThanOrEqual(400);
  const { status } = await askOwn(hub, "POST /api/codes", {
    token: await agentToken("ann"),
    origin: undefined,
    body: "[]",
  });
  expect(status).toBe(400);
  const local = await startAskingHub();
  const asked = { token: local.token, origin: undefined, body: JSON.stringify({ person: shellKey }) };
  expect(errorOf(await askOwn(local, "POST /api/codes", asked))).toEqual([403, "option-refused"]);
});

test("IN2: a sign-in in person without a key of its page's looks and does not answer", async () => {
  const { hub, codeOf, callThatWaits } = await startTeamHub();
  const { ended, wait } = await callThatWaits();
  const person = await signTerminalToken({ secret, subject: "ann" });
  const { body } = await codeOf(person);
  const signedIn = await askOwn(hub, "POST /api/sign-in", { body: JSON.stringify({ code: body?.["code"] }) });
  const token = String(signedIn.body?.["token"]);
  expect(errorOf(await answerWait(hub, wait, { answer: "allow", token, origin: hub.url }))).toEqual([
    403,
    "option-refused",
  ]);
  expect((await answerWait(hub, wait, { answer: "allow", token: person })).status).toBe(200);
  await ended;
});
