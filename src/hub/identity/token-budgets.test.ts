import { SignJWT } from "jose";
import { expect, test } from "vitest";
import { connectAgent, openAgent, agentHelloOf } from "../test-support/agent.test-helper.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import { beginDelegate, openTerminal } from "../doors/delegate/delegate.test-helper.ts";
import { answerTo, callTool } from "../test-support/http.test-helper.ts";
import { signIn } from "../test-support/own.test-helper.ts";
import { byHand, connectPage, helloOf, openPage } from "../test-support/page.test-helper.ts";
import type { TestPageOptions } from "../test-support/page.test-helper.ts";
import { signAgentToken, signPageToken } from "../guard/tokens.ts";

const secret = "a-secret-of-at-least-32-characters";
const jwt = { secret };

/** The hub's answer to a page that says hello and offers its tools. */
async function receive(url: string, options: TestPageOptions): Promise<string> {
  const page = await openPage(url, options);
  page.send(helloOf(options));
  const verdict = await page.verdict();
  if (verdict !== "welcome") return verdict;
  page.send({ type: "offer" }, JSON.stringify({ tools: options.tools }));
  return Promise.race([page.verdict(), page.settled().then(() => "welcome")]);
}

test("H82: a page's token may carry smaller budgets than the hub's, and others of its principal have theirs", async () => {
  const hub = await startHub({ jwt, limits: { tabsPerPrincipal: 3 } });
  const token = await signPageToken({
    secret,
    subject: "ada",
    budgets: { tabsPerPrincipal: 1, offersPerPrincipal: 1 },
  });
  const plain = await signPageToken({ secret, subject: "ada" });
  const tool = (name: string) => ({ name, inputSchema: { type: "object" as const } });
  expect(await receive(hub.url, { token, tab: "1", tools: [tool("a"), tool("b")] })).toBe("offers-too-many");
  await connectPage(hub.url, { token, tab: "1" });
  expect(await receive(hub.url, { token, tab: "2" })).toBe("tabs-too-many");
  await connectPage(hub.url, { token: plain, tab: "3" });
  const others = await signPageToken({ secret, subject: "bob", budgets: { tabsPerPrincipal: 1 } });
  expect(await receive(hub.url, { token: others, tab: "1", tools: [tool("a")] })).toBe("welcome");
});

test("H82: an agent's token may, by socket and by HTTP, beside one without any", async () => {
  const hub = await startHub({ jwt });
  const page = await connectPage(hub.url, { token: await signPageToken({ secret, subject: "ada" }), handle: byHand });
  const budgets = { callsPerPrincipal: 1 };
  const token = await signAgentToken({ secret, subject: "ada", budgets });
  const plain = await signAgentToken({ secret, subject: "ada" });
  const agent = await connectAgent(hub.url, { token });
  void agent.call("work", { id: "1" }).catch(() => undefined);
  expect((await agent.call("work", { id: "2" })).frame).toMatchObject({ code: "calls-too-many" });
  const refused = await callTool({ url: hub.url, token }, "work");
  expect([refused.status, refused.text]).toEqual([429, expect.stringContaining("callsPerPrincipal")]);
  expect(await hub.metric('pagewire_over_budget_total{budget="callsPerPrincipal"}', plain)).toBe(2);
  const others = await connectAgent(hub.url, { token: plain });
  void others.call("work", { id: "3" }).catch(() => undefined);
  await page.nextCall();
  await page.nextCall();
});

test("H82: a token's budgets are never larger than the hub's", async () => {
  const hub = await startHub({ jwt, limits: { tabsPerPrincipal: 1 } });
  const token = await signPageToken({ secret, subject: "ada", budgets: { tabsPerPrincipal: 1e9 } });
  await connectPage(hub.url, { token, tab: "1" });
  expect(await receive(hub.url, { token, tab: "2" })).toBe("tabs-too-many");
});

test("H82: a token with invalid budgets is refused, and the refusal names the budget", async () => {
  const hub = await startHub({ jwt });
  for (const [budgets, name] of [
    [{ queuedBytesInAll: 1 }, "queuedBytesInAll"],
    [{ constructor: 1 }, "constructor"],
    [{ tabsPerPrincipal: -1 }, "tabsPerPrincipal"],
    [{ tabsPerPrincipal: "1" }, "tabsPerPrincipal"],
    [{ tabsPerPrincipal: null }, "tabsPerPrincipal"],
    ["none", "budgets"],
    [null, "budgets"],
  ] as const) {
    const token = await new SignJWT({ budgets })
      .setProtectedHeader({ alg: "HS256" })
      .setSubject("ada")
      .setAudience("pagewire:agent")
      .setExpirationTime("1h")
      .sign(new TextEncoder().encode(secret));
    const agent = await openAgent(hub.url);
    agent.send(agentHelloOf({ token }));
    const { frame } = await agent.next("refused");
    expect(frame).toMatchObject({ code: "token-invalid", message: expect.stringContaining(`"${name}"`) });
  }
});

test("H82: what rests on such a token has its budgets, too: a sign-in, a terminal, and what they do", async () => {
  const hub = await startHub({ jwt });
  const page = await connectPage(hub.url, { token: await signPageToken({ secret, subject: "ada" }), handle: byHand });
  const token = await signAgentToken({ secret, subject: "ada", budgets: { callsPerPrincipal: 1 } });
  const door = { url: hub.url, token };
  const signedIn = await signIn(door, token);
  const terminal = await openTerminal(door, page.tabId);
  const plain = await connectAgent(hub.url, { token: await signAgentToken({ secret, subject: "ada" }) });
  void plain.call("work", { id: "1" }).catch(() => undefined);
  await page.nextCall();
  const refusals = await Promise.all([
    callTool({ url: hub.url, token: signedIn }, "work"),
    answerTo(beginDelegate(hub, terminal)),
  ]);
  for (const { status, text } of refusals)
    expect([status, text]).toEqual([429, expect.stringContaining("callsPerPrincipal")]);
});
