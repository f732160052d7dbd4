// Admins govern their organisation in the console: in a real Chromium, with a real hub and a real identity provider.
import { afterAll, beforeAll, expect, test } from "vitest";
import { sayAlways } from "../../src/hub/doors/core/model.test-helper.ts";
import type { TeamHub } from "../../src/hub/team/test-support/team-hub.test-helper.ts";
import { axeFindings } from "./axe.test-helper.ts";
import { launchChromium } from "./support/chromium.ts";
import type { Browser } from "./support/chromium.ts";
import type { Tab } from "./support/tab.ts";
import { askAs, openIn, picture, press, says, signIn, startApp, startHub } from "./team-pages.test-helper.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium({ args: ["--ignore-certificate-errors"] });
});
afterAll(() => browser?.close());

/** Opens a part of the organisation's page as its admin Ada. */
async function openPart(hub: TeamHub, part: string): Promise<Tab> {
  const tab = await openIn(browser, hub, `/console#/organisation/${part}`);
  await signIn(tab);
  return tab;
}

/** The id of the control with this label, the last one where a dialog lies over the page. */
const labelled = (label: string) =>
  `[...document.querySelectorAll("label")].findLast((each) => each.textContent === ${JSON.stringify(label)})?.htmlFor`;

async function fill(tab: Tab, label: string, text: string): Promise<void> {
  const id = await tab.waitFor<string>(labelled(label));
  await tab.evaluate((field) => {
    const control = document.getElementById(field) as HTMLInputElement;
    control.focus();
    control.select();
  }, id);
  if (text === "") await tab.press("Backspace");
  else await tab.send("Input.insertText", { text });
}

async function choose(tab: Tab, label: string, value: string): Promise<void> {
  const id = await tab.waitFor<string>(labelled(label));
  await tab.evaluate(
    (field, chosen) => {
      const control = document.getElementById(field) as HTMLSelectElement;
      control.value = chosen;
      control.dispatchEvent(new Event("change", { bubbles: true }));
    },
    id,
    value,
  );
}

const isWrong = (label: string) =>
  `document.getElementById(${labelled(label)})?.getAttribute("aria-invalid") === "true"`;
const hasFocus = (text: string) => `document.activeElement.innerText.startsWith(${JSON.stringify(text)})`;
const noDialog = `document.querySelector("dialog[open]") === null`;

/** Runs in the page: what makes it wider than its window. */
function widerThan(width: number): string[] {
  const { scrollWidth = 0, clientWidth = 0 } = document.querySelector("main") ?? {};
  if (document.documentElement.scrollWidth <= width && scrollWidth <= clientWidth) return [];
  const all = [...document.querySelectorAll<HTMLElement>("body *")];
  return all.filter((each) => each.getBoundingClientRect().right > width).map((each) => each.outerHTML.slice(0, 80));
}

/** Nothing for axe, wide and narrow, and nothing wider than the page. */
async function isSound(tab: Tab, name: string): Promise<void> {
  for (const width of [1280, 320]) {
    const size = { width, height: 900, deviceScaleFactor: 1, mobile: false };
    await tab.send("Emulation.setDeviceMetricsOverride", size);
    expect(await axeFindings(tab)).toEqual([]);
    expect(await tab.evaluate(widerThan, width)).toEqual([]);
    await picture(tab, `${name}-${width}`, width);
  }
  await tab.send("Emulation.clearDeviceMetricsOverride");
}

