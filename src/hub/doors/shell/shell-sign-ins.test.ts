// How sign-ins end, and what users' own tokens do in jwt mode.
import { expect, test } from "vitest";
import { signAgentToken, signPageToken, signTerminalToken } from "../../guard/tokens.ts";
import { askOwn, errorOf, signIn } from "../../test-support/own.test-helper.ts";
import { byHand, connectPage, helloOf, openPage } from "../../test-support/page.test-helper.ts";
import { shop } from "../../test-support/peer.test-helper.ts";
import { askForCode, mintShellCode, openView, startShellHub } from "./shell.test-helper.ts";

const secret = "a-secret-of-at-least-32-characters";
const jwt = { secret };

test("in jwt mode a user's token for terminals opens them: in the hub's own pages, or in those of the origin that it names", async () => {
  const hub = await startShellHub({ jwt });
  const token = await signTerminalToken({ secret, subject: "ann" });
  const { pass } = await openView(hub, { token });
  expect(pass).toMatchObject({ admitted: { principal: "ann", expiresAt: expect.any(Number) } });
  expect((await (await openView(hub, { token }, shop)).closed)[0]).toBe("origin-not-allowed");
  const forShop = await signTerminalToken({ secret, subject: "bob", origin: shop });
  expect((await openView(hub, { token: forShop }, shop)).pass).toMatchObject({ admitted: { principal: "bob" } });
  expect((await (await openView(hub, { token: forShop })).closed)[0]).toBe("origin-not-allowed");
  expect((await (await openView(hub, { token }, null)).closed)[0]).toBe("origin-not-allowed");
});

test("neither an agent's nor a page's token opens a terminal, a terminal token is neither, and an expired one gets the reason", async () => {
  const hub = await startShellHub({ jwt });
  const [agentToken, pageToken] = await Promise.all([
    signAgentToken({ secret, subject: "ann" }),
    signPageToken({ secret, subject: "ann" }),
  ]);
  for (const token of [agentToken, pageToken, await signIn(hub, agentToken)]) {
    expect((await (await openView(hub, { token })).closed)[0]).toBe("token-invalid");
    expect(errorOf(await askForCode(hub, token))[0]).toBe(401);
  }
  const token = await signTerminalToken({ secret, subject: "ann" });
  expect(errorOf(await askOwn(hub, "GET /api/app", { token }))).toEqual([401, "token-invalid"]);
  const page = await openPage(hub.url);
  page.send(helloOf({ token }));
  expect(await page.verdict()).toBe("token-invalid");
  const old = await signTerminalToken({ secret, subject: "ann", expiresIn: -60 });
  expect((await (await openView(hub, { token: old })).closed)[0]).toBe("token-expired");
});

test("in jwt mode codes are made with such a token, for its user, its origin and its time", async () => {
  const hub = await startShellHub({ jwt });
  const token = await signTerminalToken({ secret, subject: "ann", expiresIn: 100 });
  const { pass } = await openView(hub, { code: await mintShellCode(hub, token) });
  expect(pass?.admitted.principal).toBe("ann");
  expect(Number(pass?.expiresAt) - Date.now()).toBeLessThanOrEqual(100_000);
  expect((await openView(hub, { token: pass?.token })).pass?.admitted.principal).toBe("ann");
  expect((await openView(hub, { code: await mintShellCode(hub, token, shop) }, shop)).pass).toBeDefined();
  const forShop = await signTerminalToken({ secret, subject: "ann", origin: shop });
  expect((await askForCode(hub, forShop)).body).toMatchObject({ origin: shop });
  expect(errorOf(await askForCode(hub, forShop, hub.url))).toEqual([401, "token-invalid"]);
  expect((await openView(hub, { code: await mintShellCode(hub, forShop) })).pass).toBeUndefined();
});

test("who signs out ends that sign-in in all its pages within a second, and no other, and terminals go on", async () => {
  const hub = await startShellHub();
  const { token: terminal } = await hub.host.terminals.create("local", { name: "t" });
  const [view, other] = [
    await openView(hub, { code: await mintShellCode(hub) }),
    await openView(hub, { code: await mintShellCode(hub) }),
  ];
  const token = String(view.pass?.token);
  const second = await openView(hub, { token });
  await hub.host.signOut(second.pass?.admitted as never);
  expect([(await view.closed)[0], (await second.closed)[0]]).toEqual(["token-expired", "token-expired"]);
  expect((await (await openView(hub, { token })).closed)[0]).toBe("token-expired");
  expect((await openView(hub, { token: other.pass?.token })).pass).toBeDefined();
  expect(await hub.host.terminals.verify(terminal)).toMatchObject({ principal: "local" });
});

test("signing out a user's terminal token fails with the reason", async () => {
  const hub = await startShellHub({ jwt });
  const { pass } = await openView(hub, { token: await signTerminalToken({ secret, subject: "ann" }) });
  await expect(hub.host.signOut(pass?.admitted as never)).rejects.toMatchObject({ code: "token-invalid" });
});

test("who is signed in stays who they are: a code beside a good token is spent, and changes nothing", async () => {
  const hub = await startShellHub({ jwt });
  const codeOf = async (subject: string) => mintShellCode(hub, await signTerminalToken({ secret, subject }));
  const token = String((await openView(hub, { code: await codeOf("ann") })).pass?.token);
  const code = await codeOf("mallory");
  const { pass } = await openView(hub, { code, token });
  expect([pass?.admitted.principal, pass?.token]).toEqual(["ann", undefined]);
  expect((await (await openView(hub, { code })).closed)[0]).toBe("token-invalid");
  const again = await openView(hub, { code: await codeOf("ann"), token });
  expect([again.pass?.admitted, again.pass?.token]).toEqual([pass?.admitted, undefined]);
  const gone = await openView(hub, { code: await codeOf("mallory"), token: "pagewire-shell.gone" });
  expect(gone.pass?.admitted.principal).toBe("mallory");
});

test("in jwt mode the hub's own page that may open terminals offers tools on behalf of the same user, and no other page does so", async () => {
  const hub = await startShellHub({ jwt });
  const userToken = await signTerminalToken({ secret, subject: "ann" });
  const token = String((await openView(hub, { code: await mintShellCode(hub, userToken) })).pass?.token);
  const page = await connectPage(hub.url, { origin: hub.url, token, handle: byHand });
  expect(hub.host.hasTab("ann", page.tabId, hub.url)).toBe(true);
  const elsewhere = await openPage(hub.url);
  elsewhere.send(helloOf({ token }));
  expect(await elsewhere.verdict()).toBe("token-invalid");
  const other = await openPage(hub.url, { origin: hub.url.replace("127.0.0.1", "localhost") });
  other.send(helloOf({ token }));
  expect(await other.verdict()).toBe("token-invalid");
});
