// The hub's own pages at a hub of a team over https, with a real identity provider: people sign in, admins govern, sign-ins end.
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser } from "../../src/hub/team/test-support/browser.test-helper.ts";
import { openPage, signInWith } from "../../src/hub/team/test-support/team-hub.test-helper.ts";
import type { TeamHub } from "../../src/hub/team/test-support/team-hub.test-helper.ts";
import { axeFindings } from "./axe.test-helper.ts";
import { openChromium } from "./support/chromium.ts";
import type { Browser } from "./support/chromium.ts";
import { openIn, picture, press, says, signIn, startApp, startHub } from "./team-pages.test-helper.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await openChromium({ args: ["--ignore-certificate-errors"] });
});
afterAll(() => browser?.close());

const open = (hub: TeamHub, path: string) => openIn(browser, hub, path);

test("TM95: a person signs in with a click, is back where they were, signs out at the provider, too, and signs in again", async () => {
  const hub = await startHub();
  const tab = await open(hub, "/console#/rules/origins");
  await tab.waitFor(says("Sign in with Acme & Co"));
  expect(await axeFindings(tab)).toEqual([]);
  await picture(tab, "sign-in");
  await signIn(tab);
  expect(await tab.evaluate("location.pathname + location.hash")).toBe("/console#/rules/origins");
  await tab.reload();
  await tab.waitFor(says("Ada Lovelace, acme"));
  await press(tab, "Sign out");
  // The provider asks whether the person leaves it, too.
  await tab.waitFor(`location.origin === ${JSON.stringify(hub.provider.issuer)} && document.forms.length > 0`);
  await tab.evaluate(`document.querySelector("button[name=logout], button[autofocus]").click()`);
  await tab.waitFor(`location.href === ${JSON.stringify(`${hub.url}/`)} && ${says("Sign in with Acme & Co")}`);
  await tab.navigate(`${hub.url}/console`);
  await signIn(tab);
});

test("TM96: an admin sees the organisation's people and sign-ins, blocks, and makes a service account whose key is shown once", async () => {
  const hub = await startHub();
  hub.provider.signInAs("bob");
  const bob = openBrowser();
  await signInWith(bob, hub.url);
  const page = await openPage(bob, hub.url);
  const statusOfBob = async () => (await bob.ask(hub.url, "GET /api/app", { token: await page.bearer() })).status;
  hub.provider.signInAs("ada");
  const tab = await open(hub, "/console#/organisation/people");
  await signIn(tab);
  await tab.waitFor(says("Bob"));
  expect(await axeFindings(tab)).toEqual([]);
  await picture(tab, "people");
  expect(await statusOfBob()).toBe(200);
  await press(tab, "Sign out Bob");
  await tab.waitFor(says("Sign Bob out everywhere?"));
  await press(tab, "Cancel");
  expect(await statusOfBob()).toBe(200);
  await press(tab, "Block Bob");
  await tab.waitFor(says("Block Bob?"));
  expect(await axeFindings(tab)).toEqual([]);
  expect(await statusOfBob()).toBe(200);
  await press(tab, "Block them");
  await tab.waitFor(says("blocked"));
  expect(await statusOfBob()).not.toBe(200);
  await press(tab, "Unblock");
  await tab.waitFor(`!${says("Unblock")}`);

  await tab.evaluate(`location.hash = "#/organisation/sessions"`);
  await tab.waitFor(says("With the identity provider"));
  expect(await axeFindings(tab)).toEqual([]);
  await picture(tab, "sessions");
  await tab.evaluate(`location.hash = "#/organisation/you"`);
  await tab.waitFor(says("this one"));
  expect(await axeFindings(tab)).toEqual([]);
  await picture(tab, "you");

  await tab.evaluate(`location.hash = "#/organisation/services"`);
  await tab.waitFor(says("There is no service account yet."));
  await tab.type(".rules-form input", "deploy");
  await press(tab, "Make it");
  const key = await tab.waitFor<string>(`document.querySelector(".service-key code")?.innerText`);
  expect(await axeFindings(tab)).toEqual([]);
  await picture(tab, "services");
  expect(await openBrowser().ask(hub.url, "GET /api/team/me", { token: key.trim() })).toMatchObject({
    body: { principal: "acme:service/deploy" },
  });
  await press(tab, "Done");
  await tab.reload();
  await tab.waitFor(says("deploy"));
  expect(await tab.evaluate("document.body.innerText")).not.toContain(key.trim());
  await press(tab, "Remove");
  await press(tab, "Remove it");
  await tab.waitFor(says("There is no service account yet."));
  expect(await openBrowser().ask(hub.url, "GET /api/team/me", { token: key.trim() })).toMatchObject({ status: 401 });
});