test("TM98: an admin writes the policy, is shown what is wrong at its line, and overwrites no other admin's change", async () => {
  const hub = await startHub();
  hub.provider.people.set("grace", { groups: ["boss"], name: "Grace" });
  const grace = await askAs(hub, "grace");
  const tab = await openPart(hub, "policy");
  await tab.waitFor(says("Your organisation has no rules"));
  await press(tab, "Write rules");
  const rules = (decision: string) =>
    `{\n  "rules": [\n    { "group": "staff", "tool": "delete_*", "decision": "${decision}" }\n  ]\n}`;
  await fill(tab, "Rules, as JSON", rules("dany"));
  await tab.waitFor(says("line 3, column"));
  await press(tab, "Go to line 3");
  const selected = `(({ value, selectionStart, selectionEnd }) => value.slice(selectionStart, selectionEnd))(document.activeElement)`;
  expect(await tab.evaluate(selected)).toContain('"dany"');
  await isSound(tab, "policy-wrong");
  await fill(tab, "Rules, as JSON", rules("deny"));
  await tab.waitFor(says("for people in staff"));
  await tab.waitFor(says("Not saved yet"));
  await fill(tab, "Tool", "delete_order");
  await fill(tab, "Who is in the group", "staff");
  await tab.press("Enter");
  await tab.waitFor(says("by rule 1"));
  await isSound(tab, "policy-draft");

  await grace("PUT /api/team/policy", { rules: [] });
  await press(tab, "Save the rules");
  await tab.waitFor(says("changed by somebody else meanwhile"));
  await press(tab, "Cancel");
  await tab.waitFor(says("0 rules"));
  await press(tab, "Change the rules");
  await fill(tab, "Rules, as JSON", rules("deny"));
  await press(tab, "Save the rules");
  await tab.waitFor(says("These rules hold now."));
  expect((await grace("GET /api/team/policy")).body).toMatchObject({ text: rules("deny") });
  await isSound(tab, "policy");
  await tab.evaluate(`location.hash = "#/rules/policy"`);
  await tab.waitFor(says("Of your organisation"));
  await press(tab, "Change them");
  await press(tab, "Change the rules");
  await press(tab, "Remove all rules");
  await tab.waitFor(says("Your organisation has no rules any more."));
  expect((await grace("GET /api/team/policy")).body).toMatchObject({ text: null });
});

test("TM98: an admin sets quotas, sees what is used and left of them, and lowers budgets", async () => {
  const { fetch } = sayAlways("Hi.", 60);
  const hub = await startHub({ ai: { provider: "openai", model: "m", apiKey: "sk-of-the-hub", fetch } });
  const bob = await askAs(hub, "bob");
  const ada = await askAs(hub, "ada");
  const tab = await openPart(hub, "quotas");
  await tab.waitFor(says("No quota is set"));
  await press(tab, "Set a quota");
  await fill(tab, "Tokens a day", "many");
  await tab.waitFor(isWrong("Tokens a day"));
  await isSound(tab, "quota-wrong");
  await fill(tab, "Tokens a day", "100,000");
  await tab.press("Enter");
  await tab.waitFor(`${noDialog} && ${hasFocus("Set a quota")}`);
  await tab.waitFor(says("100,000 tokens"));
  expect(await bob("POST /api/model/test", {})).toMatchObject({ status: 200 });
  const { left } = (await bob("GET /api/quota")).body as { readonly left: number };
  expect(left).toBeLessThan(100_000);
  await tab.reload();
  await tab.waitFor(says(`${left.toLocaleString()} left`));

  await press(tab, "Set a quota");
  await choose(tab, "For", "group-all");
  await fill(tab, "Group", "staff");
  await fill(tab, "Tokens a day", "");
  await fill(tab, "Tokens a month", "2000000");
  await press(tab, "Save");
  await tab.waitFor(says("staff together"));
  await tab.waitFor(says("0 of 2,000,000 used"));
  await isSound(tab, "quotas");
  await press(tab, "Set a quota");
  await choose(tab, "For", "person");
  await fill(tab, "Whose", "globex/ada");
  await press(tab, "Save");
  await tab.waitFor(`${isWrong("Whose")} && ${says("names principals of your organisation")}`);
  await tab.press("Escape");
  await tab.waitFor(noDialog);
  await press(tab, "Remove the quota of each person");
  await tab.waitFor(`!document.querySelector(".rules-table").innerText.includes("each person")`);
  expect(await tab.evaluate(`document.activeElement.className`)).not.toBe("");

  await press(tab, "Lower a budget");
  await choose(tab, "Of", "callsPerPrincipal");
  await fill(tab, "At most", "5");
  await press(tab, "Save");
  await tab.waitFor(`${noDialog} && document.querySelector("[aria-label=Budgets]")?.innerText.includes("Calls")`);
  expect((await ada("GET /api/team/budgets")).body).toMatchObject({ budgets: { callsPerPrincipal: 5 } });

  await press(tab, "Change Calls");
  await fill(tab, "At most", "6");
  await ada("PUT /api/team/budgets", { budgets: { tabsPerPrincipal: 3 } });
  await press(tab, "Save");
  await tab.waitFor(says("changed by somebody else meanwhile"));
  await tab.waitFor(`document.querySelector("[aria-label=Budgets]")?.innerText.includes("Tabs")`);
  await press(tab, "Save");
  await tab.waitFor(noDialog);
  expect((await ada("GET /api/team/budgets")).body).toMatchObject({
    budgets: { callsPerPrincipal: 6, tabsPerPrincipal: 3 },
  });
  expect((await ada("GET /api/team/quotas")).body).toMatchObject({
    quotas: { groups: { staff: { all: { month: 2_000_000 } } } },
  });
});

