import { expect, test } from "vitest";
import { signAgentToken, signPageToken, signTerminalToken } from "../../guard/tokens.ts";
import { errorOf } from "../../test-support/own.test-helper.ts";
import { connectPage, openPage } from "../../test-support/page.test-helper.ts";
import { answerWait, onlyWait, signInPerson, startAskingHub, waitsOf } from "./waits.test-helper.ts";

const secret = "a-secret-of-at-least-32-characters";

test("IN12: a dialog that a page opens by itself is listed while it is open, and only its page answers it", async () => {
  const hub = await startAskingHub();
  const page = await connectPage(hub.url);
  page.send({ type: "tab", title: "Git", dialog: "Sign in to git.example\u202E" });
  const wait = await onlyWait(hub);
  expect(wait).toMatchObject({
    kind: "dialog",
    ...{ tab: page.tabId, page: "Git", origin: "https://shop.example", app: "shop" },
  });
  expect(wait["message"]).toMatch(/^Sign in to git\.example(?!\u202E)/);
  const own = { answer: "allow", token: await signInPerson(hub), origin: hub.url };
  expect(errorOf(await answerWait(hub, wait, own))).toEqual([403, "option-refused"]);
  expect((await onlyWait(hub))["id"]).toBe(wait.id);
  page.send({ type: "tab", title: "Git", focused: true });
  await expect.poll(() => waitsOf(hub)).toEqual([]);
  page.send({ type: "tab", dialog: "Allow GET to https://api.example?" });
  expect((await onlyWait(hub))["page"]).toBe("Git");
  page.socket.close();
  await expect.poll(() => waitsOf(hub)).toEqual([]);
});

test("IN12: a page that comes back with its dialog still open is listed once", async () => {
  const hub = await startAskingHub();
  for (const tab of ["t1", "t1"]) {
    const page = await openPage(hub.url, { tab });
    page.send({ type: "hello", versions: [1], tab, app: "shop", focused: true, running: [], dialog: "Sign in" });
    await page.next("welcome");
    expect((await onlyWait(hub))["message"]).toBe("Sign in");
  }
});

test("IN13: a page whose token has expired waits for its user's sign-in, and for nobody else's", async () => {
  const hub = await startAskingHub({ jwt: { secret } });
  const as = (subject: string) => signAgentToken({ secret, subject });
  const pageToken = (more: object = {}) => signPageToken({ secret, subject: "ann", ...more });
  const tryWith = async (token: string | undefined, app = "shop") => {
    const page = await openPage(hub.url, { app, ...(token !== undefined && { token }) });
    page.send({ type: "hello", versions: [1], tab: "t1", app, token, focused: true, running: [] });
    await page.next("refused");
  };
  await tryWith(undefined);
  await tryWith(await signPageToken({ secret: `${secret}!`, subject: "ann", expiresIn: -60 }));
  await tryWith(await pageToken({ expiresIn: -60, origin: "https://elsewhere.example" }));
  await tryWith(await signTerminalToken({ secret, subject: "ann", expiresIn: -60 }));
  expect(await waitsOf(hub, await as("ann"))).toEqual([]);
  await tryWith(await pageToken({ expiresIn: -60 }));
  await tryWith(await pageToken({ expiresIn: -60 }));
  const wait = await onlyWait(hub, await as("ann"));
  expect(wait).toMatchObject({ kind: "sign-in", origin: "https://shop.example", app: "shop" });
  expect(await waitsOf(hub, await as("bob"))).toEqual([]);
  const token = await signTerminalToken({ secret, subject: "ann" });
  expect(errorOf(await answerWait(hub, wait, { answer: "allow", token }))).toEqual([403, "option-refused"]);
  await connectPage(hub.url, { token: await pageToken() });
  expect(await waitsOf(hub, await as("ann"))).toEqual([]);
});