test("TM96: a person makes a key for an agent of theirs, which is shown once, and removes it", async () => {
  const hub = await startHub();
  hub.provider.people.set("ada", { groups: ["staff"], name: "Ada Lovelace" });
  const tab = await open(hub, "/console#/organisation/you");
  await signIn(tab);
  await tab.waitFor(says("You have no key."));
  await tab.type(".rules-form input", "claude-code on my laptop");
  await press(tab, "Make it");
  const key = (await tab.waitFor<string>(`document.querySelector(".service-key code")?.innerText`)).trim();
  expect(await tab.evaluate(`document.activeElement.className`)).toContain("service-key");
  expect(await tab.evaluate("document.body.innerText")).toContain(`npx pagewire login ${hub.url} --key-file FILE`);
  expect(await axeFindings(tab)).toEqual([]);
  await picture(tab, "keys");
  const me = () => openBrowser().ask(hub.url, "GET /api/team/me", { token: key });
  expect(await me()).toMatchObject({ body: { principal: "acme/ada" } });
  await press(tab, "Done");
  expect(await tab.evaluate(`document.activeElement.tagName`)).toBe("INPUT");
  await tab.reload();
  await tab.waitFor(says("claude-code on my laptop"));
  expect(await tab.evaluate("document.body.innerText")).not.toContain(key);
  await press(tab, "Remove");
  await press(tab, "Remove it");
  await tab.waitFor(says("You have no key."));
  expect(await me()).toMatchObject({ status: 401 });
});

test("TM96: a person who is no admin sees themselves and their sign-ins only", async () => {
  const hub = await startHub();
  hub.provider.people.set("ada", { groups: ["staff"], name: "Ada Lovelace" });
  const tab = await open(hub, "/console#/organisation/people");
  await signIn(tab);
  await tab.waitFor(says("Your sign-ins"));
  expect(await tab.evaluate(`[...document.querySelectorAll("[role=tab]")].map((each) => each.innerText)`)).toEqual([
    "You",
  ]);
});

test("TM97: where a sign-in ends a page keeps what was typed, and goes on when its person has signed in again in another tab", async () => {
  const hub = await startHub();
  const tab = await open(hub, "/console#/organisation/services");
  await signIn(tab);
  await tab.type(".rules-form input", "typed-before");
  const other = openBrowser();
  await signInWith(other, hub.url);
  const page = await openPage(other, hub.url);
  const { body } = await other.ask(hub.url, "GET /api/sessions", { token: await page.bearer() });
  const { sessions } = body as { readonly sessions: readonly { readonly id: string; readonly isCurrent?: boolean }[] };
  for (const { id, isCurrent } of sessions)
    if (!isCurrent) await other.ask(hub.url, `DELETE /api/sessions/${id}`, { token: await page.bearer() });
  await press(tab, "Make it");
  await tab.waitFor(`document.querySelector("dialog[open]") && ${says("Sign in again")}`);
  expect(await axeFindings(tab, "dialog[open]")).toEqual([]);
  await picture(tab, "again");
  expect(await tab.evaluate(`document.querySelector(".rules-form input").value`)).toBe("typed-before");
  await tab.click("dialog a");
  await expect
    .poll(async () => {
      const tabs = (await browser.tabs()).filter(({ id }) => id !== tab.id);
      for (const each of tabs) await each.attach();
      for (const each of tabs) if (await each.evaluate(says("You are signed in"))) return each;
      return undefined;
    })
    .toBeDefined();
  await tab.waitFor(`!document.querySelector("dialog[open]") && document.querySelector(".service-key code")`);
  expect(await tab.evaluate("document.body.innerText")).toContain("The key of typed-before");
});

test("TM97: a page that only watches asks to sign in again by itself, and goes on afterwards", async () => {
  const hub = await startHub();
  const tab = await open(hub, "/console#/now");
  await signIn(tab);
  const other = openBrowser();
  await signInWith(other, hub.url);
  const page = await openPage(other, hub.url);
  await other.ask(hub.url, "DELETE /api/team/people/acme%2Fada/access", { token: await page.bearer() });
  await tab.waitFor(`document.querySelector("dialog[open]") && ${says("Sign in again")}`);
  await tab.click("dialog a");
  await tab.waitFor(`!document.querySelector("dialog[open]") && ${says("Ada Lovelace, acme")}`);
});

test("TM94: a page of the company's app on the hub's site connects as the person who is signed in at the hub, one on another site does not", async () => {
  let origins: readonly string[] = [];
  let url = "";
  const port = await startApp(() => url);
  const hub = await startHub({ allowedOrigins: () => origins });
  ({ url } = hub);
  const app = `https://127.0.0.1:${port}`;
  origins = [app, `https://shop.test:${port}`];
  const tab = await open(hub, "/console#/now");
  const page = await browser.open(app);
  await page.waitFor("window.answered === 401");
  await signIn(tab);
  await page.evaluate("pagewire.setToken(getToken)");
  await page.waitFor(`pagewire.state.status === "connected"`);
  await tab.activate();
  await tab.waitFor(says("The shop"));
  const elsewhere = await browser.open(`https://shop.test:${port}`);
  await elsewhere.waitFor("window.answered === 401");
  origins = [];
  await page.evaluate("void getToken().catch((error) => { window.problem = error.name; })");
  await page.waitFor(`window.problem === "TypeError"`);
});