test("TM98: an admin accepts a new tool of somebody's pinned origin, and forgets a pin", async () => {
  let origins: readonly string[] = [];
  let url = "";
  const port = await startApp(() => url);
  const hub = await startHub({ allowedOrigins: () => origins });
  ({ url } = hub);
  const app = `https://127.0.0.1:${port}`;
  origins = [app];
  const ada = await askAs(hub, "ada");
  await ada("PUT /api/team/policy", { rules: [], pin: [app] });
  const tab = await openPart(hub, "pins");
  const page = await browser.open(app);
  await page.waitFor(`pagewire.state.status === "connected"`);
  const names = async () => {
    const { pins } = (await ada("GET /api/team/pins/acme%2Fada")).body as {
      readonly pins: readonly { name: string }[];
    };
    return pins.map(({ name }) => name);
  };
  await expect.poll(names).toEqual(["count"]);
  await page.evaluate(`void pagewire.registerTool({ name: "empty", description: "Empties.", execute: () => "done" })`);
  await tab.activate();
  await fill(tab, "Person or service account", "acme/ada");
  await press(tab, "Show");
  await tab.waitFor(says("Changed, and not shown to agents"));
  await isSound(tab, "pins");
  await press(tab, "Accept as it is now");
  await expect.poll(async () => (await names()).toSorted()).toEqual(["count", "empty"]);
  await press(tab, "Forget count");
  await expect.poll(names).toEqual(["empty"]);
});

test("TM98: an admin searches the audit by person, kind and time, sees all of a record, and goes back page by page", async () => {
  const hub = await startHub();
  await askAs(hub, "bob");
  hub.provider.people.set("grace", { groups: ["boss"], name: "Grace" });
  const grace = await askAs(hub, "grace");
  for (let count = 1; count <= 105; count++)
    await grace("PUT /api/team/budgets", { budgets: { callsPerPrincipal: count } });
  await grace("POST /api/team/people/acme%2Fbob", { blocked: true });
  const tab = await openPart(hub, "people");
  await press(tab, "Audit of Grace");
  const rows = `document.querySelectorAll(".rules-table tbody tr").length`;
  await tab.waitFor(`${rows} === 100`);
  await press(tab, "Show more");
  await tab.waitFor(`${rows} > 105`);
  await choose(tab, "What", "person");
  await press(tab, "Search");
  await tab.waitFor(`${rows} === 1 && ${says("acme/bob")}`);
  await isSound(tab, "audit");
  await press(tab, "Show all of acme/bob");
  await tab.waitFor(`document.querySelector("dialog[open]")?.innerText.includes("decidedBy")`);
  await isSound(tab, "audit-record");
  await tab.press("Escape");
  await tab.waitFor(`${noDialog} && ${hasFocus("Show")}`);
  await fill(tab, "Person or service account", "acme/nobody");
  await tab.press("Enter");
  await tab.waitFor(says("Nothing like this is recorded."));
  await tab.evaluate(`location.hash = "#/organisation/audit?until=2020-01-01T00:00Z"`);
  await tab.waitFor(`document.querySelectorAll("input[type=datetime-local]")[1].value !== ""`);
  await tab.waitFor(says("Nothing like this is recorded."));
  await tab.evaluate(`location.hash = "#/organisation/audit?since=nonsense"`);
  await tab.waitFor(says("must be a time such as"));
});

test("TM98: an admin sets a model whose key no page and no answer shows again", async () => {
  const hub = await startHub();
  const ada = await askAs(hub, "ada");
  const tab = await openPart(hub, "model");
  await tab.waitFor(says("No model of your own"));
  await press(tab, "Set a model");
  await choose(tab, "Provider", "openai");
  await fill(tab, "Models", "gpt-one, gpt-two");
  await press(tab, "Save");
  await tab.waitFor(isWrong("API key"));
  await isSound(tab, "model-form");
  const key = "sk-nobody-may-read-this-again";
  await fill(tab, "API key", key);
  await press(tab, "Save");
  await tab.waitFor(`${noDialog} && ${says("openai/gpt-one")} && ${says("there is one, which nobody can read again")}`);
  await isSound(tab, "model");
  expect(await tab.evaluate("document.documentElement.outerHTML")).not.toContain(key);
  expect(JSON.stringify(await ada("GET /api/team/model"))).not.toContain(key);
  await press(tab, "Change it");
  expect(await tab.evaluate(`document.getElementById(${labelled("API key")}).value`)).toBe("");
  await fill(tab, "Address", "https://10.0.0.1/v1");
  await press(tab, "Save");
  await tab.waitFor(isWrong("Address"));
  await fill(tab, "Address", "");
  await fill(tab, "Models", "gpt-two");
  await press(tab, "Save");
  await tab.waitFor(`${noDialog} && ${says("openai/gpt-two")}`);
  expect((await ada("GET /api/team/model")).body).toMatchObject({ model: { models: ["gpt-two"], hasKey: true } });
  await press(tab, "Remove it");
  await tab.waitFor(`document.querySelector("dialog[open]")`);
  await tab.evaluate(`document.querySelector("dialog .danger").click()`);
  await tab.waitFor(says("No model of your own"));
});

test("TM98: names that people gave themselves are text, cut, and stay in their place", async () => {
  const hub = await startHub();
  const name = `<img src=x onerror="document.title='taken'">\u202Eeve\u0000${"x".repeat(10_000)}`;
  hub.provider.people.set("eve", { groups: ["staff", "\u202Eboss", "g".repeat(3000)], name, email: "e".repeat(5000) });
  await askAs(hub, "eve");
  const tab = await openPart(hub, "people");
  await tab.waitFor(says("⟨U+202E⟩eve"));
  expect(await tab.evaluate(`[document.querySelector("main img"), document.title]`)).toEqual([
    null,
    "Organisation · Pagewire",
  ]);
  expect(await tab.evaluate(`document.querySelector("main").innerText.length`)).toBeLessThan(2000);
  await isSound(tab, "people-hostile");
});

test("TM98: somebody who is no admin is told so where a link leads to what admins govern", async () => {
  const hub = await startHub();
  hub.provider.people.set("ada", { groups: ["staff"], name: "Ada Lovelace" });
  const tab = await openPart(hub, "policy");
  await tab.waitFor(says("That is for those who govern your organisation."));
  await isSound(tab, "not-admin");
});
